//! [`NumberedTables`]: the groups and topics without a name of a restore.

use super::named_registries::{NamedRegistries, NamedRegistry, Namespace};
use super::table_identity::{TableIdentity, TableNumbers};
use crate::actor::{Shared, SharedTable, TableName};
use crate::api::RestoredSystem;
use crate::sync::Arc;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use vivant_codec::{Decoder, LoadError, Shape};

/// The groups and topics without a name of a restore, by the numbers that they have in its image.
/// The context of a decoder. It keeps them: the handles in states and messages do so when it is
/// gone.
#[derive(Default)]
pub(crate) struct NumberedTables {
    tables: RefCell<BTreeMap<u64, Arc<dyn SharedTable>>>,
    others: Others,
}

/// Where the tables are that no handle of the restore has named yet.
#[derive(Default)]
enum Others {
    /// Nowhere: the system is being made.
    #[default]
    Nowhere,
    /// In the system, which runs.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "without snapshots there is no image")
    )]
    Living,
}

impl NumberedTables {
    /// Those of a running system.
    #[cfg(feature = "snapshots")]
    pub(crate) fn living() -> NumberedTables {
        NumberedTables {
            tables: RefCell::default(),
            others: Others::Living,
        }
    }

    /// These alone.
    pub(crate) fn of(tables: impl Iterator<Item = (u64, Arc<dyn SharedTable>)>) -> NumberedTables {
        NumberedTables {
            tables: RefCell::new(tables.collect()),
            others: Others::Nowhere,
        }
    }

    /// The one of this number; `make` makes it if it is not there yet. `None`: no image of the
    /// system has named one of this number.
    pub(crate) fn table_or(
        &self,
        system: &Shared,
        number: u64,
        make: impl FnOnce(TableIdentity) -> Arc<dyn SharedTable>,
    ) -> Option<Arc<dyn SharedTable>> {
        if number >= TableNumbers::of(system).next() {
            return None;
        }
        let mut tables = self.tables.borrow_mut();
        let table = tables.entry(number).or_insert_with(|| {
            let living = match self.others {
                Others::Nowhere => None,
                Others::Living => TableNumbers::of(system).living(number),
            };
            // Also in a running system: if no handle is left, this is the only one.
            living.unwrap_or_else(|| {
                let made = make(TableIdentity::numbered(system, number));
                TableNumbers::of(system).remember(number, &made);
                made
            })
        });
        Some(table.clone())
    }

    fn get(&self, number: u64) -> Option<Arc<dyn SharedTable>> {
        self.tables.borrow().get(&number).cloned()
    }
}

/// Why a handle has no group or topic.
pub(super) enum NoTable {
    /// The image has no such number.
    Unknown(u64),
    /// It is a topic and no group, or the reverse, or has another type.
    OtherType,
}

/// A handle of the group or topic of this number.
pub(super) fn numbered<C: NamedRegistry>(
    tables: &NumberedTables,
    system: &Shared,
    number: u64,
) -> Result<C, NoTable> {
    let table = tables.table_or(system, number, C::make);
    let table: Arc<dyn Any + Send + Sync> = table.ok_or(NoTable::Unknown(number))?;
    C::of(table).ok_or(NoTable::OtherType)
}

/// Loads a handle. `what` it is, for errors.
pub(super) fn load_handle<'gc, C: NamedRegistry>(
    shape: &'static Shape,
    what: &str,
    input: &mut Decoder<'gc, '_>,
) -> Result<C, LoadError> {
    let name: TableName = input.reference(shape)?;
    let Some(RestoredSystem(system)) = input.context() else {
        return Err(input.error(format!("a {what}, which only a restore can find")));
    };
    let number = match name {
        TableName::Named(name) => {
            let found = NamedRegistries::of(system).registry(system, &name);
            return found.map_err(|error| input.error(error.to_string()));
        }
        TableName::Numbered(number) => number,
    };
    let Some(tables) = input.context() else {
        return Err(input.error(format!("a {what} without a name, which only a restore has")));
    };
    numbered(tables, system, number).map_err(|error| {
        input.error(match error {
            NoTable::Unknown(number) => {
                format!("the {what} {number}, a number that the system has not given")
            }
            NoTable::OtherType => format!("the {what} {number}, which is of another type"),
        })
    })
}

/// The topic that a handle or a message of a subscription names, without its type. `None`: it had
/// ended.
pub(super) fn restored_topic(
    system: &Shared,
    name: &TableName,
    input: &Decoder<'_, '_>,
) -> Option<Arc<dyn SharedTable>> {
    match name {
        TableName::Named(name) => NamedRegistries::of(system).registered(Namespace::Topic, name),
        TableName::Numbered(number) => {
            let tables: &NumberedTables = input.context()?;
            tables.get(*number)
        }
    }
}
