//! Which terminals were attached to, the last one first: what `-` and the prefix's `p` mean.

use holder::paths::{Paths, is_id};
use std::fs;
use std::io;

/// So many are remembered: the previous one may have been removed.
const REMEMBERED: usize = 16;

const FILE: &str = "attached";

/// Remembers that this terminal was attached to.
pub(crate) fn remember(paths: &Paths, id: &str) -> io::Result<()> {
    let mut ids = ids(paths);
    ids.retain(|known| known != id);
    ids.insert(0, id.to_owned());
    ids.truncate(REMEMBERED);
    paths.create_state()?;
    // Whole or not at all: another client may read it now.
    let temporary = paths.state.join(format!("{FILE}.{}", std::process::id()));
    let written = fs::write(&temporary, ids.join("\n"))
        .and_then(|()| fs::rename(&temporary, paths.state.join(FILE)));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The last one attached to that still exists and is not `current`.
pub(crate) fn before(paths: &Paths, current: Option<&str>) -> Option<String> {
    let exists = |id: &String| paths.is_alive(id) || paths.state_file(id).exists();
    ids(paths)
        .into_iter()
        .find(|id| current != Some(id) && exists(id))
}

fn ids(paths: &Paths) -> Vec<String> {
    let text = fs::read_to_string(paths.state.join(FILE)).unwrap_or_default();
    let ids = text.lines().filter(|line| is_id(line));
    ids.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths_in(root: &std::path::Path) -> Paths {
        Paths {
            runtime: vec![root.join("run")],
            state: root.join("state"),
            config: root.join("config"),
        }
    }

    #[test]
    fn the_previous_one_is_the_last_other_one_that_still_exists() {
        let root = tempfile::tempdir().unwrap();
        let paths = paths_in(root.path());
        assert_eq!(before(&paths, None), None);
        for id in ["aaaaaaaa", "bbbbbbbb", "cccccccc", "bbbbbbbb"] {
            remember(&paths, id).unwrap();
        }
        assert_eq!(before(&paths, None), None, "none of them exists");
        for id in ["aaaaaaaa", "bbbbbbbb"] {
            let file = paths.state_file(id);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        }
        assert_eq!(before(&paths, None).as_deref(), Some("bbbbbbbb"));
        assert_eq!(
            before(&paths, Some("bbbbbbbb")).as_deref(),
            Some("aaaaaaaa")
        );
    }

    #[test]
    fn the_memory_is_bounded_and_a_spoilt_file_harmless() {
        let root = tempfile::tempdir().unwrap();
        let paths = paths_in(root.path());
        paths.create_state().unwrap();
        fs::write(paths.state.join(FILE), "../../etc\n\nno id\n").unwrap();
        assert_eq!(ids(&paths), [""; 0]);
        for last in 'a'..='z' {
            remember(&paths, &format!("aaaaaaa{last}")).unwrap();
        }
        assert_eq!(ids(&paths).len(), REMEMBERED);
    }
}
