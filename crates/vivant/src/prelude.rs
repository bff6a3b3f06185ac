//! The items that most programs import: `use vivant::prelude::*;`.

pub use crate::{
    Actor, Address, AskError, Far, Freeze, Gc, Handle, Ice, Iso, Mut, Object, Parcel, Promise,
    Resolver, Spawner, Step, StopReason, System, Tag, Turn, Val, WeakAddress, gc,
};

#[cfg(feature = "macros")]
pub use crate::{behaviours, interface};
