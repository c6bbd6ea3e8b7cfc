//! One process per terminal: PTY, signals, status and screen behind one socket.
