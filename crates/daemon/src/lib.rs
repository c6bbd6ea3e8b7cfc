//! One process per user: registry, journal, API.
