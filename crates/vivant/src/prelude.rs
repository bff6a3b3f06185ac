//! The items that most programs import: `use vivant::prelude::*;`.

pub use crate::actor::AskError;
pub use crate::api::Spawner;
pub use crate::api::{Address, Handle, Promise, Resolver, Step, Turn, WeakAddress};
pub use crate::failures::StopReason;
pub use crate::gc_state::Far;
#[doc(hidden)]
pub use crate::gc_state::WithoutStart as _;
pub use crate::system::System;
pub use crate::{Actor, Freeze, Gc, Ice, Iso, Mut, Object, Parcel, Tag, Val, gc};

#[cfg(feature = "macros")]
pub use crate::{behaviours, interface};
