//! A topic in an image: its handles are saved as its name or its number, and a program lists the
//! continuations that may subscribe to one.

use super::super::named_registries::NamedRegistries;
use super::super::numbered_tables::{NumberedTables, load_handle, numbered};
use super::super::table_identity::save_handle;
use super::Topic;
use super::lagged::Lagged;
use super::published::Published;
use super::subscribers::RestoredPlace;
use crate::actor::{MessageKind, TableName};
use crate::api::{Coded, Continuation, NotSubscribed, RestOf, SavedList, StoredSubscription, Then};
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// A topic with a name in another system cannot be saved.
impl<'gc, T: Clone + Send + 'static> Saved<'gc> for Topic<T> {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Topic", shape_of::<'gc, TableName>());

    fn save(&self, out: &mut Encoder<'_>) {
        save_handle(&self.0, self.0.identity(), "topic", out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        load_handle(Self::SHAPE, "topic", input)
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
    let other_type = NotSubscribed::Topic("its subscribers take several types");
    let topic: Topic<T> = match stored.topic {
        TableName::Named(name) => {
            let topic = NamedRegistries::of(system).registry(system, name);
            topic.map_err(|_| other_type)?
        }
        TableName::Numbered(number) => {
            let unknown = NotSubscribed::Topic("the system has not given its number");
            let tables: &NumberedTables = stored.arguments.context().ok_or(unknown)?;
            numbered(tables, system, *number).map_err(|_| other_type)?
        }
    };
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
