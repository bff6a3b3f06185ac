//! What most programs import: `use vivant::prelude::*;`.

pub use crate::{
    Actor, Address, AskError, Freeze, Gc, Handle, Ice, Iso, Mut, Object, Parcel, Promise, Resolver,
    Spawner, Step, StopReason, System, Turn, Val, WeakAddress, gc,
};

#[cfg(feature = "macros")]
pub use crate::{behaviours, interface};
