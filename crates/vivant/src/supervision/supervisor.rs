//! The supervisor: an actor that carries out a [`Plan`].

use super::builder::Supervision;
use super::child::{EndMode, LifecycleSpec};
use super::child_plan::{ChildId, ChildState};
use super::handle::Begin;
use super::handle::{ReportNews, Retire, ShutDown, TimerFired, TreeFailed};
use super::plan::{Order, Plan, StateTimer};
use super::rules::{Rules, Strategy};
use super::trees::{Restarts, Trees};
use crate::actor::{AddressRef, CellRef, DelayedMessage, Delivery, Signals, Timer};
use crate::actor::{ChildNews, Ended, Terms, TreeEnd, report};
use crate::api::stop_after_queue;
use crate::api::{Actor, Behaviour, InlineState, Resolver, StateCodec, Turn, own};
use crate::failures::{GaveUp, StopReason, SupervisorEnded};
use crate::observe;
use crate::saving::SavedState;
use crate::services::{Action, Alarm};
use crate::sync::Arc;
use std::collections::BTreeMap;
use std::fmt;

/// Starts actors, and restarts them when they fail. Its strategy names the children that one
/// failure restarts:
///
/// | | restarted when one child fails |
/// |---|---|
/// | [`one_for_one`](Supervisor::one_for_one) | that child |
/// | [`all_for_one`](Supervisor::all_for_one) | all children |
/// | [`rest_for_one`](Supervisor::rest_for_one) | that child and those added after it |
///
/// Children begin in the order in which they were added, each when the one before is up, and end in
/// the opposite order. Their addresses outlast every restart. A supervisor may be a child of
/// another: `tree.add(Supervisor::one_for_all())`.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Supervisor, TreeFailed};
/// use std::time::Duration;
///
/// #[derive(Actor)] struct Store { keys: u64 }
/// #[behaviours] impl Store {
///     #[start] fn new() -> Self { Store { keys: 0 } }
///     fn insert(&mut self) -> u64 { self.keys += 1; self.keys }
/// }
///
/// #[derive(Actor)] struct Front { store: Address<Store> }
/// #[behaviours] impl Front {
///     #[start] fn new(store: Address<Store>) -> Self { Front { store } }
///     fn buy(&self, t: &Turn<Self>) -> Promise<u64> { t.delegate(self.store.insert()) }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let system = System::new();
/// let shop = Supervisor::rest_for_one().budget(3, Duration::from_secs(10)).spawn(&system);
/// let store = shop.add(Store::child());
/// let front = shop.add(Front::child(store));
/// shop.settled().ask_blocking()??;
/// assert_eq!(front.buy().ask_blocking()?, 1);
/// shop.shut_down().ask_blocking()?;                       // the front, then the store
/// # Ok(()) }
/// ```
pub struct Supervisor {
    pub(super) plan: Plan,
    pub(super) children: BTreeMap<ChildId, SupervisedChild>,
    /// Its own supervisor, if it is a child.
    pub(super) parent: Option<CellRef>,
    /// Why the tree above it ends, if it is a child.
    pub(super) end_above: Option<TreeEnd>,
    /// The child of the last change of the plan. `None` between turns.
    pub(super) last_child: Option<CellRef>,
    pub(super) gave_up: Option<Arc<GaveUp>>,
    pub(super) wait_for_settled: Vec<Resolver<Result<(), TreeFailed>>>,
    pub(super) wait_for_end: Vec<Resolver<()>>,
}

/// A child, as its supervisor sees it.
pub(super) struct SupervisedChild {
    pub(super) address: AddressRef,
    pub(super) kind: ChildKind,
    pub(super) end: TreeEnd,
    pub(super) starts: u32,
    pub(super) last_failure: Option<StopReason>,
    /// Fires when the child is late, or when its delay is over.
    pub(super) timer: Option<(StateTimer, Timer)>,
}

/// How a child receives its orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChildKind {
    /// By signals; the cell does the rest.
    Leaf(EndMode),
    /// A supervisor, by messages; its own children come first.
    Branch,
}

impl Supervisor {
    /// Restarts a failed child alone.
    pub fn one_for_one() -> Supervision {
        Supervision::new(Strategy::OneForOne)
    }

    /// Restarts all children when one fails: for children that cannot work without each other.
    pub fn all_for_one() -> Supervision {
        Supervision::new(Strategy::AllForOne)
    }

    /// Restarts a failed child and the children added after it: for children that depend on the
    /// children before them.
    pub fn rest_for_one() -> Supervision {
        Supervision::new(Strategy::RestForOne)
    }

    pub(super) fn new(rules: Rules, parent: Option<(CellRef, TreeEnd)>) -> Supervisor {
        let plan = match &parent {
            None => Plan::new(rules),
            Some(_) => Plan::waiting(rules),
        };
        let (parent, end_above) = parent.unzip();
        Supervisor {
            plan,
            children: BTreeMap::new(),
            parent,
            end_above,
            last_child: None,
            gave_up: None,
            wait_for_settled: Vec::new(),
            wait_for_end: Vec::new(),
        }
    }

    /// Changes the plan, and carries out its orders.
    pub(super) fn apply(&mut self, turn: &Turn<'_, Supervisor>, change: impl FnOnce(&mut Plan)) {
        change(&mut self.plan);
        if let (None, Some(failure)) = (&self.gave_up, self.plan.failure()) {
            let child = self.last_child.as_ref().map(|cell| cell.path());
            let gave_up =
                GaveUp::over(child.unwrap_or_default(), &failure.reason, failure.failures);
            self.gave_up = Some(Arc::new(gave_up));
        }
        loop {
            let orders = self.plan.orders();
            if orders.is_empty() {
                self.last_child = None;
                return;
            }
            for order in orders {
                self.carry_out(order, turn);
            }
        }
    }

    fn carry_out(&mut self, order: Order, turn: &Turn<'_, Supervisor>) {
        match order {
            Order::Start(number) => self.start_child(number, turn),
            Order::Halt(number, step) => self.halt_child(number, step),
            Order::End(number) => self.end_child(number),
            Order::Stop(number) => self.stop_child(number),
            Order::SetTimer { timer, in_ns } => {
                if let Some(member) = self.children.get_mut(&timer.number) {
                    let before = member.timer.replace((timer, set(timer, in_ns, turn)));
                    before.map(|(_, timer)| timer.cancel());
                }
            }
            Order::Overdue(number) => {
                if let Some(member) = self.children.get(&number) {
                    let reports = &turn.worker().system.reports;
                    reports.overdue(member.address.path());
                }
            }
            Order::Settled => self.report_settled(turn),
            Order::Over => self.all_down(turn),
        }
    }

    fn start_child(&mut self, number: ChildId, turn: &Turn<'_, Supervisor>) {
        let Some(member) = self.children.get_mut(&number) else {
            return;
        };
        member.starts = member.starts.saturating_add(1);
        if member.starts > 1 {
            Restarts::of(&turn.worker().system).count(number);
            observe::restarted(&member.address.seen());
        }
        match member.kind {
            ChildKind::Leaf(_) => member.address.cell().signal(Signals::START),
            ChildKind::Branch => post::<Begin>(&member.address),
        }
    }

    fn halt_child(&self, number: ChildId, step: u64) {
        if let Some(member) = self.children.get(&number) {
            match member.kind {
                ChildKind::Leaf(_) => member.address.cell().signal(Signals::halt(step)),
                ChildKind::Branch => post::<Retire>(&member.address),
            }
        }
    }

    fn end_child(&self, number: ChildId) {
        if let Some(member) = self.children.get(&number) {
            match member.kind {
                ChildKind::Leaf(EndMode::Now) => member.address.cell().stop_in_tree(&member.end),
                ChildKind::Leaf(EndMode::AfterQueue) => stop_after_queue(&member.address),
                ChildKind::Branch => post::<ShutDown>(&member.address),
            }
        }
    }

    fn stop_child(&self, number: ChildId) {
        if let Some(member) = self.children.get(&number) {
            match member.kind {
                ChildKind::Leaf(_) => member.address.cell().stop_in_tree(&member.end),
                ChildKind::Branch => post::<ShutDown>(&member.address),
            }
        }
    }

    /// Processes the news of a child.
    pub(super) fn handle_news(
        &mut self,
        turn: &Turn<'_, Supervisor>,
        number: ChildId,
        news: ChildNews,
    ) {
        let Some(member) = self.children.get_mut(&number) else {
            return;
        };
        let now_ns = turn.worker().system.oracle.now_ns();
        if let ChildNews::Down(reason) | ChildNews::Resumed(reason) = &news {
            member.last_failure = Some(reason.clone());
        }
        self.last_child = Some(member.address.cell());
        if let ChildNews::Gone(_) = &news {
            if let Some((_, timer)) = member.timer.take() {
                timer.cancel();
            }
            self.children.remove(&number);
            Restarts::of(&turn.worker().system).forget(number);
        }
        self.apply(turn, |plan| match news {
            ChildNews::Up => plan.is_up(number, now_ns),
            ChildNews::Down(reason) => plan.is_down(number, reason, now_ns),
            ChildNews::IsDown(answers) => plan.was_down(number, answers),
            ChildNews::Resumed(reason) => plan.has_resumed(reason, now_ns),
            ChildNews::Gone(reason) => plan.is_gone(number, reason),
        });
        self.cancel_answered_timer(number);
    }

    /// Cancels the timer of an order that the child has carried out. The news may be older than the
    /// last order: then they do not answer that order, and its timer stays.
    fn cancel_answered_timer(&mut self, number: ChildId) {
        let plan = &self.plan;
        if let Some(member) = self.children.get_mut(&number)
            && let Some((_, timer)) = member.timer.take_if(|(timer, _)| !plan.is_current(*timer))
        {
            timer.cancel();
        }
    }

    pub(super) fn adopt(
        &mut self,
        turn: &Turn<'_, Supervisor>,
        member: SupervisedChild,
        (terms, lifecycle): (Terms, LifecycleSpec),
    ) {
        let number = member.address.id;
        self.children.insert(number, member);
        self.apply(turn, |plan| plan.adopt(number, terms, lifecycle));
    }

    /// Its own supervisor starts it, for the first time or again.
    pub(super) fn begin(&mut self, turn: &Turn<'_, Supervisor>) {
        self.gave_up = None;
        self.apply(turn, Plan::begin_again);
    }

    pub(super) fn timer_fired(&mut self, turn: &Turn<'_, Supervisor>, timer: StateTimer) {
        let now_ns = turn.worker().system.oracle.now_ns();
        let member = self.children.get(&timer.number);
        self.last_child = member.map(|member| member.address.cell());
        self.apply(turn, |plan| plan.timer_fired(timer, now_ns));
    }

    /// Returns the facts and the state of each child, in order.
    pub(super) fn facts(&self) -> impl Iterator<Item = (&SupervisedChild, ChildState)> {
        let member = |(number, is)| Some((self.children.get(&number)?, is));
        self.plan.children().filter_map(member)
    }

    /// Resolves `resolver` when all children are up.
    pub(super) fn wait_until_settled(&mut self, resolver: Resolver<Result<(), TreeFailed>>) {
        if self.plan.is_settled() && self.plan.wants_all_up() {
            resolver.resolve(Ok(()));
        } else {
            self.wait_for_settled.push(resolver);
        }
    }

    pub(super) fn wait_until_ended(&mut self, resolver: Resolver<()>) {
        self.wait_for_end.push(resolver);
    }

    fn report_settled(&mut self, turn: &Turn<'_, Supervisor>) {
        for resolver in std::mem::take(&mut self.wait_for_settled) {
            resolver.resolve(Ok(()));
        }
        self.report_to_parent(turn, ChildNews::Up);
    }

    /// No child is up any more.
    fn all_down(&mut self, turn: &Turn<'_, Supervisor>) {
        let failed = self.gave_up.clone().map(StopReason::GaveUp);
        if self.plan.is_ending() {
            let reason = failed.or_else(|| self.end_above());
            let reason = reason.unwrap_or(StopReason::Stopped);
            turn.worker().request_end(reason);
        } else if self.parent.is_some() {
            // It waits for the next order to begin.
            self.report_to_parent(
                turn,
                ChildNews::Down(failed.unwrap_or(StopReason::Restarting)),
            );
        } else {
            // No supervisor will order it to begin again.
            if let Some(reason @ StopReason::GaveUp(why)) = &failed {
                let supervisor = turn.worker().path();
                self.tell_end(turn, &SupervisorEnded::below(supervisor.clone(), reason));
                turn.worker().system.reports.gave_up(supervisor, why);
            }
            self.plan.shut_down();
        }
    }

    /// Tells the children why they will be stopped.
    fn tell_end(&self, turn: &Turn<'_, Supervisor>, reason: &StopReason) {
        let phase = turn.worker().phase();
        for member in self.children.values() {
            let reason = reason.clone();
            member.end.set(Ended { reason, phase });
        }
    }

    /// Why the tree above it ends, if it does.
    fn end_above(&self) -> Option<StopReason> {
        let end = self.end_above.as_ref()?.get()?;
        Some(end.reason.clone())
    }

    fn report_to_parent(&self, turn: &Turn<'_, Supervisor>, news: ChildNews) {
        if let Some(parent) = &self.parent {
            // If that supervisor has ended, this one ends soon too.
            let _delivered = report(parent, own::<ReportNews>((turn.owner().id, news)));
        }
    }

    /// Its end, whatever the reason: the rest of the tree ends too.
    pub(super) fn end_tree(&mut self, turn: &Turn<'_, Supervisor>, reason: &StopReason) {
        let above = match reason {
            StopReason::Stopped => self.end_above(),
            _ => None,
        };
        let reason = above.as_ref().unwrap_or(reason);
        self.tell_end(turn, &SupervisorEnded::below(turn.worker().path(), reason));
        for (number, member) in std::mem::take(&mut self.children).into_iter().rev() {
            if let Some((_, timer)) = member.timer {
                timer.cancel();
            }
            Restarts::of(&turn.worker().system).forget(number);
            member.address.cell().stop_in_tree(&member.end);
        }
        let failed = TreeFailed {
            supervisor: turn.worker().path(),
            reason: reason.clone(),
        };
        for resolver in std::mem::take(&mut self.wait_for_settled) {
            resolver.resolve(Err(failed.clone()));
        }
        for resolver in std::mem::take(&mut self.wait_for_end) {
            resolver.resolve(());
        }
        Trees::of(&turn.worker().system).forget(turn.owner().id);
        self.report_to_parent(turn, ChildNews::Gone(reason.clone()));
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Supervisor(of {})", self.children.len())
    }
}

impl Actor for Supervisor {
    type State<'gc> = Supervisor;
    type Storage = InlineState;
    type SaveKind = SavedState;
    const STATE_CODEC: Option<StateCodec<Supervisor>> = StateCodec::OF_VALUE;

    fn stopping<'gc>(state: &mut Supervisor, turn: &Turn<'gc, Self>, reason: &StopReason) {
        state.end_tree(turn, reason);
    }
}

/// Sends a supervisor one of the messages that only supervisors send.
fn post<B: Behaviour<Args = (), Reply = ()>>(to: &AddressRef) {
    let to = to.clone();
    Delivery {
        to,
        envelope: own::<B>(()),
    }
    .deliver();
}

fn set(timer: StateTimer, in_ns: u64, turn: &Turn<'_, Supervisor>) -> Timer {
    // A supervisor that has ended waits for nothing.
    let message = DelayedMessage::Weak(turn.owner().cell(), own::<TimerFired>((timer,)));
    let alarm = Alarm::Once(Action::Send(message));
    turn.worker().system.set_timer(in_ns, alarm)
}
