//! Cycles of exclusive waits: one request of a cycle fails, with an error that names it.

use std::cell::RefCell;
use std::time::Duration;
use vivant::Cause;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// Asks a friend, which asks back.
#[derive(Actor)]
struct Friend {
    friends: Vec<Address<Friend>>,
    known: u64,
}

/// A number, or the text of an error.
type Answer = Result<u64, String>;

#[behaviours]
impl Friend {
    fn meet(&mut self, friends: Vec<Address<Friend>>) {
        self.friends = friends;
    }

    fn known(&self) -> Answer {
        Ok(self.known)
    }

    /// Waits exclusively for a friend.
    fn exclusive(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = t.ask(self.friends[0].known());
        asked.exclusive().then(t.me().answered())
    }

    /// Waits exclusively for a friend that waits exclusively for the next.
    fn around(&mut self, t: &Turn<Self>, rest: usize) -> Promise<Answer> {
        match rest {
            0 => Promise::ready(Ok(self.known)),
            _ => {
                let asked = t.ask(self.friends[0].around(rest - 1));
                asked.exclusive().then(t.me().answered())
            }
        }
    }

    /// Waits for a friend that gives the answer of the next.
    fn by_way_of(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = t.ask(self.friends[0].delegates());
        asked.exclusive().then(t.me().answered())
    }

    fn delegates(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        t.ask(self.friends[0].known()).then(t.me().answered())
    }

    fn of_all(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = self.friends.iter().map(|friend| t.ask(friend.known()));
        t.all(asked).exclusive().then(t.me().answered_all())
    }

    fn of_all_settled(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = t.barrier(&self.friends, |friend| friend.known());
        asked.exclusive().then(t.me().answered_by_each())
    }

    fn of_any(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = self.friends.iter().map(|friend| t.ask(friend.known()));
        t.any(asked).exclusive().then(t.me().answered())
    }

    fn of_itself(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        t.ask(t.me().known()).exclusive().then(t.me().answered())
    }

    fn within(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = t
            .ask(self.friends[0].known())
            .within(Duration::from_secs(1));
        asked.exclusive().then(t.me().answered())
    }

    /// Asks a friend back, and answers without waiting.
    fn asks_back(&mut self, t: &Turn<Self>) -> Answer {
        t.ask(self.friends[0].known()).then_send(t.me().answered());
        Ok(self.known)
    }

    fn exclusively_asks_back(&mut self, t: &Turn<Self>) -> Promise<Answer> {
        let asked = t.ask(self.friends[0].asks_back());
        asked.exclusive().then(t.me().answered())
    }

    #[then]
    fn answered(&mut self, answer: Result<Answer, AskError>) -> Answer {
        match answer {
            Ok(answer) => answer,
            Err(error) => Err(error.to_string()),
        }
    }

    #[then]
    fn answered_by_each(
        &mut self,
        answers: Result<Vec<Result<Answer, AskError>>, AskError>,
    ) -> Answer {
        let answers = answers.map_err(|error| error.to_string())?;
        let each = answers.into_iter().map(|answer| match answer {
            Ok(answer) => answer,
            Err(error) => Err(error.to_string()),
        });
        each.sum()
    }

    #[then]
    fn answered_all(&mut self, answers: Result<Vec<Answer>, AskError>) -> Answer {
        match answers {
            Ok(answers) => answers.into_iter().sum(),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Friends in a circle.
fn circle(system: &System, count: usize) -> Vec<Address<Friend>> {
    let friend = |known| {
        system.spawn(Friend {
            friends: Vec::new(),
            known,
        })
    };
    let friends: Vec<_> = (0..count as u64).map(friend).collect();
    for (at, friend) in friends.iter().enumerate() {
        let others = (1..count).map(|further| friends[(at + further) % count].clone());
        friend.meet(others.collect()).send();
    }
    friends
}

/// The answers, each from its friend.
fn answers(
    system: &System,
    friends: &[Address<Friend>],
    ask: impl Fn(&Address<Friend>) -> vivant::AskFuture<Answer>,
) -> Vec<Answer> {
    let asked: Vec<_> = friends.iter().map(ask).collect();
    let answer = |asked: vivant::AskFuture<Answer>| system.block_on(asked).expect("an answer");
    asked.into_iter().map(answer).collect()
}

fn failures(answers: &[Answer]) -> Vec<&String> {
    answers
        .iter()
        .filter_map(|answer| answer.as_ref().err())
        .collect()
}

#[vivant::test(seeds = 100)]
fn two_that_wait_for_each_other(simulation: &Simulation) {
    let system = simulation.system();
    let friends = circle(system, 2);
    let answers = answers(system, &friends, |friend| friend.exclusive().ask());
    let failures = failures(&answers);
    assert!(failures.len() <= 1, "one request of the cycle fails");
    for failure in failures {
        let [a, b] = ["Friend/0", "Friend/1"].map(|friend| failure.matches(friend).count());
        assert_eq!((a, b), (2, 2), "{failure}");
        assert!(failure.contains("Friend::known (asked at"), "{failure}");
        assert_eq!(failure.matches("wait_cycles.rs").count(), 4, "{failure}");
        let counts = system.dead_letters().counts();
        assert_eq!((counts[0].cause, counts[0].count), (Cause::WaitCycle, 1));
    }
}

/// Each way to wait closes a cycle under some seed, or none does.
fn cycles_arise(
    count: usize,
    ask: impl Fn(&Address<Friend>) -> vivant::AskFuture<Answer>,
) -> usize {
    let mut cycles = 0;
    for seed in 0..100 {
        let simulation = Simulation::new(seed);
        let friends = circle(simulation.system(), count);
        let answers = answers(simulation.system(), &friends, &ask);
        let failures = failures(&answers);
        let is_cycle = |failure: &&String| failure.contains("wait for each other");
        cycles += failures.into_iter().filter(is_cycle).count();
    }
    cycles
}

#[test]
fn cycles_of_every_kind_are_found() {
    assert!(cycles_arise(5, |friend| friend.exclusive().ask()) > 0);
    assert!(cycles_arise(3, |friend| friend.around(3).ask()) > 0);
    assert!(cycles_arise(3, |friend| friend.by_way_of().ask()) > 0);
    assert!(cycles_arise(3, |friend| friend.of_all().ask()) > 0);
    assert!(cycles_arise(3, |friend| friend.of_all_settled().ask()) > 0);
    assert_eq!(cycles_arise(2, |friend| friend.of_itself().ask()), 200);
}

#[test]
fn what_goes_on_by_itself_is_no_cycle() {
    // Within a second each of them goes on.
    assert_eq!(cycles_arise(3, |friend| friend.within().ask()), 0);
    // The answer does not depend on the request back.
    assert_eq!(cycles_arise(1, |friend| friend.known().ask()), 0);
    let asks_back = |friend: &Address<Friend>| match Address::path(friend).ends_with("/0") {
        true => friend.exclusively_asks_back().ask(),
        false => friend.known().ask(),
    };
    assert_eq!(cycles_arise(2, asks_back), 0);
    assert_eq!(cycles_arise(3, |friend| friend.delegates().ask()), 0);
}

/// Two wait for each other or a third, which answers.
#[vivant::test(seeds = 50)]
fn a_value_that_another_may_give_closes_no_cycle(simulation: &Simulation) {
    let system = simulation.system();
    let friends = circle(system, 3);
    let answers = answers(system, &friends[..2], |friend| friend.of_any().ask());
    assert!(failures(&answers).is_empty());
    assert_eq!(system.dead_letters().total(), 0);
}

/// On threads a request may be deferred before the turn of its asker has ended.
#[test]
fn cycles_on_threads_are_found() {
    let system = System::builder().workers(4).build();
    let rounds = if cfg!(miri) { 3 } else { 2_000 };
    let friends = circle(&system, 3);
    for round in 0..rounds {
        let answers = match round % 3 {
            0 => answers(&system, &friends, |friend| friend.exclusive().ask()),
            1 => answers(&system, &friends, |friend| friend.by_way_of().ask()),
            _ => answers(&system, &friends, |friend| friend.of_all().ask()),
        };
        for failure in failures(&answers) {
            assert!(failure.contains("wait for each other"), "{failure}");
        }
    }
    assert!(system.inspect().waits.is_empty());
}

#[vivant::test(seeds = 20)]
fn open_waits_are_inspected(simulation: &Simulation) {
    let system = simulation.system();
    let friends = circle(system, 2);
    let never = system.spawn(Never(Vec::new()));
    let waits = system.spawn(Waits(never.clone()));
    waits.wait().send();
    simulation.run_for(Duration::from_secs(3));
    let open = system.inspect().waits;
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].actor, Address::path(&waits));
    assert_eq!(open[0].lasts, Duration::from_secs(3));
    assert!(open[0].needs.is_empty());
    Address::stop(&never);
    simulation.run();
    assert!(system.inspect().waits.is_empty());
    drop(friends);
}

#[derive(Actor)]
struct Never(Vec<Resolver<()>>);

#[behaviours]
impl Never {
    fn answer(&mut self, t: &Turn<Self>) -> Promise<()> {
        let (promise, resolver) = t.promise();
        self.0.push(resolver);
        promise
    }
}

#[derive(Actor)]
struct Waits(Address<Never>);

#[behaviours]
impl Waits {
    fn wait(&mut self, t: &Turn<Self>) {
        drop(t.ask(self.0.answer()).exclusive());
    }

    fn number(&self) -> u64 {
        7
    }
}

thread_local! {
    static OUTLIVES: RefCell<Option<Promise<u64>>> = const { RefCell::new(None) };
}

/// Makes a promise that outlives its turn, and is a part of its own chain.
#[derive(Actor)]
struct Ring {
    waits: Address<Waits>,
}

#[behaviours]
impl Ring {
    fn begin(&self, t: &Turn<Self>) {
        let promise = t.ask(t.me().join());
        OUTLIVES.with_borrow_mut(|outlives| *outlives = Some(promise));
    }

    /// Its answer needs its answer.
    fn join(&self, t: &Turn<Self>) -> Promise<u64> {
        let promise = OUTLIVES.take().expect("`begin` has set it");
        t.all([promise, t.ask(self.waits.number())])
            .then(t.me().sum())
    }

    #[then]
    fn sum(&self, numbers: Result<Vec<u64>, AskError>) -> u64 {
        numbers.map_or(0, |numbers| numbers.iter().sum())
    }
}

/// The request of a ring is deferred, so its chain is walked for waits.
#[vivant::test(seeds = 20)]
fn a_walk_through_a_join_in_a_ring_ends(simulation: &Simulation) {
    let system = simulation.system();
    let never = system.spawn(Never(Vec::new()));
    let waits = system.spawn(Waits(never.clone()));
    waits.wait().send();
    simulation.run();
    let ring = system.spawn(Ring {
        waits: waits.clone(),
    });
    ring.begin().send();
    simulation.run_for(Duration::from_secs(1));
    assert_eq!(system.inspect().waits.len(), 1);
    Address::stop(&never);
    assert_eq!(system.block_on(waits.number().ask()), Ok(7));
}
