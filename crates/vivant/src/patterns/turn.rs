//! Names, groups, topics and named timers of a turn.

use super::named_registries::NamedRegistries;
use super::named_timer::NamedTimer;
use super::names::{LookupError, Names, RegisterError};
use super::{Group, Topic};
use crate::api::{Actor, Address, Target, Turn};

impl<A: Actor> Turn<'_, A> {
    /// See [`System::register`](crate::System::register).
    ///
    /// # Errors
    ///
    /// Another actor has the name, or this one has ended.
    pub fn register<T: ?Sized + Target>(
        &self,
        name: &str,
        address: &Address<T>,
    ) -> Result<(), RegisterError> {
        let system = &self.worker().system;
        Names::of(system).register(system, name, address)
    }

    /// See [`System::unregister`](crate::System::unregister).
    pub fn unregister(&self, name: &str) -> bool {
        let system = &self.worker().system;
        Names::of(system).unregister(system, name)
    }

    /// See [`System::lookup`](crate::System::lookup).
    ///
    /// # Errors
    ///
    /// The name is not registered, or it is registered with an address of another type than `T`.
    pub fn lookup<T: ?Sized + Target>(&self, name: &str) -> Result<Address<T>, LookupError> {
        Names::of(&self.worker().system).lookup(name)
    }

    /// See [`System::group`](crate::System::group).
    ///
    /// # Errors
    ///
    /// The group of this name has members of another type.
    pub fn group<T: ?Sized + Target>(&self, name: &str) -> Result<Group<T>, LookupError> {
        let system = &self.worker().system;
        NamedRegistries::of(system).registry(system, name)
    }

    /// See [`System::topic`](crate::System::topic).
    ///
    /// # Errors
    ///
    /// The topic of this name has values of another type.
    pub fn topic<T: Clone + Send + 'static>(&self, name: &str) -> Result<Topic<T>, LookupError> {
        let system = &self.worker().system;
        NamedRegistries::of(system).registry(system, name)
    }

    /// This actor's timer of that name, to set or to cancel. It belongs to the actor and not to its
    /// state: a restarted actor finds it running.
    pub fn timer<'t>(&'t self, name: &'t str) -> NamedTimer<'t> {
        NamedTimer::new(self.worker(), name)
    }
}
