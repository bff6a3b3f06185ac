//! The mailbox: many senders, one receiver (`crates/vivant/src/message/README.md`).
//!
//! Proved, on the file of the runtime, for an actor that is active: M1 no message is lost or
//! duplicated; M2 each sender's messages in order, and causally; M3 exactly one sender finds the
//! inbox empty each time it was emptied; M5 closing races with pushes, and each message is either
//! given back to its sender or in the closing chain; a sender that gets its message back sees what
//! the receiver wrote before it closed.
//!
//! Left out: the envelope's own content and its drop; parking, waking and notifications, and so M4
//! (`run.rs`); more than two senders. Links are plain pointers that loom does not track; they are
//! written and read beside the content, which it tracks.

use crate::check::{canaries, models};
use crate::letters::{Letter, Mailbox, Told, in_order, letter};
use crate::runtime::inbox::Notified;
use crate::sync::{Arc, AtomicUsize, Ordering};
use crate::tracked::Tracked;
use loom::thread::{self, JoinHandle};

struct Receiver {
    mailbox: Mailbox,
    /// As `Header::ended`: written before the mailbox is closed, read by senders that get their
    /// messages back.
    reason: Tracked<&'static str>,
}

impl Receiver {
    fn new() -> Arc<Receiver> {
        let mailbox = Mailbox::new();
        // The actor is held, and no sender wakes it.
        assert_eq!(mailbox.notify(), Notified::Wakes);
        let reason = Tracked::new("-");
        Arc::new(Receiver { mailbox, reason })
    }

    fn end(&self) -> Vec<Letter> {
        self.reason.change(|reason| *reason = "stopped");
        self.mailbox.close()
    }
}

type Sent = Vec<(Letter, Result<Told, Letter>)>;

/// A thread that sends letters 1 to `count`.
fn sender(to: &Arc<Receiver>, from: char, count: u32) -> JoinHandle<Sent> {
    let to = to.clone();
    thread::spawn(move || {
        let send = |number| {
            let pushed = to.mailbox.push(letter(from, number));
            if pushed.is_err() {
                to.reason.read(|reason| assert_eq!(*reason, "stopped"));
            }
            (letter(from, number), pushed)
        };
        (1..=count).map(send).collect()
    })
}

/// Two senders; the receiver takes `takes` times meanwhile, then closes, before or after they have
/// finished.
fn two_senders(sizes: [u32; 2], takes: u32, end: End) {
    let receiver = Receiver::new();
    let senders = [
        sender(&receiver, 'a', sizes[0]),
        sender(&receiver, 'b', sizes[1]),
    ];
    let receiving = thread::spawn({
        let receiver = receiver.clone();
        move || {
            let mut chains: Vec<Vec<Letter>> =
                (0..takes).map(|_| receiver.mailbox.take()).collect();
            if end == End::Meanwhile {
                chains.push(receiver.end());
            }
            chains
        }
    });
    let sent: Sent = senders
        .into_iter()
        .flat_map(|sender| sender.join().unwrap())
        .collect();
    let mut chains = receiving.join().unwrap();
    if end == End::After {
        chains.push(receiver.end());
        assert!(sent.iter().all(|(_, pushed)| pushed.is_ok()), "M5");
    }
    each_arrived_once(&sent, &chains);
    one_first_in_each(&sent, &chains);
    in_order(&chains.concat());
    assert!(receiver.mailbox.push(letter('c', 1)).is_err(), "M5");
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum End {
    Meanwhile,
    After,
}

fn each_arrived_once(sent: &Sent, chains: &[Vec<Letter>]) {
    let refused = sent.iter().filter_map(|(_, pushed)| pushed.err());
    let mut arrived: Vec<Letter> = chains.concat().into_iter().chain(refused).collect();
    let mut expected: Vec<Letter> = sent.iter().map(|(letter, _)| *letter).collect();
    arrived.sort();
    expected.sort();
    assert_eq!(arrived, expected, "M1: lost or doubled");
}

fn one_first_in_each(sent: &Sent, chains: &[Vec<Letter>]) {
    let was_first = |letter: &Letter| {
        let told = |(other, pushed): &(Letter, _)| other == letter && *pushed == Ok(Told::First);
        sent.iter().any(told)
    };
    for chain in chains {
        let firsts: Vec<bool> = chain.iter().map(was_first).collect();
        let expected: Vec<bool> = (0..chain.len()).map(|at| at == 0).collect();
        assert_eq!(firsts, expected, "M3: not one first, or not the oldest");
    }
}

/// `a` sends m1 to B, then m2 to C; C upon m2 sends m3 to B.
fn chain_of_causes() {
    let (b, c) = (Receiver::new(), Receiver::new());
    let a = thread::spawn({
        let (b, c) = (b.clone(), c.clone());
        move || {
            let _first = b.mailbox.push(letter('a', 1));
            let _first = c.mailbox.push(letter('a', 2));
        }
    });
    let actor_c = thread::spawn({
        let (b, c) = (b.clone(), c.clone());
        move || {
            if !c.mailbox.take().is_empty() {
                let _first = b.mailbox.push(letter('c', 3));
            }
        }
    });
    let actor_b = thread::spawn({
        let b = b.clone();
        move || [b.mailbox.take(), b.mailbox.take()].concat()
    });
    a.join().unwrap();
    actor_c.join().unwrap();
    let mut seen = actor_b.join().unwrap();
    seen.extend(b.mailbox.close());
    c.mailbox.close();
    let numbers: Vec<u32> = seen.iter().map(|letter| letter.number).collect();
    assert!(
        numbers == [1] || numbers == [1, 3],
        "M2: not causal: {numbers:?}"
    );
}

fn after() {
    two_senders([2, 1], 2, End::After);
}

fn meanwhile() {
    two_senders([1, 1], 1, End::Meanwhile);
}

/// A signal is raised while the receiver ends: the receiver takes it, or the thread that raises it
/// sees the end (L4).
fn a_signal_meets_an_end() {
    let receiver = Receiver::new();
    let (signals, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let raiser = thread::spawn({
        let (receiver, signals, ended) = (receiver.clone(), signals.clone(), ended.clone());
        move || {
            // As `SignalWord::raise`.
            signals.fetch_or(1, Ordering::Release);
            let _parked = receiver.mailbox.notify();
            ended.load(Ordering::Relaxed) == 1
        }
    });
    ended.store(1, Ordering::Relaxed);
    receiver.mailbox.close();
    // As `SignalWord::take`.
    let is_taken = signals.load(Ordering::Relaxed) == 1;
    let sees_end = raiser.join().unwrap();
    assert!(is_taken || sees_end, "L4: a lost signal");
}

models! {
    /// L4.
    a_signal_is_taken_or_sees_the_end: holds a_signal_meets_an_end;
    /// M1, M2, M3.
    nothing_is_lost_or_doubled_or_overtaken: holds || two_senders([2, 1], 2, End::After);
    /// M1, M3, M5, and what a refused sender sees.
    a_push_that_races_with_close_is_given_back_or_in_the_chain: holds
        || two_senders([1, 1], 1, End::Meanwhile), || two_senders([2, 2], 2, End::Meanwhile);
    /// The same, with more messages than the receiver takes.
    long_three_messages_against_two: holds_long
        || two_senders([3, 2], 2, End::Meanwhile), || two_senders([3, 2], 2, End::After);
    /// M2 between three actors.
    delivery_is_causal: holds chain_of_causes;
}

canaries! {
    /// `push` does not publish the content.
    a_push_that_does_not_release_is_caught: PushRelaxed, "Causality violation" => after;
    /// `take` does not wait for the content.
    a_take_that_does_not_acquire_is_caught: TakeRelaxed, "Causality violation" => after;
    /// A refused sender does not see the reason.
    a_close_that_does_not_release_is_caught: CloseAcquires, "Causality violation" => meanwhile;
    /// A refused sender does not read it.
    a_refusal_that_does_not_acquire_is_caught: RefusalRelaxed, "Causality violation" => meanwhile;
    /// A thread that raises a signal does not see the end.
    a_notification_that_does_not_acquire_is_caught: NotifyClosedRelaxed, "L4" => a_signal_meets_an_end;
    /// Last in, first out.
    a_stack_that_is_not_reversed_is_caught: NewestFirst, "M" => after;
    /// `First` is determined by a load before the exchange.
    a_first_that_is_only_looked_up_is_caught: FirstByALook, "M3" => after;
}
