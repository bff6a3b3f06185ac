//! What heaps did while a bench was timed.

use super::super::graphs::{heaps, with_distribution, with_pauses};
use crate::prelude::*;
use vivant::{HeapFacts, PauseKind, System};

/// Runs from its making to [`Window::end`].
pub(super) struct Window<'s> {
    system: &'s System,
    /// What pauses are called, by their clock.
    pauses: &'static str,
    before: HeapFacts,
    meter: Meter,
}

/// What heaps did meanwhile, and what it took.
pub(super) struct Seen<'s> {
    system: &'s System,
    pauses: &'static str,
    pub(super) spent: Spent,
    heaps: HeapFacts,
    /// Bytes of old objects at the beginning or at the end, whichever are more.
    live: u64,
}

impl<'s> Window<'s> {
    pub(super) fn begin(run: &Run, system: &'s System) -> Window<'s> {
        system.forget_pauses();
        Window {
            system,
            pauses: match run.is_chosen(PAUSES, "cpu") {
                true => "pauses_cpu",
                false => "pauses",
            },
            before: heaps(system),
            meter: Meter::start(),
        }
    }

    pub(super) fn end(self) -> Seen<'s> {
        let spent = self.meter.stop();
        let mut heaps = heaps(self.system);
        for kind in PauseKind::ALL {
            heaps.pauses[kind].count -= self.before.pauses[kind].count;
            heaps.pauses[kind].total -= self.before.pauses[kind].total;
        }
        heaps.waits -= self.before.waits;
        heaps.spins -= self.before.spins;
        Seen {
            system: self.system,
            pauses: self.pauses,
            spent,
            heaps,
            live: heaps.live.max(self.before.live),
        }
    }
}

impl Seen<'_> {
    /// Collections, their time, and waits for markers are those of the window, as the distribution
    /// of pauses is; `minor_max_us` and its like are of the whole life of the heaps.
    pub(super) fn figures(&self, ops: u64, check: String) -> Figures {
        let mut figures = with_pauses(Figures::new(self.spent, ops, check), self.heaps);
        let mib = self.live as f64 / f64::from(1 << 20);
        figures.add("live_mib", mib);
        figures.add("waits", self.heaps.waits);
        figures.add("looks", self.heaps.spins);
        with_distribution(figures, self.pauses, self.system)
    }
}
