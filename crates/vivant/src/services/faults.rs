//! Faults that a seed may inject into a simulated program, besides choosing the order.

use std::time::Duration;

/// Faults, each off by default; rates are per million.
#[derive(Clone, Debug, Default)]
#[must_use = "faults do nothing until a simulation has them"]
pub struct Faults {
    pub(crate) panics: u32,
    pub(crate) slow_turns: u32,
    pub(crate) slow_by: Duration,
    pub(crate) delays: u32,
    pub(crate) delay_by: Duration,
    mailboxes: Mailboxes,
    /// The actor types that are hit, by their stable names; all, if there is none.
    pub(crate) hit: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Mailboxes {
    #[default]
    AsConfigured,
    Full,
}

impl Faults {
    /// No faults.
    pub fn none() -> Faults {
        Faults::default()
    }

    /// All of them, often enough to occur in a short test: one turn in a hundred panics, one in ten
    /// is slow by up to 20 ms, one wake-up in ten is delayed by up to 50 ms, and mailboxes are full
    /// from two messages on.
    pub fn all() -> Faults {
        Faults::none()
            .panics(10_000)
            .slow_turns(100_000, Duration::from_millis(20))
            .delays(100_000, Duration::from_millis(50))
            .full_mailboxes()
    }

    /// A turn panics before its behaviour begins.
    pub fn panics(mut self, per_million: u32) -> Faults {
        self.panics = per_million;
        self
    }

    /// A turn takes up to `by` of virtual time.
    pub fn slow_turns(mut self, per_million: u32, by: Duration) -> Faults {
        (self.slow_turns, self.slow_by) = (per_million, by);
        self
    }

    /// An actor that has become runnable is delayed by up to `by` of virtual time, with all its
    /// messages: delivery stays causal.
    pub fn delays(mut self, per_million: u32, by: Duration) -> Faults {
        (self.delays, self.delay_by) = (per_million, by);
        self
    }

    /// Two waiting messages make an actor overloaded, so that muting occurs everywhere.
    pub fn full_mailboxes(mut self) -> Faults {
        self.mailboxes = Mailboxes::Full;
        self
    }

    /// Whether actors of the type with this stable name are hit.
    pub(crate) fn hits(&self, actor: &str) -> bool {
        self.hit.is_empty() || self.hit.contains(&actor)
    }

    /// The number of waiting messages that make an actor overloaded, if not the configured one.
    pub(crate) fn overload(&self) -> Option<usize> {
        match self.mailboxes {
            Mailboxes::AsConfigured => None,
            Mailboxes::Full => Some(2),
        }
    }
}
