//! What becomes of a message that is not processed (T3).

use super::envelope::{Envelope, KindTable};
use super::header::Header;
use super::reference::CellRef;
use super::refusal::{Next, Refusal};
use crate::failures::{Caught, Cause, DeadLetter, catch};
use crate::interned::{Name, Place};
use crate::message::MessageRole;
use crate::observe;

/// Counts a message that could not be delivered. The returned step fails its ask, if there is one.
pub(crate) fn bury_letter(to: CellRef, envelope: Envelope, cause: Cause) -> Next {
    let kind = envelope.kind();
    if kind.role.is_sent() {
        note_dead_letter(&to, kind, envelope.head().place, cause);
    }
    let refusal = match cause {
        Cause::Ended
        | Cause::Withdrawn
        | Cause::Restarted
        | Cause::WaitCycle
        | Cause::Constrained
        | Cause::Unresolved => Refusal::ended(to.clone()),
        Cause::Rejected | Cause::DroppedNewest | Cause::DroppedOldest => {
            to.count_loss();
            Refusal::full(to.clone())
        }
    };
    // Dropping the message is user code, and a panic there is not the sender's fault.
    catch(|| envelope.refuse(&refusal)).unwrap_or_else(|caught| {
        to.system.reports.panicked(&to.panic(kind.name, caught));
        Next::Nothing
    })
}

/// Counts a message that is handled elsewhere, and passes it to the subscribers.
pub(crate) fn note_dead_letter(
    cell: &Header,
    kind: &'static KindTable,
    place: Place,
    cause: Cause,
) {
    note(cell, || cell.path(), kind.name, place, cause);
    if kind.role == MessageRole::Continuation {
        cell.system.dead_letters.count_continuation();
    }
}

/// Counts a message to an actor of which only a promise is known, and that promise, which `owner`
/// had, is broken.
pub(crate) fn note_unresolved(owner: &Header, behaviour: Name, place: Place) {
    let actor = || format!("promised to {}", owner.path());
    note(owner, actor, behaviour, place, Cause::Unresolved);
}

fn note(
    cell: &Header,
    actor: impl FnOnce() -> String,
    behaviour: Name,
    place: Place,
    cause: Cause,
) {
    let system = &cell.system;
    system.dead_letters.count(behaviour, place, cause);
    observe::dead_letter(&cell.seen(), behaviour.as_str(), place, cause);
    let letter = || DeadLetter {
        behaviour,
        actor: actor(),
        place,
        cause,
    };
    let panicked = |caught: Caught| {
        let panic = cell.panic("a subscriber to dead letters", caught);
        system.reports.panicked(&panic);
    };
    let receiver = (system.number, cell.id);
    system.dead_letters.pass_on(receiver, letter, panicked);
}
