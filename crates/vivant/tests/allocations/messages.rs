//! Allocations of the runtime: none for a message in the steady state, few for an actor.

use super::{COUNTED, in_a_process_of_its_own};
use stats_alloc::Region;
use vivant::prelude::*;

#[derive(Actor)]
struct Node {
    next: Option<Address<Node>>,
    sum: u64,
    asked: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Node {
    fn link_to(&mut self, next: Address<Node>) {
        self.next = Some(next);
    }

    /// A token: the next message wakes the next actor.
    fn pass(&mut self, t: &Turn<Self>, hops: u64) {
        if hops == 0 {
            self.finish();
        } else if let Some(next) = &self.next {
            t.send(next.relay(t.me(), hops));
        }
    }

    fn relay(&mut self, t: &Turn<Self>, back: Address<Node>, hops: u64) {
        self.sum += 1;
        t.send(back.pass(hops - 1));
    }

    /// Many messages at once: they wait in the mailbox.
    fn pour(&mut self, t: &Turn<Self>, turns: u64) {
        if let Some(next) = &self.next {
            for number in 0..100 {
                t.send(next.add(number));
            }
        }
        if turns == 0 {
            self.finish();
        } else {
            t.send(t.me().pour(turns - 1));
        }
    }

    fn add(&mut self, number: u64) -> u64 {
        self.sum += number;
        self.sum
    }

    /// Asks, one after the other, each continued by a message with a hole.
    fn asks_of(&mut self, t: &Turn<Self>, left: u64) {
        self.asked = left;
        if let Some(next) = &self.next {
            drop(t.ask(next.add(1)).then(t.me().answered()));
        }
    }

    #[then]
    fn answered(&mut self, t: &Turn<Self>, sum: Result<u64, AskError>) {
        self.sum += sum.unwrap_or(0) & 1;
        match self.asked {
            0 => self.finish(),
            left => self.asks_of(t, left - 1),
        }
    }

    /// Answered when the work is done.
    fn finished(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.done = Some(resolver);
        promise
    }

    #[local]
    fn finish(&mut self) {
        if let Some(done) = self.done.take() {
            done.resolve(self.sum);
        }
    }
}

/// Passes on a shared object.
#[derive(Actor)]
struct RelayState<'gc> {
    last: Option<Val<'gc, u64>>,
}

#[behaviours]
impl<'gc> RelayState<'gc> {
    #[start]
    fn new() -> Self {
        RelayState { last: None }
    }

    fn begin(&self, t: &Turn<'gc, Relay>, to: Address<Relay>, hops: u64) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        t.send(to.relay(t.me(), t.val(hops), hops, resolver));
        promise
    }

    fn relay(
        &mut self,
        t: &Turn<'gc, Relay>,
        back: Address<Relay>,
        shared: Val<'gc, u64>,
        hops: u64,
        done: Resolver<u64>,
    ) {
        self.last = Some(shared);
        if hops == 0 {
            done.resolve(*shared);
        } else {
            t.send(back.relay(t.me(), shared, hops - 1, done));
        }
    }
}

fn node() -> Node {
    Node {
        next: None,
        sum: 0,
        asked: 0,
        done: None,
    }
}

/// Number of allocations while `body` runs.
fn allocations(body: impl FnOnce()) -> usize {
    let region = Region::new(COUNTED);
    body();
    let change = region.change();
    change.allocations + change.reallocations
}

#[test]
fn messages_are_recycled_and_an_actor_is_one_allocation() {
    let name = "messages::messages_are_recycled_and_an_actor_is_one_allocation";
    in_a_process_of_its_own(name, messages_and_actors);
}

fn messages_and_actors() {
    const MESSAGES: u64 = if cfg!(debug_assertions) {
        20_000
    } else {
        200_000
    };
    const ACTORS: usize = 10_000;
    // The cost of the ask from outside that reports the end, and a magazine now and then.
    const A_FEW: usize = 500;

    let system = System::builder().workers(2).build();
    let (one, other) = (system.spawn(node()), system.spawn(node()));
    one.link_to(other.clone()).send();
    let run = |start: &dyn Fn()| {
        let finished = one.finished().ask();
        start();
        system.block_on(finished).expect("it finishes");
    };
    let ring = |messages: u64| run(&|| one.pass(messages).send());
    let pour = |messages: u64| run(&|| one.pour(messages / 100).send());
    let asks = |messages: u64| run(&|| one.asks_of(messages).send());
    let relays = [(); 2].map(|()| Relay::spawn(&system));
    let shared = |messages: u64| {
        let hops = relays[0].begin(relays[1].clone(), messages);
        assert_eq!(hops.ask_blocking(), Ok(messages));
    };
    // Until the number of recycled blocks reaches the maximum in flight.
    for _ in 0..3 {
        shared(MESSAGES / 10);
        ring(MESSAGES / 10);
        pour(MESSAGES / 10);
        asks(MESSAGES / 10);
    }
    for (name, counted) in [
        ("hops", allocations(|| ring(MESSAGES))),
        ("messages at once", allocations(|| pour(MESSAGES))),
        ("asks", allocations(|| asks(MESSAGES))),
        ("messages that share", allocations(|| shared(MESSAGES))),
    ] {
        assert!(
            counted <= A_FEW,
            "{counted} allocations for {MESSAGES} {name}"
        );
    }

    let mut actors = Vec::with_capacity(ACTORS);
    let bytes = system.inspect().bytes;
    let counted = allocations(|| {
        for _ in 0..ACTORS {
            actors.push(system.spawn(node()));
        }
    });
    assert!(
        counted <= 2 * ACTORS,
        "{counted} allocations for {ACTORS} actors"
    );
    for actor in &actors {
        actor.add(1).send();
    }
    // Each has run, and is idle again.
    for actor in &actors {
        assert_eq!(actor.add(1).ask_blocking(), Ok(2));
    }
    let each = (system.inspect().bytes - bytes) as usize / ACTORS;
    assert!(
        each <= 256 && each >= size_of::<Node>(),
        "{each} bytes an idle actor"
    );
}

/// Self-test: a message that is too large to be recycled is allocated, and is counted.
#[test]
fn canary_the_counter_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![0_u8; 4096]))) > 0);
}
