//! What heaps did while a bench was timed.

use super::super::graphs::{heaps, with_distribution, with_pauses};
use crate::meter::{Meter, Spent};
use crate::row::Figures;
use vivant::{HeapFacts, PauseKind, System};

/// Runs from its making to [`Window::end`].
pub(super) struct Window<'s> {
    system: &'s System,
    before: HeapFacts,
    meter: Meter,
}

/// What heaps did meanwhile, and what it took.
pub(super) struct Seen<'s> {
    system: &'s System,
    pub(super) spent: Spent,
    heaps: HeapFacts,
    /// Bytes of old objects at the beginning or at the end, whichever are more.
    live: u64,
}

impl<'s> Window<'s> {
    pub(super) fn begin(system: &'s System) -> Window<'s> {
        Window {
            system,
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
        Seen {
            system: self.system,
            spent,
            heaps,
            live: heaps.live.max(self.before.live),
        }
    }
}

impl Seen<'_> {
    /// Collections and their time are those of the window; the longest of each kind is that of the whole life of the heaps.
    pub(super) fn figures(&self, ops: u64, check: String) -> Figures {
        let mut figures = with_pauses(Figures::new(self.spent, ops, check), self.heaps);
        let mib = self.live as f64 / f64::from(1 << 20);
        figures.extra.insert("live_mib", mib.into());
        with_distribution(figures, self.system)
    }
}
