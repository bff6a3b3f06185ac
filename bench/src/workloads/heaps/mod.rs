//! Collected heaps beside `Box`: the cost of an object from its making to its end, and the pauses
//! of the program.
//!
//! - `sides`: runs the compared sides, each in a process of its own, in interleaved rounds;
//! - `alloc`, `trees`, `list`, `old`, `server`, `gcbench`: the programs, each for a heap and for
//!   `Box`;
//! - `tree`: the trees of three of them.
//!
//! The heap has no actor: the program calls turns and the collections between them directly.

mod alloc;
mod gcbench;
mod list;
mod old;
mod server;
mod sides;
mod tree;
mod trees;

pub(super) use alloc::HEAP_ALLOC;
pub(super) use gcbench::HEAP_GCBENCH;
pub(super) use list::HEAP_LIST;
pub(super) use old::HEAP_OLD;
pub(super) use server::{HEAP_SERVER8, HEAP_SERVER14};
pub(super) use trees::HEAP_TREES;
