//! Time: wall time and CPU time.

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Runs from its making to [`Meter::stop`].
#[derive(Debug)]
pub(crate) struct Meter {
    cpu: ProcessTime,
    wall: Instant,
}

/// Wall time and CPU time of a measured part.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    /// User and system time of all threads of the process.
    pub(crate) cpu: Duration,
}

impl Meter {
    pub(crate) fn start() -> Meter {
        Meter {
            cpu: ProcessTime::now(),
            wall: Instant::now(),
        }
    }

    pub(crate) fn stop(self) -> Spent {
        let wall = self.wall.elapsed();
        Spent {
            wall,
            cpu: self.cpu.elapsed(),
        }
    }

    /// The CPU time of this process since it began.
    pub(crate) fn since_start_of_process() -> Duration {
        ProcessTime::now().as_duration()
    }
}
