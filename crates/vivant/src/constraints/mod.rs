//! Constraints over the messages of several actors, which synchronizers declare. The protocol is in
//! `README.md`.
//!
//! - [`table`]: synchronizers and offers.
//! - [`offer`], [`transaction`]: what is in it.
//! - [`offers`]: how offers change.
//! - [`groups`]: which offers form a group.
//! - [`holds`]: the holds and the commit of a group.
//! - [`declared`]: a synchronizer and its user code; [`content`]: what changes of it.
//! - [`entry`], [`saved`], [`restored`]: synchronizers in cuts and in images.

mod content;
mod declared;
mod entry;
mod groups;
mod holds;
#[cfg(all(test, feature = "macros"))]
mod model;
mod offer;
mod offers;
mod restored;
mod saved;
mod table;
#[cfg(all(test, feature = "macros"))]
mod tests;
mod transaction;

pub(crate) use declared::{Condition, Declaration};
pub(crate) use offer::{Gate, Matches, OfferMade, Offered, PatternPlace};
pub(crate) use restored::{MemberPatterns, RestoredSynchronizer, brings_patterns};
pub(crate) use saved::{SavedDeclaration, SynchronizerCodec};
pub(crate) use transaction::{Patience, Refused, Task};

use crate::actor::{
    CellRef, Delivery, EntryStamp, Envelope, KindTable, MessageKind, Next, Pattern, Processed,
    Refusal, Shared, Signals, StateRef, Update, Worker,
};
use crate::failures::{Caught, catch};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::phase::Phase;
use crate::services::{Action, ActorTable, Alarm, ExitAction, SystemCall};
use crate::sync::{Arc, Mutex, lock};
use content::Content;
use declared::{Broken, Declared};
use offer::hopeless;
use std::collections::BTreeMap;
use table::Table;
use transaction::Acquired;

/// The constraints of a system.
#[derive(Default)]
pub(crate) struct Constraints(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    table: Table<Update>,
    declared: BTreeMap<u64, Arc<Declared>>,
    /// The actors that have been members of a synchronizer, until they end.
    cells: BTreeMap<u64, CellRef>,
}

/// The members of synchronizers.
static MEMBERS: ActorTable<Arc<Shared>> = ActorTable {
    name: "synchronizers",
    forget: |system, actor, _| {
        Constraints::of(system).member_ended(actor);
        if system.is_closing() {
            Constraints::of(system).forget_if_over();
        }
    },
};

/// A transaction waits for an actor no longer.
static WAIT_NO_LONGER: SystemCall<Arc<Shared>> = SystemCall {
    name: "hold",
    call: |system, [transaction, actor]| {
        Constraints::of(system).change(|inner| inner.table.wait_no_longer(transaction, actor));
    },
};

impl Constraints {
    pub(crate) fn of(system: &Shared) -> &Constraints {
        system.extensions.part()
    }

    /// Changes the table, and signals the actors that are to look at it. Both signals and the drop
    /// of what is not needed any more come after the lock.
    fn change<R>(&self, change: impl FnOnce(&mut Inner) -> R) -> R {
        let (result, signalled, garbage, cell) = {
            let mut inner = lock(&self.0);
            let result = change(&mut inner);
            let garbage = inner.table.take_garbage();
            let cell = match garbage.is_empty() {
                true => None,
                false => inner.cells.values().next().cloned(),
            };
            (result, inner.signalled(), garbage, cell)
        };
        for cell in signalled {
            cell.signal(Signals::SYNCHRONIZE);
        }
        // The actor of this run may have nothing to do with them.
        discard(garbage, cell.as_ref());
        result
    }

    /// Enters a synchronizer, and sends its members their patterns. Returns its number.
    ///
    /// # Errors
    ///
    /// A member that has ended.
    pub(crate) fn declare(
        &self,
        system: &Arc<Shared>,
        declaration: Declaration,
    ) -> Result<u64, CellRef> {
        let number = self.change(|inner| inner.table.next_synchronizer());
        let Declaration {
            members,
            sets,
            conditions,
            state,
            place,
            saved,
        } = declaration;
        let cells: Vec<CellRef> = members.values().map(|(to, _)| to.cell()).collect();
        let content = Content::new(state, system.passes.now().phase());
        let saved = (place, saved);
        let declared = Declared::new(number, cells.clone(), conditions, saved, content);
        let declared = Arc::new(declared);
        let gates = declared.gates();
        let new = self.change(|inner| {
            let ids = members.keys().copied().collect();
            inner.table.declare(number, sets, gates, ids);
            // Under the lock of the table (L10).
            system.change_table(|code| {
                lock(&declared.content).stamp = EntryStamp::made_by(code);
                inner.declared.insert(number, declared);
            });
            let new = cells.into_iter();
            let new = new.filter(|cell| inner.cells.insert(cell.id, (*cell).clone()).is_none());
            new.collect::<Vec<_>>()
        });
        for cell in new {
            let hook = ExitAction::Forget(&MEMBERS, Box::default());
            if cell.system.when_ended(&cell, hook).is_none() {
                self.member_ended(cell.id);
            }
        }
        let mut ended = members.values().map(|(to, _)| to);
        if let Some(ended) = ended.find(|to| to.ended().is_some()) {
            self.lift(number, system);
            return Err(ended.cell());
        }
        for (to, mut patterns) in members.into_values() {
            for pattern in &mut patterns {
                pattern.synchronizer = number;
            }
            let envelope = Envelope::new::<Constrain>(patterns, place);
            Delivery { to, envelope }.deliver();
        }
        Ok(number)
    }

    /// An alarm by which a transaction, the first number, waits for an actor no longer.
    pub(crate) fn set_patience(system: &Arc<Shared>, in_ns: u64, transaction: u64, actor: u64) {
        let action = Action::Call(&WAIT_NO_LONGER, [transaction, actor]);
        // It is not cancelled: later it finds that the transaction does not wait here.
        let _timer = system.set_timer(in_ns, Alarm::Limit(action));
    }

    /// The synchronizer constrains nothing any more.
    pub(crate) fn lift(&self, number: u64, system: &Arc<Shared>) {
        if let Some(declared) = self.declared(number) {
            declared.end(system);
        }
        let declared = self.change(|inner| {
            inner.table.lift(number);
            inner.declared.remove(&number)
        });
        // Outside of the lock: its drop is user code.
        drop(declared);
    }

    /// The synchronizer lasts as long as its system, or until code of it has panicked.
    pub(crate) fn lasts_forever(&self, number: u64, system: &Arc<Shared>) {
        if let Some(declared) = self.declared(number) {
            declared.lasts_forever(system);
        }
    }

    fn declared(&self, number: u64) -> Option<Arc<Declared>> {
        lock(&self.0).declared.get(&number).cloned()
    }

    fn member_ended(&self, actor: u64) {
        let gone = self.change(|inner| {
            let gone = inner.cells.remove(&actor);
            let path = gone.as_ref().map(|cell| cell.path()).unwrap_or_default();
            let declared = &inner.declared;
            inner.table.member_ended(actor, |number| {
                let place = declared.get(&number).map(|declared| declared.place);
                hopeless(
                    place,
                    &format!("together with a message to {path}, which has ended"),
                )
            });
            gone
        });
        drop(gone);
    }

    /// The system shuts down. Behind the end of the last member nothing is left to constrain, and
    /// what is declared refers to cells, and these to the system.
    fn forget_if_over(&self) {
        let forgotten = self.change(|inner| match inner.cells.is_empty() {
            true => std::mem::take(&mut inner.declared),
            false => BTreeMap::new(),
        });
        // Outside of the lock: its drop is user code.
        discard(forgotten.into_values().collect(), None);
    }

    /// Code of a synchronizer has panicked in a run of this actor.
    pub(crate) fn break_down(&self, number: u64, actor: &CellRef, caught: Caught) {
        let panic = actor.panic("a synchronizer", caught);
        actor.system.reports.panicked(&panic);
        if let Some(declared) = self.declared(number) {
            let why = declared.break_down(panic.message(), &actor.system);
            self.change(|inner| inner.table.break_down(number, why));
        }
    }

    pub(crate) fn offer(
        &self,
        (actor, message): (u64, u64),
        matches: Matches,
        made: OfferMade,
    ) -> Offered {
        self.change(|inner| inner.table.offer(actor, message, matches, made))
    }

    /// Makes an offer anew; returns `None` if there is none.
    pub(crate) fn offer_again(&self, actor: u64, message: u64) -> Option<Offered> {
        self.change(|inner| inner.table.offer_again(actor, message))
    }

    /// The message matches more patterns. Returns `None` if it is not offered.
    pub(crate) fn matches_too(&self, actor: u64, message: u64, more: Matches) -> Option<Offered> {
        self.change(|inner| inner.table.matches_too(actor, message, more))
    }

    /// The message is gone.
    pub(crate) fn withdraw(&self, actor: u64, message: u64) {
        self.change(|inner| inner.table.withdraw(actor, message));
    }

    pub(crate) fn task(&self, actor: u64) -> Task {
        self.change(|inner| inner.table.task(actor))
    }

    pub(crate) fn refuse(&self, transaction: u64, actor: u64, refused: Refused) {
        self.change(|inner| inner.table.refuse(transaction, actor, refused));
    }

    /// The actor cannot give its hold before its exclusive wait is over: see `Table::wait_for`.
    pub(crate) fn wait_for(&self, transaction: u64) -> (Patience, Option<u64>) {
        self.change(|inner| inner.table.wait_for(transaction))
    }

    pub(crate) fn give_up_hold(&self, actor: u64) {
        self.change(|inner| inner.table.give_up_hold(actor));
    }

    pub(crate) fn dispatched(&self, actor: u64) {
        self.change(|inner| inner.table.dispatched(actor));
    }

    /// The messages that the actor had deferred are refused.
    pub(crate) fn forget(&self, actor: u64) {
        self.change(|inner| inner.table.forget(actor));
    }

    /// The actor gives its hold, and with the last one the transaction commits, in this phase. Runs
    /// user code.
    pub(crate) fn acquired(
        &self,
        number: u64,
        actor: &CellRef,
        updates: Vec<(u64, Update)>,
        code: Phase,
    ) {
        let acquired = self.change(|inner| inner.table.acquired(number, actor.id, updates, code));
        let Acquired::All { updates, stateful } = acquired else {
            return;
        };
        let declared: Vec<_> = self.change(|inner| {
            let of = |number| inner.declared.get(number).cloned();
            stateful.iter().filter_map(of).collect()
        });
        if declared.len() < stateful.len() && code != actor.system.passes.now().phase() {
            // L8: one was lifted, perhaps behind the line. The cut would lack its update.
            actor.system.passes.void();
        }
        let mut by_synchronizer: BTreeMap<u64, Vec<Update>> = BTreeMap::new();
        for (synchronizer, update) in updates {
            by_synchronizer
                .entry(synchronizer)
                .or_default()
                .push(update);
        }
        let (mut gates, mut panics) = (Vec::new(), Vec::new());
        let (mut states, mut rests) = (Vec::new(), Vec::new());
        for declared in &declared {
            let updates = by_synchronizer.remove(&declared.number).unwrap_or_default();
            match declared.update(updates, code, &actor.system) {
                Ok(states) => gates.push((declared.number, states)),
                Err(Broken {
                    caught,
                    state,
                    rest,
                }) => {
                    panics.push((declared.number, caught));
                    states.extend(state);
                    rests.extend(rest);
                }
            }
        }
        rests.extend(by_synchronizer.into_values().flatten());
        // Drops that may panic come after it: its members are held until then.
        self.change(|inner| inner.table.commit(number, &gates));
        for (number, caught) in panics {
            self.break_down(number, actor, caught);
        }
        discard(declared, Some(actor));
        discard(states, Some(actor));
        discard(rests, Some(actor));
    }
}

/// Drops values of user code, each by itself: a panic is reported, and goes no further.
fn discard<T>(garbage: Vec<T>, actor: Option<&CellRef>) {
    for value in garbage {
        if let Err(caught) = catch(|| drop(value))
            && let Some(actor) = actor
        {
            let panic = actor.panic("the drop of a synchronizer", caught);
            actor.system.reports.panicked(&panic);
        }
    }
}

impl Inner {
    fn signalled(&mut self) -> Vec<CellRef> {
        let mut signalled = Vec::new();
        for actor in self.table.take_signals() {
            match self.cells.get(&actor) {
                Some(cell) => signalled.push(cell.clone()),
                // It has ended.
                None => self.table.remove_seat(actor),
            }
        }
        signalled
    }
}

/// The message by which a member learns of its patterns.
struct Constrain;

impl MessageKind for Constrain {
    type Content = Vec<Pattern>;
    const KIND: KindTable = KindTable::new::<Self>("constrain", MessageRole::Own);

    fn run(patterns: Vec<Pattern>, _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Constrain(patterns)
    }

    fn refuse(patterns: Vec<Pattern>, _: &Refusal, _: Place) -> Next {
        drop(patterns);
        Next::Nothing
    }
}
