//! T7: barriers, tokens and delegated replies.

use super::joins::answer;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cause, Group, Report};

const SOON: Duration = Duration::from_millis(5);

/// Answers at once, later, never, or not at all.
#[derive(Actor)]
struct Worker {
    number: u64,
    got: Vec<u64>,
    kept: Vec<Resolver<u64>>,
}

#[behaviours]
impl Worker {
    fn number(&self) -> u64 {
        self.number
    }

    fn take(&mut self, token: u64) -> u64 {
        self.got.push(token);
        token * 100 + self.number
    }

    fn later(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    fn answers(&mut self, value: u64) {
        self.kept.drain(..).for_each(|kept| kept.resolve(value));
    }

    fn fails(&self) -> u64 {
        panic!("{} fails", self.number);
    }

    fn got(&self) -> Vec<u64> {
        self.got.clone()
    }
}

fn worker(system: &System, number: u64) -> Address<Worker> {
    system.spawn(Worker {
        number,
        got: Vec::new(),
        kept: Vec::new(),
    })
}

/// Asks others.
#[derive(Actor)]
struct Head {
    workers: Vec<Address<Worker>>,
}

type Replies = Vec<Result<u64, AskError>>;

#[behaviours]
impl Head {
    fn numbers(&self, t: &Turn<Self>) -> Promise<Replies> {
        t.barrier(&self.workers, |worker| worker.number())
    }

    fn mixed(&self, t: &Turn<Self>) -> Promise<Replies> {
        let mut number = 0;
        t.all_settled(self.workers.iter().map(|worker| {
            number += 1;
            match number {
                1 => t.ask(worker.fails()),
                2 => t.ask(worker.later()).within(SOON),
                _ => t.ask(worker.number()),
            }
        }))
    }

    fn with_limit(&self, t: &Turn<Self>) -> Promise<Replies> {
        t.barrier(&self.workers, |worker| worker.later())
            .within(SOON)
    }

    fn later(&self, t: &Turn<Self>) -> Promise<Replies> {
        t.barrier(&self.workers, |worker| worker.later())
    }

    fn of_group(&self, t: &Turn<Self>, group: Group<Worker>) -> Promise<Replies> {
        t.barrier(&group.members(), |worker| worker.number())
    }

    fn pass(&self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.workers[0].number())
            .pass_to(&self.workers[1], WorkerHandle::take)
    }

    fn pass_round(&self, t: &Turn<Self>, rounds: usize) -> Promise<u64> {
        let mut token = t.ask(self.workers[0].number());
        for _ in 0..rounds {
            token = token.pass_to(&self.workers[1], |worker, token| worker.take(token % 10));
        }
        token
    }

    fn pass_later(&self, t: &Turn<Self>, panics: bool) -> Promise<u64> {
        t.ask(self.workers[0].later())
            .pass_to(&self.workers[1], move |worker, token| {
                assert!(!panics, "no message of {token}");
                worker.take(token)
            })
    }

    fn pass_ready(&self) -> Promise<u64> {
        Promise::ready(4).pass_to(&self.workers[1], WorkerHandle::take)
    }

    fn pass_and_forget(&self, t: &Turn<Self>) {
        drop(self.pass(t));
    }

    fn delegates(&self, t: &Turn<Self>) -> Promise<u64> {
        t.stop();
        t.delegate(self.workers[0].later())
    }

    fn delegates_within(&self, t: &Turn<Self>, limit: Duration) -> Promise<u64> {
        t.stop();
        t.delegate(self.workers[0].later())
            .within(limit)
            .within(limit * 2)
    }

    fn delegates_or_refuses(&self, t: &Turn<Self>, refuses: bool) -> Result<Promise<u64>, String> {
        t.stop();
        match refuses {
            true => Err("no".into()),
            false => Ok(t
                .delegate(self.workers[0].later())
                .within(Duration::from_secs(1))),
        }
    }

    /// What is delegated may still be continued here.
    fn continues(&self, t: &Turn<Self>) -> Promise<u64> {
        let limited = t.delegate(self.workers[0].number()).within(SOON);
        limited.then(t.me().continued())
    }

    #[then]
    fn continued(&self, number: Result<u64, AskError>) -> u64 {
        number.unwrap_or(0) + 1_000
    }

    fn descends(&self, t: &Turn<Self>, depth: u64) -> Promise<u64> {
        match depth {
            0 => t.delegate(self.workers[0].later()),
            _ => t
                .delegate(t.me().descends(depth - 1))
                .within(Duration::from_secs(9)),
        }
    }
}

fn scene(simulation: &Simulation, workers: u64) -> (Vec<Address<Worker>>, Address<Head>) {
    let system = simulation.system();
    let workers: Vec<_> = (1..=workers).map(|number| worker(system, number)).collect();
    let head = system.spawn(Head {
        workers: workers.clone(),
    });
    (workers, head)
}

#[test]
fn a_barrier_has_the_replies_of_all_members_in_their_order() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 3);
    assert_eq!(head.numbers().ask_blocking(), Ok(vec![Ok(1), Ok(2), Ok(3)]));
    let group = Group::new();
    assert_eq!(head.of_group(group.clone()).ask_blocking(), Ok(vec![]));
    group.join(&workers[2]);
    group.join(&workers[0]);
    assert_eq!(head.of_group(group).ask_blocking(), Ok(vec![Ok(3), Ok(1)]));
}

#[test]
fn a_barrier_shows_the_errors_of_members_in_their_places() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 4);
    Address::stop(&workers[3]);
    simulation.run();
    let replies = head.mixed().ask_blocking().expect("all are settled");
    let [
        Err(AskError::Panicked(panic)),
        Err(AskError::TimedOut { after }),
        Ok(3),
        Err(AskError::Stopped(_)),
    ] = &replies[..]
    else {
        panic!("{replies:?}");
    };
    assert_eq!((panic.message(), *after), ("1 fails", SOON));
}

#[test]
fn a_time_limit_on_a_barrier_is_for_all_together() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 2);
    let barrier = head.with_limit().ask();
    workers[0].answers(1).send();
    simulation.run_for(SOON * 2);
    assert_eq!(answer(barrier), Err(AskError::TimedOut { after: SOON }));
    let barrier = head.with_limit().ask();
    simulation.run_for(SOON / 5);
    workers[0].answers(5).send();
    workers[1].answers(6).send();
    simulation.run_for(SOON / 5);
    assert_eq!(answer(barrier), Ok(vec![Ok(5), Ok(6)]));
}

#[test]
fn a_token_goes_on_and_the_reply_comes_back() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 2);
    assert_eq!(head.pass().ask_blocking(), Ok(102));
    head.pass_and_forget().send();
    simulation.run();
    assert_eq!(head.pass_ready().ask_blocking(), Ok(402));
    assert_eq!(workers[1].got().ask_blocking(), Ok(vec![1, 1, 4]));
    // 1, then 102 % 10, then 202 % 10.
    assert_eq!(head.pass_round(4).ask_blocking(), Ok(202));
}

#[test]
fn a_broken_promise_passes_no_token() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 2);
    let passed = head.pass_later(false).ask();
    simulation.run();
    Address::stop(&workers[0]);
    simulation.run();
    let passed = answer(passed);
    assert!(matches!(passed, Err(AskError::Broken(_))), "{passed:?}");
    assert_eq!(workers[1].got().ask_blocking(), Ok(vec![]));
    assert_eq!(simulation.system().dead_letters().total(), 0);
}

#[test]
fn a_token_for_an_actor_that_has_ended_is_a_dead_letter() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 2);
    Address::stop(&workers[1]);
    simulation.run();
    let passed = head.pass().ask_blocking();
    assert!(matches!(passed, Err(AskError::Stopped(_))), "{passed:?}");
    let counts = simulation.system().dead_letters().counts();
    assert_eq!((counts[0].cause, counts[0].count), (Cause::Ended, 1));
    assert!(counts[0].behaviour.ends_with("Worker::take"), "{counts:?}");
}

#[test]
fn a_panic_while_a_token_becomes_a_message_fails_the_promise_and_nothing_else() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 2);
    let passed = head.pass_later(true).ask();
    simulation.run();
    workers[0].answers(7).send();
    simulation.run();
    let Err(AskError::Panicked(panic)) = answer(passed) else {
        panic!("it is not answered with the panic");
    };
    assert_eq!(panic.message(), "no message of 7");
    assert_eq!(panic.actor(), Address::path(&head));
    let reports = simulation.system().inspect().reports;
    assert!(matches!(&reports[..], [Report::Panicked(_)]), "{reports:?}");
    assert_eq!(head.pass().ask_blocking(), Ok(102));
}

#[test]
fn a_delegated_reply_needs_the_delegating_actor_no_more() {
    let simulation = Simulation::new(1);
    let asks: [fn(&Address<Head>) -> vivant::AskFuture<u64>; 2] = [
        |head| head.delegates().ask(),
        |head| head.delegates_within(Duration::from_secs(1)).ask(),
    ];
    for ask in asks {
        let (workers, head) = scene(&simulation, 1);
        let asked = ask(&head);
        simulation.run_for(SOON);
        assert!(!Address::is_alive(&head));
        workers[0].answers(7).send();
        simulation.run_for(SOON);
        assert_eq!(answer(asked), Ok(7));
    }
    let (workers, head) = scene(&simulation, 1);
    let asked = head.delegates_or_refuses(false).ask();
    simulation.run_for(SOON);
    assert!(!Address::is_alive(&head));
    workers[0].answers(8).send();
    simulation.run_for(SOON);
    assert_eq!(answer(asked), Ok(Ok(8)));
    let (_, head) = scene(&simulation, 1);
    assert_eq!(
        head.delegates_or_refuses(true).ask_blocking(),
        Ok(Err("no".into()))
    );
    assert_eq!(simulation.system().dead_letters().total(), 0);
}

#[test]
fn the_time_limit_of_a_delegated_message_holds() {
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 1);
    let asked = head.delegates_within(SOON).ask();
    simulation.run_for(SOON * 3);
    assert_eq!(answer(asked), Err(AskError::TimedOut { after: SOON }));
    // The late answer is dropped.
    workers[0].answers(7).send();
    simulation.run();
    let (workers, head) = scene(&simulation, 1);
    let asked = head.delegates_within(SOON).ask();
    simulation.run_for(SOON / 5);
    Address::stop(&workers[0]);
    simulation.run_for(SOON / 5);
    let asked = answer(asked);
    assert!(matches!(asked, Err(AskError::Broken(_))), "{asked:?}");
}

#[test]
fn a_delegated_promise_with_a_limit_may_be_continued() {
    let simulation = Simulation::new(1);
    let (_, head) = scene(&simulation, 1);
    assert_eq!(head.continues().ask_blocking(), Ok(1_001));
}

/// H12: the stack does not grow with the chain.
#[test]
fn a_long_chain_of_delegations_with_limits_is_answered() {
    const DEPTH: u64 = if cfg!(miri) { 50 } else { 50_000 };
    let simulation = Simulation::new(1);
    let (workers, head) = scene(&simulation, 1);
    let asked = head.descends(DEPTH).ask();
    simulation.run_for(SOON);
    workers[0].answers(3).send();
    simulation.run_for(SOON);
    assert_eq!(answer(asked), Ok(3));
}

/// No actor waits for all of its outcomes any more.
#[test]
fn a_barrier_of_an_actor_that_has_ended_fails_with_the_first_reply() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let workers = [worker(system, 1), worker(system, 2)];
    let head = system.spawn(Head {
        workers: workers.to_vec(),
    });
    let asked = head.later().ask();
    simulation.run();
    Address::stop(&head);
    simulation.run();
    workers[0].answers(7).send();
    simulation.run();
    let error = answer(asked).expect_err("the head has ended");
    assert!(matches!(error, AskError::Stopped(_)), "{error}");
}

/// Its drop panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bomb");
    }
}

#[derive(Actor)]
struct Armoury;

#[behaviours]
impl Armoury {
    fn bomb(&self) -> Bomb {
        Bomb
    }

    fn lacks(&self) -> Bomb {
        panic!("no bomb is left");
    }
}

/// Asks for several.
#[derive(Actor)]
struct Miner {
    armoury: Address<Armoury>,
    store: Address<Armoury>,
}

#[behaviours]
impl Miner {
    /// The second bomb comes when the join has failed, or the other way round.
    fn fetch(&self, t: &Turn<Self>) -> Promise<usize> {
        let bombs = [
            t.ask(self.armoury.bomb()),
            t.ask(self.store.lacks()),
            t.ask(self.armoury.bomb()),
        ];
        let inner = t
            .all(bombs)
            .map(|bombs| bombs.into_iter().map(std::mem::forget).count());
        t.all([inner]).map(|counts| counts[0])
    }

    fn lives(&self) -> bool {
        true
    }
}

/// User code that panics where a value is not wanted ends nothing: the asker gets the error.
#[test]
fn values_of_a_failed_join_may_panic_when_they_are_dropped() {
    for seed in 0..30 {
        let simulation = Simulation::new(seed);
        let system = simulation.system();
        let [armoury, store] = [system.spawn(Armoury), system.spawn(Armoury)];
        let miner = system.spawn(Miner { armoury, store });
        let (asked, lives) = (miner.fetch().ask(), miner.lives().ask());
        simulation.run();
        let error = answer(asked).expect_err("a bomb is missing");
        assert!(error.to_string().contains("no bomb is left"), "{error}");
        assert_eq!(answer(lives), Ok(true), "seed {seed}");
        let lives = miner.lives().ask();
        simulation.run();
        assert_eq!(answer(lives), Ok(true), "seed {seed}");
    }
}
