//! Random programs of heaps that share, mark beside their turns, give marks up, hear what others
//! leave in pieces, and end: nothing that is alive has ended, nothing ends twice, and nothing
//! stays.

#![forbid(unsafe_code)]

use fastrand::Rng;
use std::cell::Cell;
use std::io::{self, Write};
use std::panic;
use std::sync::Once;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use vivant_heap::{Marker, Progress};

mod model;
mod place;
mod program;

use program::Program;

/// Enough for a heap to be marked, given up and ended many times.
const STEPS: usize = if cfg!(miri) { 60 } else { 1500 };

/// The model is asked each time after so many.
const STEPS_UNCHECKED: usize = 7;

/// Numbers from a seed.
struct Dice(Rng);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Rng::with_seed(seed))
    }

    /// Zero or more, and less than the end.
    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// A place in something so long, unless it is empty.
    fn place(&mut self, length: usize) -> Option<usize> {
        (length != 0).then(|| self.below(length))
    }

    /// Takes one out, if there is one.
    fn takes<T>(&mut self, of: &mut Vec<T>) -> Option<T> {
        self.place(of.len()).map(|place| of.swap_remove(place))
    }
}

/// A thread that helps with the marks it is told of, one after the other, as long as it finds
/// something to do.
struct Helper {
    told: Sender<Marker>,
    thread: JoinHandle<()>,
}

impl Helper {
    fn new() -> Helper {
        let (told, marks) = channel::<Marker>();
        let thread = thread::spawn(move || {
            for mark in marks {
                while mark.work(3) == Progress::More {}
            }
        });
        Helper { told, thread }
    }

    /// Some time it helps with this one too.
    fn helps(&self, mark: Marker) {
        self.told.send(mark).unwrap();
    }

    /// When it has helped with all it was told of.
    fn ends(self) {
        drop(self.told);
        self.thread.join().unwrap();
    }
}

thread_local! {
    /// The seed of the program that this thread runs, and how many steps it has gone.
    static HERE: Cell<Option<(u64, usize)>> = const { Cell::new(None) };
}

/// Who panics says where, past what captures the output of tests: a panic in the middle of a
/// collection ends the process.
fn says_where() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if let Some((seed, step)) = HERE.get() {
                let _ = writeln!(io::stderr(), "VIVANT_SEED={seed} fails in step {step}");
            }
            hook(panic);
        }));
    });
}

/// One program, from its first step to the end of all it has made.
fn run(seed: u64, helper: Option<Helper>) {
    let mut program = Program::new(seed, helper);
    for step in 0..STEPS {
        HERE.set(Some((seed, step)));
        program.step();
        if step.is_multiple_of(STEPS_UNCHECKED) {
            program.check();
        }
    }
    HERE.set(Some((seed, STEPS)));
    program.ends();
}

/// Runs the programs of some seeds, or of those that `VIVANT_SEED` or `VIVANT_SEEDS` asks for, each
/// with a helper of its own or without one.
fn with_seeds(helper: impl Fn() -> Option<Helper>) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seeds = match number("VIVANT_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("VIVANT_SEEDS").unwrap_or(if cfg!(miri) { 1 } else { 20 }),
    };
    says_where();
    seeds.for_each(|seed| run(seed, helper()));
}

#[test]
fn seeded_marks_come_and_go_while_heaps_share_and_end() {
    with_seeds(|| None);
}

#[test]
fn seeded_marks_with_a_helper_come_and_go_while_heaps_share_and_end() {
    with_seeds(|| Some(Helper::new()));
}
