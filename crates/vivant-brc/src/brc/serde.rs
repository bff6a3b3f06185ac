//! `Serialize` and `Deserialize`, as serde's feature `rc` has them for `Arc`: each reference is
//! written as its value. Read back, each becomes an object of its own.

use super::Brc;
use crate::Weak;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

impl<T: ?Sized + Serialize> Serialize for Brc<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: ?Sized + Send + Sync + 'static> Deserialize<'de> for Brc<T>
where
    Box<T>: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Brc<T>, D::Error> {
        Box::deserialize(deserializer).map(Brc::from)
    }
}

impl<T: ?Sized + Serialize> Serialize for Weak<T> {
    /// Serializes the value as an option: `None`, if it is gone.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.upgrade().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Weak<T> {
    /// A weak reference without object: no strong reference would keep the value.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Weak<T>, D::Error> {
        Option::<T>::deserialize(deserializer)?;
        Ok(Weak::new())
    }
}
