//! The smallest program: the cost of the runtime for a process before and after its work.
//!
//! Protocol: our own. A child process starts a system, makes an actor, sends it one request, shuts
//! the system down, prints the answer, and ends; 20 times, one after the other.
//!
//! Timed: the whole life of the child, from before its start to after its end; the child is this
//! program, and `vivant-bench list` shows its cost without a system. `wall_s` is the median,
//! `cpu_s` the mean of the children's CPU times up to their output, `peak_rss_bytes` their largest.
//! An operation is a process.

use crate::child;
use crate::prelude::*;
use crate::process;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use vivant::prelude::*;

pub(super) const HELLO: Bench = Bench::new(
    Group::Latency,
    "hello",
    "a whole process: start, one request, end",
    &[Param::count(
        "processes",
        20,
        2,
        "processes, one after the other",
    )],
    run,
)
.child(child);

#[derive(Actor)]
struct Greeter;

#[behaviours]
impl Greeter {
    fn greet(&mut self, name: String) -> String {
        format!("good day, {name}")
    }
}

/// The output of a child.
#[derive(Serialize, Deserialize)]
struct Output {
    greeting: String,
    cpu: Duration,
    peak_rss_bytes: u64,
}

fn child(run: &Run) -> Result<(), Failure> {
    let system = run.system();
    let greeting = system
        .spawn(Greeter)
        .greet("Ada".to_owned())
        .ask_blocking()?;
    system.shutdown();
    child::print(&Output {
        greeting,
        cpu: Meter::since_start_of_process(),
        peak_rss_bytes: process::peak_rss(),
    })
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let processes = run.count("processes");
    let mut latencies = Latencies::new();
    let mut lives = Vec::new();
    let (mut cpu, mut peak, mut right) = (Duration::ZERO, 0, 0);
    for _ in 0..processes {
        let life = child::run::<Output>(run, HELLO.name)?;
        latencies.record(life.whole);
        lives.push(life.whole);
        cpu += life.output.cpu;
        peak = peak.max(life.output.peak_rss_bytes);
        right += u64::from(life.output.greeting == "good day, Ada");
    }
    let check = run.check("processes that got the greeting", processes, right)?;
    lives.sort_unstable();
    let spent = Spent {
        wall: lives[lives.len() / 2],
        cpu: cpu.div_f64(processes as f64),
    };
    let mut figures = Figures::new(spent, 1, check);
    figures.latency = Some(latencies.quantiles());
    figures.peak_rss = Some(peak);
    Ok(vec![figures])
}
