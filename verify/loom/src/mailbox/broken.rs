//! The inbox once more, with a bug of one's choice.

use crate::letters::{Letter, Mailbox, Node, Told, opened, sealed};
use crate::runtime::inbox::{Linked, Nudged, Parked};
use crate::sync::{AtomicPtr, Ordering};
use std::ptr::{self, NonNull};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    PushRelaxed,
    TakeRelaxed,
    CloseAcquire,
    RefusalRelaxed,
    NewestFirst,
    FirstByALook,
    /// A sender wakes, and does not see what the last holder wrote.
    WakeRelaxed,
    /// A sender wakes by a look and a store.
    WakeByALook,
    ParkRelaxed,
    /// The holder parks by a store, whatever has come.
    ParkBlindly,
    /// A nudge is no reason not to park.
    ParkIgnoresNudge,
    RefusedParkRelaxed,
    /// A take answers the nudge that it finds.
    TakeSwallowsNudge,
    /// A nudge that would change nothing makes no exchange.
    NudgeOnlyNews,
    NudgeRelaxed,
}

pub(crate) struct Stack {
    head: AtomicPtr<Node>,
    flaw: Flaw,
}

const EMPTY: usize = 0;
const PARKED: usize = 1;
const NUDGED: usize = 2;
const CLOSED: usize = 3;

fn word(word: usize) -> *mut Node {
    ptr::without_provenance_mut(word)
}

fn is_node(head: *mut Node) -> bool {
    head.addr() > CLOSED
}

impl Stack {
    pub(crate) fn with(flaw: Flaw) -> Stack {
        let head = AtomicPtr::new(word(PARKED));
        Stack { head, flaw }
    }

    fn or(&self, flaw: Flaw, weak: Ordering, right: Ordering) -> Ordering {
        if self.flaw == flaw { weak } else { right }
    }

    fn letters(&self, newest: *mut Node) -> Vec<Letter> {
        let mut letters = Vec::new();
        let mut at = newest;
        while let Some(node) = NonNull::new(at).filter(|node| is_node(node.as_ptr())) {
            // SAFETY: as in the inbox; the planted bugs do not free anything twice before loom sees the race.
            unsafe {
                at = *Node::link(node);
                letters.push(opened(node));
            }
        }
        if self.flaw != Flaw::NewestFirst {
            letters.reverse();
        }
        letters
    }

    /// Whether this sender has woken the receiver; else what it read.
    fn woken(&self) -> Result<(), *mut Node> {
        let look = self.or(Flaw::WakeByALook, Ordering::Acquire, Ordering::Relaxed);
        let head = self.head.load(look);
        if head.addr() != PARKED {
            return Err(head);
        }
        if self.flaw == Flaw::WakeByALook {
            self.head.store(word(EMPTY), Ordering::Relaxed);
            return Ok(());
        }
        let acquire = self.or(Flaw::WakeRelaxed, Ordering::Relaxed, Ordering::Acquire);
        self.head
            .compare_exchange(word(PARKED), word(EMPTY), acquire, Ordering::Relaxed)
            .map(drop)
    }
}

impl Mailbox for Stack {
    fn push(&self, letter: Letter) -> Result<Told, Letter> {
        let release = self.or(Flaw::PushRelaxed, Ordering::Relaxed, Ordering::Release);
        let mut head = match self.woken() {
            Ok(()) => return Ok(Told::Wakes(letter)),
            Err(head) => head,
        };
        let looked = head;
        let node = sealed(letter);
        loop {
            let below = match head.addr() {
                CLOSED => {
                    if self.flaw != Flaw::RefusalRelaxed {
                        let _closed = self.head.load(Ordering::Acquire);
                    }
                    // SAFETY: made above and not pushed.
                    return Err(unsafe { opened(node) });
                }
                PARKED => match self.woken() {
                    // SAFETY: made above and not pushed.
                    Ok(()) => return Ok(Told::Wakes(unsafe { opened(node) })),
                    Err(now) => {
                        head = now;
                        continue;
                    }
                },
                EMPTY | NUDGED => ptr::null_mut(),
                _ => head,
            };
            // SAFETY: owned until it is pushed.
            unsafe { *Node::link(node) = below };
            let pushed =
                self.head
                    .compare_exchange_weak(head, node.as_ptr(), release, Ordering::Relaxed);
            let found = match (pushed, self.flaw) {
                (Ok(_), Flaw::FirstByALook) => looked,
                (Ok(old), _) => old,
                (Err(now), _) => {
                    head = now;
                    continue;
                }
            };
            return Ok(if is_node(found) {
                Told::Later
            } else {
                Told::First
            });
        }
    }

    fn nudge(&self) -> Nudged {
        let both = self.or(Flaw::NudgeRelaxed, Ordering::Acquire, Ordering::AcqRel);
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            let (next, found) = match head.addr() {
                CLOSED => return Nudged::Nothing,
                PARKED => (word(EMPTY), Nudged::Wakes),
                EMPTY => (word(NUDGED), Nudged::Nothing),
                _ => (head, Nudged::Nothing),
            };
            if self.flaw == Flaw::NudgeOnlyNews && next == head {
                return found;
            }
            match self
                .head
                .compare_exchange_weak(head, next, both, Ordering::Relaxed)
            {
                Ok(_) => return found,
                Err(now) => head = now,
            }
        }
    }

    fn take(&self) -> Vec<Letter> {
        let acquire = self.or(Flaw::TakeRelaxed, Ordering::Relaxed, Ordering::Acquire);
        let head = self.head.load(Ordering::Relaxed);
        let swallowed = self.flaw == Flaw::TakeSwallowsNudge && head.addr() == NUDGED;
        if !is_node(head) && !swallowed {
            return Vec::new();
        }
        self.letters(self.head.swap(word(EMPTY), acquire))
    }

    fn park(&self) -> Parked {
        let release = self.or(Flaw::ParkRelaxed, Ordering::Relaxed, Ordering::Release);
        let acquire = self.or(
            Flaw::RefusedParkRelaxed,
            Ordering::Relaxed,
            Ordering::Acquire,
        );
        if self.flaw == Flaw::ParkBlindly {
            self.head.store(word(PARKED), Ordering::Release);
            return Parked::Yes;
        }
        let parked = self
            .head
            .compare_exchange(word(EMPTY), word(PARKED), release, acquire);
        let Err(head) = parked else {
            return Parked::Yes;
        };
        if head.addr() == NUDGED {
            let next = if self.flaw == Flaw::ParkIgnoresNudge {
                word(PARKED)
            } else {
                word(EMPTY)
            };
            let heard = self
                .head
                .compare_exchange(head, next, acquire, Ordering::Relaxed);
            if heard.is_ok() && self.flaw == Flaw::ParkIgnoresNudge {
                return Parked::Yes;
            }
        }
        Parked::Again
    }

    fn close(&self) -> Vec<Letter> {
        let both = self.or(Flaw::CloseAcquire, Ordering::Acquire, Ordering::AcqRel);
        self.letters(self.head.swap(word(CLOSED), both))
    }

    fn is_empty(&self) -> bool {
        !is_node(self.head.load(Ordering::Relaxed))
    }
}
