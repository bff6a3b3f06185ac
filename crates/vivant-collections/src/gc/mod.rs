//! Collections that live in the heap, in chunks.
//!
//! A collection is a handle of a few words: a field of a state or of an object, neither `Copy` nor
//! `Clone`. It has the only reference to its chunks, so `&self` reads and `&mut self` writes, as in
//! `std`. Functions that write or allocate take the turn's [`Mutator`](vivant_heap::Mutator).
//!
//! ```
//! use vivant_collections::gc;
//! use vivant_heap::{Gc, Heap, Mut, Object, Pacing, Root, PageSource};
//!
//! #[derive(Object)]
//! struct Index<'gc> {
//!     by_name: gc::HashMap<'gc, String, Gc<'gc, Mut<u64>>>,
//!     log: gc::Vec<'gc, Gc<'gc, Mut<u64>>>,
//! }
//!
//! struct State;
//! impl Root for State {
//!     type Of<'gc> = Index<'gc>;
//! }
//!
//! let source = std::sync::Arc::new(PageSource::new());
//! let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Index {
//!     by_name: gc::HashMap::new(),
//!     log: gc::Vec::new(),
//! });
//! heap.turn(|m, state| {
//!     let count = m.alloc(Mut::new(1));
//!     state.by_name.insert(m, "one".to_owned(), count);
//!     state.log.push(m, count);
//! });
//! heap.collect();
//! heap.turn(|_, state| assert_eq!(state.by_name.get("one").unwrap().get(), 1));
//! ```
//!
//! `README.md` beside this file has the design.

#[cfg(all(test, not(miri)))]
mod barrier_tests;
mod btree;
mod chunk;
mod deque;
mod entries;
mod entry;
mod frozen;
mod hash;
mod items;
mod iter;
mod radix;
mod saved;
mod string;
mod vec;
#[cfg(test)]
mod window_tests;

pub use btree::map::{self as btree_map, BTreeMap};
pub use deque::VecDeque;
pub use frozen::InPlace;
pub use hash::map::{self as hash_map, HashMap};
pub use hash::set::{self as hash_set, HashSet};
pub use hash::weak_map::WeakMap;
pub use iter::{Chunks, ChunksMut, Iter, IterMut};
pub use string::{String, Writer};
pub use vec::Vec;
pub use vivant_heap::{FixedHasher, FixedState};
