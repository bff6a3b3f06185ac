#![doc = include_str!("../README.md")]

#[allow(unsafe_code, reason = "counts decide when memory is freed")]
mod bias;
#[allow(unsafe_code, reason = "what a count keeps alive is behind a pointer")]
mod brc;
mod chain;
#[allow(unsafe_code, reason = "memory of counted objects")]
mod object;
mod owner;
mod sync;
#[allow(
    unsafe_code,
    reason = "pointers are coerced, and become references again"
)]
#[doc(hidden)]
pub mod unsizing;
#[allow(unsafe_code, reason = "what a weak count keeps is memory")]
mod weak;

pub use brc::{Brc, CloneToNew};
pub use chain::drop_chain;
pub use owner::{Owner, detached, merge};
pub use weak::Weak;
