//! What most programs import: `use vivant::prelude::*;`.

pub use crate::{
    Actor, Address, AskError, Handle, Promise, Resolver, Spawner, StopReason, System, Turn,
    WeakAddress,
};

#[cfg(feature = "macros")]
pub use crate::{behaviours, interface};
