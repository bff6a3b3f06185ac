//! A system that has nothing to do: whether it lets the processors sleep.
//!
//! Protocol: our own. 1,000 actors have each processed a message; then for 5 seconds no message is
//! sent, and the context switches of all threads but the measuring one are counted. Afterwards all
//! actors must still answer.
//!
//! Timed: the pause. `context_switches` is the result, and 0 the best; `cpu_s` is the CPU time of
//! the process meanwhile. There is one operation, the pause itself.

use crate::prelude::*;
use crate::process;
use std::thread;
use std::time::Duration;
use vivant::prelude::*;

/// Time for the threads to fall asleep.
const SETTLE: Duration = Duration::from_millis(200);

pub(super) const IDLE: Bench = Bench::new(
    Group::Uncharted,
    "idle",
    "context switches of a system that has nothing to do",
    &[
        Param::count("actors", 1_000, 10, "actors that are alive"),
        Param::count("pause_ms", 5_000, 20, "how long no message is sent"),
    ],
    run,
);

#[derive(Actor)]
struct Sleeper {
    woken: u64,
}

#[behaviours]
impl Sleeper {
    fn wake(&mut self) -> u64 {
        self.woken += 1;
        self.woken
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let system = run.system();
    let sleepers: Vec<_> = (0..run.count("actors"))
        .map(|_| system.spawn(Sleeper { woken: 0 }))
        .collect();
    for sleeper in &sleepers {
        sleeper.wake().ask_blocking()?;
    }
    thread::sleep(SETTLE);
    let before = process::context_switches();
    let meter = Meter::start();
    thread::sleep(Duration::from_millis(run.count("pause_ms")));
    let spent = meter.stop();
    let after = process::context_switches();
    let switches: u64 = after
        .iter()
        .map(|(thread, count)| count - before.get(thread).copied().unwrap_or(0))
        .sum();
    let mut woken = 0;
    for sleeper in &sleepers {
        woken += u64::from(sleeper.wake().ask_blocking()? == 2);
    }
    let check = run.check("actors that answer afterwards", run.count("actors"), woken)?;
    let mut figures = Figures::new(spent, 1, check);
    figures.add("context_switches", switches);
    Ok(vec![figures])
}
