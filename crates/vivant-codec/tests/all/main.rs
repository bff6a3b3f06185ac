//! The tests of `vivant-codec` from outside.

mod migration;
mod postcard;
