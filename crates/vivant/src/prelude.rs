//! What most programs import: `use vivant::prelude::*;`.

pub use crate::{
    Actor, Address, AskError, Gc, Handle, Mut, Object, Promise, Resolver, Spawner, Step,
    StopReason, System, Turn, WeakAddress,
};

#[cfg(feature = "macros")]
pub use crate::{behaviours, interface};
