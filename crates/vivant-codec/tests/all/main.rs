//! The tests of `vivant-codec` from outside.

mod any_order;
mod compile_fail;
mod depth;
mod derived;
mod migration;
mod postcard;
mod readme;
mod shapes;
mod show;
mod values;
#[cfg(feature = "serde")]
mod with_serde;
