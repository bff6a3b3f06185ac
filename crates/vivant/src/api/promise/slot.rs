//! The slot: the memory that a promise and its resolver share (invariants Q1, Q2, Q5, see the
//! README).
//!
//! One block of recycled memory with two ends. The promise's end sets what is wanted; the
//! resolver's end brings the value. The second end owns both, does what is wanted, and frees the
//! block. Each end does its part once.

use super::Resolver;
use super::discard::DiscardSink;
use super::shown::Shown;
use super::sink::{AnySink, Continue, Sink};
use crate::actor::{
    AddressRef, AskError, Closed, LINK_AT, RECORD_AT, RequestRecord, SlotLink, SlotList, StateRef,
    Worker,
};
use crate::message::pool;
use crate::services::{Asked, RequestProgress};
use crate::sync::{Ordering, fault};
use std::cell::UnsafeCell;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::NonNull;

/// Both ends still have to do their part.
const OPEN: u8 = 0;
/// The promise's end has set the sink.
const WANTED: u8 = 1;
/// The value is here.
const HERE: u8 = 2;

#[repr(C)]
struct Slot<T: Send + 'static> {
    /// Written by the promise's end before it exchanges the state, and accessed by no other until
    /// then. It comes first: the link of a free block lies over it, and a walk finds it there
    /// (`final_sink`).
    sink: UnsafeCell<MaybeUninit<Sink<T>>>,
    /// The request and the receiver of the value. Written by the resolver's end, and read by any
    /// thread (Q6).
    record: RequestRecord,
    /// The place of the slot among the open ones of its owner, and the state: from `OPEN` to the
    /// value that the first end sets.
    link: SlotLink,
    /// Accessed by the resolver's end alone, until it has exchanged the state. `None`: the resolver
    /// was dropped without a value.
    value: UnsafeCell<Option<Result<T, AskError>>>,
}

/// Returns the two ends of a new slot for a promise of `owner`.
#[inline(always)]
pub(super) fn slot<T: Send + 'static>(
    owner: AddressRef,
    asked: Option<Asked>,
) -> (Asking<T>, Answering<T>) {
    const { assert!(offset_of!(Slot<T>, sink) == 0) };
    const { assert!(offset_of!(Slot<T>, record) == RECORD_AT) };
    const { assert!(offset_of!(Slot<T>, link) == LINK_AT) };
    let place = pool::take_slot::<Slot<T>>();
    let slot = place.as_ptr();
    let link = link_of(place);
    // SAFETY: `take_slot` returned memory for this type (N4), which has no other owner (N1). The
    // record there is closed (N5), and is only ever shared; the promise's end writes the sink, and
    // the other parts are written here. `with_slots` gives the list to the holder only, and
    // `opened` ends what `open` begins (Q7).
    unsafe {
        (&raw mut (*slot).value).write(UnsafeCell::new(None));
        Worker::with_slots(&owner, |slots| match slots {
            Some(slots) => slots.open(link, OPEN),
            None => link.write(SlotLink::unlisted(OPEN)),
        });
        RequestRecord::open(&raw mut (*slot).record, owner, asked);
    }
    (Asking(place), Answering(place))
}

/// As `slot`, for an actor that the caller holds outside of a run. `number` is higher than those of
/// its open slots.
pub(super) fn slot_of_held<T: Send + 'static>(
    owner: AddressRef,
    held: &StateRef<'_>,
    number: u64,
    asked: Option<Asked>,
) -> (Asking<T>, Answering<T>) {
    let place = pool::take_slot::<Slot<T>>();
    let slot = place.as_ptr();
    // SAFETY: `take_slot` returned memory for this type (N4), which has no other owner (N1), with a
    // closed record (N5). `held` is the right of the holder to its list, which gets the slot (Q7).
    unsafe {
        (&raw mut (*slot).value).write(UnsafeCell::new(None));
        held.slots().open_as(number, link_of(place), OPEN);
        RequestRecord::open(&raw mut (*slot).record, owner, asked);
    }
    (Asking(place), Answering(place))
}

/// The links of a slot.
fn link_of<T: Send + 'static>(place: NonNull<Slot<T>>) -> NonNull<SlotLink> {
    // SAFETY: the place has the size of a slot (N4), so this is in it (X5).
    unsafe { place.byte_add(LINK_AT) }.cast()
}

/// Frees the memory of a slot that both ends have abandoned.
///
/// # Safety
///
/// `link` is that of a `Slot<T>`, of which everything has been taken out, and this is called once
/// for it.
unsafe fn free<T: Send + 'static>(link: NonNull<SlotLink>) {
    // SAFETY: the caller's contract (X1): the slot begins there, and `slot` took its memory for
    // this type (N4); its record is closed (N6).
    unsafe { pool::give_slot(link.byte_sub(LINK_AT).cast::<Slot<T>>()) };
}

/// Takes a slot apart and frees its memory. `slots` is the list of its owner, if the caller holds
/// that.
///
/// # Safety
///
/// The caller is the second end, and its exchange or its load has acquired the first end's.
#[inline(always)]
unsafe fn opened<T: Send + 'static>(
    place: NonNull<Slot<T>>,
    slots: Option<&SlotList>,
) -> (Sink<T>, Option<Result<T, AskError>>) {
    // SAFETY: the caller is the second end (X1), so the first end does not access the slot any more
    // (Q5). The second end's exchange, or its load, has acquired what the first one wrote. `slot`
    // took the memory for this type (N4). Part by part: a copy of the whole would be written and
    // read again. The promise's end has written the sink, which it does before its exchange. The
    // links are closed by the holder, or left to it (Q7).
    unsafe {
        let slot = place.as_ref();
        let sink = slot.sink.get().read().assume_init();
        let value = slot.value.get().read();
        let owner = slot.record.take_owner();
        let closed = match slots {
            Some(slots) => {
                slots.close(link_of(place));
                Closed::Free
            }
            None => SlotLink::abandon(link_of(place), free::<T>),
        };
        if closed == Closed::Free {
            fault!(pool::give_slot(place), NeitherFrees => ());
        }
        drop(owner);
        (sink, value)
    }
}

/// The sink of an open slot, if it is final.
///
/// # Safety
///
/// As long as the reference exists, the caller is the resolver's end; or it holds the owner, which
/// has not ended and has the slot in its list, not abandoned.
pub(super) unsafe fn final_sink<'s>(link: NonNull<SlotLink>) -> Option<&'s AnySink> {
    // SAFETY: the slot is there as long as the caller is what the contract says (Q5, Q7).
    let state = unsafe { &link.as_ref().state };
    // Acquire: pairs with the Release of the promise's end.
    if state.load(Ordering::Acquire) != WANTED {
        return None;
    }
    // SAFETY: the slot begins with its sink, and every `Sink` is an `AnySink` (Q8, X5). It is
    // final: from now on it is only shared (X6), until an end takes it out, which the caller's
    // contract excludes (Q5, Q8).
    Some(unsafe { link.byte_sub(LINK_AT).cast::<AnySink>().as_ref() })
}

/// The request of which an open slot is the answer.
///
/// # Safety
///
/// The caller holds the owner, which has the slot in its list.
pub(super) unsafe fn request_of(link: NonNull<SlotLink>) -> Option<Asked> {
    // SAFETY: a slot in the list is there (Q7), and its record is made of atomics (Q6).
    let record = unsafe {
        link.byte_sub(LINK_AT - RECORD_AT)
            .cast::<RequestRecord>()
            .as_ref()
    };
    Some(record.read()?.asked)
}

/// The promise's end. Its drop makes the sink final, and the request is given up.
pub(super) struct Asking<T: Send + 'static>(NonNull<Slot<T>>);

// SAFETY: the ends do their parts in any order and on any thread (Q5). As the second end it drops
// the sink, the value and the owner, and all of these are `Send` (X9). That a promise stays in its
// turn is enforced by `Promise`, with an error message for its user.
unsafe impl<T: Send + 'static> Send for Asking<T> {}
// SAFETY: a shared reference to this end gives access to nothing (X9).
unsafe impl<T: Send + 'static> Sync for Asking<T> {}

impl<T: Send + 'static> Asking<T> {
    /// Sets what is wanted, for good.
    #[inline(always)]
    pub(super) fn set_sink(mut self, sink: Sink<T>) {
        self.prepare(sink);
        self.commit();
    }

    /// The sink is final.
    #[inline(always)]
    fn commit(self) {
        let place = self.0;
        std::mem::forget(self);
        // SAFETY: this end is used up here (X1).
        unsafe { asking_done(place) };
    }

    /// Sets what is wanted, once; it may still be changed.
    #[inline(always)]
    fn prepare(&mut self, sink: Sink<T>) -> &mut Sink<T> {
        // SAFETY: the sink belongs to this end until it exchanges the state (Q1). It has not done
        // so, because it exists, and it is borrowed exclusively (X2).
        unsafe { (*self.0.as_ref().sink.get()).write(sink) }
    }

    /// Gives the end up as a plain pointer, for [`Asking::from_erased`].
    pub(super) fn erased(self) -> NonNull<()> {
        let place = self.0;
        std::mem::forget(self);
        place.cast()
    }

    /// # Safety
    ///
    /// `place` came from `erased` of an end for the same `T`, once.
    pub(super) unsafe fn from_erased(place: NonNull<()>) -> Asking<T> {
        Asking(place.cast())
    }
}

impl<T: Send + 'static> Drop for Asking<T> {
    fn drop(&mut self) {
        self.prepare(Sink::new(DiscardSink));
        // SAFETY: the slot is there until both ends have done their part (Q5), and this end does
        // its part here, once (X1).
        unsafe {
            self.0.as_ref().record.give_up();
            asking_done(self.0);
        }
    }
}

/// Does the part of the promise's end.
///
/// # Safety
///
/// The caller is the promise's end, which ends here.
#[inline(always)]
unsafe fn asking_done<T: Send + 'static>(place: NonNull<Slot<T>>) {
    // SAFETY: the slot is there until both ends have done their part (Q5), and this end does its
    // part below (X1).
    let state = &unsafe { place.as_ref() }.link.state;
    // Release: pairs with the Acquire of the resolver's end, which takes the sink. Acquire: pairs
    // with its Release.
    let order = fault!(
        Ordering::AcqRel,
        AskingAcquires => Ordering::Acquire,
        AskingReleases => Ordering::Release,
    );
    let before = fault!(state.swap(WANTED, order), AskingByALook => {
        let before = state.load(Ordering::Acquire);
        state.store(WANTED, Ordering::Release);
        before
    });
    fault!(BothFree => if before == OPEN {
        // SAFETY: none, because the other end will use the block, against Q5: that is the
        // injected fault.
        return unsafe { pool::give_slot(place) };
    });
    if before == HERE {
        // SAFETY: the exchange found that the resolver's end was first (Q5).
        unsafe { asking_is_second(place) };
    }
}

/// The promise has outlived its turn, or its request was answered within it.
///
/// # Safety
///
/// As for `opened`.
#[cold]
unsafe fn asking_is_second<T: Send + 'static>(place: NonNull<Slot<T>>) {
    // SAFETY: the caller's contract (X1).
    let (sink, value) = unsafe { opened(place, None) };
    if let Some(value) = value {
        sink.fill(value).follow();
    }
}

/// The resolver's end.
pub(super) struct Answering<T: Send + 'static>(NonNull<Slot<T>>);

// SAFETY: it gives access to the value and the owner, which are `Send`, and to a sink only as the
// second end (Q5). The content of a sink is `Send` by the bounds of `Continue` and of `Resolver`
// (X9).
unsafe impl<T: Send + 'static> Send for Answering<T> {}
// SAFETY: a shared reference only reads the state, which is atomic; the record, which is made of
// atomics; the owner, which is `Sync`; and of a final sink what it shows: addresses, which are
// `Sync`, races, which have locks, and by `PromiseLink` the same of the next resolver (X9). `value`
// would give `&T` of a `T` that need not be `Sync`: its only caller is `arriving`, which has the
// envelope that holds this end, and envelopes are not `Sync`.
unsafe impl<T: Send + 'static> Sync for Answering<T> {}

impl<T: Send + 'static> Answering<T> {
    /// Returns the receiver of the value, or `None` if the value is on its way.
    pub(super) fn owner(&self) -> Option<&AddressRef> {
        // SAFETY: the owner belongs to this end (Q1), and is changed only through `&mut` (X6).
        unsafe { self.0.as_ref().record.owner() }
    }

    /// Takes the address out, to bring the value there.
    pub(super) fn take_owner(&mut self) -> Option<AddressRef> {
        // SAFETY: the owner belongs to this end (Q1), which is borrowed exclusively (X2).
        unsafe { self.0.as_ref().record.take_owner() }
    }

    /// The message has been deferred, or its turn has begun.
    #[inline(always)]
    pub(super) fn set_progress(&self, progress: RequestProgress) {
        self.record().set(progress);
    }

    /// Another actor has to answer.
    pub(super) fn pass_on(&self, asked: Asked) {
        self.record().pass_on(asked);
    }

    fn record(&self) -> &RequestRecord {
        // SAFETY: the slot is there until both ends have done their part (Q5), and this end has
        // not.
        unsafe { &self.0.as_ref().record }
    }

    /// Returns true if the promise's end has set the sink for good.
    pub(super) fn is_wanted(&self) -> bool {
        let state = &self.link().state;
        // Acquire: pairs with the Release of the promise's end.
        state.load(fault!(Ordering::Acquire, LookRelaxed => Ordering::Relaxed)) == WANTED
    }

    /// Returns what the sink shows, if the promise's end has set it for good.
    pub(super) fn shown_by_sink(&self) -> Option<Shown<'_>> {
        // SAFETY: this is the resolver's end, and changes the sink only through `self` (X6).
        let sink = unsafe { final_sink(link_of(self.0)) }?;
        Some(sink.link().shown())
    }

    /// The number of the slot among the open ones of its owner; 0 if it is in no list.
    pub(super) fn number(&self) -> u64 {
        self.link().number()
    }

    fn link(&self) -> &SlotLink {
        // SAFETY: the slot is there until both ends have done their part (Q5), and this end has
        // not.
        unsafe { &self.0.as_ref().link }
    }

    /// Puts the value into the slot, to travel with it.
    #[inline(always)]
    pub(super) fn put_value(&mut self, value: Result<T, AskError>) {
        // SAFETY: the value belongs to this end until it exchanges the state (Q1). It has not done
        // so, because it exists, and it is borrowed exclusively (X2). The previous value is
        // overwritten and not dropped: there is none, or `take_value` has taken it out.
        unsafe { self.0.as_ref().value.get().write(Some(value)) };
    }

    /// The value that travels with the slot.
    pub(super) fn value(&self) -> Option<&Result<T, AskError>> {
        // SAFETY: the value belongs to this end until it exchanges the state (Q1). It has not done
        // so, because it exists, and changes the value only through `&mut` (X6).
        unsafe { (*self.0.as_ref().value.get()).as_ref() }
    }

    /// Takes the value back out of the slot.
    pub(super) fn take_value(&mut self) -> Option<Result<T, AskError>> {
        // SAFETY: the value belongs to this end until it exchanges the state (Q1). It has not done
        // so, because it exists, and it is borrowed exclusively (X2).
        unsafe { (*self.0.as_ref().value.get()).take() }
    }

    /// The value has reached its owner. Returns it with the sink, unless the sink is not set yet:
    /// then the promise's end takes both. `slots` is the list of the owner, if the caller holds
    /// that.
    #[inline]
    pub(super) fn arrives(
        self,
        slots: Option<&SlotList>,
    ) -> Option<(Sink<T>, Result<T, AskError>)> {
        let place = self.0;
        let (sink, value) = if self.is_wanted() {
            std::mem::forget(self);
            // SAFETY: the load found that the promise's end was first, and this end is used up here
            // (Q5).
            unsafe { opened(place, slots) }
        } else {
            if let Some(slots) = slots {
                // SAFETY: `slots` is the list of the owner, which the caller holds, and this end is
                // not done yet (Q7).
                unsafe { slots.unlist(link_of(place)) };
            }
            self.done()?
        };
        value.map(|value| (sink, value))
    }

    /// Does this end's part; returns everything if it is the second.
    #[inline(never)]
    fn done(self) -> Option<(Sink<T>, Option<Result<T, AskError>>)> {
        let place = self.0;
        std::mem::forget(self);
        // SAFETY: the slot is there until both ends have done their part (Q5), and this end does
        // its part below.
        let state = &unsafe { place.as_ref() }.link.state;
        // AcqRel: as in the promise's end.
        let order = fault!(
            Ordering::AcqRel,
            AnsweringAcquires => Ordering::Acquire,
            AnsweringReleases => Ordering::Release,
        );
        let before = state.swap(HERE, order);
        // SAFETY: the exchange found that the promise's end was first (Q5).
        (before == WANTED).then(|| unsafe { opened(place, None) })
    }
}

impl<T: Send + 'static> Drop for Answering<T> {
    fn drop(&mut self) {
        fault!(DropSaysNothing => return);
        // Never run and never refused: the drop of the sink breaks the promises further down.
        drop(Answering(self.0).done());
    }
}

/// The promise of a continuation's answer. It holds the promise's end of the slot that the
/// continuation waits for, and that end's sink is not final yet. So as long as the answer is not
/// used, no slot has to be made for it.
pub(super) struct Tail<R: Send + 'static> {
    /// The promise's end of the slot that the continuation waits for.
    slot: NonNull<()>,
    /// Demands that it is called once, with `slot`.
    commit: unsafe fn(NonNull<()>),
    /// The continuation's resolver, in the sink of that slot.
    resolver: NonNull<Resolver<R>>,
}

// SAFETY: it is the promise's end of a slot, of which sink, value and owner are `Send`, and the
// only access to the resolver in that sink (Q1), which is `Send` too (X9).
unsafe impl<R: Send + 'static> Send for Tail<R> {}
// SAFETY: a shared reference to it gives access to nothing (X9).
unsafe impl<R: Send + 'static> Sync for Tail<R> {}

impl<R: Send + 'static> Tail<R> {
    /// Puts `content` into the sink of `asking`; `resolver` returns the field of it that has the
    /// resolver of its answer.
    pub(super) fn of<T: Send + 'static, C: Continue<T>>(
        mut asking: Asking<T>,
        content: C,
        resolver: impl FnOnce(&mut C) -> &mut Resolver<R>,
    ) -> Tail<R> {
        let sink = asking.prepare(Sink::new(content));
        // SAFETY: `new` has made the sink of a `C` (X1). It stays there until `commit`, and no
        // other reference into it exists (X2).
        let resolver = NonNull::from(resolver(unsafe { sink.continuation::<C>() }));
        Tail {
            slot: asking.erased(),
            // SAFETY: the contract of `commit` (X1): it is called once, with the pointer from
            // `erased`.
            commit: |slot| unsafe { Asking::<T>::from_erased(slot) }.commit(),
            resolver,
        }
    }

    /// The continuation's answer is wanted, through this resolver.
    pub(super) fn answers(self, resolver: Resolver<R>) {
        let place = self.resolver;
        // SAFETY: `resolver` is a field of the content that `of` put into the sink, which belongs
        // to this promise's end, and stays there, until `self` is dropped (Q1). No other reference
        // into it exists (X2).
        let discarding = unsafe { std::mem::replace(&mut *place.as_ptr(), resolver) };
        drop(discarding);
    }
}

impl<R: Send + 'static> Drop for Tail<R> {
    fn drop(&mut self) {
        // SAFETY: `of` made `commit` for the type of this slot (X8), and a tail is dropped once
        // (X10).
        unsafe { (self.commit)(self.slot) };
    }
}
