//! A caller that waits for an answer at the line hears of what the image lacks.

use super::memory_store::MemoryStore;
use super::taking::{restored, simulated, take_now};
use crate::api::SavedKinds;
use crate::failures::StopReason;
use crate::prelude::*;
use crate::sync::Arc;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// Is not saved, and answers no request.
#[derive(Actor)]
struct Mute {
    asked: Vec<Resolver<u64>>,
}

#[behaviours]
impl Mute {
    fn answer(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.asked.push(resolver);
        promise
    }
}

/// Asks an actor that is not saved, and a future.
#[derive(Actor)]
#[actor(saved)]
struct Caller {
    asked: Vec<Address<Mute>>,
    heard: Vec<Result<u64, AskError>>,
    is_open: bool,
    answered: u64,
}

#[behaviours]
impl Caller {
    #[start]
    fn new() -> Caller {
        Caller {
            asked: Vec::new(),
            heard: Vec::new(),
            is_open: false,
            answered: 0,
        }
    }

    fn ask(&mut self, t: &Turn<Self>, mute: Address<Mute>) {
        t.ask(mute.answer()).then_send(t.me().hear());
        self.asked.push(mute);
    }

    fn compute(&mut self, t: &Turn<Self>) {
        t.spawn(Waits(None)).then_send(t.me().hear());
    }

    #[then]
    fn hear(&mut self, answer: Result<u64, AskError>) {
        self.heard.push(answer);
    }

    fn open(&mut self) {
        self.is_open = true;
    }

    #[when(self.is_open)]
    fn answer_later(&mut self) -> u64 {
        self.answered += 1;
        self.answered
    }

    fn heard(&self) -> Vec<Result<u64, AskError>> {
        self.heard.clone()
    }

    fn answered(&self) -> u64 {
        self.answered
    }
}

/// A future that has its waker.
struct Waits(Option<Waker>);

impl Future for Waits {
    type Output = u64;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u64> {
        self.0 = Some(context.waker().clone());
        Poll::Pending
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Caller,)>().expect("no two names are equal"))
}

/// What the caller has heard when all has run that a restore of this image makes.
fn heard_after_restore(
    begin: impl FnOnce(&Address<Caller>, Address<Mute>),
) -> Vec<Result<u64, AskError>> {
    let simulation = simulated(&kinds(), 1);
    let caller = Caller::spawn(simulation.system());
    let mute = simulation.system().spawn(Mute { asked: Vec::new() });
    begin(&caller, mute.clone());
    simulation.run();
    let image = take_now(&simulation);
    drop(mute);
    let (simulation, actors) = restored(&image, 2, &kinds());
    let address = actors.values().next().expect("the caller").clone();
    let caller: Address<Caller> = Address::to_actor(address);
    simulation.run();
    caller.heard().ask_blocking().expect("it lives")
}

#[test]
fn a_caller_of_an_actor_that_is_not_saved_gets_an_error() {
    let heard = heard_after_restore(|caller, mute| caller.ask(mute).send());
    let [Err(AskError::Stopped(it))] = &heard[..] else {
        panic!("{heard:?}");
    };
    assert_eq!(it.reason, StopReason::NotSaved);
    assert!(it.actor.contains("Mute/"), "{}", it.actor);
    let said = heard[0].clone().expect_err("it is an error").to_string();
    assert!(
        said.contains("not saved") && said.contains("callers_tests.rs"),
        "{said}"
    );
}

/// The future is code: there is no type that a program could declare as saved.
#[test]
fn a_promise_of_a_future_breaks() {
    let heard = heard_after_restore(|caller, _| caller.compute().send());
    let [Err(error @ AskError::Broken(_))] = &heard[..] else {
        panic!("{heard:?}");
    };
    assert!(error.to_string().contains("not saved"), "{error}");
}

/// No image has the threads outside: the actor answers, and the answer goes nowhere.
#[test]
fn an_answer_for_a_caller_outside_is_dropped() {
    let simulation = simulated(&kinds(), 1);
    let caller = Caller::spawn(simulation.system());
    let answer = caller.answer_later().ask();
    simulation.run();
    let image = take_now(&simulation);
    drop(answer);
    let (simulation, actors) = restored(&image, 2, &kinds());
    let address = actors.values().next().expect("the caller").clone();
    let caller: Address<Caller> = Address::to_actor(address);
    caller.open().send();
    simulation.run();
    assert_eq!(
        caller.answered().ask_blocking(),
        Ok(1),
        "it was answered once"
    );
    let letters = simulation.system().shared().dead_letters.lines();
    assert_eq!(letters.len(), 0, "no letter tells of it");
}

/// Takes longer to encode than a holder should.
#[derive(Clone, Copy)]
struct Large;

impl<'gc> Saved<'gc> for Large {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    #[allow(clippy::disallowed_methods, reason = "it takes long on purpose")]
    fn save(&self, out: &mut Encoder<'_>) {
        thread::sleep(Duration::from_millis(3));
        7_u64.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        u64::load(input).map(|_| Large)
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Store {
    _all: Large,
    is_open: bool,
}

#[behaviours]
impl Store {
    fn is_open(&self) -> bool {
        self.is_open
    }

    #[when(self.is_open)]
    fn put(&mut self, all: Large) {
        let _ = all;
        self.is_open = false;
    }
}

#[test]
fn a_report_says_what_took_long_to_encode() {
    let journal = MemoryStore::default().journal();
    let system = System::builder().workers(1).saved::<(Store,)>().build();
    let store = system.spawn(Store {
        _all: Large,
        is_open: false,
    });
    store.put(Large).send();
    // It is deferred when the answer comes.
    assert_eq!(store.is_open().ask_blocking(), Ok(false));
    let report = system.snapshot(&journal).expect("all is saved");
    let slow: Vec<_> = report.slow.iter().map(ToString::to_string).collect();
    assert_eq!(slow.len(), 2, "a state and a message: {slow:?}");
    for line in slow {
        assert!(line.contains(&Address::path(&store)), "{line}");
        assert!(line.contains(" bytes took "), "{line}");
        assert!(line.contains("several actors"), "{line}");
    }
    drop(store);
}
