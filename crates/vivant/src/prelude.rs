//! What most programs import: `use vivant::prelude::*;`.

pub use crate::{
    Actor, Address, AskError, Far, Gc, Handle, Mut, Object, Parcel, Promise, Resolver, Spawner,
    Step, StopReason, System, Tag, Turn, Val, WeakAddress, gc,
};

#[cfg(feature = "macros")]
pub use crate::{behaviours, interface};
