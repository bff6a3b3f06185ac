//! Requests with replies that are not awaited any more: what is withdrawn, what runs, and what a
//! behaviour sees of it. Each row of the table in `docs/semantics.md`.

mod chains;
mod deadlines;

use crate::waits::ms;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{AskFuture, Cancelled, Cause, Supervisor};

/// What a behaviour saw of its asker.
type Seen = (bool, Option<Duration>);

/// At the end of a chain: processes no request before it is opened.
#[derive(Actor, Default)]
struct Archive {
    open: bool,
    seen: Vec<Seen>,
    searched: u64,
    kept: Option<Resolver<u64>>,
}

#[behaviours]
impl Archive {
    #[when(self.open)]
    fn count(&mut self, _t: &Turn<Self>, asker: &Asker) -> u64 {
        self.seen.push((asker.is_waiting(), asker.deadline()));
        3
    }

    #[when(self.open)]
    #[if_awaited]
    fn search(&mut self) -> u64 {
        self.searched += 1;
        3
    }

    fn keep(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept = Some(resolver);
        promise
    }

    fn kept(&mut self) -> Option<Seen> {
        self.kept.as_ref().map(|it| (it.is_wanted(), it.deadline()))
    }

    fn now(&self) -> u64 {
        1
    }

    fn open(&mut self) {
        self.open = true;
    }

    fn log(&self) -> (Vec<Seen>, u64) {
        (self.seen.clone(), self.searched)
    }
}

/// How the desk leaves its reply to the archive.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Delegated,
    DelegatedInTime,
    DelegatedAsOk,
    Returned,
    ReturnedAsOk,
    Joined,
    Settled,
    Continued,
    ContinuedIfAwaited,
    /// As a request of a request of a request.
    Deep,
}

const WAYS: [Way; 10] = [
    Way::Delegated,
    Way::DelegatedInTime,
    Way::DelegatedAsOk,
    Way::Returned,
    Way::ReturnedAsOk,
    Way::Joined,
    Way::Settled,
    Way::Continued,
    Way::ContinuedIfAwaited,
    Way::Deep,
];

const DEEP: u64 = if cfg!(miri) { 10 } else { 200 };

#[derive(Actor)]
struct Desk {
    archive: Address<Archive>,
    /// How many continuations have run.
    continued: u64,
    late: Vec<AskError>,
    /// Whether its asker waited when a continuation ran.
    seen: Vec<bool>,
}

#[behaviours]
impl Desk {
    #[start]
    fn new(archive: Address<Archive>) -> Self {
        Desk {
            archive,
            continued: 0,
            late: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Leaves the reply to `count`.
    fn ask(&mut self, t: &Turn<Self>, way: Way) -> Promise<u64> {
        let archive = self.archive.clone();
        self.by(t, way, || archive.count())
    }

    /// Leaves the reply to `search`.
    fn ask_search(&mut self, t: &Turn<Self>, way: Way) -> Promise<u64> {
        let archive = self.archive.clone();
        self.by(t, way, || archive.search())
    }

    #[local]
    fn by<'c, M: vivant::Message<Reply = u64>>(
        &mut self,
        t: &Turn<Self>,
        way: Way,
        call: impl Fn() -> vivant::Call<'c, M>,
    ) -> Promise<u64> {
        match way {
            Way::Delegated => t.delegate(call()),
            Way::DelegatedInTime => t.delegate(call()).within(ms(1_000)),
            Way::Returned => t.ask(call()),
            Way::Joined => t
                .all([t.ask(call()), t.ask(self.archive.now())])
                .then(t.me().first_of()),
            Way::Settled => t.all_settled([t.ask(call())]).then(t.me().first_settled()),
            Way::Continued => t.ask(call()).then(t.me().found()),
            Way::ContinuedIfAwaited => t.ask(call()).then(t.me().found_if_awaited()),
            Way::DelegatedAsOk | Way::ReturnedAsOk | Way::Deep => unreachable!("another behaviour"),
        }
    }

    fn ask_as_ok(&mut self, t: &Turn<Self>, way: Way) -> Result<Promise<u64>, u64> {
        Ok(match way {
            Way::DelegatedAsOk => t.delegate(self.archive.count()),
            _ => t.ask(self.archive.count()),
        })
    }

    fn ask_deep(&mut self, t: &Turn<Self>, depth: u64) -> Promise<u64> {
        match depth {
            0 => t.ask(self.archive.count()),
            _ => t.ask(t.me().ask_deep(depth - 1)),
        }
    }

    #[then]
    fn found(&mut self, _t: &Turn<Self>, asker: &Asker, found: Result<u64, AskError>) -> u64 {
        self.continued += 1;
        self.seen.push(asker.is_waiting());
        found.unwrap_or(0)
    }

    #[then]
    #[if_awaited]
    fn found_if_awaited(&mut self, found: Result<u64, AskError>) -> u64 {
        self.continued += 1;
        found.unwrap_or(0)
    }

    #[then]
    #[if_awaited]
    fn first_of(&mut self, found: Result<Vec<u64>, AskError>) -> u64 {
        found.map_or(0, |found| found[0])
    }

    #[then]
    #[if_awaited]
    fn first_settled(&mut self, found: Result<Vec<Result<u64, AskError>>, AskError>) -> u64 {
        let found = found.map_or(Ok(0), |mut found| found.remove(0));
        found.unwrap_or(0)
    }

    /// The promise is dropped, or settled before the archive replies.
    fn loses_interest(&mut self, t: &Turn<Self>, how: u64) {
        let (count, search) = (t.ask(self.archive.count()), t.ask(self.archive.search()));
        match how {
            0 => drop((count, search)),
            1 => {
                count.within(ms(10)).then_send(t.me().late());
                search.within(ms(10)).then_send(t.me().late());
            }
            _ => {
                let first = t.any([count, search, t.ask(self.archive.now())]);
                first.then_send(t.me().late());
            }
        }
    }

    #[then]
    fn late(&mut self, late: Result<u64, AskError>) {
        self.late.extend(late.err());
    }

    /// Passes on the time that is left.
    fn ask_in_time(&mut self, t: &Turn<Self>, asker: &Asker) -> Promise<u64> {
        t.ask(self.archive.count())
            .until(asker.deadline())
            .then(t.me().found())
    }

    fn stop(&mut self, t: &Turn<Self>) {
        t.stop();
    }

    fn panic(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn log(&self) -> (u64, Vec<bool>, usize) {
        (self.continued, self.seen.clone(), self.late.len())
    }
}

/// What happens while the request waits.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Event {
    Nothing,
    Dropped,
    TakenBack,
    TimeOut,
}

use Event::{Dropped, Nothing, TakenBack, TimeOut};

const EVENTS: [Event; 4] = [Nothing, Dropped, TakenBack, TimeOut];

fn actors(simulation: &Simulation) -> (Address<Archive>, Address<Desk>) {
    let archive = simulation.system().spawn(Archive::default());
    let desk = Desk::spawn(simulation.system(), archive.clone());
    (archive, desk)
}

/// Asks, lets the request come to the archive, and then the event.
fn happens<T: Send + 'static>(
    simulation: &Simulation,
    asked: AskFuture<T>,
    event: Event,
) -> Option<AskFuture<T>> {
    match event {
        TimeOut => {
            let mut asked = asked.within(ms(10));
            simulation.run_for(ms(20));
            let mut context = Context::from_waker(Waker::noop());
            let late = pin!(&mut asked).poll(&mut context);
            assert!(matches!(late, Poll::Ready(Err(AskError::TimedOut { .. }))));
            Some(asked)
        }
        _ => {
            simulation.run_for(ms(5));
            match event {
                Dropped => drop(asked),
                TakenBack => assert_eq!(asked.cancel(), Cancelled::TooLate),
                _ => return Some(asked),
            }
            None
        }
    }
}

/// Lets the archive process what waits.
fn opens<T>(simulation: &Simulation, archive: &Address<Archive>, asked: T) -> T {
    archive.open().send();
    simulation.run_for(ms(5));
    asked
}

#[vivant::test(seeds = 10)]
fn seeded_a_behaviour_sees_along_the_chain_whether_its_reply_is_awaited(simulation: &Simulation) {
    for (way, event) in WAYS
        .iter()
        .flat_map(|way| EVENTS.map(|event| (*way, event)))
    {
        let (archive, desk) = actors(simulation);
        match way {
            Way::DelegatedAsOk | Way::ReturnedAsOk => {
                let asked = happens(simulation, desk.ask_as_ok(way).ask(), event);
                drop(opens(simulation, &archive, asked));
            }
            Way::Deep => {
                let asked = happens(simulation, desk.ask_deep(DEEP).ask(), event);
                drop(opens(simulation, &archive, asked));
            }
            _ => {
                let asked = happens(simulation, desk.ask(way).ask(), event);
                let asked = opens(simulation, &archive, asked);
                if event == Nothing {
                    let replied = asked.map(|asked| simulation.system().block_on(asked));
                    assert_eq!(replied, Some(Ok(3)), "{way:?}");
                }
            }
        }
        // A continuation with effects takes the reply, whatever became of its asker.
        let awaited = event == Nothing || way == Way::Continued;
        let (seen, _) = archive.log().ask_blocking().unwrap();
        let seen: Vec<bool> = seen.iter().map(|(is_waiting, _)| *is_waiting).collect();
        assert_eq!(
            seen,
            [awaited],
            "{way:?}, {event:?}: no message is taken back"
        );
        let (continued, askers, _) = desk.log().ask_blocking().unwrap();
        match way {
            Way::Continued => assert_eq!((continued, askers), (1, vec![event == Nothing])),
            Way::ContinuedIfAwaited => assert_eq!(continued, u64::from(awaited), "{event:?}"),
            _ => assert_eq!(continued, 0),
        }
    }
}

#[vivant::test(seeds = 10)]
fn seeded_a_request_that_is_not_awaited_is_withdrawn_if_its_behaviour_says_so(
    simulation: &Simulation,
) {
    let ways = WAYS
        .iter()
        .filter(|way| !matches!(way, Way::DelegatedAsOk | Way::ReturnedAsOk | Way::Deep));
    for (way, event) in ways.flat_map(|way| EVENTS.map(|event| (*way, event))) {
        let (archive, desk) = actors(simulation);
        let before = withdrawn(simulation.system());
        let _asked = happens(simulation, desk.ask_search(way).ask(), event);
        archive.open().send();
        simulation.run_for(ms(5));
        let awaited = event == Nothing || way == Way::Continued;
        let (_, searched) = archive.log().ask_blocking().unwrap();
        assert_eq!(searched, u64::from(awaited), "{way:?}, {event:?}");
        let dead = withdrawn(simulation.system()) - before;
        let continuations = match way {
            Way::ContinuedIfAwaited | Way::Joined | Way::Settled => 1,
            _ => 0,
        };
        let expected = if awaited { 0 } else { 1 + continuations };
        assert_eq!(dead, expected, "{way:?}, {event:?}: each is counted");
    }
}

fn withdrawn(system: &System) -> u64 {
    let counts = system.dead_letters().counts();
    let withdrawn = |one: &vivant::DeadLetterCount| one.cause == Cause::Withdrawn;
    counts
        .into_iter()
        .filter(withdrawn)
        .map(|one| one.count)
        .sum()
}

#[vivant::test(seeds = 10)]
fn seeded_a_message_without_an_asker_is_processed(simulation: &Simulation) {
    let (archive, _desk) = actors(simulation);
    archive.count().send();
    archive.search().send();
    archive.open().send();
    simulation.run();
    assert_eq!(archive.log().ask_blocking(), Ok((vec![(false, None)], 1)));
}

#[vivant::test(seeds = 10)]
fn seeded_a_promise_that_is_dropped_or_settled_awaits_nothing(simulation: &Simulation) {
    for how in 0..3 {
        let (archive, desk) = actors(simulation);
        desk.loses_interest(how).send();
        simulation.run_for(ms(20));
        archive.open().send();
        simulation.run();
        let (seen, searched) = archive.log().ask_blocking().unwrap();
        assert_eq!((seen, searched), (vec![(false, None)], 0), "{how}");
    }
}

#[vivant::test(seeds = 10)]
fn seeded_the_end_of_the_asker_ends_its_interest(simulation: &Simulation) {
    let (archive, desk) = actors(simulation);
    desk.ask(Way::Continued).send();
    desk.ask_search(Way::Continued).send();
    simulation.run_for(ms(5));
    desk.stop().send();
    simulation.run_for(ms(5));
    archive.open().send();
    simulation.run();
    assert_eq!(archive.log().ask_blocking(), Ok((vec![(false, None)], 0)));
}

/// The reply comes to the next incarnation.
#[vivant::test(seeds = 10)]
fn seeded_a_restart_of_the_asker_keeps_its_interest(simulation: &Simulation) {
    let archive = simulation.system().spawn(Archive::default());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let desk = tree.add(Desk::child(archive.clone()));
    desk.ask(Way::Continued).send();
    desk.ask_search(Way::Continued).send();
    desk.panic().send();
    simulation.run_for(ms(5));
    archive.open().send();
    simulation.run();
    assert_eq!(archive.log().ask_blocking(), Ok((vec![(true, None)], 1)));
    assert_eq!(desk.log().ask_blocking().unwrap().0, 2);
}

/// Threads: futures are dropped and cancelled while their requests begin.
#[test]
fn requests_given_up_on_threads() {
    const REQUESTS: u64 = if cfg!(miri) { 6 } else { 2_000 };
    let system = System::new();
    let archive = system.spawn(Archive {
        open: true,
        ..Archive::default()
    });
    let desk = Desk::spawn(&system, archive.clone());
    for request in 0..REQUESTS {
        let asked = desk.ask_search(WAYS[request as usize % 2]).ask();
        match request % 3 {
            0 => drop(asked),
            1 => drop(asked.cancel()),
            _ => assert_eq!(system.block_on(asked), Ok(3)),
        }
    }
    desk.log().ask_blocking().unwrap();
    let (_, searched) = archive.log().ask_blocking().unwrap();
    assert!(searched >= REQUESTS / 3);
    assert_eq!(searched + withdrawn(&system), REQUESTS);
}
