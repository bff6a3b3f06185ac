//! What an image has of single synchronizers: their order, ends and failures, and what no image
//! can have.

use super::image::Image;
use super::not_restored::NotRestored;
use super::restore::restore;
use super::synchronizers_program::{Closed, Till};
use super::taking::{assert_is, restored, simulated, take, take_now};
use super::unsaved::Unsaved;
use crate::Saved;
use crate::actor::{Lasts, WaitsAs};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Pattern, SavedSynchronizer, Synchronizer, SynchronizerBuilder, SynchronizerKind};

#[derive(Actor)]
#[actor(saved)]
struct Printer {
    number: u64,
    log: Address<Log>,
    handle: Option<Synchronizer>,
    printed: u64,
}

#[behaviours]
impl Printer {
    #[start]
    fn new(number: u64, log: Address<Log>) -> Printer {
        Printer {
            number,
            log,
            handle: None,
            printed: 0,
        }
    }

    fn print(&mut self, t: &Turn<Self>, page: u64) -> u64 {
        self.printed += 1;
        t.send(self.log.note(self.number, page));
        self.printed
    }

    fn add_paper(&mut self) {}

    fn have(&mut self, handle: Option<Synchronizer>) {
        self.handle = handle;
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}
use printer_messages::{AddPaper, Print};

#[derive(Actor)]
#[actor(saved)]
struct Log {
    notes: Vec<(u64, u64)>,
}

#[behaviours]
impl Log {
    #[start]
    fn new() -> Log {
        Log { notes: Vec::new() }
    }

    fn note(&mut self, printer: u64, page: u64) {
        self.notes.push((printer, page));
    }

    fn notes(&self) -> Vec<(u64, u64)> {
        self.notes.clone()
    }
}

/// Sheets of paper for two printers.
#[derive(Saved, Debug, PartialEq)]
struct Paper(u64);

impl SavedSynchronizer for Paper {
    type Args = (Address<Printer>, Address<Printer>);

    fn constrain(args: &Self::Args, it: SynchronizerBuilder<Paper>) -> SynchronizerBuilder<Paper> {
        let (one, other) = args;
        let print = || [one, other].map(Pattern::<Print<Printer>>::at);
        it.disable(print(), |paper: &Paper| paper.0 == 0)
            .upon(print(), |(page,)| {
                let is_bad = *page == 13;
                move |paper: &mut Paper| {
                    assert!(!is_bad, "a bad page");
                    paper.0 -= 1;
                }
            })
            .upon(Pattern::<AddPaper<Printer>>::at(one), |()| {
                |paper: &mut Paper| paper.0 += 1
            })
    }
}

/// Two pages are printed together.
#[derive(Saved)]
struct Both;

impl SavedSynchronizer for Both {
    type Args = (Address<Printer>, Address<Printer>);

    fn constrain(args: &Self::Args, it: SynchronizerBuilder<Both>) -> SynchronizerBuilder<Both> {
        let (one, other) = args;
        it.atomic([one, other].map(Pattern::<Print<Printer>>::at))
    }
}

type Listed = (
    Printer,
    Log,
    Till,
    SynchronizerKind<Paper>,
    SynchronizerKind<Both>,
    SynchronizerKind<Closed>,
);

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<Listed>().expect("no two names are equal"))
}

struct Printers {
    printers: [Address<Printer>; 2],
    log: Address<Log>,
}

impl Printers {
    fn begin(system: &System) -> Printers {
        let log = Log::spawn(system);
        let printers = [0, 1].map(|number| Printer::spawn(system, number, log.clone()));
        Printers { printers, log }
    }

    fn args(&self) -> (Address<Printer>, Address<Printer>) {
        let [one, other] = &self.printers;
        (one.clone(), other.clone())
    }

    fn restored(image: &Image) -> (Printers, Simulation) {
        let (simulation, actors) = restored(image, 3, &kinds());
        let kinds = kinds();
        let all = actors.values();
        let printers: Vec<Address<Printer>> = all
            .filter_map(|it| crate::api::address_by(it, &kinds))
            .collect();
        let mut all = actors.values();
        let log = all.find_map(|it| crate::api::address_by(it, &kinds));
        let printers = printers.try_into().expect("there are two");
        let log = log.expect("there is one");
        (Printers { printers, log }, simulation)
    }

    fn notes(&self) -> Vec<(u64, u64)> {
        self.log.notes().ask_blocking().expect("it is alive")
    }
}

/// Pages wait for paper: the first came to the second printer.
fn paper_goes_to_the_oldest_page() {
    for seed in 0..20 {
        let simulation = simulated(&kinds(), seed);
        let program = Printers::begin(simulation.system());
        let paper = Synchronizer::saved(Paper(0), program.args());
        paper.expect("they are alive").forever();
        simulation.run();
        for (printer, page) in [(1, 10), (0, 20), (1, 30), (0, 40)] {
            program.printers[printer].print(page).send();
            simulation.run();
        }
        let image = take_now(&simulation);
        let offered = image.waiting.iter().map(|it| it.message.waits_as);
        let offered = offered.filter(|it| matches!(it, WaitsAs::Offered(_)));
        assert_eq!(offered.count(), 4);
        let (program, simulation) = Printers::restored(&image);
        assert_is(&take_now(&simulation), &image, "it waits again");
        let mut expected = Vec::new();
        for note in [(1, 10), (0, 20), (1, 30), (0, 40)] {
            program.printers[0].add_paper().send();
            simulation.run();
            expected.push(note);
            assert_eq!(program.notes(), expected, "seed {seed}");
        }
    }
}

#[test]
fn offers_keep_their_ranks() {
    paper_goes_to_the_oldest_page();
}

#[test]
fn offers_without_their_ranks_are_noticed() {
    must_catch(InjectedFault::RankForgotten, paper_goes_to_the_oldest_page);
}

fn records(image: &Image) -> Vec<(u64, Lasts, bool)> {
    let all = image.shared.tables.synchronizers.iter();
    all.map(|it| (it.number, it.lasts, it.broken.is_some()))
        .collect()
}

#[test]
fn a_synchronizer_is_in_an_image_with_its_handle_or_forever() {
    let simulation = simulated(&kinds(), 1);
    let program = Printers::begin(simulation.system());
    let outside = Synchronizer::saved(Paper(1), program.args()).expect("they are alive");
    let inside = Synchronizer::saved(Paper(2), program.args()).expect("they are alive");
    let forever = Synchronizer::saved(Paper(3), program.args()).expect("they are alive");
    forever.forever();
    program.printers[1].have(Some(inside)).send();
    // On its way.
    let image = take_now(&simulation);
    let kept = vec![(2, Lasts::AsHandle, false), (3, Lasts::Forever, false)];
    assert_eq!(records(&image), kept);
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(records(&image), kept);
    drop(outside);
    simulation.run();
    let image = take_now(&simulation);
    let (program, simulation) = Printers::restored(&image);
    program.printers[1].have(None).send();
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(records(&image), [(3, Lasts::Forever, false)]);
    // No number is given twice.
    assert_eq!(image.shared.tables.next_synchronizer, 4);
}

#[test]
fn a_member_that_has_ended_refuses_its_part_of_a_set_after_a_restore() {
    let simulation = simulated(&kinds(), 1);
    let program = Printers::begin(simulation.system());
    let both = Synchronizer::saved(Both, program.args());
    both.expect("they are alive").forever();
    program.printers[0].print(1).send();
    program.printers[1].finish().send();
    let cell = Address::link(&program.printers[1]).to.cell();
    // Refused, or about to be.
    while cell.ended().is_none() {
        assert!(simulation.step());
    }
    let image = take_now(&simulation);
    let (simulation, actors) = restored(&image, 2, &kinds());
    assert_is(&take_now(&simulation), &image, "it has ended");
    let kinds = kinds();
    let printer: Address<Printer> = actors
        .values()
        .find_map(|it| crate::api::address_by(it, &kinds))
        .expect("one is alive");
    let refused = printer.print(2).ask_blocking();
    let Err(AskError::Constrained { .. }) = refused else {
        panic!("{refused:?}");
    };
}

#[test]
fn what_has_broken_down_stays_so() {
    let simulation = simulated(&kinds(), 1);
    let program = Printers::begin(simulation.system());
    let paper = Synchronizer::saved(Paper(5), program.args());
    paper.expect("they are alive").forever();
    simulation.run();
    program.printers[0].print(13).send();
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(records(&image), [(1, Lasts::Forever, true)]);
    let (program, simulation) = Printers::restored(&image);
    assert_is(&take_now(&simulation), &image, "it is broken");
    let refused = program.printers[1].print(1).ask_blocking();
    let error = refused.expect_err("it dispatches nothing").to_string();
    assert!(error.contains("a bad page"), "{error}");
}

/// A stop that came after a commit takes effect after its message, also in another life.
#[test]
fn a_stop_does_not_part_what_happens_together() {
    let mut parted = 0;
    for steps in 0..40 {
        let simulation = simulated(&kinds(), 5);
        let program = Printers::begin(simulation.system());
        let both = Synchronizer::saved(Both, program.args());
        both.expect("they are alive").forever();
        simulation.run();
        program.printers[0].print(1).send();
        program.printers[1].print(1).send();
        for _ in 0..steps {
            let _more = simulation.step();
        }
        for printer in &program.printers {
            crate::Address::link(printer)
                .to
                .cell()
                .signal(crate::actor::Signals::STOP);
        }
        let image = take_now(&simulation);
        parted += usize::from(
            image
                .waiting
                .iter()
                .any(|it| it.message.waits_as == WaitsAs::Committed),
        );
        let (simulation, actors) = restored(&image, 7, &kinds());
        assert_is(&take_now(&simulation), &image, "stops wait");
        simulation.run();
        let kinds = kinds();
        let log: Address<Log> = actors
            .values()
            .find_map(|it| crate::api::address_by(it, &kinds))
            .expect("it is alive");
        let notes = log.notes().ask_blocking().expect("it is alive");
        assert!(matches!(notes.len(), 0 | 2), "{steps} steps: {notes:?}");
    }
    assert!(parted > 0);
}

#[test]
fn closures_are_in_no_image() {
    let simulation = simulated(&kinds(), 1);
    let program = Printers::begin(simulation.system());
    let [one, _] = &program.printers;
    let closed = Synchronizer::new()
        .disable(Pattern::<Print<Printer>>::at(one), |()| true)
        .declare()
        .expect("it is alive");
    simulation.run();
    let error = take(&simulation, &mut Dice::new(1)).expect_err("it has closures");
    let text = error.to_string();
    assert!(matches!(error, Unsaved::Lacking { .. }), "{text}");
    assert!(text.contains("Synchronizer::saved"), "{text}");
    assert!(text.contains("synchronizers_kinds_tests.rs"), "{text}");
    closed.lift();
    let image = take_now(&simulation);
    assert!(image.shared.tables.synchronizers.is_empty());
}

/// A synchronizer that no living actor is constrained by is no reason to fail.
#[test]
fn a_synchronizer_without_living_members_is_in_no_image() {
    let simulation = simulated(&kinds(), 1);
    let printers = Printers::begin(simulation.system());
    let (one, other) = printers.args();
    let both = Synchronizer::new().atomic([&one, &other].map(Pattern::<Print<Printer>>::at));
    both.declare().expect("it is alive").forever();
    let saved = Synchronizer::saved(Both, printers.args()).expect("it is alive");
    saved.forever();
    one.finish().send();
    other.finish().send();
    simulation.run();
    assert!(records(&take_now(&simulation)).is_empty());
}

/// The table of synchronizers refers to cells, and these to the system.
#[test]
fn a_synchronizer_that_lasts_forever_is_dropped_with_its_system() {
    struct Sheets(Arc<()>);
    let alive = Arc::new(());
    let simulation = simulated(&kinds(), 1);
    let printers = Printers::begin(simulation.system());
    let (one, _) = printers.args();
    let sheets = Synchronizer::with(Sheets(alive.clone()));
    let sheets = sheets.disable([Pattern::<Print<Printer>>::at(&one)], |sheets| {
        Arc::strong_count(&sheets.0) == 0
    });
    sheets.declare().expect("it is alive").forever();
    simulation.run();
    drop((printers, one));
    let _report = simulation.system().shutdown();
    drop(simulation);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_kind_is_listed() {
    let listed = Arc::new(SavedKinds::of::<(Printer, Log)>().expect("no two names are equal"));
    let simulation = simulated(&listed, 1);
    let program = Printers::begin(simulation.system());
    let paper = Synchronizer::saved(Paper(5), program.args());
    paper.expect("they are alive").forever();
    simulation.run();
    let error = take(&simulation, &mut Dice::new(1)).expect_err("it is not listed");
    assert!(matches!(error, Unsaved::NotListed { .. }), "{error}");
    assert!(error.to_string().contains("Paper"), "{error}");
}

/// An image with offers, and one synchronizer of each kind.
fn image() -> Image {
    let simulation = simulated(&kinds(), 1);
    let program = Printers::begin(simulation.system());
    let paper = Synchronizer::saved(Paper(0), program.args());
    paper.expect("they are alive").forever();
    let both = Synchronizer::saved(Both, program.args());
    both.expect("they are alive").forever();
    simulation.run();
    for page in 0..4 {
        program.printers[page as usize % 2].print(page).send();
        simulation.run();
    }
    take_now(&simulation)
}

/// Restores an image that was changed, and runs what it makes.
fn outcome(change: impl FnOnce(&mut Image)) -> Result<(), NotRestored> {
    let mut image = image();
    change(&mut image);
    let simulation = simulated(&kinds(), 1);
    let actors = restore(simulation.system().shared(), &image, &kinds())?;
    simulation.run();
    drop(actors);
    simulation.run();
    Ok(())
}

#[test]
fn an_image_that_no_program_has_is_an_error() {
    assert!(outcome(|_| ()).is_ok());
    for change in [
        |image: &mut Image| image.shared.tables.synchronizers[1].number = 1,
        |image: &mut Image| image.shared.tables.synchronizers[1].number = u64::MAX,
        |image: &mut Image| image.shared.tables.next_synchronizer = 1,
        |image: &mut Image| image.shared.tables.next_synchronizer = u64::MAX,
        |image: &mut Image| image.shared.tables.synchronizers[0].kind = "Glue".to_owned(),
        |image: &mut Image| image.shared.tables.synchronizers[0].args.bytes = vec![77, 78],
        |image: &mut Image| image.shared.tables.synchronizers[1].args.bytes = vec![1, 1],
        |image: &mut Image| image.shared.tables.synchronizers[0].args.bytes.clear(),
        |image: &mut Image| image.shared.tables.synchronizers[0].state.bytes.clear(),
        // Of the other kind.
        |image: &mut Image| {
            let all = &mut image.shared.tables.synchronizers;
            all[0].kind = all[1].kind.clone();
        },
    ] {
        let error = outcome(change).expect_err("no program has it");
        let is_found = matches!(
            error,
            NotRestored::Synchronizer { .. } | NotRestored::SynchronizerNumber(_)
        );
        assert!(is_found, "{error}");
    }
}

#[test]
fn a_message_waits_as_one_of_a_behaviour_can() {
    for change in [
        |image: &mut Image| {
            for it in &mut image.waiting {
                it.message.waits_as = WaitsAs::Offered(7);
            }
        },
        |image: &mut Image| image.waiting[0].message.waits_as = WaitsAs::Offered(u64::MAX),
    ] {
        let error = outcome(change).expect_err("no program has it");
        assert!(matches!(error, NotRestored::NoOffer { .. }), "{error}");
    }
    // It is dispatched alone.
    assert!(outcome(|image| image.waiting[0].message.waits_as = WaitsAs::Committed).is_ok());
}

/// An actor that began anew and defers the message of a commit may have another one before its next
/// snapshot.
#[test]
fn an_actor_may_have_two_commits() {
    let mut image = image();
    assert_eq!(image.waiting.len(), 4, "two for each printer");
    for it in &mut image.waiting {
        it.message.waits_as = WaitsAs::Committed;
    }
    let (simulation, actors) = restored(&image, 7, &kinds());
    assert_is(&take_now(&simulation), &image, "they wait");
    simulation.run();
    let kinds = kinds();
    let mut actors = actors.values();
    let log: Option<Address<Log>> = actors.find_map(|it| crate::api::address_by(it, &kinds));
    let notes = log.expect("it is alive").notes().ask_blocking();
    assert_eq!(notes.expect("it is alive").len(), 4);
}
