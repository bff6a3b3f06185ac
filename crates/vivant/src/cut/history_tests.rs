//! Cuts through the histories of a simulated program: actors write down what they do and learn, and
//! each cut is checked against that, as the reference model's is (`phase/history.rs`).

use super::{Coordinator, Outcome, Step};
use crate::actor::{
    Envelope, Header, Recorder, RunState, Signals, StateRef, TreeEnd, WaitingPlace, WaitsAs,
};
use crate::failures::Caught;
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::phase::{At, HistoryCut, Kind, Line, News, Taken};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::system::System;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const CLERKS: usize = 3;
const DESKS: usize = 2;
const ACTORS_MAX: usize = CLERKS + DESKS + 3;
const STEPS: usize = 160;

/// What has happened in the program that runs.
#[derive(Default)]
struct History {
    news: Vec<News>,
    /// By actor.
    born: Vec<Option<At>>,
    /// The places of the ends, by actor.
    ends: Vec<Option<At>>,
    /// By creation number.
    numbers: BTreeMap<u64, usize>,
    /// The stop that was signalled, by actor.
    stops: BTreeMap<usize, usize>,
    sent_from_outside: usize,
}

struct Cuts {
    system: System,
    coordinator: Coordinator,
    records: Arc<Records>,
    dice: Dice,
    consistent: usize,
}

thread_local! {
    static HISTORY: RefCell<History> = RefCell::default();
    static CUTS: RefCell<Option<Cuts>> = const { RefCell::new(None) };
}

impl History {
    fn of<R>(body: impl FnOnce(&mut History) -> R) -> R {
        HISTORY.with_borrow_mut(body)
    }

    fn learns(&mut self, kind: Kind, made: At, taken: Taken) -> usize {
        self.news.push(News { kind, made, taken });
        self.news.len() - 1
    }

    fn is_born(&mut self, id: u64, born: Option<At>) {
        self.numbers.insert(id, self.born.len());
        self.born.push(born);
        self.ends.push(None);
    }
}

/// News in a message. Dropped before they are heard, they are a dead letter.
#[derive(Debug)]
struct Heard(usize);

impl Heard {
    fn made(at: At) -> Heard {
        Heard(History::of(|history| {
            history.learns(Kind::Message, at, Taken::NotYet)
        }))
    }

    fn at(self, at: At) {
        History::of(|history| history.news[self.0].taken = Taken::At(at));
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        History::of(|history| {
            if let Some(news) = history.news.get_mut(self.0)
                && news.taken == Taken::NotYet
            {
                news.taken = Taken::Nowhere;
            }
        });
    }
}

/// Counts the events of an actor. A part of its state.
struct Events {
    actor: usize,
    events: usize,
}

impl Events {
    fn next(&mut self) -> At {
        self.events += 1;
        At::Actor(self.actor, self.events - 1)
    }

    fn hear(&mut self, heard: Heard) {
        heard.at(self.next());
        mid_turn();
    }

    fn end(&mut self) {
        let at = self.next();
        History::of(|history| {
            history.ends[self.actor] = Some(at);
            if let Some(stop) = history.stops.get(&self.actor) {
                history.news[*stop].taken = Taken::At(at);
            }
        });
    }

    /// Stops `other`, once.
    fn stop(&mut self, other: &Address<Clerk>) {
        let made = self.next();
        let is_first = History::of(|history| {
            let other = history.numbers[&Address::link(other).to.id];
            if history.ends[other].is_some() || history.stops.contains_key(&other) {
                return false;
            }
            let stop = history.learns(Kind::Signal, made, Taken::NotYet);
            history.stops.insert(other, stop);
            true
        });
        if is_first {
            Address::stop(other);
        }
    }
}

/// Tells others what it does.
#[derive(Actor)]
struct Clerk {
    own: Events,
    clerks: Vec<Address<Clerk>>,
    desks: Vec<Address<Desk>>,
}

#[behaviours]
impl Clerk {
    fn knows(&mut self, clerk: Address<Clerk>) {
        self.clerks.push(clerk);
    }

    fn hear(&mut self, heard: Heard) {
        self.own.hear(heard);
    }

    #[when(self.own.events.is_multiple_of(3))]
    fn hear_later(&mut self, heard: Heard) {
        self.own.hear(heard);
    }

    /// Does what `dice` says.
    fn act(&mut self, t: &Turn<Self>, heard: Heard, dice: u64) {
        self.own.hear(heard);
        let mut dice = Dice::new(dice);
        for _ in 0..2 {
            mid_turn();
            self.step(t, &mut dice);
        }
    }

    #[stop]
    fn ends(&mut self) {
        self.own.end();
    }
}

impl Clerk {
    fn step(&mut self, t: &Turn<Self>, dice: &mut Dice) {
        let clerk = self.clerks[dice.below(self.clerks.len())].clone();
        match dice.below(14) {
            0..3 => t.send(clerk.hear(Heard::made(self.own.next()))),
            3..6 => t.send(clerk.hear_later(Heard::made(self.own.next()))),
            6..9 => {
                let desk = &self.desks[dice.below(DESKS)];
                t.send(desk.hear(Heard::made(self.own.next())));
            }
            9..12 => t.send(clerk.act(Heard::made(self.own.next()), dice.below(1 << 30) as u64)),
            12 => self.own.stop(&clerk),
            _ => self.split(t),
        }
    }

    fn split(&mut self, t: &Turn<Self>) {
        let actor = History::of(|history| history.born.len());
        if actor == ACTORS_MAX {
            return;
        }
        let born = self.own.next();
        let child = t.spawn_actor(Clerk {
            own: Events { actor, events: 0 },
            clerks: self.clerks.clone(),
            desks: self.desks.clone(),
        });
        History::of(|history| history.is_born(Address::link(&child).to.id, Some(born)));
        self.clerks.push(child);
    }
}

/// Has a bounded mailbox.
#[derive(Actor)]
#[actor(mailbox = drop_oldest(2))]
struct Desk {
    own: Events,
}

#[behaviours]
impl Desk {
    fn hear(&mut self, heard: Heard) {
        self.own.hear(heard);
    }

    #[stop]
    fn ends(&mut self) {
        self.own.end();
    }
}

/// What is recorded of a cut.
#[derive(Default)]
struct Records(Mutex<Recorded>);

#[derive(Default, Debug)]
struct Recorded {
    /// The numbers of events of the captured states, by actor.
    lines: BTreeMap<usize, usize>,
    waiting: Vec<usize>,
}

fn number_of(actor: &Header) -> usize {
    History::of(|history| history.numbers[&actor.id])
}

fn news_in(message: &Envelope) -> Option<usize> {
    use clerk_messages::{Act, Hear, HearLater};
    let heard = message.args_of::<Hear<Clerk>>().map(|args| &args.0);
    let later = message.args_of::<HearLater<Clerk>>().map(|args| &args.0);
    let acts = message.args_of::<Act<Clerk>>().map(|args| &args.0);
    let desk = message.args_of::<desk_messages::Hear<Desk>>();
    let heard = heard.or(later).or(acts).or(desk.map(|args| &args.0));
    heard.map(|heard| heard.0)
}

impl Recorder for Records {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let clerk = state.look::<Clerk, _>(|clerk| clerk.own.events);
        let desk = state.look::<Desk, _>(|desk| desk.own.events);
        let mut recorded = self.0.lock().expect("no panic");
        let events = clerk.or(desk).unwrap_or(0);
        let twice = recorded.lines.insert(number_of(actor), events);
        assert_eq!(twice, None, "captured twice");
    }

    fn captured_run_state(&self, _: &Header, _: &RunState) {}

    fn waits(&self, _: &Header, _: WaitingPlace, _: WaitsAs, message: &Envelope) -> usize {
        let mut recorded = self.0.lock().expect("no panic");
        recorded.waiting.extend(news_in(message));
        0
    }

    fn is_signalled(&self, actor: &Header, _: Option<&TreeEnd>, signals: Signals) {
        if signals.has(Signals::STOP) {
            let stop = History::of(|history| history.stops[&history.numbers[&actor.id]]);
            self.0.lock().expect("no panic").waiting.push(stop);
        }
    }

    fn panicked(&self, caught: Caught) {
        panic!("{}", caught.message);
    }
}

impl Records {
    fn check(&self) {
        let recorded = self.0.lock().expect("no panic");
        let checked = History::of(|history| {
            let actors = history.born.len();
            let mut lines = vec![Line::NotYet; actors];
            for actor in 0..actors {
                // Parents come before their children.
                lines[actor] = match (recorded.lines.get(&actor), history.born[actor]) {
                    (Some(events), _) => Line::At(*events),
                    (None, _) if history.ends[actor].is_none() => Line::AllBehind,
                    (None, Some(At::Actor(parent, event))) => match lines[parent] {
                        Line::At(line) if event >= line => Line::AllBehind,
                        Line::AllBehind => Line::AllBehind,
                        _ => Line::NotYet,
                    },
                    (None, _) => Line::NotYet,
                };
            }
            let cut = HistoryCut {
                news: &history.news,
                lines: &lines,
                born: &history.born,
                waiting: &recorded.waiting,
            };
            cut.check()
        });
        if let Err(wrong) = checked {
            panic!("{wrong}");
        }
    }
}

impl Cuts {
    fn step(&mut self) {
        let system = self.system.shared();
        if self.coordinator.is_over() {
            if self.dice.below(4) == 0 {
                self.records = Arc::default();
                self.coordinator.begin(system, self.records.clone());
            }
        } else if let Step::Complete(outcome) = self.coordinator.step(system)
            && outcome == Outcome::Consistent
        {
            self.records.check();
            self.consistent += 1;
        }
    }
}

/// The coordinator may take a step in the middle of a turn, but not find that the turn is over.
fn mid_turn() {
    CUTS.with_borrow_mut(|cuts| {
        if let Some(cuts) = cuts
            && cuts.dice.below(3) == 0
            && !cuts.coordinator.waits_for_threads()
        {
            cuts.step();
        }
    });
}

fn begin(system: &System) -> Vec<Address<Clerk>> {
    let mut numbers = 0..;
    let mut own = || Events {
        actor: numbers.next().unwrap_or_default(),
        events: 0,
    };
    let desks: Vec<_> = (0..DESKS)
        .map(|_| system.spawn(Desk { own: own() }))
        .collect();
    let clerk = || Clerk {
        own: own(),
        clerks: Vec::new(),
        desks: desks.clone(),
    };
    let clerks: Vec<_> = std::iter::repeat_with(clerk)
        .map(|clerk| system.spawn(clerk))
        .take(CLERKS)
        .collect();
    History::of(|history| {
        let desks = desks.iter().map(|desk| Address::link(desk).to.id);
        let clerks = clerks.iter().map(|clerk| Address::link(clerk).to.id);
        desks.chain(clerks).for_each(|id| history.is_born(id, None));
    });
    for one in &clerks {
        clerks
            .iter()
            .for_each(|other| one.knows(other.clone()).send());
    }
    clerks
}

/// Something that comes from outside.
fn order(clerks: &[Address<Clerk>], dice: &mut Dice) {
    let made = History::of(|history| {
        history.sent_from_outside += 1;
        At::Outside(0, history.sent_from_outside)
    });
    let clerk = &clerks[dice.below(clerks.len())];
    match dice.below(4) {
        0 => clerk.hear_later(Heard::made(made)).send(),
        _ => clerk
            .act(Heard::made(made), dice.below(1 << 30) as u64)
            .send(),
    }
}

/// Runs the program, and takes one cut after the other. Returns the number of the consistent ones.
fn run(simulation: &Simulation) -> usize {
    HISTORY.take();
    let system = simulation.system();
    let seed = system.shared().oracle.seed();
    let clerks = begin(system);
    CUTS.set(Some(Cuts {
        system: system.clone(),
        coordinator: Coordinator::new(system.shared()),
        records: Arc::default(),
        dice: Dice::new(seed),
        consistent: 0,
    }));
    let mut dice = Dice::new(!seed);
    for _ in 0..STEPS {
        match dice.below(8) {
            0 => order(&clerks, &mut dice),
            1..4 => CUTS.with_borrow_mut(|cuts| cuts.iter_mut().for_each(Cuts::step)),
            _ => {
                simulation.step();
            }
        }
    }
    CUTS.take().map_or(0, |cuts| cuts.consistent)
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 1_000 });

#[test]
fn seeded_each_cut_of_the_runtime_is_consistent() {
    let (cuts, runs) = (Cell::new(0), Cell::new(0));
    check("each cut", SEEDS, &Faults::none(), |simulation| {
        runs.set(runs.get() + 1);
        cuts.set(cuts.get() + run(simulation));
    });
    assert!(cuts > runs, "{cuts:?} in {runs:?} runs");
}

/// What the check of a cut says.
const FOUND: [&str; 6] = [
    "is taken in the cut",
    "is twice in the cut",
    "waits in the cut",
    "is lost",
    "is missing before",
    "born in the cut",
];

/// Each fault is found under some seed.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn faults_are_found_in_histories() {
    for fault in [
        InjectedFault::DeferredUnrecorded,
        InjectedFault::QueueUnrecorded,
        InjectedFault::InboxUnrecorded,
        InjectedFault::TakenUnrecorded,
        InjectedFault::SignalWithoutPhase,
        InjectedFault::CaptureTooLate,
        InjectedFault::CaptureNotAwaited,
        InjectedFault::StampOfSystem,
        InjectedFault::ChildOfSystem,
        InjectedFault::NewerSignalRecorded,
    ] {
        let words = caught(fault, || {
            check("a fault", SEEDS, &Faults::none(), |simulation| {
                let _cuts = run(simulation);
            });
        });
        let is_found = FOUND.iter().any(|found| words.contains(found));
        assert!(is_found, "{fault:?}: {words}");
    }
}
