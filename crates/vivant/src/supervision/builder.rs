//! How a supervisor is made.

use super::budget::{BackOff, RestartIntensity};
use super::child::{EndMode, LifecycleSpec};
use super::rules::{Rules, Strategy};
use super::supervisor::Supervisor;
use super::trees::Trees;
use crate::actor::Terms;
use crate::actor::{Messages, OnPanic, Restart};
use crate::api::Address;
use crate::api::Spawner;
use crate::services::ns;
use std::time::Duration;

/// The rules of a [`Supervisor`]. By default it gives up at the sixth failure within ten seconds,
/// and restarts children at once.
#[derive(Clone, Copy, Debug)]
#[must_use = "rules supervise nobody: `.spawn(&system)`, or `tree.add(rules)`"]
pub struct Supervision {
    rules: Rules,
    lifecycle: LifecycleSpec,
}

impl Supervision {
    pub(super) fn new(strategy: Strategy) -> Supervision {
        Supervision {
            rules: Rules {
                strategy,
                budget: RestartIntensity {
                    failures: 5,
                    within_ns: ns(Duration::from_secs(10)),
                },
                back_off: BackOff {
                    least_ns: 0,
                    most_ns: 0,
                },
            },
            lifecycle: LifecycleSpec {
                starts_within: Duration::from_secs(60),
                ends_within: Duration::from_secs(60),
                ending: EndMode::Now,
            },
        }
    }

    /// The number of failures in any window of this length after which it restarts children. At one
    /// more it gives up: it ends its children, the last first, and fails itself
    /// ([`StopReason::GaveUp`](crate::StopReason::GaveUp)); its own supervisor may restart it.
    pub fn budget(mut self, failures: usize, within: Duration) -> Supervision {
        self.rules.budget = RestartIntensity {
            failures,
            within_ns: ns(within),
        };
        self
    }

    /// How long it waits before it restarts a child: `least` after a failure, twice as long after
    /// each further failure in a row, and never longer than `most`. If a child was up for longer
    /// than `most`, the next failure counts as the first. No wait by default.
    pub fn back_off(mut self, least: Duration, most: Duration) -> Supervision {
        self.rules.back_off = BackOff {
            least_ns: ns(least),
            most_ns: ns(most.max(least)),
        };
        self
    }

    /// As a child of another supervisor: how long its own children may take to begin; a minute by
    /// default.
    pub fn starts_within(mut self, limit: Duration) -> Supervision {
        self.lifecycle.starts_within = limit;
        self
    }

    /// As a child of another supervisor: how long its own children may take to end; a minute by
    /// default.
    pub fn ends_within(mut self, limit: Duration) -> Supervision {
        self.lifecycle.ends_within = limit;
        self
    }

    /// Makes the root of a tree. The tree lives as long as an address of it exists, or
    /// [`System::keep`](crate::System::keep) keeps it.
    pub fn spawn(self, spawner: &impl Spawner) -> Address<Supervisor> {
        let root = spawner.spawn_state(Supervisor::new(self.rules, None));
        let to = Address::counted(&root);
        Trees::of(&to.system).insert(&to);
        root
    }

    pub(super) fn into_parts(self) -> (Rules, Terms, LifecycleSpec) {
        let terms = Terms {
            restart: Restart::Always,
            on_panic: OnPanic::Restart,
            messages: Messages::Kept,
        };
        (self.rules, terms, self.lifecycle)
    }
}
