//! Snapshots as a program takes them, one step after the other.

use super::census::Census;
use super::memory_store::MemoryStore;
use super::{ActorsOfType, RestoreError, SavedAs, SnapshotError};
use crate::codec::{Decoder, Encoder, LoadError, Shape};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::sync::{Arc, Mutex, lock};
use crate::{RestoredOr, Saved, StreamItem};
use std::cell::RefCell;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use vivant_journal::{DirectoryStore, Journal, Settings};

/// Notes what others say, and tells a colleague that is not saved.
#[derive(Actor)]
#[actor(saved, id = "office::Clerk")]
struct Clerk {
    notes: Vec<String>,
    printer: Address<Printer>,
    phone: Address<Phone>,
}

#[behaviours(id = "office::Clerk")]
impl Clerk {
    #[start]
    fn new(printer: Address<Printer>, phone: Address<Phone>) -> Clerk {
        Clerk {
            notes: Vec::new(),
            printer,
            phone,
        }
    }

    fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    #[then]
    fn reads(&mut self, _item: StreamItem<u64>) {}

    fn colleagues(&self) -> (Address<Printer>, Address<Phone>) {
        (self.printer.clone(), self.phone.clone())
    }
}

#[derive(Actor)]
#[actor(id = "office::Printer")]
struct Printer;

#[behaviours(id = "office::Printer")]
impl Printer {
    fn pages(&self) -> u64 {
        3
    }
}

#[derive(Actor)]
#[actor(saved(restart), id = "office::Phone")]
struct Phone {
    number: u64,
    calls: u64,
}

#[behaviours(id = "office::Phone")]
impl Phone {
    #[start]
    fn new(number: u64) -> Phone {
        Phone { number, calls: 0 }
    }

    fn call(&mut self) -> (u64, u64) {
        self.calls += 1;
        (self.number, self.calls)
    }
}

fn builder() -> crate::SystemBuilder {
    System::builder().saved::<(Clerk, Phone)>()
}

fn office(system: &System) -> Address<Clerk> {
    let (printer, phone) = (system.spawn(Printer), Phone::spawn(system, 110));
    phone.call().send();
    Clerk::spawn(system, printer, phone)
}

/// Each kind of actor is counted; what is not saved has ended after a restore, and what restarts
/// has started again.
#[test]
fn each_kind_of_actor_is_restored_as_it_says() {
    let journal = MemoryStore::default().journal();
    let simulation = Simulation::with(1, Faults::none(), builder());
    let clerk = office(simulation.system());
    clerk.note("one".to_owned()).send();
    simulation.run();
    let report = simulation
        .system()
        .snapshot(&journal)
        .expect("all is saved");
    let of = |type_name: &str, saved_as| ActorsOfType {
        type_name: type_name.to_owned(),
        saved_as,
        actors: 1,
    };
    let types = [
        of("office::Clerk", SavedAs::State),
        of("office::Phone", SavedAs::Start),
        of("office::Printer", SavedAs::Nothing),
    ];
    assert_eq!(report.types, types);
    assert_eq!((report.messages, report.cuts, report.number), (0, 1, 1));
    assert!(
        report
            .to_string()
            .contains("1 actors saved, 1 to start again, 1 not saved")
    );
    drop((clerk, simulation));

    let image = journal.catalog().image(report.number).expect("it exists");
    let restored = Simulation::restore(2, Faults::none(), builder(), &image);
    let (simulation, actors, report) = restored.expect("the program is the same");
    assert_eq!(report.types, types);
    assert_eq!((actors.len(), report.damaged.len()), (2, 0));
    let clerk = actors.actors::<Clerk>().next().expect("it is saved");
    assert_eq!(Address::path(&clerk), "office::Clerk/2");
    drop(actors);
    let (printer, phone) = clerk.colleagues().ask_blocking().expect("it lives");
    assert_eq!(clerk.notes().ask_blocking().expect("it lives"), ["one"]);
    assert_eq!(phone.call().ask_blocking(), Ok((110, 1)));
    let error = printer.pages().ask_blocking().expect_err("it has ended");
    assert!(
        error
            .to_string()
            .contains("office::Printer/0 has ended: its type is not saved"),
        "{error}"
    );
    drop(simulation);
}

/// The handle keeps what has no address, and no longer than it lives.
#[test]
fn restored_actors_live_as_long_as_the_handle() {
    let journal = MemoryStore::default().journal();
    let simulation = Simulation::with(1, Faults::none(), builder());
    let _clerk = office(simulation.system());
    simulation.run();
    let number = simulation
        .system()
        .snapshot(&journal)
        .expect("all is saved")
        .number;
    let image = journal.catalog().image(number).expect("it exists");
    let restored = Simulation::restore(2, Faults::none(), builder(), &image);
    let (simulation, actors, _) = restored.expect("the program is the same");
    simulation.run();
    let alive = || simulation.system().inspect().actors.len();
    assert_eq!(alive(), 2, "the clerk and the phone");
    drop(actors);
    simulation.run();
    assert_eq!(alive(), 0, "nothing leads to the clerk");
}

#[test]
fn a_store_on_disk_is_restored_or_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = || Journal::open(DirectoryStore::new(folder.path()), Settings::default());
    for life in 0..3_u64 {
        let journal = journal().expect("no other journal is open");
        let restored = builder().workers(2).restore_or(journal.catalog(), office);
        let (system, clerk) = match restored.expect("the program is the same") {
            RestoredOr::Restored(restored) => {
                assert_eq!(restored.report.number, life);
                assert_eq!(restored.report.system, "vivant");
                let clerk = restored.actors.actor("office::Clerk/2");
                (restored.system, clerk.expect("it is saved"))
            }
            RestoredOr::New(system, clerk) => {
                assert_eq!(life, 0);
                (system, clerk)
            }
        };
        let notes = clerk.notes().ask_blocking().expect("it lives");
        assert_eq!(notes.len() as u64, life, "{notes:?}");
        clerk.note(format!("life {life}")).send();
        system.snapshot(&journal).expect("all is saved");
        clerk.note("behind the cut".to_owned()).send();
    }
}

#[test]
fn what_is_missing_in_the_builder_is_said() {
    let journal = MemoryStore::default().journal();
    let simulation = Simulation::new(1);
    let error = simulation
        .system()
        .snapshot(&journal)
        .expect_err("no types");
    assert!(matches!(error, SnapshotError::NothingListed));
    assert!(error.to_string().contains(".saved::<(…)>()"), "{error}");

    let unlisted = System::builder().saved::<(Phone,)>();
    let simulation = Simulation::with(1, Faults::none(), unlisted);
    let _clerk = office(simulation.system());
    simulation.run();
    let error = simulation
        .system()
        .snapshot(&journal)
        .expect_err("no clerk");
    let said = error.to_string();
    assert!(
        said.contains("office::Clerk/2") && said.contains("saved::<"),
        "{said}"
    );
    let images = journal.catalog().images().expect("memory does not fail");
    assert_eq!(images.intact.len(), 0, "nothing was published");
}

#[test]
fn a_damaged_image_is_passed_over_and_reported() {
    let store = MemoryStore::default();
    let journal = store.journal();
    let simulation = Simulation::with(1, Faults::none(), builder());
    let clerk = office(simulation.system());
    for number in 1..=2 {
        clerk.note(number.to_string()).send();
        simulation.run();
        simulation
            .system()
            .snapshot(&journal)
            .expect("all is saved");
    }
    store.damage(2);
    let restored = builder().restore_or(journal.catalog(), |_| ());
    let Ok(RestoredOr::Restored(restored)) = restored else {
        panic!("the first image is intact: {restored:?}");
    };
    assert_eq!(restored.report.number, 1);
    let damaged: Vec<_> = restored.report.damaged.iter().map(|it| it.number).collect();
    assert_eq!(damaged, [2]);
    let clerk = restored
        .actors
        .actors::<Clerk>()
        .next()
        .expect("it is saved");
    assert_eq!(clerk.notes().ask_blocking().expect("it lives"), ["1"]);

    store.damage(1);
    let error = builder().restore_or(journal.catalog(), |_| ()).err();
    assert!(
        matches!(&error, Some(RestoreError::AllDamaged(images)) if images.len() == 2),
        "{error:?}"
    );
}

#[test]
fn a_store_that_fails_fails_the_snapshot_alone() {
    let store = MemoryStore::default();
    let journal = store.journal();
    let simulation = Simulation::with(1, Faults::none(), builder());
    let clerk = office(simulation.system());
    store.set_full(true);
    let error = simulation
        .system()
        .snapshot(&journal)
        .expect_err("it is full");
    assert!(matches!(error, SnapshotError::Store(_)), "{error:?}");
    store.set_full(false);
    clerk.note("it goes on".to_owned()).send();
    let report = simulation
        .system()
        .snapshot(&journal)
        .expect("there is room");
    assert_eq!(report.actors(SavedAs::State), 1);
}

thread_local! {
    /// A system, and how many of its cuts a turn will make void.
    static VOIDS: RefCell<Option<(System, u32)>> = const { RefCell::new(None) };
}

/// Makes a cut void, as a turn does that learns something from behind the line.
fn void_one() {
    VOIDS.with_borrow_mut(|voids| match voids {
        Some((system, left)) if *left > 0 => {
            *left -= 1;
            system.shared().passes.void();
        }
        _ => {}
    });
}

/// Saves itself as the text that it is, or not at all.
struct Stubborn(&'static str);

impl<'gc> Saved<'gc> for Stubborn {
    const SHAPE: &'static Shape = <String as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        match self.0 {
            "panics" => panic!("it cannot be moved"),
            "voids" => {
                void_one();
                String::new().save(out);
            }
            why => out.error(why),
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        String::load(input).map(|_| Stubborn(""))
    }
}

#[derive(Actor)]
#[actor(saved, id = "office::Mule")]
struct Mule(Stubborn);

#[behaviours(id = "office::Mule")]
impl Mule {
    fn is_there(&self) -> bool {
        !self.0.0.is_empty()
    }
}

#[test]
fn a_value_that_cannot_be_saved_fails_the_snapshot_alone() {
    let journal = MemoryStore::default().journal();
    for (why, said) in [
        (
            "too heavy",
            "office::Mule/0 cannot be saved: after 0 bytes: too heavy",
        ),
        (
            "panics",
            "office::Mule/0 cannot be saved: its code that saves a value panicked: it cannot be moved",
        ),
    ] {
        let builder = System::builder().saved::<(Mule,)>();
        let simulation = Simulation::with(1, Faults::none(), builder);
        let mule = simulation.system().spawn(Mule(Stubborn(why)));
        for _ in 0..3 {
            let error = simulation
                .system()
                .snapshot(&journal)
                .expect_err("it stays");
            assert!(matches!(error, SnapshotError::Unsaved(_)), "{error:?}");
            assert!(error.to_string().contains(said), "{error}");
            assert_eq!(mule.is_there().ask_blocking(), Ok(true));
        }
    }
}

/// A void cut is taken again, into another image, and leaves none.
#[test]
fn a_void_cut_is_taken_again() {
    let journal = MemoryStore::default().journal();
    let builder = System::builder().saved::<(Mule,)>();
    let simulation = Simulation::with(1, Faults::none(), builder);
    let system = simulation.system();
    let mule = system.spawn(Mule(Stubborn("voids")));
    VOIDS.set(Some((system.clone(), 2)));
    let report = system.snapshot(&journal).expect("the third is whole");
    assert_eq!((report.cuts, report.actors(SavedAs::State)), (3, 1));
    assert_eq!(report.paused, Duration::ZERO);
    VOIDS.set(Some((system.clone(), 3)));
    let report = system.snapshot(&journal).expect("the fourth is whole");
    assert_eq!((report.cuts, report.actors(SavedAs::State)), (4, 1));
    VOIDS.set(None);
    let images = journal.catalog().images().expect("memory does not fail");
    assert_eq!(images.intact.len(), 2);
    assert_eq!(mule.is_there().ask_blocking(), Ok(true));
}

/// The ends of actors at a shutdown are in no image.
#[test]
fn a_system_that_is_shut_down_is_not_saved() {
    let journal = MemoryStore::default().journal();
    let system = builder().workers(1).build();
    let _clerk = office(&system);
    let _report = system.shutdown();
    let error = system.snapshot(&journal).expect_err("it is shut down");
    assert!(matches!(error, SnapshotError::ShutDown), "{error:?}");
}

#[derive(Actor)]
#[actor(saved, id = "office::Boss")]
struct Boss {
    #[saved(skip)]
    system: Option<System>,
}

#[behaviours(id = "office::Boss")]
impl Boss {
    fn save_all(&mut self) {
        let journal = MemoryStore::default().journal();
        if let Some(system) = &self.system {
            let _report = system.snapshot(&journal);
        }
    }
}

#[test]
fn a_snapshot_within_a_turn_is_refused() {
    let builder = System::builder().saved::<(Boss,)>();
    let simulation = Simulation::with(1, Faults::none(), builder);
    let system = Some(simulation.system().clone());
    let boss = simulation.system().spawn(Boss { system });
    let error = boss.save_all().ask_blocking().expect_err("it panics");
    assert!(
        error.to_string().contains("snapshot was called in"),
        "{error}"
    );
}

#[test]
fn a_snapshot_can_be_awaited() {
    let journal = crate::sync::Arc::new(MemoryStore::default().journal());
    let simulation = Simulation::with(1, Faults::none(), builder());
    let system = simulation.system().clone();
    let _clerk = office(&system);
    let report = system.block_on(system.snapshot_async(&journal));
    assert_eq!(report.expect("all is saved").number, 1);

    let system = builder().workers(2).build();
    let _clerk = office(&system);
    let report = system.block_on(system.snapshot_async(&journal));
    assert_eq!(report.expect("all is saved").actors(SavedAs::State), 1);
}

#[test]
fn a_report_lists_a_hundred_slow_values() {
    let mut census = Census::default();
    for number in 0..130 {
        let took = Duration::from_millis(number % 2 * 3);
        census.encoded(took, 10, || format!("Actor/{number}"));
    }
    assert_eq!((census.slow.len(), census.more_slow), (65, 0));
    for _ in 0..40 {
        census.encoded(Duration::from_secs(1), 10, String::new);
    }
    assert_eq!((census.slow.len(), census.more_slow), (100, 5));
    assert_eq!(census.slow[0].actor, "Actor/1");
}

/// The clerk hears behind the restore that its stream is lost.
#[test]
fn a_reader_of_a_stream_is_saved() {
    let journal = MemoryStore::default().journal();
    let simulation = Simulation::with(1, Faults::none(), builder());
    let clerk = office(simulation.system());
    let silent = Silent(Arc::default());
    let waker = silent.0.clone();
    let attached = simulation.system().attach(silent);
    let attached = attached.then_each(clerk.reads());
    simulation.run();
    let report = simulation.system().snapshot(&journal);
    let report = report.expect("streams end at the line");
    assert_eq!(report.messages, 1);
    drop((attached, waker));
}

/// A stream without items that does not end. It may be woken.
struct Silent(Arc<Mutex<Option<Waker>>>);

impl futures_core::Stream for Silent {
    type Item = u64;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<u64>> {
        *lock(&self.0) = Some(context.waker().clone());
        Poll::Pending
    }
}
