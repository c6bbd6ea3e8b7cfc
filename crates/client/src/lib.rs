//! The API client of every client of the daemon.
