//! An actor with its inbox, its signals and its queue, and the steps of senders and holders.

use crate::letters::{Letter, Mailbox, Told, in_order};
use crate::phase::Parity;
use crate::runtime::inbox::{Notified, Parked};
use crate::runtime::signals::{SignalWord, Signals};
use crate::sync::{Arc, Mutex, lock};
use crate::tracked::Tracked;

/// Faults in the use of the inbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    None,
    /// The sender of a signal does not notify.
    NotNotified,
    /// The sender of a signal notifies before it raises it.
    NotifiedFirst,
    /// A muted holder parks without a check of the signals.
    MutedParkDoesNotLook,
    /// A muted holder takes the signals in its check, and does not handle them.
    SignalsForgotten,
    /// The waking sender enqueues the actor before the letter is in the backlog.
    EnqueueFirst,
    /// Every sender enqueues the actor.
    EnqueueAlways,
    /// A holder with a spent budget parks, and then enqueues the actor.
    ParkAndEnqueue,
}

/// One run queue for one actor.
pub(super) struct Queue(Mutex<usize>);

impl Queue {
    pub(super) fn push(&self) {
        let mut tokens = lock(&self.0);
        assert_eq!(*tokens, 0, "the actor lies in the queue twice");
        *tokens += 1;
    }

    pub(super) fn pop(&self) -> bool {
        std::mem::take(&mut *lock(&self.0)) == 1
    }
}

pub(super) struct Actor {
    pub(super) inbox: Mailbox,
    signals: SignalWord,
    pub(super) queue: Queue,
    pub(super) owner: Tracked<Owner>,
    budget: u32,
    slip: Slip,
}

/// What only the holder touches: the model's `Owner` and state in one.
#[derive(Default)]
pub(super) struct Owner {
    backlog: Vec<Letter>,
    processed: Vec<Letter>,
    refused: Vec<Letter>,
    mute: Mute,
    pub(super) life: Life,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
pub(super) enum Life {
    #[default]
    Running,
    Ended,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
pub(super) enum Mute {
    #[default]
    Free,
    Muted,
}

/// Why the holder stopped working.
#[derive(PartialEq, Eq)]
pub(super) enum Why {
    NothingLeft,
    BudgetSpent,
}

/// An actor that no worker runs.
pub(super) fn actor(budget: u32, mute: Mute, slip: Slip) -> Arc<Actor> {
    let owner = Owner {
        mute,
        ..Owner::default()
    };
    Arc::new(Actor {
        inbox: Mailbox::new(),
        signals: SignalWord::new(),
        queue: Queue(Mutex::new(0)),
        owner: Tracked::new(owner),
        budget,
        slip,
    })
}

impl Actor {
    pub(super) fn post(&self, letter: Letter) -> Result<(), Letter> {
        match self.inbox.push(letter)? {
            Told::Wakes(letter) => {
                if self.slip == Slip::EnqueueFirst {
                    self.queue.push();
                }
                // This sender is the holder until it has enqueued the actor.
                self.owner.change(|owner| owner.backlog.push(letter));
                if self.slip != Slip::EnqueueFirst {
                    self.queue.push();
                }
            }
            Told::First if self.slip == Slip::EnqueueAlways => self.queue.push(),
            Told::First | Told::Later => {}
        }
        Ok(())
    }

    pub(super) fn tell(&self, signal: Signals) {
        if self.slip != Slip::NotifiedFirst {
            self.signals.raise(signal, Parity::Even);
        }
        if self.slip != Slip::NotNotified && self.inbox.notify() == Notified::Wakes {
            self.queue.push();
        }
        if self.slip == Slip::NotifiedFirst {
            self.signals.raise(signal, Parity::Even);
        }
    }

    /// One check of the queue, and a run if the actor was in it.
    pub(super) fn serve(&self) {
        if self.queue.pop() && self.run() == Why::BudgetSpent {
            if self.slip == Slip::ParkAndEnqueue {
                let _parked = self.inbox.park();
            }
            self.queue.push();
        }
    }

    pub(super) fn run(&self) -> Why {
        loop {
            // The access lasts as long as the work: another holder meanwhile would be detected even
            // if no step met another.
            let (why, life) = self.owner.change(|owner| (self.work(owner), owner.life));
            if why == Why::BudgetSpent || life == Life::Ended {
                return why;
            }
            let may_park = self.owner.change(|owner| self.may_park(owner));
            if may_park && self.inbox.park() == Parked::Yes {
                return Why::NothingLeft;
            }
        }
    }

    pub(super) fn work(&self, owner: &mut Owner) -> Why {
        self.heed(owner);
        let mut messages = 0;
        while owner.life == Life::Running && owner.mute == Mute::Free {
            if messages == self.budget {
                let more = !owner.backlog.is_empty() || !self.inbox.is_empty();
                return if more {
                    Why::BudgetSpent
                } else {
                    Why::NothingLeft
                };
            }
            if owner.backlog.is_empty() {
                owner.backlog = self.inbox.take();
            }
            if owner.backlog.is_empty() {
                break;
            }
            owner.processed.push(owner.backlog.remove(0));
            messages += 1;
            self.heed(owner);
        }
        Why::NothingLeft
    }

    /// A muted holder may have messages; an inbox is parked only when it is empty.
    pub(super) fn may_park(&self, owner: &mut Owner) -> bool {
        if owner.mute == Mute::Free {
            return true;
        }
        owner.backlog.extend(self.inbox.take());
        match self.slip {
            Slip::MutedParkDoesNotLook => true,
            Slip::SignalsForgotten => self.signals.take().of(Parity::Even) == Signals::default(),
            _ => !self.signals.is_raised(),
        }
    }

    pub(super) fn heed(&self, owner: &mut Owner) {
        let signals = self.signals.take().of(Parity::Even);
        if owner.life == Life::Ended {
            return;
        }
        if signals.has(Signals::UNMUTE) {
            owner.mute = Mute::Free;
        }
        if signals.has(Signals::STOP) {
            owner.life = Life::Ended;
            owner.refused.append(&mut owner.backlog);
            owner.refused.extend(self.inbox.close());
        }
    }

    /// All threads have finished; this thread runs the queued actor, and then checks the fate of
    /// all messages.
    pub(super) fn when_quiet(&self, sent: u32, refused: Vec<Letter>, end: Life) {
        for _ in 0..3 {
            self.serve();
        }
        self.all_accounted_for(sent, &refused, end);
        match end {
            // The inbox is parked, or this late notification would be left to a holder that does
            // not exist.
            Life::Running => {
                assert_eq!(self.inbox.notify(), Notified::Wakes, "held by nobody");
                assert!(self.run() == Why::NothingLeft);
                self.all_accounted_for(sent, &refused, end);
                self.owner.change(|owner| owner.life = Life::Ended);
                assert_eq!(self.inbox.close(), [], "M4: left behind");
            }
            Life::Ended => assert_eq!(self.inbox.notify(), Notified::Nothing, "it has ended"),
        }
    }

    pub(super) fn all_accounted_for(&self, sent: u32, refused: &[Letter], end: Life) {
        self.owner.read(|owner| {
            assert!(owner.life == end, "a signal was lost: not stopped");
            assert!(owner.mute == Mute::Free, "a signal was lost: still muted");
            let all = [&owner.processed[..], &owner.refused, refused].concat();
            let different = all.iter().collect::<std::collections::BTreeSet<_>>();
            assert_eq!(different.len(), all.len(), "M1: twice: {all:?}");
            assert_eq!(all.len() as u32, sent, "M4: one stays behind: {all:?}");
            in_order(&owner.processed);
        });
    }
}
