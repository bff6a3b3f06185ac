//! The synchronizers of a restored system.

use super::held::Held;
use super::message_record::MessageRecord;
use super::not_restored::NotRestored;
use super::synchronizers::SynchronizerRecord;
use super::tables::TablesRecord;
use super::values::Values;
use crate::actor::{Restored, RestoredMark, Shared, WaitsAs};
use crate::api::{NotDeclared, SavedForm, StoredSynchronizer};
use crate::constraints::Constraints;
use crate::sync::Arc;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers from this one on are those of no rank.
const NUMBERS_MAX: u64 = u64::MAX / 2;

/// Declares the synchronizers of a new system again, under their numbers. Their members have their
/// patterns before any message.
pub(super) fn restore_synchronizers(
    tables: &TablesRecord,
    system: &Arc<Shared>,
    held: &mut Held,
    values: &Values<'_>,
) -> Result<(), NotRestored> {
    let next = tables.next_synchronizer;
    let mut numbers = BTreeSet::new();
    for record in &tables.synchronizers {
        let fails = |why: &str| NotRestored::synchronizer(record, why);
        if record.number >= next {
            return Err(fails("its number is that of a later one"));
        }
        if !numbers.insert(record.number) {
            return Err(fails("another one has its number"));
        }
        let listed = values.kinds.synchronizer(&record.kind);
        let listed = listed.ok_or_else(|| {
            fails("the program does not list it: name it in `System::builder().saved::<(…)>()`")
        })?;
        let stored = StoredSynchronizer {
            system,
            number: record.number,
            declared: record.declared,
            lasts: record.lasts,
            broken: record.broken.as_deref(),
            state: values.stored(record.state.shape, &record.state.bytes),
            args: values.stored(record.args.shape, &record.args.bytes),
        };
        let patterns = (listed.declare)(&stored).map_err(|error| match error {
            NotDeclared::Value(error) => fails(&error.to_string()),
            NotDeclared::Code(why) => fails(&why),
        })?;
        for (member, patterns) in patterns {
            // A member that has ended takes no message.
            if let Ok(idle) = held.actor(member) {
                idle.constrain(patterns);
            }
        }
    }
    Ok(())
}

/// What synchronizers had to do with the waiting messages of an image.
pub(super) struct RestoredOffers {
    /// By actor: the ranks of its offers, in the order of its mailbox.
    ranks: BTreeMap<u64, Vec<u64>>,
    /// By actor: how many messages synchronizers have decided to dispatch. More than one only if
    /// the actor began anew and defers the first.
    commits: BTreeMap<u64, u32>,
    highest: u64,
}

impl RestoredOffers {
    /// Checks that each rank has one offer.
    pub(super) fn new(
        waiting: &[MessageRecord],
        values: &Values<'_>,
    ) -> Result<RestoredOffers, NotRestored> {
        let mut offers = RestoredOffers {
            ranks: BTreeMap::new(),
            commits: BTreeMap::new(),
            highest: 0,
        };
        let mut all = BTreeSet::new();
        for MessageRecord { actor, message } in waiting {
            let is_valid = match message.waits_as {
                WaitsAs::Message | WaitsAs::Arrival(_) => continue,
                WaitsAs::Offered(rank) => {
                    offers.ranks.entry(*actor).or_default().push(rank);
                    offers.highest = offers.highest.max(rank);
                    all.insert(rank) && rank < NUMBERS_MAX
                }
                WaitsAs::Committed => {
                    *offers.commits.entry(*actor).or_default() += 1;
                    true
                }
            };
            if !is_valid || values.form(message) != Some(SavedForm::Message) {
                let waits_as = message.waits_as;
                return Err(NotRestored::NoOffer {
                    actor: *actor,
                    waits_as: format!("{waits_as:?}"),
                });
            }
        }
        Ok(offers)
    }

    /// Gives the actors what their messages refer to.
    pub(super) fn give(&self, system: &Arc<Shared>, held: &mut Held) -> Result<(), NotRestored> {
        Constraints::of(system).ranks_behind(self.highest);
        let with_offers = self.ranks.keys().chain(self.commits.keys());
        for actor in with_offers.copied().collect::<BTreeSet<_>>() {
            held.actor(actor)?.set_restored(Restored {
                ranks: self.ranks.get(&actor).map_or(&[][..], Vec::as_slice).into(),
                commits: self.commits.get(&actor).copied().unwrap_or_default(),
            });
        }
        Ok(())
    }
}

/// The marks of the messages of a mailbox, in its order.
#[derive(Default)]
pub(super) struct Marks {
    actor: u64,
    offered: usize,
}

impl Marks {
    /// The mark of the next message. Those of an actor follow each other.
    pub(super) fn of(&mut self, record: &MessageRecord) -> RestoredMark {
        if record.actor != self.actor {
            *self = Marks {
                actor: record.actor,
                offered: 0,
            };
        }
        match record.message.waits_as {
            WaitsAs::Message | WaitsAs::Arrival(_) => RestoredMark::default(),
            WaitsAs::Committed => RestoredMark::COMMITTED,
            WaitsAs::Offered(_) => {
                self.offered += 1;
                RestoredMark::offered(self.offered - 1)
            }
        }
    }
}

impl NotRestored {
    fn synchronizer(record: &SynchronizerRecord, why: &str) -> NotRestored {
        NotRestored::Synchronizer {
            kind: record.kind.clone(),
            declared: record.declared.to_string(),
            why: why.to_owned(),
        }
    }
}
