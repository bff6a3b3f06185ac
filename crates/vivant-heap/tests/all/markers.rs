//! Concurrent marks, with markers on threads of their own: what turns do meanwhile, against models.
//! These are attempts to break it; the outcome of each is in `README.md`.

#![forbid(unsafe_code)]

mod ends;
mod graph;
mod sharing;
mod threads;

use threads::{Markers, Mode, source, with_seeds};
