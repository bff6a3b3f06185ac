//! Names, groups and topics of a system, for code outside of turns.

use super::System;
use crate::api::{Address, Target};
use crate::patterns::{Group, LookupError, NamedRegistries, Names, RegisterError, Topic};

impl System {
    /// Registers `address` under a name, for [`lookup`](System::lookup) with the same type: an
    /// address of an actor, or of an interface. An actor may have several names; to register it
    /// again under a name that it has is no error.
    ///
    /// A name does not keep its actor alive; [`System::keep`] does. The name is free again as soon
    /// as the actor has ended or is unreachable.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::RegisterError;
    ///
    /// #[derive(Actor)] struct Cashier { till: u64 }
    /// #[behaviours] impl Cashier {
    ///     fn pay(&mut self, amount: u64) -> u64 { self.till += amount; self.till }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let system = System::new();
    /// let (ada, bob) = (system.spawn(Cashier { till: 0 }), system.spawn(Cashier { till: 0 }));
    /// system.register("cashier", &ada)?;
    /// assert!(matches!(system.register("cashier", &bob), Err(RegisterError::Taken { .. })));
    /// assert_eq!(system.lookup::<Cashier>("cashier")?.pay(5).ask_blocking()?, 5);
    /// # Ok(()) }
    /// ```
    ///
    /// Costs a lock of the system's names and of its exit hooks.
    ///
    /// # Errors
    ///
    /// Another actor has the name, or this one has ended.
    ///
    /// # Panics
    ///
    /// If the actor belongs to another system.
    pub fn register<T: ?Sized + Target>(
        &self,
        name: &str,
        address: &Address<T>,
    ) -> Result<(), RegisterError> {
        Names::of(self.shared()).register(self.shared(), name, address)
    }

    /// Removes a name; false when it was not registered.
    pub fn unregister(&self, name: &str) -> bool {
        Names::of(self.shared()).unregister(self.shared(), name)
    }

    /// The actor that has this name. Costs a lock of the system's names: for frequent sends, keep
    /// the address.
    ///
    /// # Errors
    ///
    /// The name is not registered, or it is registered with an address of another type than `T`.
    pub fn lookup<T: ?Sized + Target>(&self, name: &str) -> Result<Address<T>, LookupError> {
        Names::of(self.shared()).lookup(name)
    }

    /// The group of this name; the first call makes it. It is removed when it has no members and no
    /// handle to it is left.
    ///
    /// # Errors
    ///
    /// The group of this name has members of another type.
    pub fn group<T: ?Sized + Target>(&self, name: &str) -> Result<Group<T>, LookupError> {
        NamedRegistries::of(self.shared()).registry(self.shared(), name)
    }

    /// The topic of this name; the first call makes it. It is removed when it has no subscribers
    /// and no handle to it is left.
    ///
    /// ```
    /// use vivant::prelude::*;
    ///
    /// # fn main() -> Result<(), vivant::LookupError> {
    /// let system = System::new();
    /// system.topic::<u64>("prices")?.publish(42);
    /// let error = system.topic::<String>("prices").unwrap_err();
    /// assert!(error.to_string().contains("was registered as"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The topic of this name has values of another type.
    pub fn topic<T: Clone + Send + 'static>(&self, name: &str) -> Result<Topic<T>, LookupError> {
        NamedRegistries::of(self.shared()).registry(self.shared(), name)
    }
}
