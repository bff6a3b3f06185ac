//! Behaviour of journals, on real directories.

mod journals;
