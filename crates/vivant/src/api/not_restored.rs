//! [`NotRestoredActor`]: stands for an actor that a restored system has not.

use super::actor::Actor;
use super::birth::register;
use super::class::class_of;
use super::inline_state::InlineState;
use super::link::{Handle, Link, Target};
use crate::actor::{AddressRef, Birth, Shared, Signals};
use crate::saving::NotSaved;
use crate::sync::Arc;
use std::any::TypeId;

/// An actor that is not saved, or had ended before the cut, to which an address in an image leads.
/// It ends before its first message, so it stands for an actor of any type.
pub(crate) struct NotRestoredActor;

/// Makes an actor that has no state and ends, with the number of the one it stands for.
pub(crate) fn not_restored(system: &Arc<Shared>, id: u64) -> AddressRef {
    let address = register(system, |pass| {
        (class_of::<NotRestoredActor>().make)(Birth {
            pass,
            system: system.clone(),
            id,
            parent: None,
            number: id as u32,
            seed: 0,
            cold: None,
        })
    });
    address.cell().signal(Signals::STOP);
    address
}

/// Whether this actor stands for another.
pub(super) fn stands_for_another(actor: &AddressRef) -> bool {
    (actor.class.type_id)() == TypeId::of::<NotRestoredActor>()
}

impl Actor for NotRestoredActor {
    type State<'gc> = NotRestoredActor;
    type Storage = InlineState;
    type SaveKind = NotSaved;
}

impl Target for NotRestoredActor {
    type Handle = NotRestoredHandle;
    type Table = ();
    const NAME: &'static str = "vivant::NotRestored";
}

/// Its handle. It has no messages of its own.
pub(crate) struct NotRestoredHandle(Link<NotRestoredActor>);

impl Handle for NotRestoredHandle {
    type Target = NotRestoredActor;
    fn from_link(link: Link<NotRestoredActor>) -> NotRestoredHandle {
        NotRestoredHandle(link)
    }
    fn link(&self) -> &Link<NotRestoredActor> {
        &self.0
    }
}
