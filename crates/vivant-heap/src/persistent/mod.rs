#![doc = include_str!("README.md")]

mod copy;
mod map;
mod ord_map;
#[cfg(test)]
mod self_tests;
mod string;
mod vec;
mod version;

/// Persistent collections: an update returns a new version, which shares unchanged parts with the
/// old one.
///
/// A version is a `Copy` handle of a few words on shared objects ([`Val`](crate::Val)): a field of
/// any object, of a message, or of a [`Parcel`](crate::Parcel). Any heap that has it reads it
/// without a copy or a lock. Functions that update take the turn's [`Mutator`](crate::Mutator). The
/// old version stays unchanged as long as it is referenced. Unreachable nodes are garbage of the
/// heap that has allocated them.
///
/// ```
/// use vivant_heap::{Heap, Object, Pacing, Root, PageSource, val};
///
/// /// The published value: a version of the prices, and of the notes on them.
/// #[derive(Clone, Copy, Object)]
/// struct Offer<'gc> {
///     prices: val::Map<'gc, u64, u64>,
///     notes: val::Vec<'gc, val::String<'gc>>,
/// }
///
/// struct Shop;
/// impl Root for Shop {
///     type Of<'gc> = Offer<'gc>;
/// }
///
/// fn nothing<'gc>() -> Offer<'gc> {
///     Offer { prices: val::Map::new(), notes: val::Vec::new() }
/// }
///
/// let source = std::sync::Arc::new(PageSource::new());
/// let mut shop = Heap::<Shop>::new(&source, Pacing::default(), |_| nothing());
/// let mut reader = Heap::<Shop>::new(&source, Pacing::default(), |_| nothing());
///
/// let parcel = shop.turn(|m, offer| {
///     offer.prices = offer.prices.insert(m, 7, 100);
///     let sent = *offer;
///     offer.prices = offer.prices.insert(m, 7, 120);
///     m.pack::<Offer<'static>>(sent)
/// });
/// reader.turn(|m, offer| {
///     *offer = m.unpack(parcel);
///     assert_eq!(offer.prices.get(&7), Some(&100));
/// });
/// ```
///
/// An object of one heap cannot be an element (O2):
///
/// ```compile_fail,E0277
/// use vivant_heap::{Gc, Mutator, val};
///
/// fn shared<'gc>(m: &Mutator<'gc>, number: Gc<'gc, u64>) {
///     let _ = val::Vec::from_iter(m, [number]);
/// }
/// ```
pub mod val {
    pub use super::map::{Iter as MapIter, Map};
    pub use super::ord_map::{Iter as OrdMapIter, OrdMap};
    pub use super::string::{Chunks, String};
    pub use super::vec::{Iter as VecIter, Vec};
}
