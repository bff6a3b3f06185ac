//! The open promises of an actor, from their list alone.

use super::sink::AnySink;
use super::slot::{final_sink, request_of};
use crate::actor::StateRef;
use crate::services::Asked;

/// Calls `each` with the open promises of an actor, the newest first: the number, the sink if it is
/// final, and the request of which it is the answer. The caller holds the actor, between two turns.
/// Code of users that `each` runs must not find the actor as the current one
/// (`CurrentActor::hidden`).
pub(super) fn each_open(
    owner: &StateRef<'_>,
    mut each: impl FnMut(u64, Option<&AnySink>, Option<Asked>),
) {
    if owner.has_ended() {
        return;
    }
    let each = |number, link| {
        // SAFETY: the walk comes to listed slots that are not abandoned. `owner` is the right of
        // the holder, and the actor has not ended (Q8).
        let (sink, asked) = unsafe { (final_sink(link), request_of(link)) };
        each(number, sink, asked);
    };
    // SAFETY: `owner` is the right of the holder (Q7). Only the holder closes a slot that is in the
    // list. Code of users in `each` may settle a promise of this actor; it does not find the actor
    // as the current one, so it has no list to close the slot in.
    unsafe { owner.slots().each(each) };
}
