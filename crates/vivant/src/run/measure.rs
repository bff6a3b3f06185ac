//! The worker class of an actor, by the time that its runs take (T6).

use super::run_guard::RunGuard;
use crate::actor::WorkerClass;

/// Whether the run of an actor is measured, because an earlier run took long.
pub(crate) enum RunMeasure {
    None,
    Since(u64),
}

impl RunGuard<'_> {
    /// T6: returns the CPU time at which a measured run begins.
    #[inline]
    pub(crate) fn begin_measure(&mut self) -> RunMeasure {
        match self.owner().worker_class {
            WorkerClass::Workers | WorkerClass::Blocking => RunMeasure::None,
            WorkerClass::Candidate | WorkerClass::Slow => {
                RunMeasure::Since(self.worker.system.oracle.thread_cpu_ns())
            }
        }
    }

    /// T6: updates the worker class. An actor with long computations moves to the threads for slow
    /// actors; when its runs are short again, it moves back. A long turn alone makes it only
    /// suspect: the turn may have waited, or its thread may have been preempted.
    #[inline]
    pub(crate) fn update_worker_class(&mut self, longest_ms: u64, begin_measure: &RunMeasure) {
        let system = &self.worker.system;
        let limit_ms = system.config.turn_limit_ms;
        let worker_class = match begin_measure {
            RunMeasure::None if longest_ms < limit_ms => return,
            RunMeasure::None => WorkerClass::Candidate,
            RunMeasure::Since(then_ns) => {
                let computed_ns = system.oracle.thread_cpu_ns().saturating_sub(*then_ns);
                if computed_ns >= limit_ms * 1_000_000 {
                    WorkerClass::Slow
                } else if longest_ms >= limit_ms {
                    WorkerClass::Candidate
                } else {
                    WorkerClass::Workers
                }
            }
        };
        if self.owner().worker_class != WorkerClass::Blocking {
            self.owner().worker_class = worker_class;
        }
    }
}
