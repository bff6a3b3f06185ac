//! Shared objects outlive their actors as long as a reference is left, and no longer; unreferenced
//! ones are collected without a request.

mod after_shutdown;
mod idle;
mod increments;

use crate::waits::wait_while;
use fastrand::Rng;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::heap::{Leaf, Object, Pacing, Parcel, Stress, Val, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};
use vivant::{HeapFacts, Supervisor, System};

/// Shared. Each page has a token of its test, which counts the live pages.
#[derive(Object)]
struct Page<'gc> {
    number: u64,
    next: Option<Val<'gc, Page<'gc>>>,
    _token: Token,
}

type Token = Arc<()>;
type Sheet = Parcel<Val<'static, Page<'static>>>;

fn book<'gc>(m: &vivant::heap::Mutator<'gc>, pages: u64, token: &Token) -> Val<'gc, Page<'gc>> {
    let mut next = None;
    for number in (1..pages).rev() {
        let _token = token.clone();
        next = Some(m.val(Page {
            number,
            next,
            _token,
        }));
    }
    m.val(Page {
        number: 0,
        next,
        _token: token.clone(),
    })
}

/// The number of pages: all of them, one after the other.
fn count(first: &Page<'_>) -> u64 {
    let (mut count, mut at) = (1, first.next);
    while let Some(page) = at {
        assert_eq!(page.number, count);
        (count, at) = (count + 1, page.next);
    }
    count
}

/// The number of live pages.
fn pages(token: &Token) -> usize {
    Arc::strong_count(token) - 1
}

#[derive(Actor)]
struct WriterState<'gc> {
    newest: Option<Val<'gc, Page<'gc>>>,
    hoard: Option<Gc<'gc, Leaf<Sheet>>>,
    readers: Vec<Address<Reader>>,
}

#[behaviours]
impl<'gc> WriterState<'gc> {
    #[start]
    fn new(readers: Vec<Address<Reader>>) -> Self {
        WriterState {
            newest: None,
            hoard: None,
            readers,
        }
    }

    /// A new version: the last reference to the one before is dropped.
    fn write(&mut self, t: &Turn<'gc, Writer>, pages: u64, token: Token) -> Sheet {
        let newest = book(t, pages, &token);
        self.newest = Some(newest);
        for reader in &self.readers {
            t.send(reader.take_newest(t.pack(newest)));
        }
        t.pack(newest)
    }

    /// Lends the objects that it keeps.
    fn lend(&self, t: &Turn<'gc, Writer>) -> Option<Sheet> {
        self.newest.map(|newest| t.pack(newest))
    }

    fn forget(&mut self) {
        self.newest = None;
    }

    /// Keeps a parcel of its own, which goes with its graph.
    fn hoard(&mut self, t: &Turn<'gc, Writer>, sheet: Sheet) {
        self.hoard = Some(t.alloc(Leaf(sheet)));
    }

    fn nothing(&self) {}

    fn fail(&self) {
        panic!("as planned");
    }
}

/// Starts by sending to a reader, and then fails.
#[derive(Actor)]
struct HastyState<'gc> {
    _nothing: Option<Val<'gc, Page<'gc>>>,
}

#[behaviours]
impl<'gc> HastyState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Hasty>, reader: Address<Reader>, token: Token) -> Self {
        t.send(reader.take(t.pack(book(t, 3, &token))));
        panic!("before it is an actor")
    }
}

#[derive(Actor)]
struct ReaderState<'gc> {
    sheets: Vec<Val<'gc, Page<'gc>>>,
}

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    fn new() -> Self {
        ReaderState { sheets: Vec::new() }
    }

    fn take(&mut self, t: &Turn<'gc, Reader>, sheet: Sheet) {
        self.sheets.push(t.unpack(sheet));
    }

    fn take_newest(&mut self, t: &Turn<'gc, Reader>, sheet: Sheet) {
        self.sheets = vec![t.unpack(sheet)];
    }

    fn read(&self) -> u64 {
        self.sheets.iter().map(|sheet| count(sheet)).sum()
    }

    /// A book of its own, with the taken page as a component.
    fn bind(&mut self, t: &Turn<'gc, Reader>, token: Token) {
        let next = self.sheets.last().copied();
        let number = 0;
        let _token = token;
        self.sheets.push(t.val(Page {
            number,
            next: next.and_then(|sheet| sheet.next),
            _token,
        }));
    }

    fn pass_on(&self, t: &Turn<'gc, Reader>, to: Address<Reader>) {
        for sheet in &self.sheets {
            t.send(to.take(t.pack(*sheet)));
        }
    }

    fn forget(&mut self) {
        self.sheets.clear();
    }
}

fn heap_of(system: &System, path: &str) -> HeapFacts {
    let inspection = system.inspect();
    let actor = inspection.actors.iter().find(|it| it.actor.contains(path));
    actor.and_then(|it| it.heap).expect("an actor with a heap")
}

#[test]
fn imported_objects_outlive_their_actor() {
    let (simulation, token) = (Simulation::new(1), Token::default());
    let system = simulation.system();
    let (writer, reader) = (Writer::spawn(system, vec![]), Reader::spawn(system));
    let sheet = writer.write(100, token.clone()).ask_blocking().unwrap();
    reader.take(sheet).send();
    Address::stop(&writer);
    simulation.run();
    assert_eq!(system.inspect().detached_heaps, 1);
    assert_eq!(reader.read().ask_blocking(), Ok(100));
    simulation.run();
    assert_eq!((system.inspect().detached_heaps, pages(&token)), (1, 100));
    reader.forget().send();
    simulation.run();
    assert_eq!((system.inspect().detached_heaps, pages(&token)), (0, 0));
    Address::stop(&reader);
    simulation.run();
    assert_eq!(system.inspect().heap_pages, 0);
}

#[test]
fn a_detached_heap_is_freed_in_parts() {
    let (simulation, token) = (Simulation::new(2), Token::default());
    let system = simulation.system();
    let writer = Writer::spawn(system, vec![]);
    let sheets: Vec<_> = (1..=10)
        .map(|pages| writer.write(pages, token.clone()).ask_blocking().unwrap())
        .collect();
    Address::stop(&writer);
    simulation.run();
    let mut left = 55;
    for (pages_of, sheet) in (1..).zip(sheets) {
        assert_eq!(pages(&token), left);
        assert_eq!(sheet.look(|page| count(page)), pages_of);
        drop(sheet);
        let notified = simulation.now();
        simulation.run();
        left -= pages_of as usize;
        assert!(simulation.now() - notified <= Duration::from_secs(1));
    }
    assert_eq!(pages(&token), 0);
    assert_eq!(
        (system.inspect().detached_heaps, system.inspect().heap_pages),
        (0, 0)
    );
}

#[test]
fn a_restart_keeps_exported_objects_alive() {
    let (simulation, token) = (Simulation::new(3), Token::default());
    let system = simulation.system();
    let tree = Supervisor::one_for_one().spawn(system);
    let writer = tree.add(Writer::child(vec![]));
    let reader = Reader::spawn(system);
    for pages in 1..=3 {
        let sheet = writer.write(pages, token.clone()).ask_blocking().unwrap();
        reader.take(sheet).send();
        assert!(writer.fail().ask_blocking().is_err());
    }
    simulation.run();
    assert_eq!(system.inspect().detached_heaps, 3);
    assert_eq!(reader.read().ask_blocking(), Ok(6));
    assert_eq!(heap_of(system, "Writer").exports, 0);
    reader.forget().send();
    simulation.run();
    assert_eq!((system.inspect().detached_heaps, pages(&token)), (0, 0));
}

#[test]
fn objects_sent_by_a_failing_start_stay_alive() {
    let (simulation, token) = (Simulation::new(4), Token::default());
    let system = simulation.system();
    let reader = Reader::spawn(system);
    let _never = Hasty::spawn(system, reader.clone(), token.clone());
    simulation.run();
    assert_eq!((system.inspect().detached_heaps, pages(&token)), (1, 3));
    assert_eq!(reader.read().ask_blocking(), Ok(3));
    reader.forget().send();
    simulation.run();
    assert_eq!((system.inspect().detached_heaps, pages(&token)), (0, 0));
}

#[test]
fn detached_heaps_with_components_of_each_other_are_all_freed() {
    let (simulation, token) = (Simulation::new(5), Token::default());
    let system = simulation.system();
    let writer = Writer::spawn(system, vec![]);
    let readers: Vec<_> = (0..5).map(|_| Reader::spawn(system)).collect();
    let sheet = writer.write(4, token.clone()).ask_blocking().unwrap();
    readers[0].take(sheet).send();
    for pair in readers.windows(2) {
        pair[0].bind(token.clone()).send();
        pair[0].pass_on(pair[1].clone()).send();
        simulation.run();
    }
    Address::stop(&writer);
    readers[..4].iter().for_each(Address::stop);
    simulation.run();
    assert_eq!(system.inspect().detached_heaps, 5);
    let read = readers[4].read().ask_blocking().unwrap();
    assert_eq!(read, 20, "one book of the writer, four of readers");
    readers[4].forget().send();
    simulation.run();
    assert_eq!((system.inspect().detached_heaps, pages(&token)), (0, 0));
}

#[test]
fn references_dropped_by_the_end_of_a_heap_are_released() {
    let (simulation, token) = (Simulation::new(13), Token::default());
    let writer = Writer::spawn(simulation.system(), vec![]);
    let write = |pages| writer.write(pages, token.clone()).ask_blocking().unwrap();
    let (kept, sheet) = (write(3), write(5));
    writer.hoard(sheet).send();
    // Old: it ends with the sweep, after the mark.
    simulation.run();
    Address::stop(&writer);
    simulation.run();
    assert_eq!(pages(&token), 3);
    drop(kept);
    simulation.run();
    assert_eq!(pages(&token), 0);
}

#[test]
fn the_last_reference_is_dropped_while_its_owner_ends() {
    let token = Token::default();
    let builder = System::builder().workers(2);
    let system = builder.idle_after(Duration::from_millis(1)).build();
    let rounds = if cfg!(miri) { 5 } else { 3_000 };
    for _ in 0..rounds {
        let writer = Writer::spawn(&system, vec![]);
        let sheets = [1, 2].map(|pages| writer.write(pages, token.clone()).ask_blocking());
        Address::stop(&writer);
        drop(sheets);
    }
    wait_while(|| system.inspect().detached_heaps > 0 || pages(&token) > 0);
    assert!(system.shutdown().is_complete());
}

/// The fates of many actors, in an order that a seed chooses.
fn play(system: &System, token: &Token, random: &mut Rng, steps: usize) {
    let mut readers: Vec<_> = (0..4).map(|_| Reader::spawn(system)).collect();
    let mut writers: Vec<_> = (0..3).map(|_| Writer::spawn(system, vec![])).collect();
    let mut sheets = Vec::new();
    for _ in 0..steps {
        let (one, other) = (random.usize(..readers.len()), random.usize(..readers.len()));
        let writer = random.usize(..writers.len());
        match random.usize(..12) {
            0 => {
                Address::stop(&writers[writer]);
                writers[writer] = Writer::spawn(system, readers.clone());
            }
            1 => {
                Address::stop(&readers[one]);
                readers[one] = Reader::spawn(system);
            }
            2 => readers[one].forget().send(),
            3 => readers[one].bind(token.clone()).send(),
            4 => readers[one].pass_on(readers[other].clone()).send(),
            5 => sheets.clear(),
            6..9 => {
                let pages = 1 + random.usize(..5) as u64;
                sheets.extend(writers[writer].write(pages, token.clone()).ask_blocking());
            }
            _ => {
                if let Some(sheet) = sheets.pop() {
                    readers[one].take(sheet).send();
                }
            }
        }
    }
    for reader in &readers {
        assert!(reader.read().ask_blocking().is_ok());
    }
}

#[test]
fn seeded_no_order_of_ends_leaks() {
    let (seeds, steps) = if cfg!(miri) { (1, 25) } else { (60, 120) };
    let name = "seeded_no_order_of_ends_leaks";
    check(name, Seeds(seeds), &Faults::none(), |simulation| {
        let seed = simulation.seed();
        let pacing = match seed % 4 {
            0 => Pacing::new().stressed(Stress::new(When::Chance, seed)),
            // Detached heaps are scanned in increments, however small they are.
            1 => Pacing::new().stressed(Stress::new(When::Concurrent, seed)),
            2 => Pacing::new().nursery(2_000).first(2_000),
            _ => Pacing::new(),
        };
        let delays = Faults::none().delays(200_000, Duration::from_millis(1_500));
        let simulation = Simulation::with(seed, delays, System::builder().pacing(pacing));
        let (system, token) = (simulation.system(), Token::default());
        play(system, &token, &mut Rng::with_seed(seed), steps);
        // No address is left.
        simulation.run();
        assert!(system.inspect().actors.is_empty());
        assert_eq!((system.inspect().detached_heaps, pages(&token)), (0, 0));
        assert_eq!(system.inspect().heap_pages, 0);
        let now = simulation.now();
        simulation.run();
        assert_eq!(simulation.now(), now);
    });
}

#[test]
fn detached_heaps_do_not_leak_on_threads() {
    let (rounds, steps) = if cfg!(miri) { (1, 20) } else { (20, 200) };
    for seed in 0..rounds {
        let token = Token::default();
        let pacing = match seed % 4 {
            3 => Pacing::new().stressed(Stress::new(When::Concurrent, seed)),
            _ => Pacing::new(),
        };
        let builder = System::builder().workers(3).pacing(pacing);
        let system = builder.idle_after(Duration::from_millis(1)).build();
        play(&system, &token, &mut Rng::with_seed(seed), steps);
        if seed % 2 == 0 {
            // All of them end by themselves.
            wait_while(|| system.inspect().detached_heaps > 0 || pages(&token) > 0);
        }
        assert!(system.shutdown().is_complete());
        assert_eq!((system.inspect().detached_heaps, pages(&token)), (0, 0));
        assert_eq!(system.inspect().heap_pages, 0);
    }
}

#[test]
fn threads_read_parcels_of_a_detached_heap() {
    let token = Token::default();
    let builder = System::builder().workers(2);
    let system = builder.idle_after(Duration::from_millis(1)).build();
    let writer = Writer::spawn(&system, vec![]);
    let rounds: usize = if cfg!(miri) { 3 } else { 200 };
    let sheets: Vec<_> = (0..rounds)
        .map(|_| writer.write(5, token.clone()).ask_blocking().unwrap())
        .collect();
    Address::stop(&writer);
    let heaps: Vec<_> = sheets.chunks(rounds.div_ceil(3)).map(<[_]>::len).collect();
    let sheets = Mutex::new(sheets);
    std::thread::scope(|scope| {
        for many in &heaps {
            scope.spawn(|| {
                for _ in 0..*many {
                    let sheet = sheets.lock().unwrap().pop().unwrap();
                    let copy = sheet.clone();
                    drop(sheet);
                    assert_eq!(copy.look(|page| count(page)), 5);
                }
            });
        }
        drop((writer, system));
    });
    // The system may end after all references have been dropped.
    wait_while(|| pages(&token) > 0);
}
