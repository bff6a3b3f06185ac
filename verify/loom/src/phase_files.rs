//! The files of the runtime with the passes of a cut (see [`crate::runtime`]).

#[allow(dead_code, reason = "the models have no messages")]
#[path = "../../../crates/vivant/src/phase/number.rs"]
pub(crate) mod number;
#[allow(dead_code, reason = "the threads of the models leave no list")]
#[path = "../../../crates/vivant/src/phase/outside.rs"]
pub(crate) mod outside;
#[allow(dead_code, reason = "the models have no tables and no queues")]
#[path = "../../../crates/vivant/src/phase/passes.rs"]
pub(crate) mod passes;
#[path = "../../../crates/vivant/src/phase/published.rs"]
pub(crate) mod published;
#[path = "../../../crates/vivant/src/phase/turn_gate.rs"]
pub(crate) mod turn_gate;
#[path = "../../../crates/vivant/src/phase/turn_pause.rs"]
pub(crate) mod turn_pause;

pub(crate) use number::Parity;
