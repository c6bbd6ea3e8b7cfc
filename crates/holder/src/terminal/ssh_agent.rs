//! The terminal's own link to an SSH agent: programs keep its path, and each attach re-points it
//! to the attaching client's agent, so that an old terminal works after a new login.

use std::io;
use std::path::{Path, PathBuf};

/// The link of the terminal in `directory`.
pub(super) fn link_path(directory: &Path) -> PathBuf {
    directory.join("ssh-agent")
}

/// Lets the link lead to `agent`, unless that is a link to this one.
pub(super) fn point(directory: &Path, agent: &Path) -> io::Result<()> {
    let link = link_path(directory);
    // An agent may come through the link of another terminal; what counts is where it ends.
    let target = std::fs::canonicalize(agent).unwrap_or_else(|_| agent.to_owned());
    if !target.is_absolute() || target == link || agent == link {
        return Ok(());
    }
    let temporary = directory.join("ssh-agent.new");
    crate::paths::remove_file(&temporary)?;
    std::os::unix::fs::symlink(&target, &temporary)?;
    std::fs::rename(&temporary, &link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_follows_the_latest_agent_and_never_leads_to_itself() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("agent"), "").unwrap();
        point(&root, Path::new("/run/old")).unwrap();
        assert_eq!(
            std::fs::read_link(link_path(&root)).unwrap(),
            Path::new("/run/old")
        );
        point(&root, &link_path(&root)).unwrap();
        assert_eq!(
            std::fs::read_link(link_path(&root)).unwrap(),
            Path::new("/run/old")
        );
        point(&root, &root.join("agent")).unwrap();
        assert_eq!(
            std::fs::read_link(link_path(&root)).unwrap(),
            root.join("agent")
        );
    }
}
