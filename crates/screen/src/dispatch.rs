//! From tokens to operations: what each control, escape sequence, control sequence and OSC
//! does. Questions are not here: `signals` takes them out of the stream (answers.rs).

use std::collections::HashSet;

use alacritty_terminal::term::cell::{Cell, Hyperlink};

use crate::bulk::Bulk;
use crate::modes::Mode;
use crate::parser::{Actions, Csi};
use crate::sgr;
use crate::terminal::{Charset, Terminal, row_mut};

/// A longer link target is no link (the limit of VTE and others is about the same).
const MAX_URI: usize = 2048;
/// A longer link id is no link.
const MAX_LINK_ID: usize = 250;
/// Bytes of hyperlinks on the screen; beyond, cells lose theirs.
const MAX_LINK_BYTES: usize = 4 * 1024 * 1024;
/// What a link costs beside its text.
const LINK_OVERHEAD: usize = 128;

impl Actions for Terminal {
    fn ascii(&mut self, run: &[u8]) {
        self.print_ascii(run);
    }

    fn lines(&mut self, bytes: &[u8]) -> Bulk {
        self.draw_lines(bytes)
    }

    fn character(&mut self, c: char) {
        self.print(c);
    }

    fn control(&mut self, byte: u8) {
        match byte {
            0x08 => self.backspace(),
            b'\t' => self.tab(1),
            b'\n' | 0x0B | 0x0C => {
                self.index();
                if self.mode(Mode::NewLine) {
                    self.carriage_return();
                }
            }
            b'\r' => self.carriage_return(),
            0x0E => self.cursor.active_charset = 1,
            0x0F => self.cursor.active_charset = 0,
            _ => {}
        }
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        match (intermediates, last) {
            ([], b'7') => self.save_cursor(),
            ([], b'8') => self.restore_cursor(),
            ([], b'D') => self.index(),
            ([], b'E') => {
                self.index();
                self.carriage_return();
            }
            ([], b'H') => self.set_tab(true),
            ([], b'M') => self.reverse_index(),
            ([], b'c') => self.reset(),
            ([], b'n') => self.cursor.active_charset = 2,
            ([], b'o') => self.cursor.active_charset = 3,
            ([], b'=') => self.modes.put(Mode::Keypad, true),
            ([], b'>') => self.modes.put(Mode::Keypad, false),
            ([b'#'], b'8') => self.alignment_test(),
            ([slot @ b'('..=b'+'], set) => {
                self.cursor.charsets[usize::from(slot - b'(')] = match set {
                    b'0' => Charset::Drawing,
                    _ => Charset::Ascii,
                };
            }
            _ => {}
        }
    }

    fn csi(&mut self, csi: &Csi) {
        match (csi.prefix, csi.intermediates, csi.last) {
            (0, [0, 0], last) => self.plain_csi(csi, last),
            (b'?', [0, 0], last @ (b'h' | b'l')) => {
                for &mode in csi.params() {
                    self.set_mode(mode, true, last == b'h');
                }
            }
            (b'?', [0, 0], b'W') if csi.param(0) == 5 => self.reset_tabs(),
            // Selective erase: nothing is protected, so it is plain.
            (b'?', [0, 0], b'J') => self.erase_in_display(csi.param(0)),
            (b'?', [0, 0], b'K') => self.erase_in_line(csi.param(0)),
            (b'>', [0, 0], b'm') if csi.param(0) == 4 => {
                self.modes.modify_other_keys = csi.param(1).min(2) as u8;
            }
            (b'>', [0, 0], b'u') => self.stack().push(csi.param(0)),
            (b'<', [0, 0], b'u') => self.stack().pop(csi.count(0)),
            (b'=', [0, 0], b'u') => self.stack().set(csi.param(0), csi.param(1)),
            (0, [b' ', 0], b'q') => self.modes.set_cursor_style(csi.param(0)),
            (0, [b'!', 0], b'p') => self.soft_reset(),
            _ => {}
        }
    }

    fn osc(&mut self, body: &[u8]) {
        let end = body.iter().position(|&b| b == b';').unwrap_or(body.len());
        let (number, rest) = body.split_at(end);
        let rest = rest.get(1..).unwrap_or(&[]);
        let Some(number) = std::str::from_utf8(number)
            .ok()
            .and_then(|n| n.parse::<u16>().ok())
        else {
            return;
        };
        match number {
            0 | 2 => self.titles.set(rest),
            4 => self.palette.set_indexed(rest),
            8 => self.set_link(rest),
            10..=19 => self.palette.set_dynamic(number, rest),
            104 => self.palette.reset_indexed(rest),
            110..=119 => self.palette.reset_dynamic(number),
            _ => {}
        }
    }
}

impl Terminal {
    fn plain_csi(&mut self, csi: &Csi, last: u8) {
        let count = csi.count(0);
        match last {
            b'@' => self.insert_chars(count),
            b'A' => self.up(count),
            b'B' | b'e' => self.down(count),
            b'C' | b'a' => self.forward(count),
            b'D' => self.backward(count),
            b'E' => {
                self.down(count);
                self.carriage_return();
            }
            b'F' => {
                self.up(count);
                self.carriage_return();
            }
            b'G' | b'`' => self.goto_col(count - 1),
            b'H' | b'f' => self.goto(count - 1, csi.count(1) - 1),
            b'I' => self.tab(count),
            b'J' => self.erase_in_display(csi.param(0)),
            b'K' => self.erase_in_line(csi.param(0)),
            b'L' => self.insert_lines(count),
            b'M' => self.delete_lines(count),
            b'P' => self.delete_chars(count),
            b'S' => {
                self.scroll_up(count);
                self.moved();
            }
            // With five parameters this is mouse highlighting.
            b'T' if csi.params().len() < 2 => {
                self.scroll_down(count);
                self.moved();
            }
            b'X' => self.erase_chars(count),
            b'Z' => self.back_tab(count),
            b'b' => self.repeat(count),
            b'd' => self.goto_line(count - 1),
            b'g' => match csi.param(0) {
                0 => self.set_tab(false),
                3 => self.clear_tabs(),
                _ => {}
            },
            b'h' | b'l' => {
                for &mode in csi.params() {
                    self.set_mode(mode, false, last == b'h');
                }
            }
            b'm' => sgr::apply(csi, &mut self.cursor.pen),
            b'r' => self.set_margins(csi.count(0), usize::from(csi.param(1))),
            b's' => self.save_cursor(),
            b'u' => self.restore_cursor(),
            b't' => match (csi.param(0), csi.param(1)) {
                (22, 0 | 2) => self.titles.push(),
                (23, 0 | 2) => self.titles.pop(),
                _ => {}
            },
            _ => {}
        }
    }

    fn stack(&mut self) -> &mut crate::keyboard::KeyboardStack {
        let screen = self.screen_index();
        &mut self.keyboard[screen]
    }

    /// OSC 8: `params ; uri`. An empty target closes the link, an unacceptable one is none.
    fn set_link(&mut self, body: &[u8]) {
        let link = parse_link(body);
        if let Some(link) = &link {
            self.link_bytes += link.id().len() + link.uri().len() + LINK_OVERHEAD;
        }
        self.cursor.pen.set_hyperlink(link);
        if self.link_bytes > MAX_LINK_BYTES {
            self.bound_links();
        }
    }

    /// Counts what the cells in fact hold; where that is too much, they lose it.
    fn bound_links(&mut self) {
        let (cols, rows) = (self.cols, self.rows);
        let grids = std::iter::once(&mut self.primary).chain(self.alternate.as_mut());
        let mut seen = HashSet::new();
        let mut live = 0;
        let mut grids: Vec<_> = grids.collect();
        for grid in &mut grids {
            for line in 0..rows {
                for link in row_mut(grid, line).iter().filter_map(Cell::hyperlink) {
                    if seen.insert(link.uri().as_ptr()) {
                        live += link.id().len() + link.uri().len() + LINK_OVERHEAD;
                    }
                }
            }
        }
        if live > MAX_LINK_BYTES / 2 {
            for grid in &mut grids {
                for line in 0..rows {
                    for cell in &mut row_mut(grid, line)[..cols] {
                        if cell.extra.is_some() {
                            cell.set_hyperlink(None);
                        }
                    }
                }
            }
            live = 0;
        }
        self.link_bytes = live;
    }
}

fn parse_link(body: &[u8]) -> Option<Hyperlink> {
    let body = std::str::from_utf8(body).ok()?;
    let (params, uri) = body.split_once(';')?;
    let id = params
        .split(':')
        .find_map(|pair| pair.strip_prefix("id="))
        .unwrap_or("");
    let fits = !uri.is_empty() && uri.len() <= MAX_URI && id.len() <= MAX_LINK_ID;
    let clean = !body.chars().any(char::is_control);
    // An anonymous link has an empty id here: the grid would make one up.
    (fits && clean).then(|| Hyperlink::new(Some(id), uri.to_owned()))
}
