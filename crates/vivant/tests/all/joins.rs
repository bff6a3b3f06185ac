//! T8: joins, which take several messages in one turn. `run/joins_model` has their order.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};
use vivant::{AskFuture, Cancelled, Cause, Messages, Supervisor};

#[derive(Actor)]
struct Buffer {
    passed: Vec<u64>,
    is_open: bool,
}

#[behaviours]
impl Buffer {
    #[start]
    fn new() -> Self {
        Buffer {
            passed: Vec::new(),
            is_open: true,
        }
    }

    /// Gives an item.
    fn put(item: u64);
    /// Takes an item, and tells its number.
    fn get(number: u64) -> (u64, u64);
    fn fail();

    #[join(put, get)]
    #[when(self.is_open)]
    fn hand_over(&mut self, item: u64, number: u64) -> (u64, u64) {
        self.passed.push(item);
        (number, item)
    }

    #[join(put, fail)]
    fn break_down(&mut self, item: u64) {
        panic!("the item {item} breaks the buffer");
    }

    fn open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    fn passed(&self) -> Vec<u64> {
        self.passed.clone()
    }
}

/// The answer that has come.
pub(crate) fn answer<T>(asked: AskFuture<T>) -> Result<T, AskError> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(asked).poll(&mut context) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("the answer has not come"),
    }
}

fn counts(system: &System) -> Vec<(&'static str, Cause, u64)> {
    let counts = system.dead_letters().counts();
    let lines = counts.iter();
    lines
        .map(|line| {
            (
                line.behaviour.as_str().rsplit("::").next().unwrap_or(""),
                line.cause,
                line.count,
            )
        })
        .collect()
}

#[test]
fn the_oldest_messages_go_together() {
    let simulation = Simulation::new(1);
    let buffer = Buffer::spawn(simulation.system());
    (1..=3).for_each(|item| buffer.put(item).send());
    for item in 1..=3 {
        assert_eq!(buffer.get(10 + item).ask_blocking(), Ok((10 + item, item)));
    }
    let waiting: Vec<_> = (1..=3).map(|number| buffer.get(number).ask()).collect();
    simulation.run();
    (4..=6).for_each(|item| buffer.put(item).send());
    simulation.run();
    let got = waiting.into_iter().map(answer);
    assert_eq!(
        got.collect::<Vec<_>>(),
        [Ok((1, 4)), Ok((2, 5)), Ok((3, 6))]
    );
    assert_eq!(buffer.passed().ask_blocking(), Ok(vec![1, 2, 3, 4, 5, 6]));
}

#[test]
fn messages_that_wait_for_a_join_are_shown_and_refused_at_the_end() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let buffer = Buffer::spawn(system);
    buffer.get(1).send();
    let asked = buffer.get(2).ask();
    simulation.run();
    let facts = &system.inspect().actors[0];
    assert_eq!((facts.deferred, facts.depth), (2, 0));
    Address::stop(&buffer);
    simulation.run();
    let refused = answer(asked);
    assert!(matches!(refused, Err(AskError::Stopped(_))), "{refused:?}");
    assert_eq!(system.dead_letters().total(), 2);
    assert!(
        counts(system)
            .iter()
            .all(|line| *line == ("get", Cause::Ended, 1))
    );
}

#[test]
fn messages_that_wait_for_a_join_do_not_keep_their_actor_alive() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let buffer = Buffer::spawn(system);
    buffer.put(1).send();
    let ended = Address::ended(&buffer);
    drop(buffer);
    simulation.run();
    let reason = answer(ended);
    assert!(matches!(reason, Ok(StopReason::Unreferenced)), "{reason:?}");
    assert_eq!(counts(system), [("put", Cause::Ended, 1)]);
}

#[test]
fn a_time_limit_ends_the_waiting_and_the_message_stays() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let buffer = Buffer::spawn(system);
    let late = buffer.get(1).ask().within(Duration::from_millis(5));
    simulation.run_for(Duration::from_millis(10));
    let late = answer(late);
    assert!(matches!(late, Err(AskError::TimedOut { .. })), "{late:?}");
    buffer.put(7).send();
    assert_eq!(buffer.passed().ask_blocking(), Ok(vec![7]));
    assert_eq!(system.dead_letters().total(), 0);
}

#[test]
fn a_withdrawn_message_is_passed_over_and_its_partner_waits_on() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let buffer = Buffer::spawn(system);
    let (first, second) = (buffer.get(1).ask(), buffer.get(2).ask());
    simulation.run();
    assert_eq!(first.cancel(), Cancelled::Withdrawn);
    buffer.put(7).send();
    simulation.run();
    assert_eq!(answer(second), Ok((2, 7)));
    assert_eq!(counts(system), [("get", Cause::Withdrawn, 1)]);
    // The only partner is withdrawn: the item waits, and can be withdrawn in its turn.
    let only = buffer.get(3).ask();
    simulation.run();
    assert_eq!(only.cancel(), Cancelled::Withdrawn);
    let item = buffer.put(8).ask();
    simulation.run();
    assert_eq!(item.cancel(), Cancelled::Withdrawn);
    simulation.run();
    assert_eq!(buffer.passed().ask_blocking(), Ok(vec![7]));
}

#[test]
fn a_panic_in_a_join_breaks_all_its_promises() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let buffer = Buffer::spawn(system);
    let put = buffer.put(3).ask();
    let failed = buffer.fail().ask_blocking();
    for answer in [failed, answer(put)] {
        let Err(AskError::Panicked(panic)) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(panic.message(), "the item 3 breaks the buffer");
        assert!(panic.behaviour().ends_with("break_down"), "{panic}");
    }
    // Both messages were processed.
    assert_eq!(system.dead_letters().total(), 0);
}

#[test]
fn a_restart_keeps_what_waits_or_returns_it() {
    for messages in [Messages::Kept, Messages::Returned] {
        let simulation = Simulation::new(1);
        let system = simulation.system();
        let tree = Supervisor::one_for_one().spawn(system);
        let buffer = tree.add(Buffer::child().messages(messages));
        let waiting = buffer.get(1).ask();
        buffer.open(false).send();
        buffer.put(1).send();
        buffer.put(2).send();
        buffer.fail().send();
        simulation.run();
        // The failure takes the first item; the new state is open.
        let outcome = answer(waiting);
        if messages == Messages::Kept {
            assert_eq!(outcome, Ok((1, 2)));
            continue;
        }
        assert!(
            matches!(outcome, Err(AskError::Restarted(_))),
            "{outcome:?}"
        );
        let mut counts = counts(system);
        counts.sort_unstable();
        let lost = [("get", Cause::Restarted, 1), ("put", Cause::Restarted, 1)];
        assert_eq!(counts, lost);
    }
}

#[derive(Actor)]
#[actor(mailbox = drop_oldest(3))]
struct Small {
    sums: Vec<u64>,
}

#[behaviours]
impl Small {
    fn left(n: u64);
    fn right(n: u64);

    #[join(left, right)]
    fn sum(&mut self, t: &Turn<Self>, left: u64, right: u64) {
        self.sums.push(left + right);
        // Its messages have left their places, so there is room.
        t.send(t.me().left(100));
    }

    fn sums(&self) -> Vec<u64> {
        self.sums.clone()
    }
}

#[test]
fn waiting_messages_have_their_places_in_a_bounded_mailbox() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let small = system.spawn(Small { sums: Vec::new() });
    for n in 1..=5 {
        small.left(n).send();
        simulation.run();
    }
    // 1 and 2 were displaced.
    assert_eq!(counts(system), [("left", Cause::DroppedOldest, 2)]);
    assert_eq!(system.inspect().actors[0].deferred, 3);
    // This displaces 3, and joins 4.
    small.right(10).send();
    simulation.run();
    assert_eq!(counts(system), [("left", Cause::DroppedOldest, 3)]);
    assert_eq!(small.sums().ask_blocking(), Ok(vec![14]));
    small.right(20).send();
    simulation.run();
    small.right(30).send();
    simulation.run();
    assert_eq!(small.sums().ask_blocking(), Ok(vec![14, 25, 130]));
    // What the joins sent had room: of five waiting numbers three were displaced, no more.
    assert_eq!(system.dead_letters().total(), 3);
}

#[derive(Actor)]
#[actor(mailbox = reject(2))]
struct Pair {
    pairs: u64,
}

#[behaviours]
impl Pair {
    fn one();
    fn other();
    #[join(one, other)]
    fn meet(&mut self) {
        self.pairs += 1;
    }
    fn pairs(&self) -> u64 {
        self.pairs
    }
}

#[test]
fn an_offer_is_admitted_when_a_join_makes_room() {
    let simulation = Simulation::new(1);
    let pair = simulation.system().spawn(Pair { pairs: 0 });
    for _ in 0..50 {
        pair.one().send();
        simulation.run();
        pair.other().send();
        let mut offered = pin!(pair.one().offer());
        let mut context = Context::from_waker(Waker::noop());
        assert!(offered.as_mut().poll(&mut context).is_pending());
        simulation.run();
        assert!(offered.as_mut().poll(&mut context).is_ready());
        pair.other().send();
        simulation.run();
    }
    assert_eq!(pair.pairs().ask_blocking(), Ok(100));
    assert_eq!(simulation.system().dead_letters().total(), 0);
}

/// J3: what waits costs others nothing. A search through all of them for each message would take
/// hours.
#[test]
fn many_messages_wait_and_each_finds_its_partner() {
    let many = if cfg!(miri) { 30 } else { 200_000 };
    let simulation = Simulation::new(0);
    let system = simulation.system();
    let buffer = Buffer::spawn(system);
    (0..many).for_each(|item| buffer.put(item).send());
    simulation.run();
    assert_eq!(system.inspect().actors[0].deferred as u64, many);
    (0..many).for_each(|number| buffer.get(number).send());
    simulation.run();
    assert_eq!(system.inspect().actors[0].deferred, 0);
    let passed = buffer.passed().ask_blocking();
    assert!(passed.is_ok_and(|passed| passed.into_iter().eq(0..many)));
}

/// Under injected panics and restarts: a turn takes both messages or none, and each request has an
/// answer in the end.
#[test]
fn seeded_panics_lose_no_message_of_a_join() {
    let faults = Faults::none().panics(100_000);
    let seeds = Seeds(if cfg!(miri) { 1 } else { 100 });
    check(
        "seeded_panics_lose_no_message_of_a_join",
        seeds,
        &faults,
        |simulation| {
            let system = simulation.system();
            let tree = Supervisor::one_for_one();
            let tree = tree.budget(1_000, Duration::from_secs(1)).spawn(system);
            let returned = match simulation.seed() % 2 {
                0 => Messages::Kept,
                _ => Messages::Returned,
            };
            let buffer = tree.add(Buffer::child().messages(returned));
            simulation.run();
            let (mut puts, mut gets) = (Vec::new(), Vec::new());
            for number in 0..60 {
                puts.push(buffer.put(number).ask());
                gets.push(buffer.get(number).ask());
                if number % 7 == 0 {
                    simulation.run();
                }
            }
            simulation.run();
            Address::stop(&buffer);
            simulation.run();
            let (puts, gets): (Vec<_>, Vec<_>) = (
                puts.into_iter().map(answer).collect(),
                gets.into_iter().map(answer).collect(),
            );
            let joined = puts.iter().filter(|put| put.is_ok()).count();
            assert_eq!(joined, gets.iter().filter(|get| get.is_ok()).count());
            let panicked = |error: &AskError| matches!(error, AskError::Panicked(_));
            let panics = puts.iter().filter(|put| put.as_ref().is_err_and(panicked));
            let panics_of_gets = gets.iter().filter(|get| get.as_ref().is_err_and(panicked));
            let panics = panics.count();
            assert_eq!(panics, panics_of_gets.count());
            let lost = 120 - 2 * (joined + panics);
            assert_eq!(system.dead_letters().total(), lost as u64);
        },
    );
}

#[test]
fn threads_that_send_at_once_find_their_partners() {
    const EACH: u64 = if cfg!(miri) { 20 } else { 5_000 };
    let system = System::new();
    let buffer = Buffer::spawn(&system);
    let sum = std::thread::scope(|scope| {
        for thread in 0..2 {
            let buffer = &buffer;
            scope.spawn(move || (0..EACH).for_each(|n| buffer.put(thread * EACH + n).send()));
        }
        let getters: Vec<_> = (0..2)
            .map(|_| {
                let asks = || (0..EACH).map(|n| buffer.get(n).ask_blocking().map(|got| got.1));
                scope.spawn(move || asks().sum::<Result<u64, AskError>>())
            })
            .collect();
        let sums = getters
            .into_iter()
            .map(|getter| getter.join().expect("it ends"));
        sums.sum::<Result<u64, AskError>>()
    });
    assert_eq!(sum, Ok((0..2 * EACH).sum()));
    let mut passed = buffer.passed().ask_blocking().expect("it is there");
    passed.sort_unstable();
    assert!(passed.into_iter().eq(0..2 * EACH));
}
