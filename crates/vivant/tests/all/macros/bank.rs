//! Public items of a public module, as a library has them.

use vivant::prelude::*;

/// An account.
#[derive(Actor, Debug)]
pub struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    /// An account with nothing in it.
    #[must_use]
    pub fn empty() -> Account {
        Account { balance: 0 }
    }

    /// Adds `amount`.
    ///
    /// ```
    /// compile_error!("examples are tested where the user wrote them, which tests are not");
    /// ```
    pub fn deposit(&mut self, amount: u64) -> u64 {
        self.balance += amount;
        self.balance
    }

    /// Takes `amount`, once it is there and there is a reason.
    #[when(self.balance >= amount && !reason.is_empty() && matches!(amount, 1..=1000))]
    pub fn withdraw(&mut self, amount: u64, reason: String) -> (u64, String) {
        self.balance -= amount;
        (self.balance, reason)
    }

    /// A look.
    pub fn balance(&self) -> u64 {
        self.checked()
    }

    pub(crate) fn audit(&mut self, t: &Turn<Self>) -> String {
        format!("{}: {}", Address::path(&t.me()), self.balance)
    }

    #[local]
    fn checked(&self) -> u64 {
        self.balance
    }

    fn halve(&mut self) {
        self.balance /= 2;
    }
}

/// Private behaviours are for the module.
pub fn halve(account: &Address<Account>) {
    account.halve().send();
}
