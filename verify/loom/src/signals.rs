//! The signal word alone: two signals of which the later replaces the earlier, beside a third that
//! nothing replaces (`crates/vivant/src/actor/README.md`).
//!
//! Proved, on the file of the runtime: a holder that is signalled to halt and to start, in either
//! order, never receives both at once, receives the later one last and each at most once; another
//! thread's signal is received once; and the receiver sees what was written before the signal was
//! raised.
//!
//! | model | real |
//! |---|---|
//! | `ordered` | a supervisor that raises `HALT` and `START`; a recovering receiver that raises `UNMUTE` |
//! | `Heard` | what `handle_signals` does with what it takes |
//!
//! Left out: the notification that follows a signal (`run.rs`). So the last take comes after
//! everything here.

use crate::check::{canaries, models};
use crate::phase::Parity;
use crate::runtime::signals::{SignalWord, Signals};
use crate::sync::Arc;
use crate::tracked::Tracked;
use loom::thread;

/// The signals that a holder has received so far.
#[derive(Default)]
struct Heard {
    /// The two that replace each other, in this order.
    orders: Vec<Signals>,
    unmuted: usize,
}

impl Heard {
    fn hear(&mut self, taken: Signals, reason: &Tracked<&str>) {
        let both = taken.has(Signals::HALT) && taken.has(Signals::START);
        assert!(!both, "both were heard at once");
        for signal in [Signals::HALT, Signals::START] {
            if taken.has(signal) {
                assert_eq!(reason.read(|reason| *reason), "told");
                self.orders.push(signal);
            }
        }
        self.unmuted += usize::from(taken.has(Signals::UNMUTE));
    }
}

/// A supervisor raises two signals, another thread a third, and a holder takes what is there.
fn ordered(orders: [Signals; 2]) {
    let word = Arc::new(SignalWord::new());
    let reason = Arc::new(Tracked::new("none"));
    let supervisor = {
        let (word, reason) = (word.clone(), reason.clone());
        thread::spawn(move || {
            reason.change(|reason| *reason = "told");
            orders
                .into_iter()
                .for_each(|signal| word.raise(signal, Parity::Even));
        })
    };
    let recovered = {
        let word = word.clone();
        thread::spawn(move || word.raise(Signals::UNMUTE, Parity::Even))
    };
    let mut heard = Heard::default();
    for _ in 0..2 {
        heard.hear(word.take().of(Parity::Even), &reason);
    }
    supervisor.join().unwrap();
    recovered.join().unwrap();
    heard.hear(word.take().of(Parity::Even), &reason);
    assert_eq!(heard.unmuted, 1, "a signal was lost or doubled");
    let all = [&orders[..], &orders[1..]];
    assert!(
        all.contains(&&heard.orders[..]),
        "not the later one last: {:?}",
        heard.orders
    );
}

const DOWN_AND_UP: [Signals; 2] = [Signals::HALT, Signals::START];
const UP_AND_DOWN: [Signals; 2] = [Signals::START, Signals::HALT];

models! {
    /// A restart.
    halt_then_start_ends_started: holds || ordered(DOWN_AND_UP);
    /// A supervisor that withdraws its order.
    start_then_halt_ends_halted: holds || ordered(UP_AND_DOWN);
}

canaries! {
    /// The later signal comes beside the earlier.
    a_signal_that_replaces_nothing_is_caught:
        ReplacesNothing, "both were heard at once" => || ordered(DOWN_AND_UP);
    /// A signal between the load and the store is overwritten.
    a_replacement_by_a_look_and_a_store_is_caught: ReplacementByALook, "" => || ordered(UP_AND_DOWN);
    /// The receiver of the signal does not see why it was raised.
    a_replacement_that_does_not_release_is_caught:
        ReplacementRelaxed, "Causality violation" => || ordered(DOWN_AND_UP);
    /// The same, by a fault of the holder.
    a_take_that_does_not_acquire_is_caught:
        HeardRelaxed, "Causality violation" => || ordered(DOWN_AND_UP);
}
