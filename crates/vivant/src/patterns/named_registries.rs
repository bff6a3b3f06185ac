//! Named registries of groups and topics: an entry is made on first use, and removed when it is
//! unused.

use super::group::Group;
use super::names::LookupError;
use super::topic::Topic;
use crate::actor::{Answer, Answered, Entry, Observation, Source, Table, observed};
use crate::api::Target;
use crate::interned::Name;
use crate::services::Services;
use crate::sync::{Mutex, lock};
use std::any::{self, Any};
use std::collections::BTreeMap;

/// At this size a table is swept of unused entries, and again when it has doubled.
const SWEEP_MIN: usize = 16;

/// A handle that many actors share under one name.
pub(crate) trait NamedRegistry: Clone + Send + Sync + 'static {
    /// The namespace: groups and topics have names of their own.
    const NAMESPACE: Namespace;
    /// The name of the type of its members, or of its values, for errors.
    fn of_type() -> &'static str;
    fn make() -> Self;
    /// Whether only the table refers to it.
    fn is_idle(&self) -> bool;
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    Group,
    Topic,
}

#[derive(Default)]
pub(crate) struct NamedRegistries(Mutex<RegistryTable>);

#[derive(Default)]
struct RegistryTable {
    entries: BTreeMap<(Namespace, String), RegistryEntry>,
    /// Number of entries after the last sweep.
    swept: usize,
}

struct RegistryEntry {
    registry: Box<dyn Any + Send + Sync>,
    is_idle: fn(&dyn Any) -> bool,
    of_type: Name,
}

impl Entry for RegistryEntry {
    fn table(&self) -> Table {
        Table::Registries
    }
}

impl Answer for &RegistryEntry {
    fn data(&self) -> Answered {
        Answered::Bool(true)
    }
}

impl NamedRegistries {
    pub(crate) fn of(services: &Services) -> &NamedRegistries {
        services.extensions.part()
    }

    pub(crate) fn registry<C: NamedRegistry>(&self, name: &str) -> Result<C, LookupError> {
        let mut table = lock(&self.0);
        let key = (C::NAMESPACE, name.to_owned());
        let entry = table.entries.get(&key);
        let source = Source::entry_of(Table::Registries, entry);
        if let Some(entry) = observed(Observation::Registry, source, entry) {
            let registry = entry.registry.downcast_ref::<C>();
            return registry.cloned().ok_or_else(|| LookupError::OtherType {
                name: name.to_owned(),
                wanted: Name::new(C::of_type()),
                registered_as: entry.of_type,
            });
        }
        let registry = C::make();
        let entry = RegistryEntry {
            registry: Box::new(registry.clone()),
            is_idle: |any| any.downcast_ref::<C>().is_some_and(C::is_idle),
            of_type: Name::new(C::of_type()),
        };
        table.entries.insert(key, entry);
        if table.entries.len() >= SWEEP_MIN.max(2 * table.swept) {
            table
                .entries
                .retain(|_, entry| !(entry.is_idle)(&*entry.registry));
            table.swept = table.entries.len();
        }
        Ok(registry)
    }
}

impl<T: ?Sized + Target> NamedRegistry for Group<T> {
    const NAMESPACE: Namespace = Namespace::Group;

    fn of_type() -> &'static str {
        T::NAME
    }

    fn make() -> Self {
        Group::new()
    }

    fn is_idle(&self) -> bool {
        Group::is_idle(self)
    }
}

impl<T: Clone + Send + 'static> NamedRegistry for Topic<T> {
    const NAMESPACE: Namespace = Namespace::Topic;

    /// Any type may be the value of a topic, so it has no stable name: for an error only, never
    /// compared or kept.
    fn of_type() -> &'static str {
        any::type_name::<T>()
    }

    fn make() -> Self {
        Topic::new()
    }

    fn is_idle(&self) -> bool {
        Topic::is_idle(self)
    }
}
