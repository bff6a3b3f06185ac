#![doc = include_str!("../README.md")]

#[allow(unsafe_code, reason = "counts decide when memory is freed")]
mod bias;
#[allow(unsafe_code, reason = "what a count keeps alive is behind a pointer")]
mod brc;
mod chain;
pub mod counters;
#[allow(unsafe_code, reason = "memory of counted objects")]
mod object;
mod owner;
mod sync;

#[doc(hidden)]
pub use brc::unsizing;
pub use brc::{Brc, CloneToNew, Weak};
pub use chain::drop_chain;
pub use owner::{Executor, Owner, detached, merge};
