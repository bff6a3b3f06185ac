//! Actors that share objects, in snapshots: a reference to an object of another heap is restored,
//! in states and in messages, also if the owner has ended or is not saved.

use super::memory_store::MemoryStore;
use super::taking::{
    goes_on_at_every_step, recorder, restored, seeds, simulated, take, try_take_now,
};
use crate::api::SavedKinds;
use crate::cut::{Coordinator, Step};
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::sync::Arc;
use std::collections::BTreeMap;
use std::time::Duration;
use vivant_codec::Saved;
use vivant_heap::{Gc, Mut, Object, Val};

/// A page, and the pages on which it is based.
#[derive(Object, Saved)]
pub(super) struct Page<'gc> {
    number: u64,
    text: Val<'gc, str>,
    after: Option<Val<'gc, Page<'gc>>>,
}

/// Keeps pages, of its own and of others.
#[derive(Actor)]
#[actor(saved, id = "sharing::Reader")]
pub(super) struct ReaderState<'gc> {
    pages: Vec<Gc<'gc, Mut<Val<'gc, Page<'gc>>>>>,
    next: Option<Address<Reader>>,
}

#[behaviours(id = "sharing::Reader")]
impl<'gc> ReaderState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        ReaderState {
            pages: Vec::new(),
            next: None,
        }
    }

    pub(super) fn before(&mut self, next: Address<Reader>) {
        self.next = Some(next);
    }

    /// Writes a page after the last one, and hands it on.
    pub(super) fn write(&mut self, t: &Turn<'gc, Reader>, number: u64, hands: u64) {
        let text = t.val_str(&format!("page {number}"));
        let after = self.pages.last().map(|page| page.get());
        let page = t.val(Page {
            number,
            text,
            after,
        });
        self.keep(t, page);
        self.hand_on(page, hands);
    }

    pub(super) fn read(&mut self, t: &Turn<'gc, Reader>, page: Val<'gc, Page<'gc>>, hands: u64) {
        self.keep(t, page);
        self.hand_on(page, hands);
    }

    /// Only the last pages stay.
    pub(super) fn forget(&mut self, left: usize) {
        let drop = self.pages.len().saturating_sub(left);
        self.pages.drain(..drop);
    }

    pub(super) fn last(&self) -> Option<Val<'gc, Page<'gc>>> {
        Some(self.pages.last()?.get())
    }

    /// Asks the next one for its last page.
    pub(super) fn take_over(&mut self, t: &Turn<'gc, Reader>) -> Promise<u64> {
        let next = self.next.clone().expect("it has one");
        t.ask(next.last()).then(t.me().lent())
    }

    #[then]
    fn lent(
        &mut self,
        t: &Turn<'gc, Reader>,
        page: Result<Option<Val<'gc, Page<'gc>>>, AskError>,
    ) -> u64 {
        let page = page.expect("the next one lives").expect("it has a page");
        self.keep(t, page);
        page.number
    }

    pub(super) fn all(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for page in &self.pages {
            let mut page = Some(page.get());
            while let Some(one) = page {
                assert_eq!(*one.text, format!("page {}", one.number));
                numbers.push(one.number);
                page = one.after;
            }
        }
        numbers
    }
}

impl<'gc> ReaderState<'gc> {
    fn keep(&mut self, t: &Turn<'gc, Reader>, page: Val<'gc, Page<'gc>>) {
        self.pages.push(t.alloc(Mut::new(page)));
    }

    fn hand_on(&self, page: Val<'gc, Page<'gc>>, hands: u64) {
        if let Some(next) = self.next.as_ref().filter(|_| hands > 0) {
            next.read(page, hands - 1).send();
        }
    }
}

/// Is not saved, and sends pages of its own.
#[derive(Actor)]
pub(super) struct WriterState<'gc> {
    last: Option<Val<'gc, Page<'gc>>>,
    reader: Address<Reader>,
}

#[behaviours]
impl<'gc> WriterState<'gc> {
    #[start]
    pub(super) fn new(reader: Address<Reader>) -> Self {
        WriterState { last: None, reader }
    }

    pub(super) fn write(&mut self, t: &Turn<'gc, Writer>, number: u64) {
        let text = t.val_str(&format!("page {number}"));
        let after = self.last;
        let page = t.val(Page {
            number,
            text,
            after,
        });
        self.last = Some(page);
        self.reader.read(page, 1).send();
    }
}

pub(super) fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Reader,)>().expect("no two names are equal"))
}

/// Three readers in a ring.
pub(super) fn ring(simulation: &Simulation) -> Vec<Address<Reader>> {
    let readers: Vec<_> = (0..3).map(|_| Reader::spawn(simulation.system())).collect();
    for (at, reader) in readers.iter().enumerate() {
        reader.before(readers[(at + 1) % 3].clone()).send();
    }
    readers
}

pub(super) fn begin(simulation: &Simulation) -> Vec<Address<Reader>> {
    let readers = ring(simulation);
    for number in 0..6 {
        let at = number as usize % 3;
        readers[at].write(number, number).send();
    }
    readers[1].forget(1).send();
    readers
}

/// The pages of each reader.
fn end(simulation: &Simulation) -> Vec<Vec<u64>> {
    simulation.run();
    let actors = simulation.system().shared().actors();
    let all = actors.iter().filter_map(|cell| {
        let mut idle = cell.hold_idle().expect("all is done");
        let mut pages = idle.state().look::<Reader, _>(|reader| reader.all());
        idle.park();
        // In which order they come is the seed's.
        pages.as_mut()?.sort_unstable();
        pages
    });
    all.collect()
}

#[test]
fn readers_go_on_with_pages_of_others() {
    let simulation = Simulation::new(1);
    let _readers = begin(&simulation);
    assert!(end(&simulation).concat().len() > 10);
    let images = goes_on_at_every_step(3, &kinds(), begin_in_order, end);
    assert!(images > 10, "{images} images");
}

/// As `begin`, but no order is the seed's: one page after the other.
fn begin_in_order(simulation: &Simulation) -> Vec<Address<Reader>> {
    let readers = ring(simulation);
    readers[0].write(1, 5).send();
    readers[0].write(2, 0).send();
    readers[2].take_over().send();
    readers
}

/// Each page is one object, whichever reader has it.
#[test]
fn a_page_is_one_object_in_the_restored_system() {
    let simulation = simulated(&kinds(), 1);
    let _readers = begin(&simulation);
    simulation.run();
    let image = try_take_now(&simulation).expect("all of it is saved");
    let (simulation, _actors) = restored(&image, 2, &kinds());
    simulation.run();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    let mut seen = 0;
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("all is done");
        let _none = idle.state().look::<Reader, _>(|reader| {
            for page in &reader.pages {
                let page = page.get();
                let place = std::ptr::from_ref(&*page).addr();
                assert_eq!(*places.entry(page.number).or_insert(place), place);
                seen += 1;
            }
        });
        idle.park();
    }
    assert!(seen > places.len(), "no page is shared");
}

/// The owner of a page has ended, or is not saved.
#[test]
fn pages_outlive_their_writers() {
    let builder = || System::builder().saved::<(Reader,)>();
    let journal = MemoryStore::default().journal();
    let system = builder().workers(1).build();
    let readers = [Reader::spawn(&system), Reader::spawn(&system)];
    let (ended, lives) = (
        Writer::spawn(&system, readers[0].clone()),
        Writer::spawn(&system, readers[1].clone()),
    );
    for number in 1..4 {
        ended.write(number).ask_blocking().expect("it lives");
        lives.write(10 + number).ask_blocking().expect("it lives");
    }
    Address::stop(&ended);
    let gone = ended.write(9).ask_blocking();
    gone.expect_err("it has ended");
    let report = system.snapshot(&journal).expect("all of it is saved");
    let image = journal.catalog().image(report.number).expect("it exists");
    let restored = Simulation::restore(1, Faults::none(), builder(), &image);
    let (simulation, actors, _) = restored.expect("the program is the same");
    let all: Vec<Address<Reader>> = actors.actors::<Reader>().collect();
    let pages = |reader: &Address<Reader>| reader.all().ask_blocking().expect("it lives");
    assert_eq!(pages(&all[0]), [1, 2, 1, 3, 2, 1]);
    assert_eq!(pages(&all[1]), [11, 12, 11, 13, 12, 11]);
    for reader in &all {
        reader.forget(0).send();
    }
    simulation.run_for(Duration::from_secs(60));
    assert_eq!(all[0].all().ask_blocking().expect("it lives"), []);
    assert_eq!(simulation.system().inspect().detached_heaps, 0);
}

#[test]
fn seeded_heaps_keep_what_images_name() {
    for seed in 0..seeds(20) {
        releases_beside_images(seed);
    }
}

/// Writers end, readers forget pages, and heaps are collected, while images are taken.
fn releases_beside_images(seed: u64) {
    let kinds = kinds();
    let simulation = simulated(&kinds, seed);
    let readers = ring(&simulation);
    let mut dice = Dice::new(seed);
    let mut writers = Vec::new();
    for number in 0..30 {
        let reader = readers[dice.below(3)].clone();
        writers.push(Writer::spawn(simulation.system(), reader));
        let writer = &writers[dice.below(writers.len())];
        writer.write(number).send();
        if dice.below(2) == 0 {
            Address::stop(&writers.swap_remove(dice.below(writers.len())));
        }
        readers[dice.below(3)].forget(dice.below(3)).send();
        (0..dice.below(30)).for_each(|_| {
            simulation.step();
        });
        if dice.below(3) == 0 {
            let image = take(&simulation, &mut dice).expect("all of it is saved");
            let Some(image) = image else { continue };
            let (other, _actors) = restored(&image, seed, &kinds);
            assert_eq!(end(&other).len(), 3);
        }
        simulation.run_for(Duration::from_millis(dice.below(400) as u64));
    }
}

/// Readers forget a page when they are captured, and before the heap of the page is.
fn a_page_is_kept_for_its_image() {
    let kinds = kinds();
    let simulation = simulated(&kinds, 1);
    let readers = ring(&simulation);
    let writer = Writer::spawn(simulation.system(), readers[0].clone());
    writer.write(1).send();
    simulation.run();
    Address::stop(&writer);
    simulation.run();
    let system = simulation.system().shared();
    let recorder = recorder(simulation.system());
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    while !matches!(coordinator.step(system), Step::Complete(_)) {
        readers.iter().for_each(|reader| reader.forget(0).send());
        simulation.run_for(Duration::from_secs(10));
    }
    let image = recorder.take(system).expect("all of it is saved");
    let (simulation, _actors) = restored(&image, 2, &kinds);
    assert_eq!(end(&simulation), [vec![1], vec![1], vec![]]);
}

#[test]
fn what_is_released_behind_the_line_is_in_the_image() {
    a_page_is_kept_for_its_image();
}

#[test]
fn canary_releases_before_the_phase_are_caught() {
    let said = caught(InjectedFault::EarlyRelease, a_page_is_kept_for_its_image);
    assert!(said.contains("not captured"), "{said}");
}
