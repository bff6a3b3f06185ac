//! Pools and depot once more, with a bug of one's choice. Magazines are small, and lists and not links.

use super::Memory;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    HandsOutTwice,
    KeepsReserve,
    Loses,
    Unordered,
}

type Magazine = Vec<NonNull<u8>>;

#[derive(Clone)]
pub(super) struct Copy {
    flaw: Flaw,
    lock: Arc<Mutex<()>>,
    /// A step at which loom may change threads, and which orders nothing.
    step: Arc<AtomicBool>,
    /// Unseen by loom; the lock above orders it.
    magazines: Rc<RefCell<Vec<Magazine>>>,
    /// Everything that was ever allocated, freed with the model.
    allocated: Rc<RefCell<Vec<Rc<u64>>>>,
}

#[derive(Default)]
pub(super) struct Rack {
    first: RefCell<Magazine>,
    reserve: RefCell<Option<Magazine>>,
}

impl Copy {
    pub(super) fn with(flaw: Flaw) -> Copy {
        Copy {
            flaw,
            lock: Arc::new(Mutex::new(())),
            step: Arc::new(AtomicBool::new(false)),
            magazines: Rc::default(),
            allocated: Rc::default(),
        }
    }

    fn depot<R>(&self, body: impl FnOnce(&mut Vec<Magazine>) -> R) -> R {
        if self.flaw == Flaw::Unordered {
            self.step.store(true, Ordering::Relaxed);
            return body(&mut self.magazines.borrow_mut());
        }
        let _ordered = lock(&self.lock);
        body(&mut self.magazines.borrow_mut())
    }
}

impl Memory for Copy {
    const FULL: u32 = 2;
    type Bench = Rack;

    fn enter(&self) -> Rack {
        Rack::default()
    }

    fn take(&self, rack: &Rack) -> NonNull<u8> {
        self.rest(rack).unwrap_or_else(|| {
            let block = Rc::new(0);
            let place = NonNull::from(&*block).cast();
            self.allocated.borrow_mut().push(block);
            place
        })
    }

    fn give(&self, rack: &Rack, block: NonNull<u8>) {
        if rack.first.borrow().len() == Self::FULL as usize {
            let full = rack.first.take();
            let before = rack.reserve.replace(Some(full));
            if let Some(reserve) = before {
                if self.flaw == Flaw::KeepsReserve {
                    rack.reserve.replace(Some(reserve.clone()));
                }
                self.depot(|magazines| match self.flaw {
                    Flaw::Loses => {}
                    _ => magazines.push(reserve),
                });
            }
        }
        rack.first.borrow_mut().push(block);
    }

    fn rest(&self, rack: &Rack) -> Option<NonNull<u8>> {
        if rack.first.borrow().is_empty() {
            let full = rack.reserve.take();
            let full = full.or_else(|| {
                self.depot(|magazines| match self.flaw {
                    Flaw::HandsOutTwice => magazines.last().cloned(),
                    _ => magazines.pop(),
                })
            });
            rack.first.replace(full?);
        }
        rack.first.borrow_mut().pop()
    }
}
