//! Rate limits, against an exact count of what may be admitted.

use proptest::prelude::*;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{RateLimit, RateLimited};

const fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

fn later(nanos: u64) -> Result<(), RateLimited> {
    Err(RateLimited::TryAgainAfter(Duration::from_nanos(nanos)))
}

#[test]
fn a_burst_is_followed_by_even_admissions() {
    let mut limit = RateLimit::new(3, nanos(10));
    assert_eq!(limit.available(nanos(0)), 3);
    assert_eq!(limit.admit(nanos(0), 2), Ok(()));
    assert_eq!(limit.admit(nanos(0), 2), later(4));
    assert_eq!(limit.admit(nanos(0), 1), Ok(()));
    // 10/3 nanoseconds each: after 4, 7 and 10.
    let admitted: Vec<u64> = (0..=20)
        .filter(|at| limit.admit(nanos(*at), 1).is_ok())
        .collect();
    assert_eq!(admitted, [4, 7, 10, 14, 17, 20]);
}

#[test]
fn impossible_requests_are_refused() {
    let mut limit = RateLimit::new(10, nanos(10)).burst(2);
    let refused = limit.admit(nanos(0), 3);
    assert_eq!(
        refused,
        Err(RateLimited::MoreThanBurst { asked: 3, burst: 2 })
    );
    assert_eq!(limit.available(nanos(0)), 2, "it costs nothing");
    for bad in [
        || RateLimit::new(0, nanos(1)),
        || RateLimit::new(1, nanos(0)),
        || RateLimit::new(1, nanos(1)).burst(0),
    ] {
        assert!(std::panic::catch_unwind(bad).is_err());
    }
}

#[test]
fn backward_time_admits_nothing() {
    let mut limit = RateLimit::new(1, nanos(10));
    assert_eq!(limit.admit(nanos(100), 1), Ok(()));
    assert_eq!(limit.admit(nanos(50), 1), later(10));
    assert_eq!(limit.admit(nanos(105), 1), later(5));
    assert_eq!(limit.admit(nanos(110), 1), Ok(()));
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let mut limit = RateLimit::new(u64::MAX, Duration::MAX);
    assert_eq!(limit.admit(Duration::ZERO, u64::MAX), Ok(()));
    assert!(limit.admit(Duration::ZERO, u64::MAX).is_err());
    assert_eq!(limit.admit(Duration::MAX, u64::MAX), Ok(()));
    let mut slow = RateLimit::new(1, Duration::MAX).burst(u64::MAX);
    assert_eq!(slow.admit(Duration::MAX, u64::MAX), Ok(()));
    assert!(matches!(
        slow.admit(Duration::MAX, u64::MAX),
        Err(RateLimited::TryAgainAfter(_))
    ));
}

/// What is admitted in any stretch of time is at most the burst and what that time brings.
fn assert_within(admitted: &[(u64, u64)], amount: u64, per: u64, burst: u64) {
    for first in 0..admitted.len() {
        let mut sum = 0;
        for (at, count) in &admitted[first..] {
            sum += u128::from(*count);
            let lasted = u128::from(at - admitted[first].0);
            let brought = lasted * u128::from(amount);
            assert!(
                sum * u128::from(per) <= brought + u128::from(burst) * u128::from(per),
                "{sum} admitted in {lasted} ns"
            );
        }
    }
}

proptest! {
    #[test]
    fn admissions_respect_the_rate_and_the_announced_wait(
        amount in 1_u64..1_000,
        per in 1_u64..1_000_000,
        burst in 1_u64..50,
        asked in prop::collection::vec((0_u64..500_000, 0_u64..60), 1..60),
    ) {
        let mut limit = RateLimit::new(amount, nanos(per)).burst(burst);
        let (mut now, mut admitted) = (0, Vec::new());
        for (rest, count) in asked {
            now += rest;
            let before = limit.clone();
            match limit.admit(nanos(now), count) {
                Ok(()) => admitted.push((now, count)),
                Err(RateLimited::TryAgainAfter(wait)) => {
                    let wait = wait.as_nanos() as u64;
                    prop_assert!(wait > 0);
                    // Then, and not a nanosecond before.
                    let again = |after: u64| limit.clone().admit(nanos(now + after), count);
                    prop_assert_eq!(again(wait), Ok(()));
                    prop_assert_eq!(again(wait - 1), later(1));
                }
                Err(_) => {
                    prop_assert!(count > burst);
                    prop_assert_eq!(&limit, &before);
                }
            }
        }
        assert_within(&admitted, amount, per, burst);
    }

    /// Called at every nanosecond or rarely: the same total is admitted, to the last one.
    #[test]
    fn the_limit_does_not_drift(amount in 1_u64..50, per in 1_u64..5_000, steps in 1_u64..2_000) {
        // A bucket of one overflows between two nanoseconds only when more than one comes in each.
        prop_assume!(amount <= per);
        let mut limit = RateLimit::new(amount, nanos(per)).burst(1);
        let mut admitted = 0_u64;
        for now in 0..steps {
            admitted += u64::from(limit.admit(nanos(now), 1).is_ok());
        }
        // The exact reference: the first at once, then one whenever a whole one has come; what is
        // left over stays.
        let (mut level, mut expected) = (per, 0);
        for now in 0..steps {
            if now > 0 {
                level = (level + amount).min(per);
            }
            if level >= per {
                level -= per;
                expected += 1;
            }
        }
        prop_assert_eq!(admitted, expected);
    }

    /// However a stretch of time is cut, the same amount is admitted by its end, as long as the
    /// bucket is not full.
    #[test]
    fn the_limit_does_not_depend_on_the_number_of_queries(
        amount in 1_u64..1_000,
        per in 1_u64..1_000_000,
        cuts in prop::collection::vec(1_u64..10_000, 1..50),
    ) {
        let burst = 1_000_000_000;
        let empty = || {
            let mut limit = RateLimit::new(amount, nanos(per)).burst(burst);
            limit.admit(Duration::ZERO, burst).unwrap();
            limit
        };
        let (mut often, mut once) = (empty(), empty());
        let mut now = 0;
        for cut in cuts {
            now += cut;
            often.available(nanos(now));
        }
        prop_assert_eq!(often.available(nanos(now)), once.available(nanos(now)));
        prop_assert_eq!(u128::from(once.available(nanos(now))), u128::from(now) * u128::from(amount) / u128::from(per));
        prop_assert_eq!(often, once);
    }
}

/// The check of the rate must notice one admission too many.
#[test]
#[should_panic(expected = "3 admitted in 9 ns")]
fn canary_one_too_many_is_noticed() {
    assert_within(&[(0, 1), (5, 1), (9, 1)], 1, 10, 2);
}

#[derive(Actor)]
struct Gate {
    limit: RateLimit,
}

#[behaviours]
impl Gate {
    fn enter(&mut self, t: &Turn<Self>) -> Result<(), RateLimited> {
        self.limit.admit(t.now(), 1)
    }
}

#[test]
fn a_limit_in_an_actor_uses_virtual_time() {
    let simulation = Simulation::new(1);
    let limit = RateLimit::new(1, Duration::from_secs(3_600));
    let gate = simulation.system().spawn(Gate { limit });
    assert_eq!(gate.enter().ask_blocking(), Ok(Ok(())));
    let hour = Duration::from_secs(3_600);
    assert_eq!(
        gate.enter().ask_blocking(),
        Ok(Err(RateLimited::TryAgainAfter(hour)))
    );
    simulation.run_for(hour);
    assert_eq!(gate.enter().ask_blocking(), Ok(Ok(())));
}
