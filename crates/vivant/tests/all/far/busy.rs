//! Cycles of objects of actors that are never idle.

use super::{Token, nodes};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

/// Cycles that are made in one turn, and in all.
const BATCH: u64 = 500;
const BATCHES: u64 = if cfg!(miri) { 1 } else { 120 };

#[derive(Object)]
struct Link<'gc> {
    other: Option<FarLink<'gc>>,
    _token: Token,
}

type Own<'gc> = Gc<'gc, Mut<Link<'gc>>>;
type FarLink<'gc> = Far<'gc, Linker, Mut<Link<'gc>>>;

#[derive(Actor)]
struct LinkerState<'gc> {
    token: Token,
    /// Objects of cycles that are not closed yet.
    open: Vec<Own<'gc>>,
    batches_left: u64,
    /// The most objects that were alive at once.
    most: usize,
    done: Option<Resolver<usize>>,
}

#[behaviours]
impl<'gc> LinkerState<'gc> {
    #[start]
    fn new(token: Token) -> Self {
        LinkerState {
            token,
            open: Vec::new(),
            batches_left: 0,
            most: 0,
            done: None,
        }
    }

    /// Answers with the most objects that were alive at once so far, when all cycles are closed.
    fn make(
        &mut self,
        t: &Turn<'gc, Linker>,
        other: Address<Linker>,
        batches: u64,
    ) -> Promise<usize> {
        let (promise, done) = t.promise();
        (self.batches_left, self.done) = (batches, Some(done));
        self.more(t, &other);
        promise
    }

    #[local]
    fn more(&mut self, t: &Turn<'gc, Linker>, other: &Address<Linker>) {
        self.open = (0..BATCH).map(|_| self.link(t, None)).collect();
        let firsts = self.open.iter().map(|link| t.far(*link)).collect();
        t.send(other.tie(t.me(), firsts));
    }

    #[local]
    fn link(&mut self, t: &Turn<'gc, Linker>, other: Option<FarLink<'gc>>) -> Own<'gc> {
        t.alloc(Mut::new(Link {
            other,
            _token: self.token.clone(),
        }))
    }

    fn tie(&mut self, t: &Turn<'gc, Linker>, first: Address<Linker>, others: Vec<FarLink<'gc>>) {
        let seconds = others.into_iter().map(|other| self.link(t, Some(other)));
        let seconds = seconds.map(|link| t.far(link)).collect();
        t.send(first.close(t.me(), seconds));
    }

    fn close(&mut self, t: &Turn<'gc, Linker>, other: Address<Linker>, seconds: Vec<FarLink<'gc>>) {
        self.batches_left -= 1;
        for (link, second) in std::mem::take(&mut self.open).into_iter().zip(seconds) {
            link.borrow_mut(t).other = Some(second);
        }
        self.most = self.most.max(nodes(&self.token));
        match (self.batches_left, self.done.take()) {
            (0, Some(done)) => done.resolve(self.most),
            (_, done) => {
                self.done = done;
                self.more(t, &other);
            }
        }
    }
}

fn pair(system: &System) -> [Address<Linker>; 2] {
    let token = Token::default();
    [(); 2].map(|()| Linker::spawn(system, token.clone()))
}

fn make([first, second]: &[Address<Linker>; 2], batches: u64) -> usize {
    first.make(second.clone(), batches).ask_blocking().unwrap()
}

fn objects(batches: u64) -> usize {
    usize::try_from(2 * BATCH * batches).unwrap()
}

#[test]
fn cycles_of_busy_actors_are_freed_while_they_work() {
    let never_idle = System::builder().idle_after(Duration::from_secs(3_600));
    let simulation = Simulation::with(1, Faults::none(), never_idle);
    let both = pair(simulation.system());
    let mut most = 0;
    for _ in 0..BATCHES {
        most = make(&both, 1);
        simulation.run_for(Duration::from_millis(1));
    }
    let all = objects(BATCHES);
    assert!(cfg!(miri) || most < all / 2, "{most} of {all} objects");
}

/// How many are alive depends on the machine.
#[test]
fn cycles_of_busy_actors_are_freed_on_threads() {
    let never_idle = System::builder().idle_after(Duration::from_secs(3_600));
    let system = never_idle.workers(2).build();
    let both = pair(&system);
    let rounds = if cfg!(miri) { 1 } else { 100 };
    let some_are_freed = (1..=rounds).any(|round| make(&both, BATCHES) < objects(round * BATCHES));
    assert!(cfg!(miri) || some_are_freed);
    assert!(system.shutdown().is_complete());
}
