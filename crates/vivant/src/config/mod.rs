//! The configuration of a system, as the runtime uses it.

mod collectors;

pub use collectors::BadCollectors;
pub(crate) use collectors::Collectors;

use crate::mute::Watermarks;
use crate::statistics::PauseClock;
use std::time::Duration;
use vivant_heap::Pacing;

pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) marks: Watermarks,
    pub(crate) budget: RunBudget,
    pub(crate) turn_limit_ms: u64,
    pub(crate) pacing: Pacing,
    pub(crate) collectors: Collectors,
    pub(crate) heap_limit: Option<usize>,
    pub(crate) allocation_limit: usize,
    pub(crate) idle_after: Duration,
    pub(crate) pause_clock: PauseClock,
    #[cfg(feature = "tokio")]
    pub(crate) tokio: Option<tokio::runtime::Handle>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            name: "vivant".to_owned(),
            marks: Watermarks::at(1024),
            budget: RunBudget {
                messages: 256,
                ms: 2,
            },
            turn_limit_ms: 10,
            pacing: Pacing::default(),
            collectors: Collectors::default(),
            heap_limit: None,
            allocation_limit: 64 << 20,
            idle_after: Duration::from_secs(1),
            pause_clock: PauseClock::default(),
            #[cfg(feature = "tokio")]
            tokio: None,
        }
    }
}

/// Limit of an actor's run while other actors wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunBudget {
    /// Number of messages.
    pub(crate) messages: u32,
    /// Coarse milliseconds.
    pub(crate) ms: u64,
}
