//! The slot once more, with a bug of one's choice.

use super::{Actor, Place};
use crate::runtime::woken::Pointed;
use crate::sync::{AtomicPtr, Ordering};
use std::ptr::{self, NonNull};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    PutRelaxed,
    SwapRelaxed,
    TakeRelaxed,
    DropDisplaced,
    StoreOver,
    TakeByALook,
}

pub(super) struct FlawedSlot {
    at: AtomicPtr<<Actor as Pointed>::Target>,
    flaw: Flaw,
}

impl FlawedSlot {
    pub(super) fn with(flaw: Flaw) -> FlawedSlot {
        let at = AtomicPtr::new(ptr::null_mut());
        FlawedSlot { at, flaw }
    }

    fn or(&self, flaw: Flaw, right: Ordering) -> Ordering {
        if self.flaw == flaw {
            Ordering::Relaxed
        } else {
            right
        }
    }
}

impl Place for FlawedSlot {
    fn put(&self, woken: Actor) -> Option<Actor> {
        let new = woken.into_ptr().as_ptr();
        let before = self.at.load(Ordering::Relaxed);
        let release = self.or(Flaw::PutRelaxed, Ordering::Release);
        if before.is_null() {
            self.at.store(new, release);
            return None;
        }
        let old = match self.flaw {
            Flaw::StoreOver => {
                self.at.store(new, release);
                before
            }
            _ => self.at.swap(new, self.or(Flaw::SwapRelaxed, release)),
        };
        if self.flaw == Flaw::DropDisplaced {
            return None;
        }
        // SAFETY: given up in `put`; canaries that give it out twice die in a process of their own.
        NonNull::new(old).map(|old| unsafe { Actor::from_ptr(old) })
    }

    fn take(&self) -> Option<Actor> {
        let before = self.at.load(Ordering::Relaxed);
        if before.is_null() {
            return None;
        }
        let acquire = self.or(Flaw::TakeRelaxed, Ordering::Acquire);
        let old = match self.flaw {
            Flaw::TakeByALook => {
                let old = self.at.load(acquire);
                self.at.store(ptr::null_mut(), Ordering::Relaxed);
                old
            }
            _ => self.at.swap(ptr::null_mut(), acquire),
        };
        // SAFETY: as above.
        NonNull::new(old).map(|old| unsafe { Actor::from_ptr(old) })
    }
}
