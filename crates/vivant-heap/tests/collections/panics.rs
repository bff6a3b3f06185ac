//! User code that panics.
