//! [`TableIdentity`]: by what an image names a group or a topic.

use crate::actor::{SeenActors, Shared, SharedTable, TableName};
use crate::services::Services;
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use std::collections::BTreeMap;
use std::sync::Weak;
use vivant_codec::{Encoder, Saved};

/// By what an image names a group or a topic, and the numbers of its subscriptions.
#[derive(Clone)]
pub(crate) struct TableIdentity(Arc<Identity>);

enum Identity {
    Named {
        /// The number of the system that has it.
        system: u64,
        name: String,
        /// Of the system: a topic that is swept and made anew gives no number a second time.
        subscriptions: Arc<Numbers>,
    },
    /// Only handles lead to it.
    Unnamed {
        /// By the number of a system: its number in the images of that. Few have more than one.
        numbers: Mutex<Vec<(u64, u64)>>,
        subscriptions: Numbers,
    },
}

/// The numbers of the subscriptions to topics with a name.
#[derive(Default)]
pub(crate) struct SubscriptionNumbers(Arc<Numbers>);

/// The numbers of the groups and topics without a name that images of a system name.
#[derive(Default)]
pub(crate) struct TableNumbers {
    numbers: Numbers,
    /// The groups and topics themselves, as long as they live.
    living: Mutex<BTreeMap<u64, Weak<dyn SharedTable>>>,
}

/// The number of the next.
#[derive(Default)]
struct Numbers(AtomicU64);

impl Numbers {
    fn take(&self) -> u64 {
        // Relaxed: an identity. Of subscriptions also an order, under the lock of their topic.
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn next(&self) -> u64 {
        // Relaxed: read when a cut is complete, behind all code of before its line.
        self.0.load(Ordering::Relaxed)
    }

    fn number_behind(&self, number: u64) {
        self.0.fetch_max(number, Ordering::Relaxed);
    }
}

impl SubscriptionNumbers {
    pub(crate) fn of(services: &Services) -> &SubscriptionNumbers {
        services.extensions.part()
    }

    pub(crate) fn next(&self) -> u64 {
        self.0.next()
    }

    /// The next ones are not below `number`.
    pub(crate) fn number_behind(&self, number: u64) {
        self.0.number_behind(number);
    }
}

impl TableNumbers {
    pub(crate) fn of(services: &Services) -> &TableNumbers {
        services.extensions.part()
    }

    pub(crate) fn next(&self) -> u64 {
        self.numbers.next()
    }

    /// The next ones are not below `number`.
    pub(crate) fn number_behind(&self, number: u64) {
        self.numbers.number_behind(number);
    }

    /// This group or topic has this number.
    pub(super) fn remember(&self, number: u64, table: &Arc<dyn SharedTable>) {
        let mut living = lock(&self.living);
        if living.insert(number, Arc::downgrade(table)).is_none() && living.len().is_power_of_two()
        {
            living.retain(|_, table| table.strong_count() > 0);
        }
    }

    /// The group or topic of this number, if it lives.
    pub(super) fn living(&self, number: u64) -> Option<Arc<dyn SharedTable>> {
        lock(&self.living).get(&number)?.upgrade()
    }
}

impl TableIdentity {
    pub(super) fn named(system: &Shared, name: &str) -> TableIdentity {
        TableIdentity(Arc::new(Identity::Named {
            system: system.number,
            name: name.to_owned(),
            subscriptions: SubscriptionNumbers::of(system).0.clone(),
        }))
    }

    pub(super) fn unnamed() -> TableIdentity {
        TableIdentity(Arc::new(Identity::Unnamed {
            numbers: Mutex::default(),
            subscriptions: Numbers::default(),
        }))
    }

    /// Of this number in the images of a system that is restored. Its subscriptions get numbers
    /// that none of that system has had.
    pub(super) fn numbered(system: &Shared, number: u64) -> TableIdentity {
        let subscriptions = Numbers::default();
        subscriptions.number_behind(SubscriptionNumbers::of(system).next());
        TableIdentity(Arc::new(Identity::Unnamed {
            numbers: Mutex::new(vec![(system.number, number)]),
            subscriptions,
        }))
    }

    pub(super) fn restored(system: &Shared, name: &TableName) -> TableIdentity {
        match name {
            TableName::Named(name) => TableIdentity::named(system, name),
            TableName::Numbered(number) => TableIdentity::numbered(system, *number),
        }
    }

    /// Under the lock of the topic: its subscriptions have rising numbers.
    pub(super) fn take_subscription(&self) -> u64 {
        self.subscriptions().take()
    }

    /// The number of the next subscription.
    pub(super) fn next_subscription(&self) -> u64 {
        self.subscriptions().next()
    }

    fn subscriptions(&self) -> &Numbers {
        match &*self.0 {
            Identity::Named { subscriptions, .. } => subscriptions,
            Identity::Unnamed { subscriptions, .. } => subscriptions,
        }
    }

    /// What images of this system name it. `None`: another system has its name.
    pub(super) fn in_system(&self, system: &Shared) -> Option<TableName> {
        match &*self.0 {
            Identity::Named {
                system: of, name, ..
            } => (*of == system.number).then(|| TableName::Named(name.clone())),
            Identity::Unnamed { numbers, .. } => {
                Some(TableName::Numbered(number_in(system, &mut lock(numbers))))
            }
        }
    }

    /// What the value that is encoded names it. `None`: it is of another system, or has no name,
    /// and the value is encoded for no image.
    pub(super) fn in_image(&self, out: &Encoder<'_>) -> Option<TableName> {
        let name = match (&*self.0, SeenActors::system(out)) {
            (_, Some(system)) => self.in_system(system)?,
            (Identity::Named { name, .. }, None) => TableName::Named(name.clone()),
            (Identity::Unnamed { .. }, None) => return None,
        };
        if let Some(number) = name.number() {
            SeenActors::note_number(number, out);
        }
        Some(name)
    }
}

/// The number in images of this system. It gets one when the first image needs it.
fn number_in(system: &Shared, numbers: &mut Vec<(u64, u64)>) -> u64 {
    let known = numbers.iter().find(|(of, _)| *of == system.number);
    if let Some((_, number)) = known {
        return *number;
    }
    let number = TableNumbers::of(system).numbers.take();
    numbers.push((system.number, number));
    number
}

/// Saves a handle of this group or topic. `what` it is, for errors.
pub(super) fn save_handle(
    table: &Arc<impl SharedTable>,
    identity: &TableIdentity,
    what: &str,
    out: &mut Encoder<'_>,
) {
    match identity.in_image(out) {
        Some(name) => {
            if let Some(number) = name.number() {
                let table: Arc<dyn SharedTable> = table.clone();
                if let Some(system) = SeenActors::system(out) {
                    TableNumbers::of(system).remember(number, &table);
                }
                SeenActors::note_table(number, table, out);
            }
            name.save(out);
        }
        None if SeenActors::system(out).is_some() => {
            out.error(format!("a {what} of another system"));
        }
        None => out.error(format!(
            "a {what} without a name, in a value that is encoded before the snapshot: get it from \
             the system, by `{what}(\"…\")`"
        )),
    }
}
