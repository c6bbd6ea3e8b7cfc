//! Real holders with real programs in private directories, by what they must show.

mod clients;
mod home;
mod lifecycle;
mod names;
mod program;
