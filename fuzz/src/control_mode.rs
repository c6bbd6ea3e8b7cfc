//! Control mode of tmux: any bytes from a server, or from whatever stands in its place.
//!
//! Promises: the cut of the stream does not matter; a body is never longer than its limit, nor all
//! output together longer than what was read; text inside a block is never told as something else; a
//! listing of any bytes is read as whole records or none.

use tmux::protocol::{BLOCK_LIMIT, Event, Reader, Start};
use tmux::quote;

/// The target: the first byte says how the stream is cut and where it begins.
pub fn control_mode(data: &[u8]) {
    let Some((how, stream)) = data.split_first() else {
        return;
    };
    let start = match how & 0x80 {
        0 => Start::AtOnce,
        _ => Start::AtPreamble,
    };
    let whole = told(start, stream, stream.len().max(1));
    let in_pieces = told(start, stream, usize::from(how & 0x7f).max(1));
    assert_eq!(whole, in_pieces);
    let output = |told: &Told| match told {
        Told::Output(_, bytes) => bytes.len(),
        _ => 0,
    };
    assert!(whole.iter().map(output).sum::<usize>() <= stream.len());
    for fields in 1..4 {
        for record in quote::records(stream, fields) {
            assert_eq!(record.len(), fields);
        }
    }
    // Whatever is inside a block stays there.
    if !stream
        .windows(5)
        .any(|five| five == b"%end " || five == b"%erro")
    {
        let mut block = b"%begin 1 1 1\n".to_vec();
        block.extend_from_slice(stream);
        block.extend_from_slice(b"\n%end 1 1 1\n");
        let told = told(Start::AtOnce, &block, usize::from(how & 0x7f).max(1));
        assert!(matches!(&told[..], [Told::Block(true, _)]), "{told:?}");
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Told {
    Block(bool, Vec<u8>),
    Output(u32, Vec<u8>),
    Notification(String),
}

/// What is told of `stream`, read in pieces of that many bytes.
fn told(start: Start, stream: &[u8], piece: usize) -> Vec<Told> {
    let mut told = Vec::new();
    let mut sink = |event: Event<'_>| match event {
        Event::Block(block) => {
            assert!(block.body.len() <= BLOCK_LIMIT);
            told.push(Told::Block(block.success, block.body.to_vec()));
        }
        Event::Output { pane, bytes } => match told.last_mut() {
            Some(Told::Output(last, before)) if *last == pane.0 => before.extend_from_slice(bytes),
            _ => told.push(Told::Output(pane.0, bytes.to_vec())),
        },
        Event::Notification(notification) => {
            told.push(Told::Notification(format!("{notification:?}")));
        }
    };
    let mut reader = Reader::new(start);
    for bytes in stream.chunks(piece) {
        reader.read(bytes, &mut sink);
    }
    reader.finish(&mut sink);
    told
}

#[cfg(test)]
mod tests {
    #[test]
    fn control_mode_of_anybody_keeps_its_promises() {
        let dictionary: &[&[u8]] = &[
            b"\n%begin 1 1 1\n",
            b"\n%end 1 1 1\n",
            b"\n%error 1 1 1\n",
            b"\n%exit\n",
            b"\n%output %1 ",
            b"\n%extended-output %1 0 : ",
            b"\n%sessions-changed\n",
            b"\n%subscription-changed w $1 - - - : ",
            b"\x1bP1000p",
            b"\\033",
            b"\\",
            b" : ",
            b"\r\n",
            b"%4294967296 ",
        ];
        crate::mutation::run("control_mode", dictionary, super::control_mode);
    }
}
