//! [`RegistryName`]: the name under which actors of a system share a group or a topic.

use crate::actor::{SeenActors, Shared};
use crate::services::Services;
use crate::sync::{Arc, AtomicU64, Ordering};
use vivant_codec::{Encoder, Saved};

/// The name of a group or a topic, and the number of the system that has it.
#[derive(Clone)]
pub(crate) struct RegistryName {
    pub(super) system: u64,
    pub(super) name: Arc<str>,
    /// Of the system.
    pub(super) numbers: SubscriptionNumbers,
}

/// The number of the next subscription. Topics with a name have the numbers of their system: a
/// topic that is swept and made anew gives none a second time.
#[derive(Clone, Default)]
pub(crate) struct SubscriptionNumbers(Arc<AtomicU64>);

impl SubscriptionNumbers {
    pub(crate) fn of(services: &Services) -> &SubscriptionNumbers {
        services.extensions.part()
    }

    /// Under the lock of the topic: its subscriptions have rising numbers.
    pub(super) fn take(&self) -> u64 {
        // Relaxed: an identity, and an order under that lock.
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn next(&self) -> u64 {
        // Relaxed: read where the subscriptions of before the line are known.
        self.0.load(Ordering::Relaxed)
    }

    /// The next ones are not below `number`.
    pub(crate) fn number_behind(&self, number: u64) {
        self.0.fetch_max(number, Ordering::Relaxed);
    }
}

impl RegistryName {
    pub(super) fn new(system: &Shared, name: &str) -> RegistryName {
        RegistryName {
            system: system.number,
            name: name.into(),
            numbers: SubscriptionNumbers::of(system).clone(),
        }
    }

    /// The name, for actors of this system. For those of others it is not saved.
    pub(crate) fn in_system(&self, system: &Shared) -> Option<&str> {
        (self.system == system.number).then_some(&*self.name)
    }
}

/// Saves a handle: as its name. `what` is for errors.
pub(super) fn save_handle(name: Option<&RegistryName>, what: &str, out: &mut Encoder<'_>) {
    match name {
        Some(RegistryName { system, name, .. }) if !SeenActors::is_elsewhere(*system, out) => {
            (**name).to_owned().save(out);
        }
        Some(_) => out.error(format!("a {what} of another system")),
        None => out.error(format!(
            "a {what} without a name: get it from the system, by `{what}(\"…\")`"
        )),
    }
}
