//! Accounts that take no message while their transfer is under way: a request within a request, and
//! messages that wait for its end.
//!
//! Protocol: bank transaction of Savina, with its sizes. A teller requests 50,000 transfers between
//! random ones of 1,000 accounts, all in one turn. The first account withdraws the amount, requests
//! a deposit from the second one, and takes no other message until that has answered. The second
//! account has a higher number, so no two wait for each other.
//!
//! Timed: from the teller's first request to its last answer. An operation is a transfer: two
//! requests and two answers.

use super::{Random, snapshot_point};
use crate::prelude::*;
use vivant::prelude::*;

pub(in super::super) const BANKING: Bench = Bench::new(
    Group::Savina,
    "banking",
    "accounts that wait for each other's answers",
    &[
        Param::count("accounts", 1_000, 20, "accounts").at_least(10),
        Param::count("transfers", 50_000, 100, "transfers"),
    ],
    run,
)
.saved::<(Account, Teller)>();

/// An amount of money, in units of 1000/65536: that many times a number of the generator is the
/// amount that Savina moves.
type Amount = i64;

#[derive(Actor)]
#[actor(saved)]
struct Account {
    balance: Amount,
}

#[behaviours]
impl Account {
    /// Moves an amount to another account; answers with what was moved.
    fn transfer(
        &mut self,
        t: &Turn<Self>,
        amount: Amount,
        to: Address<Account>,
    ) -> Promise<Amount> {
        self.balance -= amount;
        t.ask(to.deposit(amount))
            .exclusive()
            .then(t.me().deposited(amount))
    }

    #[then]
    fn deposited(&mut self, deposited: Result<(), AskError>, amount: Amount) -> Amount {
        match deposited {
            Ok(()) => amount,
            Err(_) => {
                self.balance += amount;
                0
            }
        }
    }

    fn deposit(&mut self, amount: Amount) {
        self.balance += amount;
    }

    fn balance(&mut self) -> Amount {
        self.balance
    }
}

/// A transfer, with the numbers of the accounts.
struct Transfer {
    from: usize,
    to: usize,
    amount: Amount,
}

/// The transfers of a teller, in their order.
fn transfers(accounts: u64, count: u64) -> impl Iterator<Item = Transfer> {
    let mut random = Random::seeded(Random::SEED);
    (0..count).map(move |_| {
        let from = random.below(accounts / 10 * 8);
        let to = from + random.below(accounts - from).max(1);
        Transfer {
            from: from as usize,
            to: to as usize,
            amount: random.draw() as Amount,
        }
    })
}

#[derive(Actor)]
#[actor(saved)]
struct Teller {
    accounts: Vec<Address<Account>>,
    missing: u64,
    moved: Amount,
    done: Option<Resolver<Amount>>,
}

#[behaviours]
impl Teller {
    /// Requests all transfers; answers with the sum of the amounts that were moved.
    fn transfer_all(&mut self, t: &Turn<Self>, count: u64) -> Promise<Amount> {
        let (promise, done) = t.promise();
        (self.missing, self.done) = (count, Some(done));
        for Transfer { from, to, amount } in transfers(self.accounts.len() as u64, count) {
            let to = self.accounts[to].clone();
            t.ask(self.accounts[from].transfer(amount, to))
                .then_send(t.me().transferred());
        }
        snapshot_point(t);
        promise
    }

    #[then]
    fn transferred(&mut self, moved: Result<Amount, AskError>) {
        // The check sees a sum that is too small.
        self.moved += moved.unwrap_or(0);
        self.missing -= 1;
        if self.missing == 0
            && let Some(done) = self.done.take()
        {
            done.resolve(self.moved);
        }
    }

    fn balances(&mut self, t: &Turn<Self>) -> Promise<Vec<Amount>> {
        t.all(self.accounts.iter().map(|account| t.ask(account.balance())))
    }
}

/// The sum of all amounts, and the balances when all are moved.
fn outcome(accounts: u64, count: u64) -> (Amount, Vec<Amount>) {
    let mut balances = vec![0; accounts as usize];
    let mut moved = 0;
    for Transfer { from, to, amount } in transfers(accounts, count) {
        moved += amount;
        balances[from] -= amount;
        balances[to] += amount;
    }
    (moved, balances)
}

/// An amount as Savina prints it, rounded to a whole number.
fn whole(amount: Amount) -> u64 {
    (amount as u64 * 1_000 + 32_768) / 65_536
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (accounts, count) = (run.count("accounts"), run.count("transfers"));
    let system = run.system();
    let account = |_| system.spawn(Account { balance: 0 });
    let teller = system.spawn(Teller {
        accounts: (0..accounts).map(account).collect(),
        missing: 0,
        moved: 0,
        done: None,
    });
    let meter = Meter::start();
    let moved = teller.transfer_all(count).ask_blocking()?;
    let spent = meter.stop();
    let balances = teller.balances().ask_blocking()?;
    let (expected, expected_balances) = outcome(accounts, count);
    let right = balances.iter().zip(&expected_balances);
    let right = right.filter(|(balance, expected)| balance == expected);
    run.check(
        "accounts with their balance",
        accounts,
        right.count() as u64,
    )?;
    run.row(spent, count, ("sum moved", whole(expected), whole(moved)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_savinas() {
        for (count, sum) in [
            (1_000, 516_215),
            (10_000, 4_975_454),
            (50_000, 25_057_792),
            (500_000, 250_052_558),
        ] {
            assert_eq!(whole(outcome(1_000, count).0), sum);
        }
    }

    #[test]
    fn no_account_transfers_to_one_before_it() {
        assert!(transfers(10, 1_000).all(|it| it.from < it.to && it.to < 10));
    }
}
