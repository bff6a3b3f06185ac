//! Images of heaps: random graphs are saved and restored, and must be the same graphs.

#[path = "image/graph.rs"]
mod graph;
#[path = "image/hostile.rs"]
mod hostile;
#[path = "image/programs.rs"]
mod programs;
#[path = "image/saved.rs"]
mod saved;
