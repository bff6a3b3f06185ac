//! Named registries of groups and topics: an entry is made on first use, and removed when it is
//! unused.

use super::names::LookupError;
use super::table_identity::TableIdentity;
use crate::actor::{
    Answer, Answered, Entry, Observation, Shared, SharedTable, Source, Table, observed,
};
use crate::interned::Name;
use crate::services::Services;
use crate::sync::{Arc, Mutex, lock};
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Bound;

/// At this size a table is swept of unused entries, and again when it has doubled.
const SWEEP_MIN: usize = 16;

/// A handle that many actors share under one name.
pub(crate) trait NamedRegistry: Sized + 'static {
    /// The namespace: groups and topics have names of their own.
    const NAMESPACE: Namespace;
    /// The name of the type of its members, or of its values, for errors.
    fn of_type() -> &'static str;
    /// A new one.
    fn make(identity: TableIdentity) -> Arc<dyn SharedTable>;
    /// A handle of one of this type.
    fn of(registered: Arc<dyn Any + Send + Sync>) -> Option<Self>;
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    Group,
    Topic,
}

/// What a group or a topic is found by.
pub(crate) type RegistryKey = (Namespace, String);

#[derive(Default)]
pub(crate) struct NamedRegistries(Mutex<RegistryTable>);

#[derive(Default)]
struct RegistryTable {
    entries: BTreeMap<RegistryKey, RegistryEntry>,
    /// Number of entries after the last sweep.
    swept: usize,
}

struct RegistryEntry {
    registered: Arc<dyn SharedTable>,
    of_type: Name,
}

impl RegistryEntry {
    /// Whether only the table refers to it, and no actor is in it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.registered) == 1 && self.registered.is_empty()
    }
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

    pub(crate) fn registry<C: NamedRegistry>(
        &self,
        system: &Shared,
        name: &str,
    ) -> Result<C, LookupError> {
        let key = (C::NAMESPACE, name.to_owned());
        let of_type = Name::new(C::of_type());
        let mut table = lock(&self.0);
        let entry = table.entries.get(&key);
        let source = Source::entry_of(Table::Registries, entry);
        let (registered, registered_as) = match observed(Observation::Registry, source, entry) {
            Some(entry) => (entry.registered.clone(), entry.of_type),
            None => {
                let new = C::make(TableIdentity::named(system, name));
                (table.add(key, of_type, new), of_type)
            }
        };
        drop(table);
        C::of(registered).ok_or_else(|| LookupError::OtherType {
            name: name.to_owned(),
            wanted: of_type,
            registered_as,
        })
    }

    /// What has this name, without its type.
    pub(crate) fn registered(
        &self,
        namespace: Namespace,
        name: &str,
    ) -> Option<Arc<dyn SharedTable>> {
        let table = lock(&self.0);
        let entry = table.entries.get(&(namespace, name.to_owned()))?;
        Some(entry.registered.clone())
    }

    /// What has this name, without its type; `make` makes it if there is none.
    pub(crate) fn registered_or(
        &self,
        system: &Shared,
        key: RegistryKey,
        of_type: Name,
        make: impl FnOnce(TableIdentity) -> Arc<dyn SharedTable>,
    ) -> Arc<dyn SharedTable> {
        let mut table = lock(&self.0);
        if let Some(entry) = table.entries.get(&key) {
            return entry.registered.clone();
        }
        let new = make(TableIdentity::named(system, &key.1));
        table.add(key, of_type, new)
    }

    /// L10: records the older entries of the group or the topic that follows this key. Returns its
    /// key; `None` if none follows.
    pub(crate) fn record_older(
        &self,
        behind: Option<RegistryKey>,
        system: &Arc<Shared>,
    ) -> Option<RegistryKey> {
        let (key, registered) = {
            let table = lock(&self.0);
            let from = behind.map_or(Bound::Unbounded, Bound::Excluded);
            let (key, entry) = table.entries.range((from, Bound::Unbounded)).next()?;
            (key.clone(), entry.registered.clone())
        };
        // Outside the lock: to record a subscription runs code of users.
        registered.record_older(system);
        Some(key)
    }
}

impl RegistryTable {
    /// Adds an entry, and returns what it has.
    fn add(
        &mut self,
        key: RegistryKey,
        of_type: Name,
        registered: Arc<dyn SharedTable>,
    ) -> Arc<dyn SharedTable> {
        let entry = RegistryEntry {
            registered: registered.clone(),
            of_type,
        };
        self.entries.insert(key, entry);
        if self.entries.len() >= SWEEP_MIN.max(2 * self.swept) {
            // The new one is in use: it is returned.
            self.entries.retain(|_, entry| !entry.is_idle());
            self.swept = self.entries.len();
        }
        registered
    }
}
