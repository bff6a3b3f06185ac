//! The items that most programs import: `use vivant::prelude::*;`.

#[doc(no_inline)]
pub use crate::actor::AskError;
#[doc(no_inline)]
pub use crate::api::Spawner;
#[doc(hidden)]
pub use crate::api::Target as _;
#[doc(no_inline)]
pub use crate::api::{Address, Asker, Handle, Promise, Resolver, Step, Turn, WeakAddress};
#[doc(no_inline)]
pub use crate::failures::StopReason;
#[doc(hidden)]
pub use crate::gc_state::WithoutStart as _;
#[doc(no_inline)]
pub use crate::gc_state::{Far, Rooted};
#[doc(no_inline)]
pub use crate::system::System;
#[doc(no_inline)]
pub use crate::{Actor, Freeze, Gc, Ice, Iso, Mut, Object, Parcel, Tag, Val, gc};

#[cfg(feature = "macros")]
#[doc(no_inline)]
pub use crate::{behaviours, interface};
