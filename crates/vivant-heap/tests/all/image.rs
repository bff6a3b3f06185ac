//! Images of heaps: random graphs are saved and restored, and must be the same graphs.

#[path = "image/beside_turns.rs"]
mod beside_turns;
#[path = "image/counted.rs"]
mod counted;
#[path = "image/cut.rs"]
mod cut;
#[path = "image/graph.rs"]
mod graph;
#[path = "image/harbour.rs"]
mod harbour;
#[path = "image/hostile_regions.rs"]
mod hostile_regions;
#[path = "image/hostile_restores.rs"]
mod hostile_restores;
#[path = "image/hostile_tagged.rs"]
mod hostile_tagged;
#[path = "image/incremental.rs"]
mod incremental;
// Large heaps, of which an interpreter would see nothing new.
#[cfg(not(miri))]
#[path = "image/limits.rs"]
mod limits;
#[path = "image/loads.rs"]
mod loads;
#[path = "image/programs.rs"]
mod programs;
#[path = "image/regions.rs"]
mod regions;
#[path = "image/saved.rs"]
mod saved;
#[path = "image/several_heaps.rs"]
mod several_heaps;
#[path = "image/shared.rs"]
mod shared;
#[path = "image/sink.rs"]
mod sink;
#[path = "image/tagged.rs"]
mod tagged;
#[path = "image/trait_objects.rs"]
mod trait_objects;
#[path = "image/weak.rs"]
mod weak;
#[path = "image/wrong_images.rs"]
mod wrong_images;
