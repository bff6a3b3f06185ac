//! The tests of `vivant-codec` from outside.

mod postcard;
