//! Values on the way between heaps: parcels, holder roots, the heap of a turn that packs.

pub(crate) mod holder_root;
pub(crate) mod parcel;
#[cfg(test)]
mod turn_heap_tests;
