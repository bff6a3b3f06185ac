//! [`Handles`] that an image has of groups, topics, subscriptions and synchronizers, and the
//! [`FoundTables`] of a cut.

use crate::actor::{References, SharedTable, TableName};
use crate::sync::Arc;
use std::collections::{BTreeMap, BTreeSet};

/// To what an image has handles.
#[derive(Default)]
pub(super) struct Handles {
    subscriptions: BTreeSet<(TableName, u64)>,
    /// Groups and topics without a name.
    tables: BTreeSet<u64>,
    synchronizers: BTreeSet<u64>,
}

/// The groups and topics without a name of which a handle was recorded, by their numbers. The cut
/// keeps them until it is complete: code behind the line may drop the last handle that the cut
/// has, and code before it the last handle of all.
#[derive(Default)]
pub(super) struct FoundTables {
    all: BTreeMap<u64, Arc<dyn SharedTable>>,
    /// Those of which the older entries are not recorded yet.
    unrecorded: Vec<Arc<dyn SharedTable>>,
}

impl FoundTables {
    pub(super) fn add(&mut self, tables: &[(u64, Arc<dyn SharedTable>)]) {
        for (number, table) in tables {
            if !self.all.contains_key(number) {
                self.all.insert(*number, table.clone());
                self.unrecorded.push(table.clone());
            }
        }
    }

    #[cfg(test)]
    pub(super) fn has(&self, number: u64) -> bool {
        self.all.contains_key(&number)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<dyn SharedTable>> {
        self.all.values()
    }

    /// Takes the next one of which the older entries are to be recorded.
    pub(super) fn take_unrecorded(&mut self) -> Option<Arc<dyn SharedTable>> {
        self.unrecorded.pop()
    }
}

impl Handles {
    /// Returns true if an image did not lead there before.
    pub(super) fn add(&mut self, references: &References) -> bool {
        let before = self.count();
        self.subscriptions
            .extend(references.subscriptions.iter().cloned());
        let numbers = references.tables.iter().map(|(number, _)| *number);
        self.tables.extend(numbers);
        self.synchronizers.extend(&references.synchronizers);
        before != self.count()
    }

    fn count(&self) -> usize {
        self.subscriptions.len() + self.tables.len() + self.synchronizers.len()
    }

    pub(super) fn has_table(&self, name: &TableName) -> bool {
        name.number()
            .is_none_or(|number| self.tables.contains(&number))
    }

    pub(super) fn has_synchronizer(&self, number: u64) -> bool {
        self.synchronizers.contains(&number)
    }

    pub(super) fn has_subscription(&self, topic: &TableName, number: u64) -> bool {
        self.subscriptions.contains(&(topic.clone(), number))
    }
}
