//! Real actors that run a program and log the events: plain actors, some with a bounded mailbox,
//! and graphs.

use super::program::{Deed, Event, Left, Program, Way, Why};
use crate::actor::{Messages, OnPanic};
use crate::api::{Call, Continuation, Message, Target, Then};
use crate::heap::{Leaf, Pacing, Stress, When};
use crate::prelude::*;
use crate::supervision::Supervisor;
use crate::sync::{Arc, Mutex, lock};
use std::panic::resume_unwind;

/// The log of events, in order.
#[derive(Default)]
pub(super) struct Log(Mutex<Vec<Event>>);

impl Log {
    fn push(&self, event: Event) {
        lock(&self.0).push(event);
    }

    pub(super) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// What the actors of a program share.
pub(super) struct World<A: Subject> {
    pub(super) program: Arc<Program>,
    pub(super) log: Arc<Log>,
    /// Without the actors that are unreferenced.
    pub(super) peers: Mutex<Vec<Option<Address<A>>>>,
}

impl<A: Subject> World<A> {
    pub(super) fn peer(&self, actor: usize) -> Option<Address<A>> {
        lock(&self.peers)[actor].clone()
    }

    pub(super) fn send(&self, number: usize) {
        let message = &self.program.messages[number];
        match (self.peer(message.to), message.way) {
            (None, _) => {}
            (Some(to), Way::Straight) => A::walk(&to, number).send(),
            (Some(to), Way::ThroughGate) => A::pass(&to, number).send(),
        }
    }

    pub(super) fn stop(&self, actor: usize) {
        if let Some(peer) = self.peer(actor) {
            Address::stop(&peer);
        }
    }
}

/// When locals are dropped that no step finds any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Drops {
    AtOnce,
    /// At a collection.
    Later,
}

/// An actor with behaviours that do what the program says.
pub(super) trait Subject: Actor + Target {
    type Walk: Message<Args = (usize, usize), Reply = usize>;
    type Pass: Message<Args = (usize, usize), Reply = usize>;
    type Hear: Continuation<Hole = Result<usize, AskError>, Rest = (usize, usize)>;
    const DROPS: Drops;

    fn begin(system: &System, me: usize, world: Arc<World<Self>>) -> Address<Self>;
    fn begin_below(
        tree: &Address<Supervisor>,
        terms: (OnPanic, Messages),
        me: usize,
        world: Arc<World<Self>>,
    ) -> Address<Self>;
    fn walk(to: &Address<Self>, number: usize) -> Call<'_, Self::Walk>;
    fn pass(to: &Address<Self>, number: usize) -> Call<'_, Self::Pass>;
    fn hear(to: &Address<Self>, number: usize) -> Then<'_, Self::Hear>;
}

/// The locals that a step leaves for the next one. Logs its drop.
#[derive(Object)]
#[object(leaf)]
pub(super) struct Token(Left, Arc<Log>);

impl Drop for Token {
    fn drop(&mut self) {
        self.1.push(Event::Dropped(self.0));
    }
}

/// The state of a subject.
struct Core<A: Subject> {
    me: usize,
    world: Arc<World<A>>,
    gate_is_shut: bool,
}

impl<A: Subject> Core<A> {
    fn new(me: usize, world: Arc<World<A>>) -> Core<A> {
        world.log.push(Event::Begins(me));
        Core {
            me,
            world,
            gate_is_shut: false,
        }
    }

    /// Runs one step. Returns the locals that it leaves, if another step follows.
    fn step(
        &mut self,
        t: &Turn<'_, A>,
        (number, step): Left,
        found: Option<Left>,
    ) -> Option<Token> {
        let world = &self.world;
        let (log, messages) = (&world.log, &world.program.messages);
        log.push(Event::Steps(self.me, number, step, found));
        let deeds = &messages[number].deeds;
        match deeds[step] {
            Deed::Nothing => {}
            Deed::TurnsGate => self.gate_is_shut = !self.gate_is_shut,
            Deed::Sends(other) => world.send(other),
            Deed::Asks(other) => {
                let asked = &messages[other];
                if let (Some(to), Some(heard)) = (world.peer(asked.to), asked.heard) {
                    drop(t.ask(A::walk(&to, other)).then(A::hear(&t.me(), heard)));
                }
            }
            Deed::Stops(other) => world.stop(other),
            Deed::StopsItself => t.stop(),
            Deed::Panics => resume_unwind(Box::new("planned")),
        }
        (step + 1 < deeds.len()).then(|| Token((number, step), log.clone()))
    }

    fn ends(&self, reason: &StopReason) {
        let why = match reason {
            StopReason::Stopped => Why::Stopped,
            StopReason::Drained => Why::Drained,
            StopReason::Finished => Why::Finished,
            StopReason::Unreferenced => Why::Unreferenced,
            StopReason::Shutdown => Why::Shutdown,
            StopReason::Panicked(_) => Why::Panicked,
            StopReason::Restarting => Why::Restarting,
            other => panic!("no program has this: {other}"),
        };
        self.world.log.push(Event::Ends(self.me, why));
    }
}

macro_rules! subject {
    ($name:ident, $module:ident, $drops:ident) => {
        impl Subject for $name {
            type Walk = $module::Walk<$name>;
            type Pass = $module::Pass<$name>;
            type Hear = $module::Hear<$name>;
            const DROPS: Drops = Drops::$drops;

            fn begin(system: &System, me: usize, world: Arc<World<Self>>) -> Address<Self> {
                $name::spawn(system, me, world)
            }

            fn begin_below(
                tree: &Address<Supervisor>,
                (on_panic, messages): (OnPanic, Messages),
                me: usize,
                world: Arc<World<Self>>,
            ) -> Address<Self> {
                let child = $name::child(me, world);
                tree.add(child.on_panic(on_panic).messages(messages))
            }

            fn walk(to: &Address<Self>, number: usize) -> Call<'_, Self::Walk> {
                to.walk(number, 0)
            }

            fn pass(to: &Address<Self>, number: usize) -> Call<'_, Self::Pass> {
                to.pass(number, 0)
            }

            fn hear(to: &Address<Self>, number: usize) -> Then<'_, Self::Hear> {
                to.hear(number, 0)
            }
        }
    };
}

/// What follows a step of this message.
type More<L> = Step<(usize, usize, L), usize>;
type MoreToHear<L> = Step<(Result<usize, AskError>, usize, usize, L), usize>;

fn after<L>((number, step): Left, left: Option<L>) -> More<Option<L>> {
    match left {
        Some(left) => Step::Again((number, step + 1, Some(left))),
        None => Step::Done(number),
    }
}

fn after_hearing<L>(answer: Result<usize, AskError>, more: More<L>) -> MoreToHear<L> {
    match more {
        Step::Again((number, step, left)) => Step::Again((answer, number, step, left)),
        Step::Done(number) => Step::Done(number),
    }
}

macro_rules! plain {
    ($name:ident, $module:ident $(, $bound:ident)?) => {
        #[derive(Actor)]
        $(#[actor(mailbox = $bound(3))])?
        pub(super) struct $name(Core<$name>);

        #[behaviours]
        impl $name {
            #[start]
            fn new(me: usize, world: Arc<World<$name>>) -> Self {
                $name(Core::new(me, world))
            }

            pub(super) fn walk(
                &mut self,
                t: &Turn<Self>,
                number: usize,
                step: usize,
                #[locals] found: Option<Token>,
            ) -> Step<(usize, usize, Option<Token>), usize> {
                let left = found.as_ref().map(|token| token.0);
                after((number, step), self.0.step(t, (number, step), left))
            }

            #[when(!self.0.gate_is_shut)]
            pub(super) fn pass(
                &mut self,
                t: &Turn<Self>,
                number: usize,
                step: usize,
                #[locals] found: Option<Token>,
            ) -> Step<(usize, usize, Option<Token>), usize> {
                self.walk(t, number, step, found)
            }

            #[then]
            pub(super) fn hear(
                &mut self,
                t: &Turn<Self>,
                answer: Result<usize, AskError>,
                number: usize,
                step: usize,
                #[locals] found: Option<Token>,
            ) -> Step<(Result<usize, AskError>, usize, usize, Option<Token>), usize> {
                after_hearing(answer, self.walk(t, number, step, found))
            }

            #[stop]
            fn ends(&mut self, reason: &StopReason) {
                self.0.ends(reason);
            }
        }

        subject!($name, $module, AtOnce);
    };
}

plain!(Walker, walker_messages);
plain!(Bounded, bounded_messages, reject);

const STRESSED: Pacing = Pacing::new().stressed(Stress::new(When::All, 1));

#[derive(Actor)]
#[actor(pacing = STRESSED)]
pub(super) struct GraphState<'gc> {
    core: Leaf<Core<Graph>>,
    /// The locals that a step found last.
    last: Option<Gc<'gc, Token>>,
}

type Found<'gc> = Option<Gc<'gc, Token>>;

#[behaviours]
impl<'gc> GraphState<'gc> {
    #[start]
    fn new(me: usize, world: Arc<World<Graph>>) -> Self {
        GraphState {
            core: Leaf(Core::new(me, world)),
            last: None,
        }
    }

    pub(super) fn walk(
        &mut self,
        t: &Turn<'gc, Graph>,
        number: usize,
        step: usize,
        #[locals] found: Found<'gc>,
    ) -> Step<(usize, usize, Found<'gc>), usize> {
        self.last = found;
        let left = found.map(|token| token.0);
        let token = self.core.0.step(t, (number, step), left);
        after((number, step), token.map(|token| t.alloc(token)))
    }

    #[when(!self.core.0.gate_is_shut)]
    pub(super) fn pass(
        &mut self,
        t: &Turn<'gc, Graph>,
        number: usize,
        step: usize,
        #[locals] found: Found<'gc>,
    ) -> Step<(usize, usize, Found<'gc>), usize> {
        self.walk(t, number, step, found)
    }

    #[then]
    pub(super) fn hear(
        &mut self,
        t: &Turn<'gc, Graph>,
        answer: Result<usize, AskError>,
        number: usize,
        step: usize,
        #[locals] found: Found<'gc>,
    ) -> Step<(Result<usize, AskError>, usize, usize, Found<'gc>), usize> {
        after_hearing(answer, self.walk(t, number, step, found))
    }

    #[stop]
    fn ends(&mut self, reason: &StopReason) {
        self.core.0.ends(reason);
    }
}

subject!(Graph, graph_messages, Later);
