//! Objects with value and memory that loom tracks, and the two kinds of references to them.

use super::counting;
use super::current::{self, ParkedOwner};
use super::entering;
use super::handed::{EndObject, Handed};
use super::header::{Header, MERGED_OWNER};
use super::notice;
use super::only;
use super::table::Table;
use crate::tracked::Tracked;
use loom::thread::JoinHandle;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// The fate of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Unborn,
    Lives,
    Ended,
}

/// The memory stays until the interleaving is over, so that a use after the end is found and not
/// undefined.
pub(super) struct Object {
    /// Dropped when the memory is freed: every access has to come before.
    header: ManuallyDrop<Header>,
    value: Tracked<Value>,
    freed: Tracked<bool>,
}

/// One interleaving: its owners' entries and its objects.
pub(super) struct World {
    table: Box<Table>,
}

std::thread_local! {
    #[allow(clippy::vec_box, reason = "objects stay where they are")]
    static OBJECTS: RefCell<Vec<Box<Object>>> = const { RefCell::new(Vec::new()) };
}

impl World {
    pub(super) fn new() -> World {
        OBJECTS.with_borrow_mut(Vec::clear);
        World {
            table: Table::open(),
        }
    }

    /// Every value was destroyed once, so far.
    pub(super) fn check_values(&self) {
        OBJECTS.with_borrow(|objects| {
            for object in objects {
                let value = object.value.read(|value| *value);
                assert_eq!(value, Value::Ended, "a value waits, and nobody will end it");
            }
        });
    }

    /// Nothing is left: every value was destroyed once, every memory freed once, every id given
    /// back.
    pub(super) fn check(self) {
        notice::report_all();
        for object in OBJECTS.take() {
            let value = object.value.read(|value| *value);
            assert_eq!(value, Value::Ended, "a value was lost");
            assert!(object.freed.read(|freed| *freed), "memory was lost");
        }
        self.table.check();
    }

    /// The other threads end, then the owner, and nothing is left.
    pub(super) fn ends<const N: usize>(self, owner: Owner, others: [JoinHandle<()>; N]) {
        for other in others {
            other.join().unwrap();
        }
        drop(owner);
        self.check();
    }
}

/// An owner: see `Owner` of the crate.
pub(super) struct Owner(ParkedOwner);

impl Owner {
    pub(super) fn new() -> Owner {
        Owner(ParkedOwner::new())
    }

    pub(super) fn run<R>(&mut self, body: impl FnOnce() -> R) -> R {
        entering::run_as(&mut self.0, body)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        current::end(self.0);
    }
}

#[derive(Clone, Copy)]
struct Raw(NonNull<Object>);

impl Raw {
    fn new(header: Header, value: Value) -> Raw {
        let object = Box::new(Object {
            header: ManuallyDrop::new(header),
            value: Tracked::new(value),
            freed: Tracked::new(false),
        });
        let raw = Raw(NonNull::from(&*object));
        OBJECTS.with_borrow_mut(|objects| objects.push(object));
        raw
    }

    fn object(&self) -> &Object {
        // SAFETY: the world keeps it.
        unsafe { self.0.as_ref() }
    }

    /// For a step that begins now. Freeing the memory has to come later.
    fn header(&self) -> &Header {
        let freed = self.object().freed.read(|freed| *freed);
        assert!(!freed, "used after it was freed");
        &self.object().header
    }

    fn free(self) {
        let freed = &self.object().freed;
        let before = freed.change(|freed| std::mem::replace(freed, true));
        assert!(!before, "freed twice");
        // SAFETY: called once, as was just asserted. The rest of it stays readable, and loom finds
        // late readers.
        drop(ManuallyDrop::into_inner(unsafe {
            std::ptr::read(&raw const self.object().header)
        }));
    }

    fn end_value(self) {
        let value = &self.object().value;
        let before = value.change(|value| std::mem::replace(value, Value::Ended));
        assert_eq!(before, Value::Lives, "ended twice");
    }

    fn release_memory(self) {
        if self.header().end() {
            self.free();
        }
    }

    fn hand(self) -> Handed {
        // SAFETY: the world keeps the object, and any thread may end it.
        unsafe { Handed::new(NonNull::from(&*self.object().header), self) }
    }
}

impl EndObject for Raw {
    unsafe fn end(self) {
        self.end_value();
        self.release_memory();
    }
}

/// See `Brc` of the crate: the same calls in the same order.
pub(super) struct Brc(Raw);

// SAFETY: loom sees what threads do to the object.
unsafe impl Send for Brc {}

impl Brc {
    pub(super) fn new() -> Brc {
        let header = match current::birth(0) {
            MERGED_OWNER => Header::merged(),
            owner => Header::owned(owner),
        };
        Brc(Raw::new(header, Value::Lives))
    }

    pub(super) fn new_cyclic(make: impl FnOnce(&Weak)) -> Brc {
        let weak = Weak(Raw::new(Header::unborn(), Value::Unborn));
        make(&weak);
        let raw = ManuallyDrop::new(weak).0;
        raw.object().value.change(|value| *value = Value::Lives);
        raw.header().born(current::birth(0));
        Brc(raw)
    }

    /// Reads the value.
    pub(super) fn read(&self) {
        let value = self.0.object().value.read(|value| *value);
        assert_eq!(value, Value::Lives, "used after its end");
    }

    /// Changes the value, if this is the only reference. Returns whether it was.
    pub(super) fn get_mut(&mut self) -> bool {
        let only = only::is_only(self.0.header());
        if only {
            let value = &self.0.object().value;
            value.change(|value| assert_eq!(*value, Value::Lives, "used after its end"));
        }
        only
    }

    /// Takes the value, if this was the last reference. Returns whether it was.
    pub(super) fn into_inner(self) -> bool {
        let raw = ManuallyDrop::new(self).0;
        match only::take(raw.header()) {
            Some(others) => {
                raw.end_value();
                raw.release_memory();
                drop(others);
                true
            }
            None => {
                let last = counting::decrement(raw.header(), || raw.hand());
                if last {
                    raw.end_value();
                    raw.release_memory();
                }
                last
            }
        }
    }

    pub(super) fn downgrade(&self) -> Weak {
        self.0.header().clone_weak();
        Weak(self.0)
    }

    /// The counts, for a thread that plays an absent owner.
    pub(super) fn header(&self) -> &Header {
        self.0.header()
    }

    /// The same reference once more, for a count that was changed by hand.
    pub(super) fn counted(&self) -> Brc {
        Brc(self.0)
    }
}

impl Clone for Brc {
    fn clone(&self) -> Brc {
        counting::clone(self.0.header());
        Brc(self.0)
    }
}

impl Drop for Brc {
    fn drop(&mut self) {
        let raw = self.0;
        if !counting::decrement_owned(raw.header())
            && counting::decrement(raw.header(), || raw.hand())
        {
            // SAFETY: the last one.
            unsafe { raw.end() };
        }
    }
}

/// See `Weak` of the crate.
pub(super) struct Weak(Raw);

// SAFETY: loom tracks every access of threads to the object, as it does for `Brc`.
unsafe impl Send for Weak {}

impl Weak {
    pub(super) fn upgrade(&self) -> Option<Brc> {
        counting::upgrade(self.0.header()).then(|| Brc(self.0))
    }
}

impl Clone for Weak {
    fn clone(&self) -> Weak {
        self.0.header().clone_weak();
        Weak(self.0)
    }
}

impl Drop for Weak {
    fn drop(&mut self) {
        if self.0.header().drop_weak() {
            self.0.free();
        }
    }
}
