//! Persistent collections: an update returns a new version, which shares unchanged parts with the
//! old one.
//!
//! A version is a `Copy` handle of a few words on shared objects ([`Val`](vivant_heap::Val)): a
//! field of any object, of a message, or of a [`Parcel`](vivant_heap::Parcel). Any heap that has it
//! reads it without a copy or a lock. Functions that update take the turn's
//! [`Mutator`](vivant_heap::Mutator). The old version stays unchanged as long as it is referenced.
//! Unreachable nodes are garbage of the heap that has allocated them.
//!
//! ```
//! use vivant_collections::val;
//! use vivant_heap::{Heap, Object, Pacing, Root, PageSource};
//!
//! /// The published value: a version of the prices, and of the notes on them.
//! #[derive(Clone, Copy, Object)]
//! struct Offer<'gc> {
//!     prices: val::Map<'gc, u64, u64>,
//!     notes: val::Vec<'gc, val::String<'gc>>,
//! }
//!
//! struct Shop;
//! impl Root for Shop {
//!     type Of<'gc> = Offer<'gc>;
//! }
//!
//! fn nothing<'gc>() -> Offer<'gc> {
//!     Offer { prices: val::Map::new(), notes: val::Vec::new() }
//! }
//!
//! let source = std::sync::Arc::new(PageSource::new());
//! let mut shop = Heap::<Shop>::new(&source, Pacing::default(), |_| nothing());
//! let mut reader = Heap::<Shop>::new(&source, Pacing::default(), |_| nothing());
//!
//! let parcel = shop.turn(|m, offer| {
//!     offer.prices = offer.prices.insert(m, 7, 100);
//!     let sent = *offer;
//!     offer.prices = offer.prices.insert(m, 7, 120);
//!     m.pack::<Offer<'static>>(sent)
//! });
//! reader.turn(|m, offer| {
//!     *offer = m.unpack(parcel);
//!     assert_eq!(offer.prices.get(&7), Some(&100));
//! });
//! ```
//!
//! An object of one heap cannot be an element:
//!
//! ```compile_fail,E0277
//! use vivant_collections::val;
//! use vivant_heap::{Gc, Mutator};
//!
//! fn shared<'gc>(m: &Mutator<'gc>, number: Gc<'gc, u64>) {
//!     let _ = val::Vec::from_iter(m, [number]);
//! }
//! ```
//!
//! `README.md` beside this file has the design.

mod checks;
mod copy;
#[allow(unsafe_code, reason = "states that versions are frozen as they are")]
mod frozen;
mod map;
mod ord_map;
mod saved;
#[cfg(test)]
mod self_tests;
mod string;
mod vec;
mod version;

pub use map::{Iter as MapIter, Map};
pub use ord_map::{Iter as OrdMapIter, OrdMap};
pub use string::{Chunks, String};
pub use vec::{Iter as VecIter, Vec};
