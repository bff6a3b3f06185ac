//! A group under its name: in a system, and in an image.

use super::super::named_registries::{NamedRegistries, NamedRegistry, Namespace};
use super::super::numbered_tables::{NumberedTables, load_handle};
use super::super::table_identity::{TableIdentity, save_handle};
use super::Group;
use super::members::{GroupMembers, MembersType};
use crate::actor::{Shared, SharedTable, TableName};
use crate::api::Target;
use crate::sync::Arc;
use std::any::Any;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// A group with a name in another system cannot be saved.
impl<'gc, T: ?Sized + Target> Saved<'gc> for Group<T> {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Group", shape_of::<'gc, TableName>());

    fn save(&self, out: &mut Encoder<'_>) {
        save_handle(&self.members, self.members.identity(), "group", out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        load_handle(Self::SHAPE, "group", input)
    }
}

/// Why a restored group cannot have a member.
pub(crate) enum NoGroup {
    /// It has members of another type.
    OtherType,
    /// The system has not given this number.
    Unknown,
}

/// The group of this name, for a restore; it is made if there is none.
pub(crate) fn restored_group(
    system: &Shared,
    name: &TableName,
    of: MembersType,
    tables: &NumberedTables,
) -> Result<Arc<GroupMembers>, NoGroup> {
    let make = |identity| -> Arc<dyn SharedTable> { GroupMembers::new(identity, of) };
    let group = match name {
        TableName::Named(name) => {
            let key = (Namespace::Group, name.clone());
            NamedRegistries::of(system).registered_or(system, key, of.name, make)
        }
        TableName::Numbered(number) => {
            let group = tables.table_or(system, *number, make);
            group.ok_or(NoGroup::Unknown)?
        }
    };
    let group: Arc<dyn Any + Send + Sync> = group;
    let group = group.downcast::<GroupMembers>();
    let group = group.map_err(|_| NoGroup::OtherType)?;
    match group.of() == of {
        true => Ok(group),
        false => Err(NoGroup::OtherType),
    }
}

impl<T: ?Sized + Target> NamedRegistry for Group<T> {
    const NAMESPACE: Namespace = Namespace::Group;

    fn of_type() -> &'static str {
        T::NAME
    }

    fn make(identity: TableIdentity) -> Arc<dyn SharedTable> {
        GroupMembers::new(identity, MembersType::of::<T>())
    }

    fn of(registered: Arc<dyn Any + Send + Sync>) -> Option<Self> {
        let members: Arc<GroupMembers> = registered.downcast().ok()?;
        members.is_of::<T>().then(|| Group::of(members))
    }
}
