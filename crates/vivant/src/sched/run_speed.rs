//! [`RunSpeed`]: the speed of a worker, sampled between two rounds.

/// Period over which turns are counted, in nanoseconds: long enough to contain a sender's long turn
/// and its receiver's many short ones.
const COUNTED_NS: u64 = 1_000_000;

/// A worker's statistics of its own speed.
#[derive(Default)]
pub(crate) struct RunSpeed {
    sampled_ns: u64,
    /// Time and number of turns at which the count of turns in a millisecond began.
    counted: (u64, u64),
    /// Time since which the queue has not been empty, as far as the samples tell.
    backlog_since_ns: Option<u64>,
}

impl RunSpeed {
    /// A sample between two rounds, after `runs` runs. Returns the mean time of a run since the
    /// last sample, and whether the queue has been non-empty for `offer_delay_ns`.
    pub(crate) fn sample(
        &mut self,
        now_ns: u64,
        runs: u32,
        queued: usize,
        offer_delay_ns: u64,
    ) -> (u64, Backlog) {
        let mean_ns = now_ns.saturating_sub(self.sampled_ns) / u64::from(runs.max(1));
        self.sampled_ns = now_ns;
        if queued == 0 {
            self.backlog_since_ns = None;
            return (mean_ns, Backlog::Short);
        }
        let since_ns = *self.backlog_since_ns.get_or_insert(now_ns);
        if now_ns - since_ns < offer_delay_ns {
            return (mean_ns, Backlog::Short);
        }
        // The next offer has to wait for the offer delay again.
        self.backlog_since_ns = Some(now_ns);
        (mean_ns, Backlog::Lasting)
    }

    /// Returns the number of turns in a millisecond, if enough time has passed since they were last
    /// counted.
    pub(crate) fn turns_per_ms(&mut self, now_ns: u64, turns: u64) -> Option<u32> {
        let (then_ns, then) = self.counted;
        let ns = now_ns.saturating_sub(then_ns);
        if ns < COUNTED_NS {
            return None;
        }
        self.counted = (now_ns, turns);
        let done = turns.saturating_sub(then) * 1_000_000 / ns;
        Some(done.min(u64::from(u32::MAX)) as u32)
    }

    /// Starts the statistics anew after a sleep.
    pub(crate) fn woke(&mut self, now_ns: u64, turns: u64) {
        self.sampled_ns = now_ns;
        self.counted = (now_ns, turns);
        self.backlog_since_ns = None;
    }
}

/// Whether there is more work than one worker should do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backlog {
    Short,
    Lasting,
}
