//! Actors with long turns on all workers, and others with short ones: how long the latter wait.
//!
//! Protocol: our own. Eight actors compute for 50 ms a turn, again and again. Beside them two
//! actors send each other a message and one back without a pause, and one sets a timer of 5 ms,
//! again when it has fired.
//!
//! Timed: at each tenth of a millisecond, the time from then to the end of the current round trip.
//! A quantile over round trips would be misleading, because there are very many of them while there
//! is no wait. And for each timer, the delay of its message's turn. `wall_s` and `cpu_s` are those
//! of the whole, and the same in both rows. An operation is a round trip; or a timer.

use crate::prelude::*;
use std::hint;
use std::thread;
use std::time::Duration;
use vivant::prelude::*;

pub(super) const FAIRNESS: Bench = Bench::new(
    Group::Latency,
    "fairness",
    "how long a message and a timer wait beside actors with long turns",
    &[
        Param::choice(
            "mode",
            &["both", "pingpong", "timer"],
            "what runs beside the long turns",
        ),
        Param::count("busy", 8, 3, "actors with long turns").at_least(0),
        Param::count("turn_ms", 50, 2, "length of a long turn"),
        Param::count("timer_ms", 5, 1, "time for which a timer is set"),
        Param::count("duration_ms", 5_000, 30, "how long all this goes on"),
    ],
    run,
);

#[derive(Actor)]
struct Busy {
    turn: Duration,
}

#[behaviours]
impl Busy {
    fn compute(&mut self, t: &Turn<Self>) {
        let until = t.now() + self.turn;
        while t.now() < until {
            hint::spin_loop();
        }
        t.send(t.me().compute());
    }
}

/// Interval of the samples of the current round trip's remaining time.
const LOOK: Duration = Duration::from_micros(100);

/// The waits so far.
struct Waited {
    begun: u64,
    ended: u64,
    latencies: Latencies,
    /// Set when the next end is the last.
    done: Option<Resolver<Waits>>,
}

/// The answer of a measuring actor: quantiles of the waits.
struct Waits {
    begun: u64,
    ended: u64,
    quantiles: Quantiles,
}

/// Whether to begin again.
#[must_use]
enum Then {
    Again,
    Done,
}

impl Waited {
    fn not_yet() -> Waited {
        Waited {
            begun: 0,
            ended: 0,
            latencies: Latencies::new(),
            done: None,
        }
    }

    /// The answer after the next end.
    fn finish<A: Actor>(&mut self, t: &Turn<A>) -> Promise<Waits> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        promise
    }

    fn ended(&mut self) -> Then {
        self.ended += 1;
        let Some(done) = self.done.take() else {
            return Then::Again;
        };
        done.resolve(Waits {
            begun: self.begun,
            ended: self.ended,
            quantiles: self.latencies.quantiles(),
        });
        Then::Done
    }
}

#[derive(Actor)]
struct Ponger;

#[behaviours]
impl Ponger {
    fn ping(&mut self, t: &Turn<Self>, from: Address<Pinger>, number: u64) {
        t.send(from.pong(number));
    }
}

#[derive(Actor)]
struct Pinger {
    peer: Address<Ponger>,
    /// The next look.
    look: Duration,
    waited: Waited,
}

#[behaviours]
impl Pinger {
    fn play(&mut self, t: &Turn<Self>) {
        self.look = t.now();
        self.ping(t);
    }

    #[local]
    fn ping(&mut self, t: &Turn<Self>) {
        self.waited.begun += 1;
        t.send(self.peer.ping(t.me(), self.waited.begun));
    }

    fn pong(&mut self, t: &Turn<Self>, number: u64) {
        let now = t.now();
        while self.look < now {
            self.waited.latencies.record(now - self.look);
            self.look += LOOK;
        }
        // What comes back twice or out of order is not counted, and the check sees it.
        if number == self.waited.begun
            && let Then::Again = self.waited.ended()
        {
            self.ping(t);
        }
    }

    /// Answers when the next pong has come.
    fn finish(&mut self, t: &Turn<Self>) -> Promise<Waits> {
        self.waited.finish(t)
    }
}

#[derive(Actor)]
struct Alarm {
    every: Duration,
    due: Duration,
    waited: Waited,
}

#[behaviours]
impl Alarm {
    fn set(&mut self, t: &Turn<Self>) {
        self.waited.begun += 1;
        self.due = t.now() + self.every;
        t.after(self.every, t.me().rings());
    }

    fn rings(&mut self, t: &Turn<Self>) {
        self.waited
            .latencies
            .record(t.now().saturating_sub(self.due));
        if let Then::Again = self.waited.ended() {
            self.set(t);
        }
    }

    /// Answers when the timer has fired once more.
    fn finish(&mut self, t: &Turn<Self>) -> Promise<Waits> {
        self.waited.finish(t)
    }
}

fn figures(
    run: &Run,
    spent: Spent,
    mode: &'static str,
    (what, waits): (&'static str, Waits),
) -> Result<Figures, Failure> {
    let check = run.check(what, waits.begun, waits.ended)?;
    let mut figures = Figures::new(spent, waits.ended, check);
    figures.latency = Some(waits.quantiles);
    figures.params.push(("mode", Value::Choice(mode)));
    Ok(figures)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let millis = |name| Duration::from_millis(run.count(name));
    let mode = run.choice("mode");
    let system = run.system();
    let busy: Vec<_> = (0..run.count("busy"))
        .map(|_| {
            system.spawn(Busy {
                turn: millis("turn_ms"),
            })
        })
        .collect();
    let meter = Meter::start();
    busy.iter().for_each(|busy| busy.compute().send());
    let pinger = (mode != "timer").then(|| {
        system.spawn(Pinger {
            peer: system.spawn(Ponger),
            look: Duration::ZERO,
            waited: Waited::not_yet(),
        })
    });
    let alarm = (mode != "pingpong").then(|| {
        system.spawn(Alarm {
            every: millis("timer_ms"),
            due: Duration::ZERO,
            waited: Waited::not_yet(),
        })
    });
    if let Some(pinger) = &pinger {
        pinger.play().send();
    }
    if let Some(alarm) = &alarm {
        alarm.set().send();
    }
    thread::sleep(millis("duration_ms"));
    let pinged = pinger.map(|pinger| pinger.finish().ask_blocking());
    let rang = alarm.map(|alarm| alarm.finish().ask_blocking());
    let spent = meter.stop();
    busy.iter().for_each(Address::stop);
    let mut rows = Vec::new();
    if let Some(waits) = pinged {
        rows.push(figures(run, spent, "pingpong", ("round trips", waits?))?);
    }
    if let Some(waits) = rang {
        rows.push(figures(run, spent, "timer", ("timers", waits?))?);
    }
    Ok(rows)
}
