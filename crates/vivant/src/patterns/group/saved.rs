//! A group under its name: in a system, and in an image.

use super::super::named_registries::{NamedRegistries, NamedRegistry, Namespace, Registered};
use super::super::registry_name::{RegistryName, save_handle};
use super::Group;
use super::members::{GroupMembers, MembersType};
use crate::actor::Shared;
use crate::api::{RestoredSystem, Target};
use crate::sync::Arc;
use std::any::Any;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// A group without a name cannot be saved, nor can one of another system.
impl<'gc, T: ?Sized + Target> Saved<'gc> for Group<T> {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Group", shape_of::<'gc, String>());

    fn save(&self, out: &mut Encoder<'_>) {
        save_handle(self.members.name(), "group", out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let name: String = input.reference(Self::SHAPE)?;
        let Some(RestoredSystem(system)) = input.context() else {
            return Err(input.error("a group, which only a restore can find"));
        };
        let found = NamedRegistries::of(system).registry(system, &name);
        found.map_err(|error| input.error(error.to_string()))
    }
}

/// The group of this name, for a restore; it is made if there is none. `None`: it has members of
/// another type.
pub(crate) fn restored_group(
    system: &Shared,
    name: &str,
    of: MembersType,
) -> Option<Arc<GroupMembers>> {
    let key = (Namespace::Group, name.to_owned());
    let make = |name| -> Arc<dyn Registered> { GroupMembers::new(Some(name), of) };
    let group = NamedRegistries::of(system).registered_or(system, key, of.name, make);
    let group: Arc<dyn Any + Send + Sync> = group;
    let group: Arc<GroupMembers> = group.downcast().ok()?;
    (group.of() == of).then_some(group)
}

impl<T: ?Sized + Target> NamedRegistry for Group<T> {
    const NAMESPACE: Namespace = Namespace::Group;

    fn of_type() -> &'static str {
        T::NAME
    }

    fn make(name: RegistryName) -> Arc<dyn Registered> {
        GroupMembers::new(Some(name), MembersType::of::<T>())
    }

    fn of(registered: Arc<dyn Any + Send + Sync>) -> Option<Self> {
        let members: Arc<GroupMembers> = registered.downcast().ok()?;
        members.is_of::<T>().then(|| Group::of(members))
    }
}
