//! Many idle actors: the memory of one, and the cost of all when the process ends.
//!
//! Protocol: our own. A holder makes 1,000,000 actors, 1,000 a turn, and sends each one a message,
//! which each confirms. It keeps their addresses. All this runs in a child process, which then
//! prints its measurements and returns from `main`.
//!
//! Timed: from the holder's first message to the last confirmation; an operation is an actor.
//! `bytes_per_actor` is the growth of the process, divided by the number of actors: the whole cost
//! of an actor, its place in the holder's list included. `exit_ms` is the time from the child's
//! output, when all actors are idle, to its end.

use super::sides;
use crate::child::{self, Life};
use crate::prelude::*;
use crate::process;
use vivant::prelude::*;

/// Made in one turn, so that no turn is long.
const MADE_PER_TURN: u64 = 1_000;

pub(super) const SPAWN: Bench = Bench::new(
    Group::Creation,
    "spawn",
    "actors that do nothing: their memory, and how long the process takes to end",
    &[Param::count("actors", 1_000_000, 2_500, "actors")],
    run,
)
.child(child);

#[derive(Actor)]
struct Idle {
    messages: u64,
}

#[behaviours]
impl Idle {
    fn tell(&mut self, t: &Turn<Self>, holder: Address<Holder>) {
        self.messages += 1;
        t.send(holder.confirmed(self.messages));
    }
}

#[derive(Actor)]
struct Holder {
    held: Vec<Address<Idle>>,
    confirmed: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Holder {
    /// Makes a number of actors; answers with it when each has processed its message.
    fn hold(&mut self, t: &Turn<Self>, actors: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.held.reserve_exact(actors as usize);
        t.send(t.me().more(actors));
        promise
    }

    fn more(&mut self, t: &Turn<Self>, left: u64) {
        let now = left.min(MADE_PER_TURN);
        for _ in 0..now {
            let idle = t.spawn_actor(Idle { messages: 0 });
            t.send(idle.tell(t.me()));
            self.held.push(idle);
        }
        if now < left {
            t.send(t.me().more(left - now));
        }
    }

    fn confirmed(&mut self, times: u64) {
        self.confirmed += times;
        if self.confirmed == self.held.capacity() as u64
            && let Some(done) = self.done.take()
        {
            done.resolve(self.confirmed);
        }
    }
}

fn child(run: &Run) -> Result<(), Failure> {
    let actors = run.count("actors");
    let system = run.system();
    let holder = system.spawn(Holder {
        held: Vec::new(),
        confirmed: 0,
        done: None,
    });
    let before = process::rss();
    let meter = Meter::start();
    let confirmed = holder.hold(actors).ask_blocking()?;
    let mut figures = Figures::new(meter.stop(), actors, String::new());
    let rss = process::rss();
    figures.add("bytes_per_actor", rss.saturating_sub(before) / actors);
    figures.add("rss_bytes", rss);
    sides::print((confirmed, figures))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let Life { output, exit, .. } = child::run::<sides::Outcome>(run, SPAWN.name)?;
    let (confirmed, mut figures) = output;
    let what = "actors that have processed a message";
    figures.check = run.check(what, run.count("actors"), confirmed)?;
    figures.add("exit_ms", exit.as_secs_f64() * 1e3);
    Ok(vec![figures])
}
