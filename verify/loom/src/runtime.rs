//! The files of the runtime, the same bytes, compiled against loom's primitives through [`crate::sync`].
//!
//! Without their unit tests: this is a library that the tests in `tests/` use, so `cfg(test)` is not set here.

#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/mailbox/inbox.rs"]
pub(crate) mod inbox;
#[path = "../../../crates/vivant/src/mute/mod.rs"]
pub(crate) mod mute;
#[path = "../../../crates/vivant/src/scheduler/sleep.rs"]
pub(crate) mod sleep;
#[allow(dead_code, reason = "the models need no shutdown")]
#[path = "../../../crates/vivant/src/cell/state.rs"]
pub(crate) mod state;
