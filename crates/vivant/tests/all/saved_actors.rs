//! Saved actors: their kinds, and the list of their messages by name.

use std::collections::{BTreeMap, HashMap};
use std::thread::{self, ThreadId};
use vivant::prelude::*;
use vivant::{Actor, NotSaved, Saved, SavedForm, SavedKinds, SavedStart, SavedState, WeakAddress};

#[derive(Saved, Clone, Debug, PartialEq)]
pub(crate) struct Booking {
    passenger: String,
    seat: Option<u16>,
}

#[vivant::interface(id = "test::Ledger")]
pub(crate) trait Ledger {
    fn enter(&mut self, amount: i64) -> i64;
}

#[derive(Actor, Debug)]
#[actor(saved, id = "test::Account", blocks(till, dyn Ledger))]
pub(crate) struct Account {
    balance: i64,
    bookings: BTreeMap<u64, Booking>,
    partner: Option<Address<Teller>>,
    book: Option<WeakAddress<dyn Ledger>>,
    #[saved(any_order)]
    names: HashMap<String, u32>,
    #[saved(skip)]
    cached: u64,
}

#[behaviours(id = "test::Account")]
impl Account {
    #[start]
    fn open(balance: i64) -> Self {
        Account {
            balance,
            bookings: BTreeMap::new(),
            partner: None,
            book: None,
            names: HashMap::new(),
            cached: 0,
        }
    }

    fn deposit(&mut self, amount: i64) -> i64 {
        self.cached += 1;
        self.balance += amount;
        self.balance
    }

    fn book(&mut self, #[saved(any_order)] names: HashMap<String, u32>, booking: Booking) {
        self.names.extend(names);
        self.bookings.insert(self.bookings.len() as u64, booking);
    }

    fn introduce(&mut self, teller: Address<Teller>, book: Address<dyn Ledger>) {
        self.partner = Some(teller);
        self.book = Some(Address::downgrade(&book));
    }

    fn count(&mut self, end: u64, #[locals] next: u64) -> Step<(u64, u64), u64> {
        match next < end {
            true => Step::Again((end, next + 1)),
            false => Step::Done(next),
        }
    }

    fn ask_partner(&mut self, t: &Turn<Self>, amount: i64) -> Promise<i64> {
        match &self.partner {
            Some(partner) => t.ask(partner.serve(amount)).then(t.me().served(amount)),
            None => t.ask(t.me().deposit(0)),
        }
    }

    #[then]
    fn served(&mut self, reply: Result<i64, AskError>, amount: i64) -> i64 {
        self.balance += amount;
        reply.unwrap_or(-1)
    }
}

#[behaviours(id = "test::Account", module = till)]
impl Account {
    fn put(item: u64);
    fn take() -> u64;

    #[join(put, take)]
    fn hand_over(&mut self, item: u64) -> u64 {
        item
    }
}

#[behaviours(id = "test::Account::Ledger")]
impl Ledger for Account {
    fn enter(&mut self, amount: i64) -> i64 {
        self.balance += amount;
        self.balance
    }
}

#[derive(Actor)]
#[actor(saved(restart), id = "test::Teller")]
pub(crate) struct Teller {
    made_on: ThreadId,
}

#[behaviours(id = "test::Teller")]
impl Teller {
    #[start]
    fn new(branch: String) -> Self {
        let _ = branch;
        Teller {
            made_on: thread::current().id(),
        }
    }

    fn serve(&mut self, amount: i64) -> i64 {
        let _ = self.made_on;
        amount
    }
}

#[derive(Actor)]
struct Plain {
    _made_on: ThreadId,
}

#[behaviours]
impl Plain {
    fn since(&self, at: ThreadId) -> ThreadId {
        at
    }
}

#[test]
fn kinds_are_types() {
    fn is<A: Actor<SaveKind = K>, K>() {}
    is::<Account, SavedState>();
    is::<Teller, SavedStart>();
    is::<Plain, NotSaved>();
}

#[test]
fn all_kinds_of_messages_are_listed_by_name() {
    let kinds = SavedKinds::of::<(Account, Teller)>().expect("names differ");
    let actors: Vec<_> = kinds.actors().collect();
    assert_eq!(actors, ["test::Account", "test::Teller"]);
    let kinds: Vec<String> = kinds.kinds().map(|kind| kind.to_string()).collect();
    assert_eq!(
        kinds,
        [
            "message test::Account::Ledger::enter",
            "message test::Account::ask_partner",
            "message test::Account::book",
            "message test::Account::count",
            "next step test::Account::count",
            "message test::Account::deposit",
            "join test::Account::hand_over",
            "message test::Account::introduce",
            "start test::Account::open",
            "message test::Account::put",
            "message test::Account::served",
            "continuation test::Account::served",
            "message test::Account::take",
            "start test::Teller::new",
            "message test::Teller::serve",
        ]
    );
}

#[derive(Actor)]
#[actor(saved, id = "test::Twin")]
struct One {}

#[behaviours(id = "test::Twin")]
impl One {
    fn ping(&self) {}
}

#[derive(Actor)]
#[actor(saved, id = "test::Twin")]
struct Two {}

#[derive(Actor)]
#[actor(saved)]
struct Three {}

#[behaviours(id = "test::Twin")]
impl Three {
    fn ping(&self) {}
}

#[test]
fn equal_names_are_an_error_that_names_both() {
    let error = SavedKinds::of::<(One, Two)>().expect_err("one name");
    let text = error.to_string();
    assert!(text.contains("the actor `test::Twin`"), "{text}");
    assert!(text.contains("::One`") && text.contains("::Two`"), "{text}");
    let error = SavedKinds::of::<(One, Three)>().expect_err("one name");
    let text = error.to_string();
    assert!(text.contains("the message test::Twin::ping"), "{text}");
    assert!(text.contains("::One") && text.contains("::Three"), "{text}");
    assert!(SavedKinds::of::<(One, One)>().is_ok(), "the same type");
}

#[derive(Actor)]
#[actor(saved)]
pub(crate) struct Shelf<T: Clone + for<'any> Saved<'any>> {
    items: Vec<T>,
}

#[behaviours]
impl<T: Clone + for<'any> Saved<'any>> Shelf<T> {
    fn lay(&mut self, item: T) -> u64 {
        self.items.push(item);
        self.items.len() as u64
    }

    fn first(&self) -> Option<T> {
        self.items.first().cloned()
    }
}

#[test]
fn a_generic_actor_is_saved() {
    let kinds = SavedKinds::of::<(Shelf<String>,)>().expect("names differ");
    let names: Vec<_> = kinds.kinds().collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|kind| kind.form == SavedForm::Message));
    let system = System::new();
    let shelf = system.spawn(Shelf { items: Vec::new() });
    assert_eq!(shelf.lay("a".to_owned()).ask_blocking(), Ok(1));
    assert_eq!(shelf.first().ask_blocking(), Ok(Some("a".to_owned())));
}

#[test]
fn saved_actors_run_as_others() {
    let system = System::new();
    let teller = Teller::spawn(&system, "main".to_owned());
    let account = Account::spawn(&system, 5);
    let book: Address<dyn Ledger> = Address::upcast(&account);
    account.introduce(teller, book).send();
    assert_eq!(account.ask_partner(7).ask_blocking(), Ok(7));
    assert_eq!(account.deposit(0).ask_blocking(), Ok(12));
    assert_eq!(account.count(9).ask_blocking(), Ok(9));
    let booking = Booking {
        passenger: "Ada".to_owned(),
        seat: None,
    };
    let names = HashMap::from([("Ada".to_owned(), 1)]);
    assert_eq!(account.book(names, booking).ask_blocking(), Ok(()));
    account.put(7).send();
    assert_eq!(account.take().ask_blocking(), Ok(7));
    assert_eq!(system.spawn(One {}).ping().ask_blocking(), Ok(()));
    assert_eq!(system.spawn(Three {}).ping().ask_blocking(), Ok(()));
    let plain = system.spawn(Plain {
        _made_on: thread::current().id(),
    });
    let id = thread::current().id();
    assert_eq!(plain.since(id).ask_blocking(), Ok(id));
}
