//! Continuations: messages with a hole.

use super::Outcome;
use super::bank::Account;
use vivant::prelude::*;

#[derive(Actor)]
struct Teller {
    served: u64,
}

#[behaviours]
impl Teller {
    pub(self) fn transfer(
        &mut self,
        t: &Turn<Self>,
        from: Address<Account>,
        to: Address<Account>,
        amount: u64,
    ) -> Promise<u64> {
        t.ask(from.withdraw(amount, "transfer".into()))
            .then(t.me().debited(to, amount))
    }

    #[then]
    fn debited(
        &mut self,
        t: &Turn<Self>,
        left: Result<(u64, String), AskError>,
        to: Address<Account>,
        amount: u64,
    ) -> Promise<u64> {
        match left {
            Ok(_) => t.ask(to.deposit(amount)).then(t.me().credited()),
            Err(_) => Promise::ready(0),
        }
    }

    /// A continuation that takes no turn, and no more than its hole.
    #[then]
    fn credited(&mut self, now: Result<u64, AskError>) -> u64 {
        self.served += 1;
        now.unwrap_or(0)
    }

    fn introduce(&mut self, other: Address<Self>) -> Promise<Address<Self>> {
        Promise::ready(other)
    }
}

#[test]
fn continuations_fill_their_holes() -> Outcome {
    let system = System::new();
    let (from, to) = (
        system.spawn(Account::empty()),
        system.spawn(Account::empty()),
    );
    from.deposit(10).send();
    let teller = system.spawn(Teller { served: 0 });
    let now = teller.transfer(from, to, 7).ask_blocking()?;
    assert_eq!(now, 7);
    assert_eq!(
        teller.introduce(teller.clone()).ask_blocking()?,
        teller.clone()
    );
    Ok(())
}
