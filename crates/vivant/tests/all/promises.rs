//! T7, S4: every way to continue a promise, and every way in which one breaks.

use std::time::Duration;
use vivant::Cancelled;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Echo {
    kept: Vec<Resolver<u64>>,
}

#[behaviours]
impl Echo {
    fn echo(&mut self, n: u64) -> u64 {
        n
    }

    /// Answers when `release` is notified to.
    fn later(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    fn release(&mut self, n: u64) -> usize {
        let kept = std::mem::take(&mut self.kept);
        let count = kept.len();
        kept.into_iter().for_each(|resolver| resolver.resolve(n));
        count
    }

    fn forget(&mut self) {
        self.kept.clear();
    }

    fn fail(&mut self) -> u64 {
        panic!("echo failed");
    }

    /// Counts down by asking itself: every level is a promise chained on the next.
    fn down(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
        if n == 0 {
            Promise::ready(0)
        } else {
            t.ask(t.me().down(n - 1))
        }
    }
}

#[derive(Actor)]
struct Asker {
    echo: Address<Echo>,
}

#[behaviours]
impl Asker {
    fn then_twice(&mut self, t: &Turn<Self>, n: u64) -> Promise<String> {
        t.ask(self.echo.echo(n))
            .then(t.me().plus_one())
            .then(t.me().shown("is"))
    }

    #[then]
    fn plus_one(&mut self, n: Result<u64, AskError>) -> u64 {
        n.unwrap() + 1
    }

    #[then]
    fn shown(&mut self, n: Result<u64, AskError>, verb: &'static str) -> String {
        format!("it {verb} {}", n.unwrap())
    }

    fn local(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
        t.ask(self.echo.echo(n)).then_local(t, |state, t, n| {
            let _me = (state.echo.clone(), t.me());
            n.map_or(0, |n| n * 2)
        })
    }

    fn delegated(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
        t.delegate(self.echo.echo(n))
    }

    fn delegated_then(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
        t.delegate(self.echo.echo(n)).then(t.me().plus_one())
    }

    fn sum(&mut self, t: &Turn<Self>, upto: u64) -> Promise<Vec<u64>> {
        t.all(
            (0..upto)
                .map(|n| t.ask(self.echo.echo(n)))
                .collect::<Vec<_>>(),
        )
    }

    fn all_with_failure(&mut self, t: &Turn<Self>) -> Promise<Vec<u64>> {
        t.all([
            t.ask(self.echo.echo(1)),
            t.ask(self.echo.later()),
            t.ask(self.echo.fail()),
        ])
    }

    fn first(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.any([t.ask(self.echo.later()), t.ask(self.echo.echo(5))])
    }

    fn first_of_none(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.any(Vec::new())
    }

    fn limited(&mut self, t: &Turn<Self>, ms: u64) -> Promise<u64> {
        t.ask(self.echo.later()).within(Duration::from_millis(ms))
    }

    fn ready_then(&mut self, t: &Turn<Self>) -> Promise<u64> {
        Promise::ready(Ok::<u64, AskError>(1)).then_local(t, |_, _, n| n.unwrap().unwrap())
    }

    fn ask_to_fail(&mut self, t: &Turn<Self>) -> Promise<String> {
        t.ask(self.echo.fail()).then(t.me().why())
    }

    #[then]
    fn why(&mut self, n: Result<u64, AskError>) -> String {
        n.unwrap_err().to_string()
    }

    fn drop_the_promise(&mut self, t: &Turn<Self>) {
        drop(t.ask(self.echo.echo(1)));
    }
}

fn pair(simulation: &Simulation) -> (Address<Echo>, Address<Asker>) {
    let echo = simulation.system().spawn(Echo { kept: Vec::new() });
    let asker = simulation.system().spawn(Asker { echo: echo.clone() });
    (echo, asker)
}

#[test]
fn promises_are_continued_chained_delegated_and_joined() {
    for seed in 0..if cfg!(miri) { 2 } else { 20 } {
        let simulation = Simulation::new(seed);
        let (echo, asker) = pair(&simulation);
        assert_eq!(asker.then_twice(41).ask_blocking().unwrap(), "it is 42");
        assert_eq!(asker.local(21).ask_blocking(), Ok(42));
        assert_eq!(asker.delegated(7).ask_blocking(), Ok(7));
        assert_eq!(asker.delegated_then(7).ask_blocking(), Ok(8));
        assert_eq!(asker.sum(5).ask_blocking(), Ok(vec![0, 1, 2, 3, 4]));
        assert_eq!(asker.sum(0).ask_blocking(), Ok(vec![]));
        assert_eq!(asker.first().ask_blocking(), Ok(5));
        assert_eq!(asker.ready_then().ask_blocking(), Ok(1));
        assert_eq!(asker.drop_the_promise().ask_blocking(), Ok(()));
        assert!(echo.release(0).ask_blocking().unwrap() <= 1);
    }
}

#[test]
fn a_resolver_may_be_kept_and_used_later() {
    let simulation = Simulation::new(3);
    let (echo, _) = pair(&simulation);
    let waiting: Vec<_> = (0..3).map(|_| echo.later().ask()).collect();
    assert_eq!(echo.release(9).ask_blocking(), Ok(3));
    for asked in waiting {
        assert_eq!(simulation.system().block_on(asked), Ok(9));
    }
}

#[test]
fn every_broken_promise_has_a_reason() {
    let simulation = Simulation::new(4);
    let system = simulation.system();
    let (echo, asker) = pair(&simulation);

    let given_up = echo.later().ask();
    echo.forget().send();
    match system.block_on(given_up) {
        Err(AskError::Broken(it)) => assert!(it.behaviour.ends_with("Echo::forget"), "{it:?}"),
        other => panic!("{other:?}"),
    }

    assert_eq!(
        asker.limited(5).ask_blocking(),
        Err(AskError::TimedOut {
            after: Duration::from_millis(5)
        })
    );
    let late = asker.limited(5).ask();
    echo.release(1).ask_blocking().unwrap();
    assert!(system.block_on(late).is_ok_and(|n| n == 1) || echo.release(1).ask_blocking().is_ok());

    assert!(matches!(
        asker.first_of_none().ask_blocking(),
        Err(AskError::Broken(_))
    ));
    let why = asker.ask_to_fail().ask_blocking().unwrap();
    assert!(
        why.contains("echo failed") && why.contains("promises.rs"),
        "{why}"
    );

    // The echo has ended: the refusal is there before the turn that asks has said what it wants,
    // and still arrives.
    let refused = asker.ask_to_fail().ask_blocking().unwrap();
    assert!(refused.contains("has ended"), "{refused}");

    // The echo has ended: an ask gets the reason.
    match asker.delegated(1).ask_blocking() {
        Err(AskError::Stopped(it)) => {
            assert!(
                it.reason.to_string().contains("echo failed"),
                "{}",
                it.reason
            );
            assert!(it.place.file().ends_with("promises.rs"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_fails_with_the_first_failure() {
    let simulation = Simulation::new(5);
    let (_echo, asker) = pair(&simulation);
    assert!(matches!(
        asker.all_with_failure().ask_blocking(),
        Err(AskError::Panicked(_))
    ));
}

#[test]
fn a_chain_of_a_hundred_thousand_answers_needs_no_stack() {
    const LENGTH: u64 = if cfg!(miri) { 100 } else { 100_000 };
    let simulation = Simulation::new(6);
    let (echo, _) = pair(&simulation);
    assert_eq!(echo.down(LENGTH).ask_blocking(), Ok(0));
    // And when the chain breaks at its far end.
    let broken = echo.down(LENGTH).ask();
    Address::stop(&echo);
    assert!(simulation.system().block_on(broken).is_err());
    simulation.system().shutdown();
    drop(echo);
    assert_eq!(simulation.system().inspect().bytes, 0);
}

#[test]
fn asks_from_outside_can_be_limited_cancelled_and_dropped() {
    let simulation = Simulation::new(7);
    let system = simulation.system();
    let (echo, _) = pair(&simulation);

    let limited = echo.later().ask().within(Duration::from_secs(3600));
    assert_eq!(
        system.block_on(limited),
        Err(AskError::TimedOut {
            after: Duration::from_secs(3600)
        })
    );
    assert_eq!(simulation.now().as_secs(), 3600, "virtual time");

    let in_time = echo
        .echo(1)
        .ask()
        .within(Duration::from_secs(1))
        .within(Duration::from_secs(2));
    assert_eq!(system.block_on(in_time), Ok(1));
    assert_eq!(system.inspect().timers, 0, "limits go with the question");

    assert_eq!(echo.echo(2).ask().cancel(), Cancelled::Withdrawn);
    let begun = echo.later().ask();
    echo.echo(0).ask_blocking().unwrap();
    assert_eq!(begun.cancel(), Cancelled::TooLate);
    drop(echo.echo(3).ask());
    simulation.run();
    let withdrawn: Vec<_> = system.dead_letters().counts();
    assert_eq!(withdrawn.len(), 1, "{withdrawn:?}");
    assert_eq!(withdrawn[0].cause, vivant::Cause::Withdrawn);
    assert_eq!(withdrawn[0].count, 1);
}

#[test]
fn an_ask_with_nothing_left_to_run_is_an_error() {
    let simulation = Simulation::new(8);
    let (echo, _) = pair(&simulation);
    assert_eq!(echo.later().ask_blocking(), Err(AskError::Stalled));
}

/// Chains as deep as the user's data, in every form that settles one promise by another: none may
/// need stack in proportion.
mod deep {
    use super::*;

    const DEPTH: u64 = if cfg!(miri) { 100 } else { 100_000 };

    #[derive(Actor)]
    struct Deep;

    #[behaviours]
    impl Deep {
        fn sum(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
            match n {
                0 => panic!("at the bottom"),
                _ => t.ask(t.me().sum(n - 1)).then(t.me().plus(n)),
            }
        }

        #[then]
        fn plus(&mut self, below: Result<u64, AskError>, n: u64) -> u64 {
            below.unwrap_or(0) + n
        }

        fn limited(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
            match n {
                0 => Promise::ready(7),
                _ => t
                    .ask(t.me().limited(n - 1))
                    .within(Duration::from_secs(3600)),
            }
        }

        fn gathered(&mut self, t: &Turn<Self>, n: u64) -> Promise<u64> {
            match n {
                0 => Promise::ready(8),
                _ => t.any([t.ask(t.me().gathered(n - 1))]),
            }
        }
    }

    #[derive(Actor)]
    struct Link {
        next: Option<Address<Link>>,
        kept: Option<Resolver<u64>>,
    }

    #[behaviours]
    impl Link {
        fn through(&mut self, t: &Turn<Self>) -> Promise<u64> {
            match &self.next {
                Some(next) => t.ask(next.through()),
                None => {
                    let (promise, resolver) = t.promise();
                    self.kept = Some(resolver);
                    promise
                }
            }
        }
    }

    #[test]
    fn a_panic_at_the_end_of_a_chain_of_asks_needs_no_stack() {
        let simulation = Simulation::new(1);
        let deep = simulation.system().spawn(Deep);
        assert!(deep.sum(DEPTH).ask_blocking().is_err());
    }

    #[test]
    fn limits_and_joins_settle_in_a_loop() {
        let simulation = Simulation::new(2);
        let deep = simulation.system().spawn(Deep);
        assert_eq!(deep.limited(DEPTH).ask_blocking(), Ok(7));
        assert_eq!(deep.gathered(DEPTH).ask_blocking(), Ok(8));
    }

    #[test]
    fn shutdown_breaks_a_chain_of_actors_in_a_loop() {
        let simulation = Simulation::new(3);
        let system = simulation.system();
        let mut next = None;
        for _ in 0..DEPTH / 5 {
            next = Some(system.spawn(Link { next, kept: None }));
        }
        let asked = next.take().unwrap().through().ask();
        simulation.run();
        system.shutdown();
        assert!(system.block_on(asked).is_err());
        assert_eq!(system.inspect().bytes, 0);
    }
}
