//! All interleavings of the runtime's single protocols, under loom.
//!
//! The files that hold a protocol between threads take atomics and locks from `crate::sync`. Here
//! `runtime.rs` compiles the same files over loom's, and a `real.rs` those of other crates. Each
//! model runs one protocol, with two or three threads and as few messages as possible, through
//! every interleaving and every value that a weakly ordered machine may read, up to a number of
//! preemptions. Code without a file that can be shared is modelled, with a table of names.
//! `models!` and `canaries!` at the end of a protocol's file are its register; `tests/models.rs`
//! runs all.
//!
//! - `mailbox`: M1, M2, M3, M5. `run`: C1, M4, signals. `signals`: which of two is heard
//!   last. `address`: C3, C4, C5, C6.
//! - `slot`: the slot for the actor just woken. `sleep`: W1, W2, W3. `handover`: D2.
//!   `clock`: K1.
//! - `muting`: P1, P2, P3. `pool`: N1, N2, N3. `promise`: the two ends of a promise. `record`: the
//!   request that a promise is, Q6. `slots`: the open promises of an actor, Q7. `brc`: biased
//!   counts, B1 to B8.
//! - `orca`: count deltas sent to a heap, O6. `unreachable`: commit or abort
//!   of the trial deletion of unreachable actors, U3, U4.
//! - `marking`: concurrent marking of a heap, H5, H6. `phases`: the passes of a cut, L5.
//!
//! Each has its self-tests, the **canaries**: faults that the same models must find, each in a
//! process of its own. A fault of a file of the crates is injected into that file, at its own line,
//! by the macro `fault!` ([`mod@fault`]); in a build the macro expands to nothing. A fault of
//! modelled code is in the model.
//!
//! `cargo test` and `cargo xtask loom` run all with two preemptions, `cargo xtask loom --long` with
//! three and the larger models as well. To see what a model does in a failing interleaving, run its
//! test with `LOOM_LOG=trace LOOM_LOCATION=1`.
//!
//! Limits of loom: it explores no more preemptions than the bound and no values out of thin air; it
//! does not know that `SeqCst` is more than acquire and release (no modelled code of the runtime
//! relies on that), nor that a fence orders only what its own thread has read; time does not exist,
//! nor a wait that ends by a timeout, so there is none in the models. It explores one behaviour
//! that no machine has: a plain store between an exchange and the value that the exchange has read.

mod address;
mod atomics;
#[allow(
    unsafe_code,
    reason = "counted objects and slots are behind pointers, as in the crate"
)]
mod brc;
mod check;
mod clock;
mod counters;
pub mod fault;
mod handover;
#[allow(
    unsafe_code,
    reason = "a node is linked by raw pointers, as in the runtime"
)]
mod letters;
mod mailbox;
mod marking;
mod muting;
mod once;
#[allow(
    unsafe_code,
    reason = "objects and owners are behind pointers, as in the crate"
)]
mod orca;
#[path = "phase_files.rs"]
mod phase;
mod phases;
mod pointer;
#[allow(
    unsafe_code,
    reason = "blocks of memory are given back, as in the runtime"
)]
mod pool;
mod promise;
#[allow(
    unsafe_code,
    reason = "a record is opened and closed by its owners, as in the runtime"
)]
mod record;
mod run;
mod runtime;
mod signals;
mod sleep;
#[allow(
    unsafe_code,
    reason = "an actor in the slot is a pointer, as in the runtime"
)]
mod slot;
#[allow(
    unsafe_code,
    reason = "slots are linked by raw pointers, as in the runtime"
)]
mod slots;
#[allow(unsafe_code, reason = "blocks of memory are given back")]
mod stubs;
mod sync;
#[allow(unsafe_code, reason = "the pointers that loom hands out and follows")]
mod tracked;
mod unreachable;

pub use check::{Canary, Test};
use orca::stubs::{alloc, foreign_code, pages};
use stubs::{actor, interned, message, services};

macro_rules! tests {
    ($($protocol:ident)+) => {
        /// All models and their self-tests.
        pub fn tests() -> impl Iterator<Item = &'static Test> {
            let tests = [$($protocol::MODELS, $protocol::CANARIES,)+];
            tests.into_iter().flatten()
        }
    };
}

tests! {
    mailbox run signals sleep clock handover muting address unreachable brc orca marking slot pool
    promise record slots phases
}
