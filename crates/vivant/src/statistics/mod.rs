//! Numbers that the runtime keeps for programs to read: the pauses of heaps, their sizes, the turns
//! of workers.

mod distribution;
mod facts;
mod names;
mod pauses;
mod workers;
pub(crate) use distribution::Histograms;
pub use distribution::{Distribution, PauseDistributions};
pub(crate) use facts::HeapCounts;
pub use facts::HeapFacts;
pub use names::NameFacts;
pub use pauses::{ByPauseKind, PauseClock, Pauses};
pub use vivant_heap::PauseKind;
pub use workers::WorkerFacts;
