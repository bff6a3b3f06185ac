//! What fairness costs actors that do not need it.
//!
//! Protocol: the fairness study of Karmani, Shali and Agha, *Actor frameworks for the JVM
//! platform* (PPPJ 2009, figure 10): threadring, chameneos-redux with three and with ten
//! creatures, and fib, with the fair scheduler and without. These are `threadring`, `chameneos3`,
//! `chameneos10` and `fib`, with `--fair on` and `--fair off`: off, the system has no budget and
//! no turn limit.
//!
//! Timed: as in each of them. The two settings run in turns, in both orders, in one process, after
//! a pair that is not counted. A row is the median of the rounds. `relative_time` is relative to
//! `off`: the median of the ratios of the pairs. `relative_cpu` is the same of CPU time, which
//! other load of the machine changes less.

use super::{chameneos, fib, threadring};
use crate::prelude::*;

pub(super) const FAIR_COST: Bench = Bench::new(
    Group::Uncharted,
    "fair_cost",
    "threadring, chameneos and fib with fairness and without",
    &[
        Param::count("hops", 10_000_000, 1_000, "hops of threadring"),
        Param::count("meetings", 2_000_000, 300, "meetings of chameneos"),
        Param::count("n", 27, 10, "the argument of fib"),
        Param::count("rounds", 5, 1, "pairs, of which the median counts"),
    ],
    run,
);

/// The programs, and the parameter that is their size.
const PROGRAMS: [(&Bench, &str); 4] = [
    (&threadring::THREADRING, "hops"),
    (&chameneos::CHAMENEOS3, "meetings"),
    (&chameneos::CHAMENEOS10, "meetings"),
    (&fib::FIB, "n"),
];

/// The settings.
const FAIR_WORDS: [&str; 2] = ["on", "off"];

/// The figures of a program with a setting.
fn once(outer: &Run, of: (&Bench, &'static str), fair: &'static str) -> Result<Figures, Failure> {
    let (bench, size) = of;
    let mut run = outer.clone();
    run.params = Params::defaults(bench.params);
    run.params.set(size, Value::Count(outer.count(size)));
    run.params.set(FAIR.name, Value::Choice(fair));
    let figures = (bench.run)(&run)?.pop();
    Ok(figures.expect("each of these benches has one row"))
}

/// The middle one in the order of `key`.
fn middle<T>(mut of: Vec<T>, key: impl Fn(&T) -> f64) -> T {
    of.sort_by(|a, b| key(a).total_cmp(&key(b)));
    let middle = of.len() / 2;
    of.swap_remove(middle)
}

fn seconds(figures: &Figures) -> f64 {
    figures.spent.wall.as_secs_f64()
}

fn cpu_seconds(figures: &Figures) -> f64 {
    figures.spent.cpu.as_secs_f64()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let mut rows = Vec::new();
    for of in PROGRAMS {
        let mut pairs: [Vec<Figures>; 2] = Default::default();
        let (mut times, mut cpu_times) = (Vec::new(), Vec::new());
        for round in 0..=run.count("rounds") {
            // In both orders: `on` is first in every second round.
            let first = (round % 2) as usize;
            let earlier = once(run, of, FAIR_WORDS[first])?;
            let later = once(run, of, FAIR_WORDS[1 - first])?;
            if round > 0 {
                let (on, off) = match first {
                    0 => (&earlier, &later),
                    _ => (&later, &earlier),
                };
                times.push(seconds(on) / seconds(off));
                cpu_times.push(cpu_seconds(on) / cpu_seconds(off));
                pairs[first].push(earlier);
                pairs[1 - first].push(later);
            }
        }
        let ratios = [middle(times, |it| *it), middle(cpu_times, |it| *it)];
        let rows_of = FAIR_WORDS.into_iter().zip(pairs);
        for ((fair, of_fair), [time, cpu]) in rows_of.zip([ratios, [1.0; 2]]) {
            let mut figures = middle(of_fair, seconds);
            figures.add("relative_time", time);
            figures.add("relative_cpu", cpu);
            figures.params = vec![
                ("program", Value::Choice(of.0.name)),
                (FAIR.name, Value::Choice(fair)),
            ];
            rows.push(figures);
        }
    }
    Ok(rows)
}
