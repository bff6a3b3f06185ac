//! How heaps are marked is chosen when the system starts: for all, by type, by a text, by the
//! environment.

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{InlineState, Marking, Pacing, Report, SystemBuilder};

/// Is marked every few turns, if it is marked at all.
const OFTEN: Pacing = Pacing::new().nursery(1024).first(4096);

#[derive(Actor)]
struct ChainState<'gc> {
    links: Vec<Gc<'gc, [u64; 16]>>,
}

#[behaviours]
impl<'gc> ChainState<'gc> {
    #[start]
    fn new() -> Self {
        ChainState { links: Vec::new() }
    }

    /// Replaces all its objects by new ones.
    fn renew(&mut self, t: &Turn<'gc, Chain>) {
        self.links = (0..64).map(|n| t.alloc([n; 16])).collect();
    }
}

/// As a chain, but its type turns marking off.
#[derive(Actor)]
#[actor(pacing = OFTEN.marking(Marking::Never), id = "yard::Scrap")]
struct ScrapState<'gc> {
    links: Vec<Gc<'gc, [u64; 16]>>,
}

#[behaviours(id = "yard::Scrap")]
impl<'gc> ScrapState<'gc> {
    #[start]
    fn new() -> Self {
        ScrapState { links: Vec::new() }
    }

    fn renew(&mut self, t: &Turn<'gc, Scrap>) {
        self.links = (0..64).map(|n| t.alloc([n; 16])).collect();
    }
}

/// The number of marks of an actor of this type.
fn marks_of(system: &System, type_name: &str) -> u64 {
    let actors = system.inspect().actors;
    let mut heaps = actors.iter().filter(|it| it.type_name == type_name);
    heaps.next().unwrap().heap.unwrap().marks()
}

/// Which of the two types is marked: the chain, the scrap.
fn mark_on(system: &System) -> (bool, bool) {
    let (chain, scrap) = (Chain::spawn(system), Scrap::spawn(system));
    for _ in 0..50 {
        chain.renew().send();
        scrap.renew().send();
    }
    // After all other settings.
    chain.renew().ask_blocking().unwrap();
    scrap.renew().ask_blocking().unwrap();
    let marks = |name| marks_of(system, name) > 0;
    (marks(Chain::NAME), marks(Scrap::NAME))
}

/// The same in a simulation.
fn mark(builder: SystemBuilder) -> (bool, bool) {
    let simulation = Simulation::with(1, Faults::none(), builder);
    let marks = mark_on(simulation.system());
    simulation.run_for(Duration::from_secs(5));
    marks
}

fn often() -> SystemBuilder {
    System::builder().pacing(OFTEN)
}

#[test]
fn a_type_chooses_its_marking_unless_the_system_does() {
    assert_eq!(mark(often()), (true, false));
    assert_eq!(mark(often().collector(Marking::AtOnce)), (true, true));
    assert_eq!(mark(often().collector(Marking::Never)), (false, false));
    let never = System::builder().pacing(OFTEN.marking(Marking::Never));
    assert_eq!(mark(never), (false, false));
}

#[test]
fn the_builder_chooses_the_marking_of_one_type() {
    let one = often().collector_of::<Scrap>(Marking::Concurrent);
    assert_eq!(mark(one), (true, true));
    let other = often().collector_of::<Chain>(Marking::Never);
    assert_eq!(mark(other), (false, false));
    let both = often()
        .collector_of::<Chain>(Marking::AtOnce)
        .collector(Marking::Never);
    assert_eq!(mark(both), (true, false), "a type wins over all");
}

#[test]
fn a_text_chooses_types_by_name_suffix() {
    let by = |text| mark(often().collectors(text).unwrap());
    assert_eq!(by("Scrap=at-once, Chain=never"), (false, true));
    assert_eq!(by("yard::Scrap=concurrent,never"), (false, true));
    assert_eq!(by("collectors::Chain=at-once,never"), (true, false));
    assert_eq!(by("crap=at-once"), (true, false), "no whole name");
}

#[test]
fn an_invalid_text_is_reported_with_its_place_and_a_correction() {
    let wrong = often().collectors("at-once,Scrap=sometimes");
    let said = wrong.unwrap_err().to_string();
    assert_eq!(
        said,
        "in \"at-once,Scrap=sometimes\": \"sometimes\" is no way of marking; write concurrent, at-once or never; \
         an example: \"at-once,bank::Account=never\""
    );
}

#[test]
fn an_unused_name_is_reported_at_shutdown() {
    let builder = often()
        .collectors("Scrub=at-once,Chain=never,Ledger=never")
        .unwrap();
    let simulation = Simulation::with(1, Faults::none(), builder);
    let system = simulation.system();
    system.spawn(Ledger);
    mark_on(system);
    system.shutdown();
    let reports = system.inspect().reports;
    let unused = |report: &Report| match report {
        Report::UnusedCollector { name, .. } => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = reports.iter().filter_map(unused).collect();
    assert_eq!(names, ["Scrub", "Ledger"], "and Ledger has no heap");
    let said = reports[0].to_string();
    assert!(
        said.starts_with("SystemBuilder::collectors says Scrub=at-once, but"),
        "{said}"
    );
}

#[derive(Actor)]
struct Ledger;

#[behaviours]
impl Ledger {}

const _: fn() = || {
    fn is_plain<A: Actor<Storage = InlineState>>() {}
    is_plain::<Ledger>();
};

#[derive(Actor)]
struct HolderState<'gc> {
    held: Option<Val<'gc, str>>,
}

#[behaviours]
impl<'gc> HolderState<'gc> {
    #[start]
    fn new() -> Self {
        HolderState { held: None }
    }
    fn gives(&mut self, t: &Turn<'gc, Holder>, to: Address<Holder>) {
        to.takes(t.val_str("rain")).send();
    }
    fn takes(&mut self, held: Val<'gc, str>) {
        self.held = Some(held);
    }
    fn forgets(&mut self) {
        self.held = None;
    }
}

/// An actor that drops its imports: the number of marks of either heap for that, and the imports
/// that are left.
fn forgotten(marking: Marking) -> (u64, usize) {
    let builder = System::builder().collector(marking);
    let simulation = Simulation::with(1, Faults::none(), builder);
    let system = simulation.system();
    let (one, two) = (Holder::spawn(system), Holder::spawn(system));
    one.gives(two.clone()).send();
    simulation.run();
    two.forgets().send();
    simulation.run_for(Duration::from_secs(60));
    let heaps: Vec<_> = system.inspect().actors;
    let heaps = heaps.iter().filter_map(|it| it.heap);
    heaps.fold((0, 0), |(marks, imports), heap| {
        (marks + heap.marks(), imports + heap.imports as usize)
    })
}

#[test]
fn an_idle_heap_that_is_never_marked_stays_unmarked() {
    let (marks, imports) = forgotten(Marking::AtOnce);
    assert!(marks > 0);
    assert_eq!(imports, 0);
    assert_eq!(forgotten(Marking::Never), (0, 1));
}

/// In processes of their own, configured by their environment.
#[cfg(not(miri))]
mod environment {
    use super::*;
    use std::process::{Command, Output};

    const VARIABLE: &str = "VIVANT_COLLECTOR";

    /// Set for the child.
    const CHILD: &str = "VIVANT_COLLECTORS_CHILD";

    /// Runs this test again, in a process with this environment, and returns the result. None in
    /// the child, which has run `run`.
    fn under(test: &str, text: &str, run: impl FnOnce()) -> Option<Output> {
        if std::env::var_os(CHILD).is_some() {
            run();
            return None;
        }
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                &format!("collectors::{test}"),
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(CHILD, "1")
            .env(VARIABLE, text)
            .env("RUST_BACKTRACE", "0")
            .output();
        Some(child.unwrap())
    }

    fn said(output: &Output) -> String {
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    #[test]
    fn overrides_the_program() {
        let test = "environment::overrides_the_program";
        let child = under(test, "never,yard::Scrap=at-once", || {
            let system = often().collector(Marking::AtOnce).build();
            assert_eq!(mark_on(&system), (false, true));
            let system = often().collector_of::<Chain>(Marking::AtOnce).build();
            assert_eq!(mark_on(&system), (false, true));
            let simulated = mark(often());
            assert_eq!(simulated, (true, false), "its seed decides all");
        });
        if let Some(child) = child {
            assert!(child.status.success(), "{}", said(&child));
            let ran = String::from_utf8_lossy(&child.stdout);
            assert!(ran.contains("1 passed"), "{ran}");
        }
    }

    #[test]
    fn changes_nothing_if_empty() {
        let test = "environment::changes_nothing_if_empty";
        let child = under(test, "", || {
            assert_eq!(mark_on(&often().build()), (true, false));
        });
        if let Some(child) = child {
            assert!(child.status.success(), "{}", said(&child));
        }
    }

    #[test]
    fn stops_the_program_if_invalid() {
        let test = "environment::stops_the_program_if_invalid";
        let child = under(test, "Scrap=off", || drop(often().build()));
        if let Some(child) = child {
            assert!(!child.status.success());
            let words = [
                "the environment variable VIVANT_COLLECTOR cannot be read: in \"Scrap=off\": \"off\" is no way of marking; ",
                "write concurrent, at-once or never; an example: \"at-once,bank::Account=never\". Correct it or unset it",
            ];
            assert!(said(&child).contains(&words.concat()), "{}", said(&child));
        }
    }
}
