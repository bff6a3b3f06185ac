//! The inbox once more, with a bug of one's choice.

use crate::letters::{Letter, Mailbox, Node, opened, sealed};
use crate::runtime::inbox::{Linked, Pushed};
use crate::sync::{AtomicPtr, Ordering, fence};
use std::ptr::{self, NonNull};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    PushRelaxed,
    TakeRelaxed,
    CloseAcquire,
    RefusalRelaxed,
    NewestFirst,
    FirstByALook,
}

pub(super) struct Stack {
    head: AtomicPtr<Node>,
    flaw: Flaw,
}

fn closed() -> *mut Node {
    ptr::without_provenance_mut(1)
}

impl Stack {
    pub(super) fn with(flaw: Flaw) -> Stack {
        let head = AtomicPtr::new(ptr::null_mut());
        Stack { head, flaw }
    }

    fn or(&self, flaw: Flaw, weak: Ordering, right: Ordering) -> Ordering {
        if self.flaw == flaw { weak } else { right }
    }

    fn letters(&self, newest: *mut Node) -> Vec<Letter> {
        let mut letters = Vec::new();
        let mut at = newest;
        while let Some(node) = NonNull::new(at).filter(|node| node.as_ptr() != closed()) {
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
}

impl Mailbox for Stack {
    fn push(&self, letter: Letter) -> Result<Pushed, Letter> {
        let node = sealed(letter);
        let release = self.or(Flaw::PushRelaxed, Ordering::Relaxed, Ordering::Release);
        let mut head = self.head.load(Ordering::Relaxed);
        let looked = head;
        loop {
            if head == closed() {
                if self.flaw != Flaw::RefusalRelaxed {
                    fence(Ordering::Acquire);
                }
                // SAFETY: made above and not pushed.
                return Err(unsafe { opened(node) });
            }
            // SAFETY: owned until it is pushed.
            unsafe { *Node::link(node) = head };
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
            return Ok(if found.is_null() {
                Pushed::First
            } else {
                Pushed::Later
            });
        }
    }

    fn take(&self) -> Vec<Letter> {
        let acquire = self.or(Flaw::TakeRelaxed, Ordering::Relaxed, Ordering::Acquire);
        self.letters(self.head.swap(ptr::null_mut(), acquire))
    }

    fn close(&self) -> Vec<Letter> {
        let both = self.or(Flaw::CloseAcquire, Ordering::Acquire, Ordering::AcqRel);
        self.letters(self.head.swap(closed(), both))
    }

    fn is_empty(&self) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        head.is_null() || head == closed()
    }
}
