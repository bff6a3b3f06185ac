//! [`TagEntry`]: a tag entry, the shared object that stands for a private object.

use crate::alloc::header::Header;
use crate::object::evacuator::Evacuator;
use crate::object::table::Table;
use crate::object::tracer::Tracer;
use std::ptr::{self, NonNull};

/// The referent of a tag. Other threads read its number, so no reference to the whole entry is ever
/// made: its owner writes the target by a pointer to the target alone.
#[repr(C)]
pub(crate) struct TagEntry {
    target: NonNull<Header>,
    number: u64,
}

/// The tracing table of tag entries. It is one static, so its address distinguishes them from all
/// other objects.
static TAG_ENTRY: Table = Table::by_hand::<TagEntry>(trace, evacuate);

/// # Safety
///
/// The value of a tag entry lies at `value`, and no turn of its owner runs.
unsafe fn trace(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    // SAFETY: guaranteed by the caller.
    tracer.edge(unsafe { target_in(value.cast()).read() });
}

/// # Safety
///
/// As for `trace`.
unsafe fn evacuate(value: NonNull<u8>, evacuator: &mut Evacuator<'_>) {
    // SAFETY: guaranteed by the caller: no other code uses the target.
    unsafe {
        let target = target_in(value.cast());
        target.write(evacuator.forward(target.read()));
    }
}

/// The address of an entry's target field.
///
/// # Safety
///
/// The tag entry exists.
unsafe fn target_in(tag_entry: NonNull<TagEntry>) -> NonNull<NonNull<Header>> {
    // SAFETY: guaranteed by the caller: the address of a field is not null.
    unsafe { NonNull::new_unchecked(&raw mut (*tag_entry.as_ptr()).target) }
}

impl TagEntry {
    /// Initialises a tag entry.
    ///
    /// # Safety
    ///
    /// There is room for it; the target is an object of the same heap.
    pub(crate) unsafe fn begin(room: NonNull<Header>, target: NonNull<Header>, number: u64) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            room.write(Header::new(&TAG_ENTRY));
            room.add(1).cast().write(TagEntry { target, number });
        }
    }

    /// Whether an object is a tag entry.
    ///
    /// # Safety
    ///
    /// It is an object that has not moved.
    pub(crate) unsafe fn is_one(object: NonNull<Header>) -> bool {
        // SAFETY: guaranteed by the caller.
        ptr::eq(unsafe { object.as_ref() }.table(), &TAG_ENTRY)
    }

    /// The table of tag entries.
    pub(crate) fn table() -> &'static Table {
        &TAG_ENTRY
    }

    /// Sets the target of an entry that is restored.
    ///
    /// # Safety
    ///
    /// It is a tag entry, the target is an old object of its heap, and the heap is being made of an
    /// image.
    pub(crate) unsafe fn restore_target(tag_entry: NonNull<Header>, target: NonNull<Header>) {
        // SAFETY: the caller's contract (X1); the value follows the header.
        unsafe { target_in(tag_entry.add(1).cast()).write(target) };
    }

    /// Makes the entry its own target: it keeps no other object alive.
    ///
    /// # Safety
    ///
    /// It is a tag entry of a heap without turns, the caller is the holder of that heap, and no
    /// mark of it runs.
    pub(crate) unsafe fn cut_target(tag_entry: NonNull<Header>) {
        // SAFETY: the caller's contract (X1); the value follows the header.
        unsafe { target_in(tag_entry.add(1).cast()).write(tag_entry) };
    }

    /// Where the tagged object is now.
    ///
    /// # Safety
    ///
    /// It is a tag entry, and the caller is the holder of its heap.
    pub(crate) unsafe fn target(tag_entry: NonNull<Header>) -> NonNull<Header> {
        // SAFETY: guaranteed by the caller; the value follows the header.
        unsafe { target_in(tag_entry.add(1).cast()).read() }
    }

    /// The number of the tag entry in its heap.
    ///
    /// # Safety
    ///
    /// It is a tag entry, and the caller knows that it is kept live.
    pub(crate) unsafe fn number(tag_entry: NonNull<Header>) -> u64 {
        // SAFETY: guaranteed by the caller; the number is not written after `begin`, and every
        // reference to the entry was published after `begin`.
        unsafe { (&raw const (*tag_entry.add(1).cast::<Self>().as_ptr()).number).read() }
    }
}
