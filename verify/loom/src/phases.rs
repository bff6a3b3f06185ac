//! The passes of a consistent cut (`crates/vivant/src/phase/README.md`).
//!
//! Proved, on the files of the runtime: L5 when the coordinator finds that the earlier passes are
//! left, no code of them runs any more, and what it sent is in the mailboxes. L11: while a pause is
//! reached, no turn runs, and each turn is in the pass of the system from its begin to its end.
//!
//! | model | real |
//! |---|---|
//! | `Sends::earlier` | the messages of an earlier pass, in a mailbox that the coordinator visits |
//! | `outside_thread` | `send_from_outside` |
//! | `woken_worker` | `Worker::waits`, and a run |
//! | `running_worker` | two runs, each after `Worker::enter_pass` |
//! | `coordinator` | `Coordinator::step` |
//! | `paused_worker` | two runs of a worker: `Worker::waits`, `Worker::between_turns` |
//! | `begins_in_pause` | `Line::begin` |
//!
//! Left out: the actors, which enter a pass under the lock of the registry (L1).

use crate::check::{canaries, models};
use crate::phase::number::Pass;
use crate::phase::outside::{OutsideThread, OutsideThreads};
use crate::phase::passes::Passes;
use crate::phase::published::PublishedPass;
use crate::sync::{Arc, yield_now};
use crate::tracked::Tracked;
use loom::thread;

/// A system with one thread beside the coordinator.
struct Sends {
    passes: Passes,
    outside: OutsideThreads,
    /// Changed by the thread in an earlier pass, and by the coordinator when that is left.
    earlier: Tracked<u32>,
}

impl Sends {
    fn new() -> Arc<Sends> {
        Arc::new(Sends {
            passes: Passes::default(),
            outside: OutsideThreads::default(),
            earlier: Tracked::new(0),
        })
    }

    /// What runs in `pass` sends.
    fn send(&self, pass: Pass) {
        if pass == Pass::FIRST {
            self.earlier.change(|sends| *sends += 1);
        }
    }

    fn coordinator(&self) {
        let (_, mut earlier) = self.passes.begin_next(&self.outside);
        while !earlier.have_left() {
            yield_now();
        }
        self.earlier.change(|sends| *sends += 1);
    }
}

/// A thread sends twice from outside.
fn outside_thread() {
    let sends = Sends::new();
    let this = Arc::new(OutsideThread::new());
    sends.outside.join(&this);
    let thread = {
        let sends = sends.clone();
        thread::spawn(move || {
            for _ in 0..2 {
                this.send(|| sends.send(sends.passes.now()));
            }
        })
    };
    sends.coordinator();
    thread.join().unwrap();
}

/// A worker wakes, runs, and sleeps again, twice.
fn woken_worker() {
    let sends = Sends::new();
    let published = sends.passes.join();
    let thread = {
        let sends = sends.clone();
        thread::spawn(move || {
            for _ in 0..2 {
                let pass = sends.passes.begin(&published);
                sends.send(pass);
                published.end();
            }
        })
    };
    sends.coordinator();
    thread.join().unwrap();
}

/// A worker that is awake begins one run after the other.
fn running_worker() {
    let sends = Sends::new();
    let published: Arc<PublishedPass> = sends.passes.join();
    let mut pass = sends.passes.begin(&published);
    let thread = {
        let sends = sends.clone();
        thread::spawn(move || {
            for _ in 0..2 {
                sends.send(pass);
                let now = sends.passes.now();
                if now != pass {
                    published.enter(now);
                    pass = now;
                }
            }
            published.end();
        })
    };
    sends.coordinator();
    thread.join().unwrap();
}

/// The line begins while no turn runs.
fn begins_in_pause(sends: &Sends) {
    let mut pause = sends.passes.pause();
    while !pause.is_reached() {
        yield_now();
    }
    sends.earlier.change(|sends| *sends += 1);
    let _earlier = sends.passes.begin_next(&sends.outside);
    drop(pause);
}

/// A turn: the line does not begin meanwhile.
fn turn_in(sends: &Sends, pass: Pass) {
    sends.send(pass);
    assert_eq!(sends.passes.now(), pass, "the line runs through a turn");
}

/// A worker wakes twice, and each time there may be a pause.
fn paused_worker_that_wakes() {
    let sends = Sends::new();
    let published = sends.passes.join();
    let thread = {
        let sends = sends.clone();
        thread::spawn(move || {
            for _ in 0..2 {
                let pass = sends.passes.begin(&published);
                turn_in(&sends, pass);
                published.end();
            }
        })
    };
    begins_in_pause(&sends);
    thread.join().unwrap();
}

/// A worker that is awake has two rounds, and looks for a pause between them.
fn paused_worker_that_runs() {
    let sends = Sends::new();
    let published = sends.passes.join();
    let mut pass = sends.passes.begin(&published);
    let thread = {
        let sends = sends.clone();
        thread::spawn(move || {
            for _ in 0..2 {
                turn_in(&sends, pass);
                if !sends.passes.goes_on(pass) {
                    published.end();
                    pass = sends.passes.begin(&published);
                }
            }
            published.end();
        })
    };
    begins_in_pause(&sends);
    thread.join().unwrap();
}

models! {
    /// The coordinator waits for a send that has read an earlier pass.
    a_send_from_outside_is_awaited: holds outside_thread;
    /// The coordinator waits for a worker that has read an earlier pass when it woke.
    a_worker_that_wakes_is_awaited: holds woken_worker;
    /// The coordinator waits for a worker until it begins a run in the new pass.
    a_worker_that_runs_is_awaited: holds running_worker;
    /// No line runs through a turn of a worker that wakes, and no worker sleeps for ever.
    a_pause_holds_back_a_worker_that_wakes: holds paused_worker_that_wakes;
    /// No line runs through a turn of a worker that is awake.
    a_pause_awaits_a_worker_that_runs: holds paused_worker_that_runs;
}

canaries! {
    /// Neither finds the other: the thread reads an earlier pass, the coordinator an even word.
    a_send_without_a_fence_is_caught:
        NoFenceBeforeSend, "Causality violation" => outside_thread;
    /// The coordinator does not see what was sent.
    a_send_that_does_not_release_is_caught:
        SentRelaxed, "Causality violation" => outside_thread;
    /// The coordinator does not see the first send, because it reads the word of the second.
    a_second_send_that_does_not_release_is_caught:
        NextSendRelaxed, "Causality violation" => outside_thread;
    /// The worker does not read the pass again.
    a_worker_that_reads_the_pass_once_is_caught:
        NoFenceBeforeSecondRead, "Causality violation" => woken_worker;
    /// The coordinator does not see what the worker has sent.
    a_worker_that_sleeps_without_a_release_is_caught:
        RestRelaxed, "Causality violation" => woken_worker;
    /// The coordinator does not see the first run, because it reads the word of the second.
    a_worker_that_wakes_again_without_a_release_is_caught:
        NextRunRelaxed, "Causality violation" => woken_worker;
    /// The coordinator does not see what the worker sent in the run before.
    an_entry_that_does_not_release_is_caught:
        EntryRelaxed, "Causality violation" => running_worker;
    /// The line begins in a turn.
    a_pause_that_is_not_awaited_is_caught:
        PauseNotAwaited, "Causality violation" => paused_worker_that_runs;
    /// Neither finds the other: the worker no pause, the coordinator no worker.
    a_pause_without_a_fence_is_caught:
        NoFenceInPause, "Causality violation" => paused_worker_that_wakes;
    /// The coordinator does not see the turn of before the pause.
    a_pause_that_does_not_acquire_is_caught:
        PauseRelaxed, "Causality violation" => paused_worker_that_wakes;
    /// The worker reads an earlier pass before the pause, and no pause behind the line.
    a_pause_that_is_read_by_itself_is_caught:
        PauseReadAgain, "Causality violation" => paused_worker_that_wakes;
    /// The worker sleeps for ever.
    a_gate_that_opens_silently_is_caught:
        OpenedSilently, "deadlock" => paused_worker_that_wakes;
}
