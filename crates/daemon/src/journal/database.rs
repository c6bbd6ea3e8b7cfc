//! The database of the journal: its tables, what it knows of each terminal, its bounds.

use super::{Known, Position};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// Events kept in the database.
const KEPT_EVENTS: u64 = 100_000;
/// And at most that much of it, since a status with many records is large.
const KEPT_BYTES: u64 = 256 << 20;
/// How long another process may hold the database, an inspecting person say.
const BUSY: Duration = Duration::from_secs(2);

pub(super) fn open_database(path: &Path) -> rusqlite::Result<Connection> {
    let database = Connection::open(path)?;
    database.busy_timeout(BUSY)?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    // In WAL mode this is safe against the end of the process; power loss costs the last
    // moments, which the holders did not survive either.
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.execute_batch(
        "CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, line TEXT NOT NULL);
         CREATE TABLE IF NOT EXISTS terminals (
             id TEXT PRIMARY KEY, incarnation INTEGER NOT NULL, seq INTEGER NOT NULL,
             status TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;",
    )?;
    Ok(database)
}

pub(super) fn known(database: &Connection) -> rusqlite::Result<HashMap<String, Known>> {
    let mut select = database.prepare("SELECT id, incarnation, seq, status FROM terminals")?;
    let rows = select.query_map([], |row| {
        let position = Position {
            incarnation: row.get(1)?,
            seq: row.get(2)?,
        };
        Ok((row.get::<_, String>(0)?, position, row.get::<_, String>(3)?))
    })?;
    let mut known = HashMap::new();
    for row in rows {
        let (id, position, status) = row?;
        match serde_json::from_str(&status) {
            Ok(status) => {
                known.insert(id, Known { position, status });
            }
            Err(error) => tracing::warn!("the stored status of {id} cannot be read: {error}"),
        }
    }
    Ok(known)
}

/// Deletes what is over the bounds; the highest number that is gone, where some are.
pub(super) fn prune(database: &mut Connection) -> rusqlite::Result<Option<u64>> {
    let used: u64 = database.query_row(
        "SELECT (p.page_count - f.freelist_count) * s.page_size \
         FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s",
        [],
        |row| row.get(0),
    )?;
    let keep = if used > KEPT_BYTES {
        let count: u64 = database.query_row("SELECT COUNT(*) FROM events", [], |row| row.get(0))?;
        (count / 2).min(KEPT_EVENTS)
    } else {
        KEPT_EVENTS
    };
    prune_to(database, keep)
}

fn prune_to(database: &mut Connection, keep: u64) -> rusqlite::Result<Option<u64>> {
    // Numbers have holes, so they are counted.
    let last: Option<u64> = database
        .query_row(
            "SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?1",
            [keep],
            |row| row.get(0),
        )
        .optional()?;
    let Some(last) = last else { return Ok(None) };
    let transaction = database.transaction()?;
    transaction.execute("DELETE FROM events WHERE seq <= ?1", [last])?;
    transaction.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('pruned', ?1)",
        [last],
    )?;
    transaction.commit()?;
    Ok(Some(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pruning_keeps_the_newest_and_says_what_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let mut database = open_database(&directory.path().join("j.db")).unwrap();
        for seq in [1, 2, 3, 1000, 1001] {
            let insert = "INSERT INTO events (seq, line) VALUES (?1, '{}')";
            database.execute(insert, [seq]).unwrap();
        }
        assert_eq!(prune_to(&mut database, 10).unwrap(), None);
        assert_eq!(prune_to(&mut database, 2).unwrap(), Some(3));
        let count = "SELECT COUNT(*) FROM events";
        let kept: u64 = database.query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 2);
        let meta = "SELECT value FROM meta WHERE key = 'pruned'";
        let pruned: u64 = database.query_row(meta, [], |row| row.get(0)).unwrap();
        assert_eq!(pruned, 3);
    }
}
