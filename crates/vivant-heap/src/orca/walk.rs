//! A walk through all that lives in a heap, for who has questions about it between turns.

use super::owner::Owner;
use crate::collector::{Listed, Tracer};
use crate::header::Header;
use crate::heap::{Heap, Root};
use crate::pages::chunk::owner_of;
use crate::types::Object;
use std::collections::HashSet;
use std::ptr::NonNull;

/// Hands over what the state refers to, and then each object that this or those that others know reach, once, with what that refers to.
pub(super) fn walk<R: Root>(
    heap: &mut Heap<R>,
    known: Vec<NonNull<Header>>,
    mut each: impl FnMut(Option<NonNull<Header>>, &Listed),
) {
    let (core, state) = heap.parts();
    let (own, mut grey) = (Owner::name(&core.owner), known);
    let mut meets = |from, listed: Listed, grey: &mut Vec<NonNull<Header>>| {
        each(from, &listed);
        grey.extend(listed.own);
        grey.extend(
            listed
                .shared
                .iter()
                .filter(|object| !is_foreign(**object, own)),
        );
    };
    meets(None, Tracer::list(|tracer| state.trace(tracer)), &mut grey);
    let mut met = HashSet::new();
    while let Some(object) = grey.pop() {
        if met.insert(object) {
            // SAFETY: what is referred to lives, or what others know; no turn runs, and the value follows the header.
            let listed = Tracer::list(|tracer| unsafe {
                (object.as_ref().table().trace)(object.add(1).cast(), tracer);
            });
            meets(Some(object), listed, &mut grey);
        }
    }
}

/// Whether an object is of another heap than this one.
pub(super) fn is_foreign(object: NonNull<Header>, own: NonNull<Owner>) -> bool {
    // SAFETY: a reference leads into a chunk, also if what it led to was freed.
    unsafe { owner_of(object.cast()) != Some(own) }
}
