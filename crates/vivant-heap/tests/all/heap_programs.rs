//! Random programs of heaps that share, mark concurrently, abort marks, drain their inboxes in
//! pieces, and end: no live object was dropped, none is dropped twice, and none is left.

#![forbid(unsafe_code)]

use crate::seeds::seeds;
use fastrand::Rng;
use std::cell::Cell;
use std::io::{self, Write};
use std::panic;
use std::sync::Once;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use vivant_heap::{Marker, Progress};

mod model;
mod modelled_heap;
mod program;

use program::Program;

/// Enough for a heap to be marked, aborted and ended many times.
const STEPS: usize = if cfg!(miri) { 60 } else { 1500 };

/// The model is checked after each such number of steps.
const STEPS_UNCHECKED: usize = 7;

/// Random numbers from a seed.
struct Dice(Rng);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Rng::with_seed(seed))
    }

    /// A number from zero up to `end`, exclusive.
    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// A random index below `length`; `None` if that is zero.
    fn place(&mut self, length: usize) -> Option<usize> {
        (length != 0).then(|| self.below(length))
    }

    /// Removes a random element, if there is one.
    fn takes<T>(&mut self, of: &mut Vec<T>) -> Option<T> {
        self.place(of.len()).map(|place| of.swap_remove(place))
    }
}

/// A thread that helps with the marks it is notified of, one after the other, as long as there is
/// work.
struct Helper {
    marks: Sender<Marker>,
    thread: JoinHandle<()>,
}

impl Helper {
    fn new() -> Helper {
        let (marks, receiver) = channel::<Marker>();
        let thread = thread::spawn(move || {
            for mark in receiver {
                while mark.work(3) == Progress::More {}
            }
        });
        Helper { marks, thread }
    }

    /// Sends it a mark to help with eventually.
    fn helps(&self, mark: Marker) {
        self.marks.send(mark).unwrap();
    }

    /// Waits until it has helped with all marks it was sent.
    fn ends(self) {
        drop(self.marks);
        self.thread.join().unwrap();
    }
}

thread_local! {
    /// The seed of the program that this thread runs, and the number of steps it has run.
    static HERE: Cell<Option<(u64, usize)>> = const { Cell::new(None) };
}

/// Makes a panic report its seed and step, past the capture of test output: a panic in the middle
/// of a collection ends the process.
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

/// Runs one program, from its first step until all it has made is freed.
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

/// Runs the programs of some seeds, or of those that `VIVANT_SEED` or `VIVANT_SEEDS` requests, each
/// with a helper of its own or without a helper.
fn with_seeds(helper: impl Fn() -> Option<Helper>) {
    says_where();
    seeds(if cfg!(miri) { 1 } else { 8 }).for_each(|seed| run(seed, helper()));
}

#[test]
fn seeded_heaps_mark_share_and_end() {
    with_seeds(|| None);
}

#[test]
fn seeded_heaps_with_a_helper_mark_share_and_end() {
    with_seeds(|| Some(Helper::new()));
}
