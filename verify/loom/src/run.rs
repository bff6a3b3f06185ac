//! Inbox and signals together, as `post`, `run::run` and the run queues use them: which worker
//! runs an actor, and when (`crates/vivant/src/actor/README.md`, and M4 of the mailbox).
//!
//! Proved, on the files of the runtime: C1 no two threads hold an actor at once, neither two
//! workers nor a worker and a sender that has woken it, and the next holder sees the writes of the
//! previous one; the actor is never in two queues; M4 no message stays behind when all is quiet,
//! and no signal either, also of a muted actor; a stop racing with sends processes or refuses each
//! message, once; no thread enqueues the actor after its end.
//!
//! | model | real |
//! |---|---|
//! | `Actor::post` | `mailbox::post`, `AddressRef::woken_by` |
//! | `Actor::tell` | `CellRef::signal` |
//! | `Actor::run`, `Actor::work` | `run::run` and the steps of `RunGuard` |
//! | `Actor::may_park` | the first half of `RunGuard::park` |
//! | `Actor::end` | `RunGuard::end`, `RunGuard::refuse_all` |
//! | `Queue` | `RunQueue`; there is one, and one actor |
//!
//! Faults in the use of the inbox (`Slip`) are in the model: senders and holders are not in a file
//! that it shares.
//!
//! Left out: muting and its release (`muting.rs`), references and addresses (`address.rs`), guards,
//! and the choice of the queue.

mod actor;

use crate::check::{canaries, models};
use crate::letters::{Letter, letter};
use crate::runtime::inbox::Notified;
use crate::runtime::signals::Signals;
use crate::sync::Arc;
use actor::{Actor, Life, Mute, Slip, actor};
use loom::thread::{self, JoinHandle};

/// A thread that posts letters 1 to `count`; gives back those that were refused.
fn sender(to: &Arc<Actor>, from: char, count: u32) -> JoinHandle<Vec<Letter>> {
    let to = to.clone();
    let post = move |number| to.post(letter(from, number)).err();
    thread::spawn(move || (1..=count).filter_map(post).collect())
}

fn worker(actor: &Arc<Actor>) -> JoinHandle<()> {
    let actor = actor.clone();
    thread::spawn(move || actor.serve())
}

fn teller(actor: &Arc<Actor>, signal: Signals) -> JoinHandle<()> {
    let actor = actor.clone();
    thread::spawn(move || actor.tell(signal))
}

/// One sender and two workers.
fn two_workers(messages: u32, budget: u32, slip: Slip) {
    let actor = actor(budget, Mute::Free, slip);
    let sender = sender(&actor, 'a', messages);
    for worker in [worker(&actor), worker(&actor)] {
        worker.join().unwrap();
    }
    let refused = sender.join().unwrap();
    actor.when_quiet(messages, refused, Life::Running);
}

/// Two senders and this number of workers.
fn two_senders(sizes: [u32; 2], workers: usize, slip: Slip) {
    let actor = actor(u32::MAX, Mute::Free, slip);
    let senders = [sender(&actor, 'a', sizes[0]), sender(&actor, 'b', sizes[1])];
    let workers: Vec<_> = (0..workers).map(|_| worker(&actor)).collect();
    for worker in workers {
        worker.join().unwrap();
    }
    let refused = senders
        .into_iter()
        .flat_map(|sender| sender.join().unwrap());
    actor.when_quiet(sizes.iter().sum(), refused.collect(), Life::Running);
}

/// A sender, a thread that signals the actor, and a worker.
fn signal_and_sends(messages: u32, signal: Signals, slip: Slip) {
    let (mute, end) = if signal == Signals::STOP {
        (Mute::Free, Life::Ended)
    } else {
        (Mute::Muted, Life::Running)
    };
    let actor = actor(u32::MAX, mute, slip);
    let sender = sender(&actor, 'a', messages);
    let teller = teller(&actor, signal);
    worker(&actor).join().unwrap();
    teller.join().unwrap();
    let refused = sender.join().unwrap();
    actor.when_quiet(messages, refused, end);
}

/// A muted actor that is active gets the signals to go on, and to stop.
fn two_signals(slip: Slip) {
    let actor = actor(u32::MAX, Mute::Muted, slip);
    assert_eq!(actor.inbox.notify(), Notified::Wakes);
    actor.queue.push();
    let tellers = [
        teller(&actor, Signals::UNMUTE),
        teller(&actor, Signals::STOP),
    ];
    worker(&actor).join().unwrap();
    for teller in tellers {
        teller.join().unwrap();
    }
    for _ in 0..2 {
        actor.serve();
    }
    actor
        .owner
        .read(|owner| assert!(owner.life == Life::Ended, "a signal was lost: not stopped"));
}

fn awake() {
    two_workers(2, u32::MAX, Slip::None);
}

fn stopped() {
    signal_and_sends(2, Signals::STOP, Slip::None);
}

models! {
    /// M4, C1: two workers; one of them may find the actor held.
    no_message_stays_behind: holds
        || two_workers(2, u32::MAX, Slip::None), || two_workers(3, 2, Slip::None);
    /// C1: a budget of one message, so that the actor goes from holder to holder through the queue.
    a_requeued_actor_is_held_by_one_worker: holds || two_workers(2, 1, Slip::None);
    /// M3, M4: only one of two senders wakes, and the other's concurrent push is found.
    one_of_two_senders_wakes: holds
        || two_senders([1, 1], 1, Slip::None), || two_senders([2, 2], 1, Slip::None);
    /// Each message is processed or refused, once, and a notification that comes after the end does
    /// no harm.
    stop_races_with_sends: holds || signal_and_sends(2, Signals::STOP, Slip::None);
    /// A muted actor takes its messages into its backlog, and receives the signal to go on.
    a_muted_actor_receives_its_unmute: holds
        || signal_and_sends(2, Signals::UNMUTE, Slip::None);
    /// Neither of two signals is lost.
    two_signals_are_received: holds || two_signals(Slip::None);
    /// Two senders and two workers.
    long_two_senders_two_workers: holds_long || two_senders([1, 1], 2, Slip::None);
}

canaries! {
    /// A sender that wakes the actor does not see what its last holder wrote.
    a_wake_that_does_not_acquire_is_caught: WakeRelaxed, "Causality violation" => awake;
    /// Two senders both look, and both wake.
    a_wake_by_a_look_and_a_store_is_caught:
        WakeByALook, "" => || two_senders([1, 1], 1, Slip::None);
    /// `park` does not release, so the next holder does not see the state.
    a_park_that_does_not_release_is_caught: ParkRelaxed, "Causality violation" => awake;
    /// The holder parks without a check for new messages.
    a_park_that_does_not_look_is_caught: ParkBlindly, "" => awake;
    /// The holder parks although it was notified.
    a_park_that_ignores_a_notification_is_caught: ParkIgnoresNotification, "a signal was lost" => stopped;
    /// The holder that must check again does not see the signal of its notification.
    a_refused_park_that_does_not_acquire_is_caught:
        RefusedParkRelaxed, "a signal was lost" => stopped;
    /// The holder checks the signals, is notified, takes, and parks.
    a_take_that_swallows_a_notification_is_caught: TakeSwallowsNotification, "a signal was lost" => stopped;
    /// A notification that would change nothing is left out: the holder, which acquired only the
    /// first notification, misses its signal.
    a_notification_skipped_when_it_changes_nothing_is_caught:
        NotifyOnlyNews, "a signal was lost" => || two_signals(Slip::None);
    /// The same behind a message, of a muted actor: the take that comes does not acquire the
    /// signal.
    a_notification_skipped_behind_a_message_is_caught:
        NotifyOnlyNews, "a signal was lost" => || signal_and_sends(2, Signals::UNMUTE, Slip::None);
    /// `notify` does not release.
    a_notification_that_does_not_release_is_caught: NotifyRelaxed, "a signal was lost" => stopped;
    /// A signal is raised without a notification.
    a_signal_without_a_notification_is_caught:
        "a signal was lost" => || signal_and_sends(2, Signals::STOP, Slip::NotNotified);
    /// The holder handles the notification before the signal is raised.
    a_notification_before_the_signal_is_caught:
        "a signal was lost" => || signal_and_sends(2, Signals::STOP, Slip::NotifiedFirst);
    /// A notification came behind a message, and the refill took both.
    a_muted_park_that_does_not_look_is_caught:
        "a signal was lost" => || signal_and_sends(2, Signals::UNMUTE, Slip::MutedParkDoesNotLook);
    /// The check takes the signals away and does not return them.
    a_signal_that_is_forgotten_is_caught:
        "a signal was lost" => || signal_and_sends(2, Signals::UNMUTE, Slip::SignalsForgotten);
    /// A worker takes the actor out while the sender still puts its letter into the backlog.
    a_letter_laid_after_the_enqueueing_is_caught:
        "Causality violation" => || two_workers(2, u32::MAX, Slip::EnqueueFirst);
    /// Each sender that finds the inbox empty enqueues, even if the actor is held.
    an_enqueue_while_it_is_held_is_caught: "" => || two_workers(2, u32::MAX, Slip::EnqueueAlways);
    /// A holder parks the actor, and then enqueues it although a sender has woken it meanwhile.
    a_requeue_after_parking_is_caught: "" => || two_workers(3, 1, Slip::ParkAndEnqueue);
}
