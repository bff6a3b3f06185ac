//! The files of the runtime, byte for byte, compiled against loom's primitives through
//! [`crate::sync`].
//!
//! Without their unit tests: this is a library that the tests in `tests/` use, so `cfg(test)` is
//! not set here.

#[allow(dead_code, reason = "the models inspect nothing")]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/message/inbox.rs"]
pub(crate) mod inbox;
#[allow(dead_code, reason = "the models look at no slot without taking")]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/queues/lifo_slot.rs"]
pub(crate) mod lifo_slot;
#[path = "../../../crates/vivant/src/mute/mod.rs"]
pub(crate) mod mute;
#[allow(dead_code, reason = "the models of pools have no promises")]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/message/pool.rs"]
pub(crate) mod pool;
use crate::stubs::slab;
#[allow(
    dead_code,
    reason = "the models of records need what was asked, and no table"
)]
#[allow(unreachable_pub, reason = "as in the runtime")]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/services/requests.rs"]
pub(crate) mod requests;
#[allow(dead_code, reason = "the models need no shutdown")]
#[path = "../../../crates/vivant/src/actor/signals.rs"]
pub(crate) mod signals;
#[path = "../../../crates/vivant/src/queues/sleep.rs"]
pub(crate) mod sleep;
