//! The outer terminal: attaching, the prefix key, the picker.
