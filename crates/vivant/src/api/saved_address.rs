//! How an address is saved: as the number of its actor. The shape has the name of the actor's type,
//! or of the interface.

use super::address::{Address, WeakAddress};
use super::link::{Link, Target};
use super::loaded_actors::LoadedActors;
use crate::actor::{AddressRef, CellRef, Header, SavedClass};
use std::cell::RefCell;
use std::collections::BTreeMap;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

impl<'gc, T: ?Sized + Target> Saved<'gc> for Address<T> {
    const SHAPE: &'static Shape = &Shape::reference(T::NAME, shape_of::<'gc, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        let to = &Address::link(self).to;
        note(to, || to.cell(), out);
        to.id.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let id = input.reference(Self::SHAPE)?;
        let (to, table) = found::<T>(id, input)?;
        Ok(Address::from_link(Link { to, table }))
    }
}

/// A reference to an address.
impl<'gc, T: ?Sized + Target> Saved<'gc> for WeakAddress<T> {
    const SHAPE: &'static Shape =
        &Shape::reference("vivant::WeakAddress", shape_of::<'gc, Address<T>>());

    fn save(&self, out: &mut Encoder<'_>) {
        let to = self.cell();
        note(to, || to.clone(), out);
        to.id.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let address: Address<T> = input.reference(Self::SHAPE)?;
        Ok(Address::downgrade(&address))
    }
}

/// The actors to which saved addresses lead, as far as an image lacks them: they have ended, or
/// their type is not saved. The context of an encoder.
#[derive(Default)]
pub(crate) struct SeenActors(RefCell<BTreeMap<u64, CellRef>>);

impl SeenActors {
    pub(crate) fn into_cells(self) -> impl Iterator<Item = CellRef> {
        self.0.into_inner().into_values()
    }
}

fn note(to: &Header, cell: impl FnOnce() -> CellRef, out: &Encoder<'_>) {
    if let Some(SeenActors(seen)) = out.context()
        && (to.ended().is_some() || matches!(to.class.saved, SavedClass::Nothing))
    {
        seen.borrow_mut().entry(to.id).or_insert_with(cell);
    }
}

fn found<T: ?Sized + Target>(
    id: u64,
    input: &Decoder<'_, '_>,
) -> Result<(AddressRef, T::Table), LoadError> {
    let Some(actors) = input.context::<LoadedActors>() else {
        return Err(input.error("an address, of which only a restore can find the actor"));
    };
    let found = actors.actor::<T>(id);
    found.map_err(|error| input.error(error.to_string()))
}
