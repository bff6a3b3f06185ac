//! How an address is saved: as the number of its actor. The shape has the name of the actor's type,
//! or of the interface.

use super::address::{Address, WeakAddress};
use super::link::{Link, Target};
use super::loaded_actors::LoadedActors;
use crate::actor::{AddressRef, SeenActors};
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

impl<'gc, T: ?Sized + Target> Saved<'gc> for Address<T> {
    const SHAPE: &'static Shape = &Shape::reference(T::NAME, shape_of::<'gc, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        let to = &Address::link(self).to;
        SeenActors::note(to, || to.cell(), out);
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
        SeenActors::note(to, || to.clone(), out);
        to.id.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let Number::<T>(id, ..) = input.reference(Self::SHAPE)?;
        let Some(actors) = input.context::<LoadedActors>() else {
            return Err(input.error("an address, of which only a restore can find the actor"));
        };
        let found = actors.cell::<T>(id);
        let (cell, table) = found.map_err(|error| input.error(error.to_string()))?;
        Ok(WeakAddress::of(cell, table))
    }
}

/// An address of an actor of any type, for the runtime.
pub(crate) struct AnyAddress(pub(crate) AddressRef);

impl<'gc> Saved<'gc> for AnyAddress {
    const SHAPE: &'static Shape = &Shape::reference("vivant::AnyActor", shape_of::<'gc, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        let AnyAddress(to) = self;
        SeenActors::note(to, || to.cell(), out);
        to.id.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let id = input.reference(Self::SHAPE)?;
        let Some(actors) = input.context::<LoadedActors>() else {
            return Err(input.error("an address, of which only a restore can find the actor"));
        };
        let found = actors.any(id).map(AnyAddress);
        found.map_err(|error| input.error(error.to_string()))
    }
}

/// The number in an address. It is read where no address may be made and dropped.
struct Number<T: ?Sized>(u64, PhantomData<T>);

impl<'gc, T: ?Sized + Target> Saved<'gc> for Number<T> {
    const SHAPE: &'static Shape = <Address<T> as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Ok(Number(input.reference(Self::SHAPE)?, PhantomData))
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
