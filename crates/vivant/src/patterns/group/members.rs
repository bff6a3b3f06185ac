//! [`GroupMembers`]: the members of a group, whatever their type, and the line of a cut (L10).

use super::super::table_identity::TableIdentity;
use crate::actor::{
    AddressRef, CellRef, Entry, EntryStamp, Header, Observation, Shared, SharedTable, Source,
    Table, TableEntry, TableName, observed, record,
};
use crate::api::{Target, WeakAddress};
use crate::interned::Name;
use crate::services::{ExitAction, ExitHookId, Membership};
use crate::sync::{Arc, Mutex, lock};
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Weak;

/// What a group is in the system that has it.
pub(crate) struct GroupMembers {
    identity: TableIdentity,
    of: MembersType,
    table: Mutex<MemberTable>,
}

/// The type of the members: that of an actor, or an interface.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MembersType {
    /// Of their `WeakAddress`.
    pub(crate) address: TypeId,
    pub(crate) name: Name,
}

#[derive(Default)]
pub(super) struct MemberTable {
    next_number: u64,
    /// In the order of joining.
    joined: BTreeMap<u64, Member>,
    /// By system and actor: the number in `joined`.
    numbers: BTreeMap<(u64, u64), u64>,
}

struct Member {
    cell: CellRef,
    /// A `WeakAddress` of the group's type.
    address: Box<dyn Any + Send + Sync>,
    exit_hook: ExitHookId,
    stamp: EntryStamp,
}

impl MembersType {
    pub(super) fn of<T: ?Sized + Target>() -> MembersType {
        MembersType {
            address: TypeId::of::<WeakAddress<T>>(),
            name: Name::new(T::NAME),
        }
    }
}

impl GroupMembers {
    pub(crate) fn new(identity: TableIdentity, of: MembersType) -> Arc<GroupMembers> {
        Arc::new(GroupMembers {
            identity,
            of,
            table: Mutex::default(),
        })
    }

    pub(crate) fn is_of<T: ?Sized + Target>(&self) -> bool {
        self.of.address == TypeId::of::<WeakAddress<T>>()
    }

    pub(crate) fn of(&self) -> MembersType {
        self.of
    }

    pub(super) fn identity(&self) -> &TableIdentity {
        &self.identity
    }

    /// Makes the actor the last member; `address` is its `WeakAddress` of the group's type. False
    /// when it is a member already, or has ended.
    pub(crate) fn join(
        self: &Arc<Self>,
        to: &AddressRef,
        address: Box<dyn Any + Send + Sync>,
    ) -> bool {
        let key = key(to);
        let mut table = lock(&self.table);
        let is_member = table.numbers.contains_key(&key);
        if observed(Observation::Join, Source::Entry(&*table), is_member) {
            return false;
        }
        to.system.change_table(|code| {
            // Under the lock: the exit hook needs it to remove the member, so it finds what is
            // written here.
            let number = table.next_number;
            let group: Weak<GroupMembers> = Arc::downgrade(self);
            let left = ExitAction::Leave(group, number);
            let registered = to.system.when_ended(to, left);
            let registered = observed(Observation::Join, Source::Actor(to), registered);
            let Some(exit_hook) = registered else {
                return false;
            };
            table.next_number += 1;
            table.numbers.insert(key, number);
            let member = Member {
                cell: to.cell(),
                address,
                exit_hook,
                stamp: EntryStamp::made_by(code),
            };
            table.joined.insert(number, member);
            true
        })
    }

    /// Removes the actor; false when it was no member.
    pub(super) fn remove(&self, to: &AddressRef) -> bool {
        let mut table = lock(&self.table);
        let number = table.numbers.get(&key(to)).copied();
        let left = number.and_then(|number| self.take_out(&mut table, number));
        let was_member = observed(Observation::Leave, Source::Entry(&*table), left.is_some());
        drop(table);
        if let Some(member) = left {
            to.system.exit_hooks.remove(member.exit_hook);
        }
        was_member
    }

    /// The members in the order of joining, of a group of this type.
    pub(super) fn all<T: ?Sized + Target>(&self) -> Vec<WeakAddress<T>> {
        let table = lock(&self.table);
        let all = table.joined.values();
        let all = all.filter_map(|member| member.address.downcast_ref().cloned());
        let all: Vec<WeakAddress<T>> = all.collect();
        observed(Observation::Members, Source::Entry(&*table), all)
    }

    fn take_out(&self, table: &mut MemberTable, number: u64) -> Option<Member> {
        let system = table.joined.get(&number)?.cell.system.clone();
        system.change_table(|code| {
            let member = table.joined.remove(&number)?;
            table.numbers.remove(&key(&member.cell));
            if member.stamp.is_recorded_by(code, &system.passes) {
                let group = self.identity.in_system(&system);
                self.record(group.as_ref(), number, &member);
            }
            Some(member)
        })
    }

    /// `group` is its name in images of the member's system. `None`: it is in none.
    fn record(&self, group: Option<&TableName>, number: u64, member: &Member) {
        let system = &member.cell.system;
        if let Some(group) = group {
            let entry = TableEntry::Member {
                group,
                joined_as: self.of.name,
                number,
                actor: &member.cell,
            };
            record(system, |cut| cut.entry(entry));
        }
    }
}

fn key(actor: &Header) -> (u64, u64) {
    (actor.system.number, actor.id)
}

impl SharedTable for GroupMembers {
    fn is_empty(&self) -> bool {
        lock(&self.table).joined.is_empty()
    }

    fn record_older(&self, system: &Arc<Shared>) {
        let group = self.identity.in_system(system);
        for (number, member) in &mut lock(&self.table).joined {
            if Arc::ptr_eq(&member.cell.system, system)
                && member.stamp.is_recorded_at_end(&system.passes)
            {
                self.record(group.as_ref(), *number, member);
            }
        }
    }
}

impl Entry for MemberTable {
    fn table(&self) -> Table {
        Table::Group
    }
}

impl Membership for GroupMembers {
    fn leave(&self, number: u64) {
        let mut table = lock(&self.table);
        let left = self.take_out(&mut table, number);
        drop(table);
        drop(left);
    }

    fn is_in_images(&self) -> bool {
        true
    }
}

impl Drop for GroupMembers {
    fn drop(&mut self) {
        for member in lock(&self.table).joined.values() {
            member.cell.system.exit_hooks.remove(member.exit_hook);
        }
    }
}
