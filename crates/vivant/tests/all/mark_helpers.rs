//! Helpers of concurrent marks, on threads: no mark waits for ever because a possible helper
//! sleeps, or has other work (A5).

use std::hint::black_box;
use std::sync::Arc;
use std::thread::park_timeout;
use std::time::Duration;
use vivant::heap::Leaf;
use vivant::prelude::*;
use vivant::{Pacing, System};

/// Long enough for any machine: an event that has not come by then never does.
const NEVER: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(5);

fn comes_true(is_so: impl Fn() -> bool) -> bool {
    let mut looks = 0..NEVER.as_millis() / LOOK.as_millis();
    looks.any(|_| {
        park_timeout(LOOK);
        is_so()
    })
}

#[derive(Object)]
struct Link<'gc> {
    next: Option<Gc<'gc, Link<'gc>>>,
}

/// A list, of which a mark finds one object after the other: markers cannot share the work.
#[derive(Actor)]
#[actor(blocking)]
struct ChainState<'gc> {
    first: Option<Gc<'gc, Link<'gc>>>,
    more: Vec<Gc<'gc, [u64; 50]>>,
}

#[behaviours]
impl<'gc> ChainState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Chain>, links: usize) -> Self {
        let first = (0..links).fold(None, |next, _| Some(t.alloc(Link { next })));
        ChainState {
            first,
            more: Vec::new(),
        }
    }

    fn grow(&mut self, t: &Turn<'gc, Chain>) -> bool {
        self.more.extend((0..150).map(|_| t.alloc([0; 50])));
        self.first.is_some()
    }
}

fn marks(system: &System) -> u64 {
    let actors = system.inspect().actors;
    let heaps = actors.iter().filter_map(|actor| actor.heap);
    heaps.map(|heap| heap.marks()).sum()
}

/// The actor runs on a thread that helps with no other mark. It has all the work when the worker
/// checks, and puts it back when the worker sleeps.
#[test]
fn a_mark_continues_after_the_last_turn_of_a_blocking_actor() {
    for round in 0..10 {
        let pacing = Pacing::new().nursery(16 << 10);
        let hours = Duration::from_secs(10_000);
        let builder = System::builder().workers(1);
        let system = builder.pacing(pacing).idle_after(hours).build();
        let chain = Chain::spawn(&system, 300_000);
        for _ in 0..5 + round % 10 {
            assert!(chain.grow().ask_blocking().unwrap());
        }
        assert!(comes_true(|| marks(&system) > 0), "round {round}");
    }
}

#[derive(Actor)]
struct HoardState<'gc> {
    all: Vec<Gc<'gc, [u64; 12]>>,
    token: Option<Gc<'gc, Leaf<Arc<()>>>>,
}

#[behaviours]
impl<'gc> HoardState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Hoard>, token: Arc<()>, many: usize) -> Self {
        HoardState {
            all: (0..many).map(|_| t.alloc([0; 12])).collect(),
            token: Some(t.alloc(Leaf(token))),
        }
    }

    fn forgets(&mut self) -> usize {
        self.token = None;
        self.all.len()
    }
}

/// Is always runnable.
#[derive(Actor)]
struct Busy;

#[behaviours]
impl Busy {
    #[start]
    fn new() -> Self {
        Busy
    }
    fn goes_on(&self, t: &Turn<'_, Busy>) {
        (0..20_000_u32).for_each(|n| _ = black_box(n));
        t.me().goes_on().send();
    }
}

/// The mark of an idle actor does not depend on growth: no mutator assist helps it.
#[test]
fn an_idle_actor_is_marked_while_all_workers_are_busy() {
    let builder = System::builder().workers(1);
    let pacing = Pacing::new().first(1 << 30);
    let soon = Duration::from_millis(100);
    let system = builder.pacing(pacing).idle_after(soon).build();
    let token = Arc::new(());
    let hoard = Hoard::spawn(&system, token.clone(), 1_000_000);
    let busy = [Busy::spawn(&system), Busy::spawn(&system)];
    busy.iter().for_each(|each| each.goes_on().send());
    assert_eq!(hoard.forgets().ask_blocking().unwrap(), 1_000_000);
    assert!(comes_true(|| Arc::strong_count(&token) == 1));
    busy.iter().for_each(Address::stop);
}
