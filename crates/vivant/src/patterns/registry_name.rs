//! [`RegistryName`]: the name under which actors of a system share a group or a topic.

use crate::actor::{SeenActors, Shared};
use crate::sync::Arc;
use vivant_codec::{Encoder, Saved};

/// The name of a group or a topic, and the number of the system that has it.
#[derive(Clone)]
pub(crate) struct RegistryName {
    pub(super) system: u64,
    pub(super) name: Arc<str>,
}

impl RegistryName {
    pub(super) fn new(system: &Shared, name: &str) -> RegistryName {
        RegistryName {
            system: system.number,
            name: name.into(),
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
        Some(RegistryName { system, name }) if !SeenActors::is_elsewhere(*system, out) => {
            (**name).to_owned().save(out);
        }
        Some(_) => out.error(format!("a {what} of another system")),
        None => out.error(format!(
            "a {what} without a name: get it from the system, by `{what}(\"…\")`"
        )),
    }
}
