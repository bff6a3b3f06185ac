//! A parked actor, held by the cycle detector for a short time: scanned, then parked again or
//! ended.

use super::holder::Holder;
use crate::actor::{
    CellRef, CommitResult, Ended, Envelope, ExclusiveWait, Guards, Header, Lifecycle, LinkedPeer,
    Mute, NextState, OutgoingReferences, Pattern, Restored, RunState, Runnable, Signals, StateRef,
    StepProgress, StopWait, SupervisedBy, TraceCoverage, WaitPurpose,
};
use crate::failures::StopReason;
#[cfg(feature = "snapshots")]
use crate::interned::Name;
use crate::message::{Parked, TryHold};
use crate::wait_for::WaitForGraph;
use std::ops::Deref;
use vivant_heap::Sharer;

/// The right to access an actor that was parked (C1). The detector that has it is the actor's
/// holder. It runs none of its messages, and must park or end the actor.
#[must_use = "an actor that is not let go will never run again"]
pub(crate) struct Idle(Runnable);

/// Why an actor cannot be held now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occupied {
    /// It runs, or waits for its run.
    Active,
    Ended,
}

/// Whether a restored child has a state, or gets it with its heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChildState {
    None,
    Some,
}

/// Why an idle actor is not garbage, independent of its addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RootReason {
    /// Messages wait for it: it is muted, or they have just arrived.
    Messages,
    /// It has a supervisor.
    Supervised,
}

impl CellRef {
    /// Holds the actor if it is parked.
    pub(crate) fn hold_idle(&self) -> Result<Idle, Occupied> {
        match self.inbox.try_hold() {
            TryHold::Yes => {
                // SAFETY: the inbox was parked, and this call has made it active, so it makes the
                // one `Runnable` (C1); the pointer is that of the whole cell (C7).
                let mut idle = Idle(unsafe { Runnable::new(self.as_ptr()) });
                idle.enter_pass();
                Ok(idle)
            }
            TryHold::Active => Err(Occupied::Active),
            TryHold::Closed => Err(Occupied::Ended),
        }
    }
}

impl Idle {
    /// The actor between two runs, for a visit of its heap. It goes into a run queue afterwards.
    pub(crate) fn between_runs(actor: Runnable) -> Idle {
        Idle(actor)
    }

    /// The actor has ended in another life of the system, by this reason. It has no state, and no
    /// other thread knows it yet.
    pub(crate) fn has_ended(mut self, reason: StopReason) {
        self.run_state().life = Lifecycle::Ended;
        let phase = self.system.passes.now().phase();
        self.ended.set(Ended { reason, phase });
        drop(self.inbox.close());
        self.pressure.closed();
    }

    /// It goes on with this step of a behaviour, before any other message.
    pub(crate) fn set_step(&mut self, step: Envelope) {
        self.system.account_more(step.kind().bytes);
        let run_state = self.run_state();
        run_state.cold().step = Some(step);
        run_state.steps = StepProgress::Pending;
    }

    /// The actor has this supervisor, and this life, as in another life of the system.
    pub(crate) fn set_child(&mut self, child: SupervisedBy, life: Lifecycle, state: ChildState) {
        let run_state = self.run_state();
        run_state.cold().child = Some(child);
        run_state.life = life;
        if state == ChildState::Some && life == Lifecycle::Down {
            // Its next incarnation begins with that state.
            self.run_state().cold().next_state = NextState::Loaded(Box::new(|| ()));
        } else if life == Lifecycle::Down {
            // An incarnation waited, and that is over.
            let run_state = self.run_state();
            run_state.nothing_deferred();
            self.forget_waits(|_| true);
        }
    }

    #[cfg(feature = "snapshots")]
    pub(crate) fn cell(&self) -> CellRef {
        self.0.cell()
    }

    /// Whether its last state is to be loaded.
    pub(crate) fn awaits_last_state(&mut self) -> bool {
        self.run_state().awaits_last_state()
    }

    /// The behaviour in which the incarnation before has failed, if it has failed in one.
    #[cfg(feature = "snapshots")]
    pub(crate) fn failed_in(&mut self) -> Option<Name> {
        match self.run_state().cold().next_state {
            NextState::Last(failed_in) => failed_in,
            NextState::Start | NextState::Loaded(_) => None,
        }
    }

    /// Its next incarnation begins with this: its last state was loaded, or is not there. The actor
    /// goes into a run queue.
    #[cfg(feature = "snapshots")]
    pub(crate) fn begins_with(mut self, next: NextState) {
        self.run_state().cold().next_state = next;
        let system = self.0.system.clone();
        system.schedule(self.0);
    }

    /// Whether it has a state, and runs.
    pub(crate) fn is_up(&mut self) -> bool {
        self.state().has_state() && self.run_state().life == Lifecycle::Running
    }

    /// Whether it waits for a promise with this purpose.
    pub(crate) fn is_waiting_for(&mut self, purpose: WaitPurpose) -> bool {
        let cold = self.run_state().cold.as_ref();
        cold.is_some_and(|cold| cold.waits.iter().any(|wait| wait.purpose == purpose))
    }

    /// Its stop hook waits for its promise, as in another life. What the actor waited for before
    /// does not matter any more.
    pub(crate) fn is_stopping(&mut self, stop: StopWait) {
        let run_state = self.run_state();
        run_state.life = Lifecycle::Stopping;
        run_state.cold().stop = Some(stop);
        self.forget_waits(|purpose| purpose != WaitPurpose::Stop);
    }

    fn forget_waits(&mut self, which: impl Fn(WaitPurpose) -> bool) {
        let (id, system) = (self.id, self.system.clone());
        let Some(cold) = &mut self.run_state().cold else {
            return;
        };
        let waits = std::mem::take(&mut cold.waits).into_iter();
        let (over, open): (Vec<_>, Vec<_>) = waits.partition(|wait| which(wait.purpose));
        cold.waits = open;
        for wait in over {
            WaitForGraph::of(&system).end(id, &wait);
        }
    }

    /// The actor has this link, as in another life.
    pub(crate) fn add_link(&mut self, link: LinkedPeer) {
        self.run_state().cold().linked.push(link);
    }

    /// The actor is watched, as in another life.
    pub(crate) fn add_watch(&mut self, watch: Envelope) {
        self.run_state().cold().watches.push(watch);
    }

    /// Synchronizers constrain messages of the actor by these patterns, as in another life.
    pub(crate) fn constrain(&mut self, patterns: Vec<Pattern>) {
        self.run_state().constrain(patterns);
    }

    /// What an image says of the messages of the actor.
    pub(crate) fn set_restored(&mut self, restored: Restored) {
        let run_state = self.run_state();
        run_state
            .cold()
            .constrained
            .get_or_insert_default()
            .restored = restored;
        if run_state.guards == Guards::None {
            run_state.guards = Guards::Closed;
        }
    }

    /// The actor, for its next run.
    pub(crate) fn into_runnable(self) -> Runnable {
        self.0
    }

    /// Returns what keeps the actor alive, as far as the actor itself shows it.
    pub(crate) fn root_reason(&self) -> Option<RootReason> {
        // SAFETY: this is the only right to access the owner part (C1), and it is not written here
        // (X6).
        let owner = unsafe { &*self.0.owner.get() };
        if owner.life != Lifecycle::Running || owner.child().is_some() {
            return Some(RootReason::Supervised);
        }
        let nothing_waits = owner.backlog.is_empty()
            && owner.steps == StepProgress::None
            && owner.mute != Mute::Held
            && !owner.guards.need_evaluation()
            && self.0.inbox.is_empty();
        (!nothing_waits).then_some(RootReason::Messages)
    }

    /// Traces each address in its state once, and the addresses in its heap as they were last
    /// traced.
    pub(crate) fn outgoing_references(
        &mut self,
        seen: &mut OutgoingReferences<'_>,
    ) -> TraceCoverage {
        (self.0.class.outgoing_references)(&mut self.state(), seen)
    }

    /// Calls `body` with its heap, if it has one.
    pub(crate) fn sharer(&mut self, body: &mut dyn FnMut(&mut dyn Sharer)) {
        (self.0.class.sharer)(&mut self.state(), body);
    }

    /// The actor waits exclusively for these promises, which it has open.
    pub(crate) fn waits_for(&mut self, waits: Vec<ExclusiveWait>) {
        let run_state = self.run_state();
        run_state.cold().waits.extend(waits);
        run_state.guards = Guards::Held;
    }

    /// The right to access its state, and the list of its open promises.
    pub(crate) fn state(&mut self) -> StateRef<'_> {
        // SAFETY: this is the only right to access the state (C1), borrowed exclusively while the
        // `StateRef` exists (X2). The actor's life keeps the cell alive (C5); the pointer is that
        // of the whole cell (C7).
        unsafe { StateRef::new(self.0.as_ptr()) }
    }

    /// Marks the actor as dying if it has exactly `addresses` addresses and its inbox is empty (U3,
    /// U4).
    pub(crate) fn commit_dying(&self, addresses: u32) -> CommitResult {
        if self.0.commit_dying(addresses) == CommitResult::Aborted {
            return CommitResult::Aborted;
        }
        // After the count: a message sent through an address that is gone is in the inbox by now
        // (C4).
        if self.0.inbox.is_empty() {
            return CommitResult::Dying;
        }
        self.0.abort_dying();
        CommitResult::Aborted
    }

    /// Aborts the end of a dying actor: another actor of its cycle could not be marked.
    pub(crate) fn abort_dying(&self) {
        self.0.abort_dying();
    }

    /// Parks the actor again, or puts it into a run queue if a message or notification has arrived,
    /// or a restore has given it a step to run.
    pub(crate) fn park(mut self) {
        let run_state = self.run_state();
        // A pass moves what has arrived to the backlog, where the inbox does not see it.
        let is_idle = run_state.backlog.is_empty() && run_state.steps == StepProgress::None;
        if is_idle && self.0.inbox.park() == Parked::Yes {
            return;
        }
        let system = self.0.system.clone();
        system.schedule(self.0);
    }

    /// The commit: the actor ends in its next run, for which the caller enqueues it.
    pub(crate) fn ends(self) -> Runnable {
        let phase = self.0.system.passes.now().phase();
        self.0.signals.raise(Signals::UNREACHABLE, phase.parity());
        self.0
    }
}

impl Holder for Idle {
    fn cell(&self) -> CellRef {
        self.0.cell()
    }

    fn run_state(&mut self) -> &mut RunState {
        // SAFETY: this is the only right to access the owner part (C1), borrowed exclusively (X2).
        unsafe { &mut *self.0.owner.get() }
    }

    fn state_ref(&mut self) -> StateRef<'_> {
        self.state()
    }

    fn refill_backlog(&mut self) {
        let cell = self.0.cell();
        self.run_state().refill(&cell.inbox, &cell.pressure);
    }
}

impl Deref for Idle {
    type Target = Header;
    fn deref(&self) -> &Header {
        &self.0
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::simulation::Simulation;

    #[derive(Actor)]
    struct Greeted {
        me: Option<Address<Greeted>>,
        greetings: u32,
    }

    #[behaviours]
    impl Greeted {
        fn keep_own_address(&mut self, t: &Turn<Self>) {
            self.me = Some(t.me());
        }

        fn greet(&mut self) {
            self.greetings += 1;
        }

        fn greetings(&self) -> u32 {
            self.greetings
        }
    }

    /// An idle actor that has its own address.
    fn greeted(simulation: &Simulation) -> Address<Greeted> {
        let actor = simulation.system().spawn(Greeted {
            me: None,
            greetings: 0,
        });
        actor.keep_own_address().send();
        simulation.run();
        actor
    }

    /// A commit, which is aborted afterwards if it has not aborted itself.
    fn commit_and_park(idle: Idle, addresses: u32) -> CommitResult {
        let result = idle.commit_dying(addresses);
        if result == CommitResult::Dying {
            idle.abort_dying();
        }
        idle.park();
        result
    }

    #[test]
    fn an_idle_actor_with_its_own_address_alone_becomes_dying() {
        let simulation = Simulation::new(0);
        let actor = greeted(&simulation);
        let cell = Address::counted(&actor).cell();
        drop(actor);
        let idle = cell.hold_idle().expect("it is parked");
        assert_eq!(commit_and_park(idle, 1), CommitResult::Dying);
    }

    /// A message arrives while the actor is held, and a pass moves it to the backlog.
    #[test]
    fn a_message_in_the_backlog_is_not_forgotten() {
        let simulation = Simulation::new(0);
        let actor = greeted(&simulation);
        let cell = Address::counted(&actor).cell();
        let mut idle = cell.hold_idle().expect("it is parked");
        actor.greet().send();
        idle.refill_backlog();
        idle.park();
        simulation.run();
        assert_eq!(actor.greetings().ask_blocking(), Ok(1));
    }

    /// U4: the number of addresses is the expected one, because the sender's is gone.
    #[test]
    fn a_message_sent_through_an_address_that_is_gone_aborts_the_commit() {
        let simulation = Simulation::new(0);
        let actor = greeted(&simulation);
        let cell = Address::counted(&actor).cell();
        let weak = Address::downgrade(&actor);
        drop(actor);
        let idle = cell.hold_idle().expect("it is parked");
        let sender = weak.upgrade().expect("it has its own address");
        sender.greet().send();
        drop(sender);
        let result = commit_and_park(idle, 1);
        assert_eq!(result, CommitResult::Aborted, "U4: a message waits");
        let actor = weak.upgrade().expect("it is alive");
        assert_eq!(actor.greetings().ask_blocking(), Ok(1));
    }
}
