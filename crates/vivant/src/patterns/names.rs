//! Registered names of actors. Each system has its own; nothing is global to the process.

use crate::actor::{
    AddressRef, Answer, Answered, CellRef, Entry, EntryStamp, Observation, Shared, Source, Table,
    TableEntry, observed, record,
};
use crate::api::{Address, Target, WeakAddress};
use crate::interned::Name;
use crate::phase::Phase;
use crate::services::Services;
use crate::services::{ActorTable, ExitAction, ExitHookId};
use crate::statistics::NameFacts;
use crate::sync::{Arc, Mutex, lock};
use std::any::Any;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// The names of one system.
#[derive(Default)]
pub(crate) struct Names(Mutex<BTreeMap<String, NameEntry>>);

static NAMES: ActorTable<Arc<Shared>> = ActorTable {
    name: "names",
    forget: |system, actor, name| Names::of(system).forget(system, name, actor),
};

struct NameEntry {
    cell: CellRef,
    /// A `WeakAddress` of the type that was registered.
    address: Box<dyn Any + Send + Sync>,
    registered_as: Name,
    exit_hook: ExitHookId,
    stamp: EntryStamp,
}

impl Entry for NameEntry {
    fn table(&self) -> Table {
        Table::Names
    }
}

impl Answer for &NameEntry {
    fn data(&self) -> Answered {
        self.cell.data()
    }
}

impl NameEntry {
    /// L10: code of this phase takes the entry out.
    fn taken_out(&self, system: &Shared, name: &str, code: Phase) {
        if self.stamp.is_recorded_by(code, &system.passes) {
            self.record(system, name);
        }
    }

    fn record(&self, system: &Shared, name: &str) {
        let entry = TableEntry::Name {
            name,
            actor: &self.cell,
            registered_as: self.registered_as,
        };
        record(system, |cut| cut.entry(entry));
    }

    /// Whether the actor has ended, or is unreachable.
    fn is_free(&self) -> bool {
        self.cell.ended().is_some() || self.cell.addresses() == 0
    }
}

/// Why a registration failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another actor has it.
    Taken {
        /// The name.
        name: String,
        /// Path of the actor that has it.
        by: String,
    },
    /// The actor to be registered has ended.
    Ended {
        /// The name.
        name: String,
        /// Path of that actor.
        actor: String,
    },
}

/// Why a lookup failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// The name is not registered.
    Unknown {
        /// The name.
        name: String,
    },
    /// It is registered with an address of another type.
    OtherType {
        /// The name.
        name: String,
        /// The [name](crate::Target::NAME) of the requested actor type or interface; for a topic,
        /// the requested type of values.
        wanted: Name,
        /// That of the registered one. The same as `wanted` if only type parameters differ.
        registered_as: Name,
    },
}

impl Names {
    pub(crate) fn of(services: &Services) -> &Names {
        services.extensions.part()
    }

    pub(crate) fn facts(&self) -> Vec<NameFacts> {
        let names = lock(&self.0);
        let taken = names.iter().filter(|(_, entry)| !entry.is_free());
        taken
            .map(|(name, entry)| NameFacts {
                name: name.clone(),
                actor: entry.cell.path(),
                registered_as: entry.registered_as,
            })
            .collect()
    }

    /// The actor with this number has ended.
    fn forget(&self, system: &Shared, name: &str, id: u64) {
        let mut names = lock(&self.0);
        let gone = system.change_table(|code| {
            let entry = names.get(name).filter(|entry| entry.cell.id == id)?;
            entry.taken_out(system, name, code);
            names.remove(name)
        });
        drop(names);
        drop(gone);
    }

    /// L10: records the entries that are older than the phase of the system.
    pub(crate) fn record_older(&self, system: &Shared) {
        for (name, entry) in &mut *lock(&self.0) {
            if entry.stamp.is_recorded_at_end(&system.passes) {
                entry.record(system, name);
            }
        }
    }

    /// Gives an actor a name that it had in another life of the system. `address` is the
    /// `WeakAddress` of the type that was registered.
    pub(crate) fn restore(
        &self,
        system: &Arc<Shared>,
        name: &str,
        to: &AddressRef,
        address: Box<dyn Any + Send + Sync>,
        registered_as: Name,
    ) {
        let freed = ExitAction::Forget(&NAMES, name.into());
        let Some(exit_hook) = system.when_ended(to, freed) else {
            return;
        };
        let entry = NameEntry {
            cell: to.cell(),
            address,
            registered_as,
            exit_hook,
            stamp: EntryStamp::made_by(system.passes.now().phase()),
        };
        lock(&self.0).insert(name.to_owned(), entry);
    }

    pub(crate) fn register<T: ?Sized + Target>(
        &self,
        system: &Arc<Shared>,
        name: &str,
        address: &Address<T>,
    ) -> Result<(), RegisterError> {
        let to = Address::counted(address);
        assert!(
            Arc::ptr_eq(system, &to.system),
            "{} cannot be registered as {name:?}: it belongs to another system",
            to.path()
        );
        let mut names = lock(&self.0);
        let registered = system.change_table(|code| {
            let before = names.get(name);
            let source = Source::entry_of(Table::Names, before);
            let taken = before.filter(|entry| !entry.is_free() && entry.cell.id != to.id);
            if let Some(entry) = observed(Observation::Register, source, taken) {
                return Err(RegisterError::Taken {
                    name: name.to_owned(),
                    by: entry.cell.path(),
                });
            }
            // Under the lock: the exit hook needs it to remove the name, so it finds what is
            // written here.
            let freed = ExitAction::Forget(&NAMES, name.into());
            let registered = system.when_ended(&to, freed);
            let registered = observed(Observation::Register, Source::Actor(&to), registered);
            let Some(exit_hook) = registered else {
                return Err(RegisterError::Ended {
                    name: name.to_owned(),
                    actor: to.path(),
                });
            };
            if let Some(before) = before {
                before.taken_out(system, name, code);
            }
            let entry = NameEntry {
                cell: to.cell(),
                address: Box::new(Address::downgrade(address)),
                registered_as: Name::new(T::NAME),
                exit_hook,
                stamp: EntryStamp::made_by(code),
            };
            Ok(names.insert(name.to_owned(), entry))
        });
        drop(names);
        if let Some(before) = registered? {
            system.exit_hooks.remove(before.exit_hook);
        }
        Ok(())
    }

    pub(crate) fn unregister(&self, system: &Shared, name: &str) -> bool {
        let mut names = lock(&self.0);
        let before = system.change_table(|code| {
            names.get(name)?.taken_out(system, name, code);
            names.remove(name)
        });
        drop(names);
        let source = Source::entry_of(Table::Names, before.as_ref());
        let was_taken = before.as_ref().is_some_and(|entry| !entry.is_free());
        let was_taken = observed(Observation::Unregister, source, was_taken);
        if let Some(entry) = before {
            system.exit_hooks.remove(entry.exit_hook);
        }
        was_taken
    }

    pub(crate) fn lookup<T: ?Sized + Target>(&self, name: &str) -> Result<Address<T>, LookupError> {
        let unknown = || LookupError::Unknown {
            name: name.to_owned(),
        };
        let weak = {
            let names = lock(&self.0);
            let entry = names.get(name);
            let source = Source::entry_of(Table::Names, entry);
            let taken = entry.filter(|entry| !entry.is_free());
            let entry = observed(Observation::Lookup, source, taken).ok_or_else(unknown)?;
            let address = entry.address.downcast_ref::<WeakAddress<T>>();
            address.cloned().ok_or_else(|| LookupError::OtherType {
                name: name.to_owned(),
                wanted: Name::new(T::NAME),
                registered_as: entry.registered_as,
            })?
        };
        // Outside the lock: an address that is dropped may wake its actor.
        weak.upgrade().ok_or_else(unknown)
    }
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::Taken { name, by } => write!(f, "the name {name:?} is taken by {by}"),
            RegisterError::Ended { name, actor } => {
                write!(f, "{actor} was not given the name {name:?}: it has ended")
            }
        }
    }
}

impl Error for RegisterError {}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::Unknown { name } => write!(f, "no actor has the name {name:?}"),
            LookupError::OtherType {
                name,
                wanted,
                registered_as,
            } if wanted == registered_as => write!(
                f,
                "{name:?} was asked for as `{wanted}`, and was registered with other type parameters"
            ),
            LookupError::OtherType {
                name,
                wanted,
                registered_as,
            } => write!(
                f,
                "{name:?} was asked for as `{wanted}`, and was registered as `{registered_as}`"
            ),
        }
    }
}

impl Error for LookupError {}
