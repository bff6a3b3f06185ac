//! A topic in an image: its handles are saved as its name, and a program lists the continuations
//! that may subscribe to one.

use super::super::named_registries::NamedRegistries;
use super::super::registry_name::save_handle;
use super::Topic;
use super::lagged::Lagged;
use super::published::Published;
use super::subscribers::RestoredPlace;
use crate::actor::MessageKind;
use crate::api::{
    Coded, Continuation, NotSubscribed, RestOf, RestoredSystem, SavedList, StoredSubscription, Then,
};
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// A topic without a name cannot be saved, nor can one of another system.
impl<'gc, T: Clone + Send + 'static> Saved<'gc> for Topic<T> {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Topic", shape_of::<'gc, String>());

    fn save(&self, out: &mut Encoder<'_>) {
        save_handle(self.0.name(), "topic", out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let name: String = input.reference(Self::SHAPE)?;
        let Some(RestoredSystem(system)) = input.context() else {
            return Err(input.error("a topic, which only a restore can find"));
        };
        let found = NamedRegistries::of(system).registry(system, &name);
        found.map_err(|error| input.error(error.to_string()))
    }
}

/// A continuation, which may be that of a topic. For the macros.
#[derive(Debug)]
pub struct MaybePublished<K>(PhantomData<K>);

impl<T, K> MaybePublished<K>
where
    T: Clone + Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone + Sync,
{
    /// Lists the messages of the continuation, and how its subscriptions are restored. It takes
    /// precedence over that of [`NotPublished`].
    pub fn list(list: &mut SavedList) {
        list.published::<K>(const { &Published::<K>::KIND }, subscribe::<T, K>);
    }
}

/// A continuation of something else than a topic.
pub trait NotPublished {
    /// Nothing is listed.
    fn list(_: &mut SavedList) {}
}

impl<K> NotPublished for MaybePublished<K> {}

fn subscribe<T, K>(stored: &StoredSubscription<'_>) -> Result<(), NotSubscribed>
where
    T: Clone + Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone + Sync,
{
    let system = &stored.to.system;
    let topic: Result<Topic<T>, _> = NamedRegistries::of(system).registry(system, stored.topic);
    let topic = topic.map_err(|_| NotSubscribed::Topic("its subscribers take several types"))?;
    let rest = stored.arguments.load::<Coded<RestOf<K>>>();
    let Coded(rest) = rest.map_err(NotSubscribed::Arguments)?;
    let then = Then::<K>::from_parts(stored.to.clone(), rest, stored.made);
    let place = RestoredPlace {
        number: stored.number,
        lasts: stored.lasts,
    };
    let restored = topic.0.restore(place, then, stored.capacity);
    restored.map_err(NotSubscribed::Topic)
}
