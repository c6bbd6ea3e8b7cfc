//! Real holders with real programs in private directories, by what they must show.

mod home;
mod lifecycle;
mod names;
