//! Messages and states of saved actors become bytes, and messages and states again.

#![allow(dead_code, reason = "messages are made by their types here")]

use super::call::{Sent, envelope};
use super::class::class_of;
use super::loaded_actors::{ActorsById, LoadedActors};
use super::promise::Resolver;
use super::promise::saved::{LoadedPromises, OpenResolver, ResultTypes};
use super::saved_kind::{SavedForm, SavedKind};
use super::saved_kinds::SavedKinds;
use super::start::StartCall;
use super::stepped::{NextStep, Stepped};
use crate::actor::{
    AddressRef, Envelope, KindTable, MessageKind, Next, Processed, Refusal, SavedClass, StateRef,
    StateSource, To, Worker, post,
};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Behaviour, WeakAddress, interface};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use vivant_codec::{Comparison, Decoder, Encoder, LoadError, Saved, Shapes, to_bytes};
use vivant_heap::{FinishedHeaps, HeapNumbers, RestoredHeaps};

#[interface(id = "test::Ledger")]
trait Ledger {
    fn enter(&mut self, amount: i64) -> i64;
}

#[derive(Actor)]
#[actor(saved, id = "test::Account", blocks(dyn Ledger))]
struct Account {
    balance: i64,
    partner: Option<WeakAddress<Account>>,
    #[saved(skip)]
    kept: Option<Resolver<i64>>,
}

#[behaviours(id = "test::Account")]
impl Account {
    #[start]
    fn open(balance: i64) -> Self {
        Account {
            balance,
            partner: None,
            kept: None,
        }
    }

    fn balance(&self) -> i64 {
        self.balance
    }

    fn deposit(&mut self, amount: i64, of: String) -> i64 {
        let _ = of;
        self.balance += amount;
        self.balance
    }

    fn introduce(&mut self, partner: Address<Account>, book: Address<dyn Ledger>) {
        let _ = book;
        self.partner = Some(Address::downgrade(&partner));
    }

    fn count(&mut self, end: u64, #[locals] next: u64) -> Step<(u64, u64), u64> {
        match next < end {
            true => Step::Again((end, next + 1)),
            false => Step::Done(next),
        }
    }

    #[then]
    fn served(&mut self, reply: Result<i64, AskError>, amount: i64) {
        self.balance += amount + reply.unwrap_or(-1);
    }

    /// Opens a promise that the balance waits for, and keeps the resolver: returns its bytes.
    fn wait(&mut self, t: &Turn<Self>) -> Vec<u8> {
        let (promise, resolver) = t.promise::<i64>();
        promise.then(t.me().served(100));
        let bytes = to_bytes(&resolver).expect("it has a name");
        self.kept = Some(resolver);
        bytes
    }

    fn kept(&mut self) -> Resolver<i64> {
        self.kept.take().expect("it waits")
    }

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
#[actor(saved(restart), id = "test::Pool")]
struct Pool {
    made: fn() -> u32,
}

#[behaviours(id = "test::Pool")]
impl Pool {
    #[start]
    fn new(size: u32) -> Self {
        let _ = size;
        Pool { made: || 7 }
    }

    fn poll(&self) {
        let _ = (self.made)();
    }
}

#[derive(Actor)]
struct Other;

#[behaviours]
impl Other {
    fn note(&self) {}
}

/// The living actors of a test, under the numbers that a file would have.
#[derive(Default)]
struct Living {
    actors: BTreeMap<u64, AddressRef>,
}

impl ActorsById for Living {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        self.actors.get(&id).cloned()
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Account, Pool)>().expect("names differ"))
}

fn loaded(actors: &[&Address<Account>]) -> LoadedActors {
    let actors = actors.iter().map(|address| {
        let counted = Address::counted(address);
        (counted.id, counted)
    });
    let living = Living {
        actors: actors.collect(),
    };
    LoadedActors::new(living, kinds())
}

/// Writes a message and reads it again: as its own program does, and as one would of which the
/// shapes come from the file.
fn again(message: &Envelope, form: SavedForm, actors: &LoadedActors) -> Envelope {
    let codec = message.kind().codec.expect("it is saved");
    let mut out = Encoder::new();
    message.save(&mut out);
    let bytes = out.finish().expect("it can be saved");
    let kinds = kinds();
    let kind = SavedKind {
        name: codec.name,
        form,
    };
    let table = kinds
        .kind(kind.form, kind.name)
        .expect("its name is listed");
    assert!(table.is_same(message.kind()));
    let codec = table.codec.expect("it is saved");

    let mut shapes = Shapes::default();
    let shape = shapes.add(codec.shape).expect("few shapes");
    let comparison = Comparison::new(&shapes);
    let contexts: [&dyn Any; 1] = [actors];
    let load = |stored| {
        let mut input = Decoder::new(&bytes).with_contexts(&contexts);
        let loaded = codec.load(&mut input, stored, Place::caller());
        input.finish().expect("all bytes are read");
        loaded.expect("the bytes are a message")
    };
    drop(load(Some((&comparison, shape))));
    load(None)
}

/// The arguments of a message, written and read again.
fn args_again<B: Behaviour>(args: B::Args, actors: &LoadedActors) -> B::Args {
    let message = envelope::<B>(args, Resolver::discarding(), Place::caller());
    let again = again(&message, SavedForm::Message, actors);
    match again.open::<Sent<B>>() {
        Ok((args, resolver)) => {
            assert!(resolver.is_discarding());
            args
        }
        Err(_) => panic!("a message of another kind"),
    }
}

use account_messages::{Count, Deposit, Introduce, Put, Served};

#[test]
fn arguments_come_back() {
    let simulation = Simulation::new(1);
    let account = simulation.system().spawn(Account::open(0));
    let other = simulation.system().spawn(Account::open(0));
    let actors = loaded(&[&account, &other]);
    let args = args_again::<Deposit<Account>>((-7, "Ada".to_owned()), &actors);
    assert_eq!(args, (-7, "Ada".to_owned()));
    assert_eq!(args_again::<Put<Account>>((7,), &actors), (7,));
    let hole = Err(AskError::Cancelled);
    let args = args_again::<Served<Account>>((hole.clone(), 9), &actors);
    assert_eq!(args, (hole, 9));
    let book: Address<dyn Ledger> = Address::upcast(&other);
    let (partner, book) = args_again::<Introduce<Account>>((account.clone(), book), &actors);
    assert_eq!(partner, account);
    assert_eq!(book.enter(5).ask_blocking(), Ok(5));
    assert_eq!(other.balance().ask_blocking(), Ok(5));
}

#[test]
fn a_message_through_an_interface_is_that_of_the_actor() {
    let simulation = Simulation::new(1);
    let account = simulation.system().spawn(Account::open(0));
    let actors = loaded(&[&account]);
    type Enter = account_ledger_messages::Enter<Account>;
    assert_eq!(args_again::<Enter>((4,), &actors), (4,));
}

#[test]
fn the_locals_of_a_step_come_back() {
    type B = Count<Account>;
    let actors = loaded(&[]);
    let codec = <B as Stepped>::LOCALS_CODEC.expect("the state is saved");
    let locals = |next: u64| {
        let bytes = to_bytes(&next).expect("a number");
        (codec.load)(&mut Decoder::new(&bytes)).expect("a number")
    };
    let content = (((9_u64,), Resolver::discarding()), locals(300));
    let message = Envelope::new::<NextStep<B>>(content, Place::caller());
    let again = again(&message, SavedForm::NextStep, &actors);
    let Ok((((end,), _), left)) = again.open::<NextStep<B>>() else {
        panic!("a message of another kind")
    };
    let mut out = Encoder::new();
    (codec.save)(&left, &mut out);
    assert_eq!(out.finish(), to_bytes(&300_u64));
    assert_eq!(end, 9);
}

#[test]
fn a_start_comes_back() {
    type S = account_messages_start::Open<Account>;
    let message = StartCall::<S>::new((70_000,)).envelope(Place::caller());
    let again = again(&message, SavedForm::Start, &loaded(&[]));
    let Ok(args) = again.open::<super::start::Started<S>>() else {
        panic!("a message of another kind")
    };
    assert_eq!(args, (70_000,));
}

#[test]
fn a_message_of_an_actor_that_is_not_saved_has_no_codec() {
    type Note = other_messages::Note<Other>;
    let message = envelope::<Note>((), Resolver::discarding(), Place::caller());
    assert!(message.kind().codec.is_none());
    let mut out = Encoder::new();
    message.save(&mut out);
    let error = out.finish().expect_err("it is not saved").to_string();
    assert!(
        error.contains("Other::note` is a message that is not saved"),
        "{error}"
    );
}

#[test]
fn a_resolver_is_named_by_its_promise() {
    let simulation = Simulation::new(1);
    let account = simulation.system().spawn(Account::open(0));
    let id = Address::counted(&account).id;
    let bytes = account.wait().ask_blocking().expect("it answers");
    let name = (id, 1);
    assert_eq!(bytes, to_bytes(&Some(name)).expect("numbers"));
    let kept = account.kept().ask_blocking().expect("it answers");
    let kept = RefCell::new(Some(OpenResolver::new(kept)));
    let promises = LoadedPromises {
        results: ResultTypes::default(),
        take: Box::new(move |owner, number| kept.take().filter(|_| (owner, number) == name)),
    };
    let contexts: [&dyn Any; 1] = [&promises];
    let load = || Resolver::<i64>::load(&mut Decoder::new(&bytes).with_contexts(&contexts));
    load().expect("it waits").resolve(11);
    assert_eq!(account.balance().ask_blocking(), Ok(111));
    // The promise is closed: nothing waits for the value.
    assert!(load().expect("a resolver").is_discarding());
}

#[test]
fn what_an_address_cannot_refer_to_is_an_error() {
    let simulation = Simulation::new(1);
    let account = simulation.system().spawn(Account::open(0));
    let pool = Pool::spawn(simulation.system(), 3);
    let id = Address::counted(&account).id;
    let living = Living {
        actors: [(id, Address::counted(&pool))].into(),
    };
    let actors = LoadedActors::new(living, kinds());
    let contexts: [&dyn Any; 1] = [&actors];
    fn text<T: for<'gc> Saved<'gc>>(id: u64, contexts: &[&dyn Any]) -> String {
        let bytes = to_bytes(&id).expect("a number");
        let loaded: Result<T, LoadError> =
            T::load(&mut Decoder::new(&bytes).with_contexts(contexts));
        match loaded {
            Ok(_) => panic!("no such address"),
            Err(error) => error.to_string(),
        }
    }
    let none = text::<Address<Account>>(id + 100, &contexts);
    assert!(none.contains("which the file does not have"), "{none}");
    let other = text::<Address<Account>>(id, &contexts);
    assert!(
        other.contains("`test::Account`") && other.contains("`test::Pool`"),
        "{other}"
    );
    let interface = text::<Address<dyn Ledger>>(id, &contexts);
    assert!(interface.contains("`test::Ledger`"), "{interface}");
    let outside = text::<WeakAddress<Account>>(id, &[]);
    assert!(outside.contains("only a restore"), "{outside}");
}

/// A turn of the runtime: what is saved of the actor, besides its messages.
struct Capture;

impl MessageKind for Capture {
    type Content = Sender<Option<Vec<u8>>>;
    const KIND: KindTable = KindTable::new::<Self>("capture", MessageRole::Start);

    fn run(sender: Self::Content, state: &mut StateRef<'_>, _: &Worker) -> Processed {
        let bytes = match &state.class().saved {
            SavedClass::Nothing => None,
            SavedClass::State(functions) => {
                let mut out = Encoder::new();
                (functions.save)(state, &mut out);
                out.finish().ok()
            }
            SavedClass::Start(kept) => kept(state).map(|(name, args)| {
                let mut bytes = name.as_str().as_bytes().to_vec();
                bytes.extend(args.expect("they can be saved"));
                bytes
            }),
        };
        sender.send(bytes).expect("the test waits");
        Processed::Done
    }

    fn refuse(_: Self::Content, _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

/// A turn of the runtime: the state is that of the bytes.
struct Refill;

impl MessageKind for Refill {
    type Content = Vec<u8>;
    const KIND: KindTable = KindTable::new::<Self>("refill", MessageRole::Start);

    fn run(bytes: Vec<u8>, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let actors = LoadedActors::new(Living::default(), kinds());
        let contexts: [&dyn Any; 1] = [&actors];
        match &state.class().saved {
            SavedClass::State(functions) => {
                let mut shapes = Shapes::default();
                let shape = shapes.add(functions.shape).expect("few shapes");
                let comparison = Comparison::new(&shapes);
                let heaps = RestoredHeaps::new(
                    &worker.system.heaps,
                    (&comparison, &[]),
                    HeapNumbers::New,
                    [],
                );
                let heaps = heaps.expect("no heaps");
                let values = heaps.values(&contexts);
                let source = StateSource {
                    bytes: &bytes,
                    contexts: &contexts,
                    values: &values,
                    stored: (&comparison, shape),
                    heaps: &heaps,
                    heap: None,
                    locals: None,
                    notices: Vec::new(),
                };
                let loaded = (functions.load)(worker.me().cell(), source);
                let loaded = loaded.expect("the bytes are a state");
                loaded.put(state, &mut FinishedHeaps::default());
            }
            SavedClass::Nothing | SavedClass::Start(_) => panic!("it has no saved state"),
        }
        Processed::Done
    }

    fn refuse(_: Self::Content, _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

fn captured<A: Actor>(simulation: &Simulation, actor: &Address<A>) -> Option<Vec<u8>> {
    let (sender, receiver) = channel();
    let message = Envelope::new::<Capture>(sender, Place::caller());
    drop(post(To::Lent(&Address::counted(actor)), message));
    simulation.run();
    receiver.recv().expect("it runs")
}

#[test]
fn a_state_comes_back() {
    let simulation = Simulation::new(1);
    let account = simulation.system().spawn(Account::open(300));
    let bytes = captured(&simulation, &account).expect("the state is saved");
    // Zigzag, as postcard does; no partner; and a field that is skipped.
    assert_eq!(bytes, [0xd8, 0x04, 0]);
    account.deposit(5, String::new()).send();
    assert_eq!(account.balance().ask_blocking(), Ok(305));
    let message = Envelope::new::<Refill>(bytes, Place::caller());
    drop(post(To::Lent(&Address::counted(&account)), message));
    assert_eq!(account.balance().ask_blocking(), Ok(300));
}

#[test]
fn the_start_of_an_actor_that_starts_again_is_kept() {
    let simulation = Simulation::new(1);
    let pool = Pool::spawn(simulation.system(), 5);
    let start = captured(&simulation, &pool).expect("the start is kept");
    assert_eq!(start, b"test::Pool::new\x05");
    let by_value = simulation.system().spawn(Pool::new(5));
    assert_eq!(captured(&simulation, &by_value), None, "it has no start");
    let other = simulation.system().spawn(Other);
    assert_eq!(captured(&simulation, &other), None);
}

#[test]
fn what_is_saved_takes_no_byte_of_cells_and_messages() {
    use super::cell::ActorCell;
    use crate::actor::Header;
    assert_eq!(size_of::<ActorCell<Other>>(), size_of::<Header>() + 8);
    assert_eq!(class_of::<Other>().bytes, size_of::<ActorCell<Other>>());
    type Note = other_messages::Note<Other>;
    let bytes = Sent::<Note>::KIND.bytes;
    assert_eq!(bytes, Sent::<Put<Account>>::KIND.bytes - size_of::<u64>());
}
