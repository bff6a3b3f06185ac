//! Images of one tree of actors: what is outside of it is not in them, and the tree goes on.

use super::memory_store::MemoryStore;
use super::{SavedAs, SnapshotError};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::{RestoredActors, SystemBuilder};
use std::time::Duration;
use vivant_journal::Image;

/// A head of branches. Its requests wait for `open`.
#[derive(Actor)]
#[actor(saved, id = "tree::Branch")]
struct Branch {
    above: Option<Address<Branch>>,
    below: Vec<Address<Branch>>,
    is_open: bool,
    got: Vec<u64>,
}

#[behaviours(id = "tree::Branch")]
impl Branch {
    #[start]
    fn new(above: Option<Address<Branch>>) -> Branch {
        Branch {
            above,
            below: Vec::new(),
            is_open: false,
            got: Vec::new(),
        }
    }

    fn grow(&mut self, t: &Turn<Self>) -> Address<Branch> {
        let child = Branch::spawn(t, Some(t.me()));
        self.below.push(child.clone());
        child
    }

    fn open(&mut self) {
        self.is_open = true;
    }

    /// Waits until the branch is open.
    #[when(self.is_open)]
    fn leaves(&mut self, count: u64) -> u64 {
        self.got.push(count);
        count
    }

    fn ask(&mut self, t: &Turn<Self>, other: Address<Branch>, count: u64) {
        t.ask(other.leaves(count)).then(t.me().answered());
    }

    #[then]
    fn answered(&mut self, count: Result<u64, AskError>) {
        self.got.push(count.map_or(1_000, |count| count));
    }

    fn remind(&mut self, t: &Turn<Self>) {
        let _timer = t.after(Duration::from_secs(5), t.me().answered_by(77));
    }

    fn answered_by(&mut self, count: u64) {
        self.got.push(count);
    }

    fn got(&self) -> Vec<u64> {
        self.got.clone()
    }

    fn above(&self) -> Option<Address<Branch>> {
        self.above.clone()
    }

    fn below(&self) -> Vec<Address<Branch>> {
        self.below.clone()
    }
}

fn builder() -> SystemBuilder {
    System::builder().saved::<(Branch,)>()
}

fn restored(image: &Image) -> (Simulation, RestoredActors) {
    let restored = Simulation::restore(2, Faults::none(), builder(), image);
    let (simulation, actors, _) = restored.expect("the image is whole");
    (simulation, actors)
}

fn got(branch: &Address<Branch>) -> Vec<u64> {
    branch.got().ask_blocking().expect("it lives")
}

fn a_tree_is_saved_without_the_rest() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let system = simulation.system();
    let top = Branch::spawn(system, None);
    let grow = |branch: &Address<Branch>| branch.grow().ask_blocking().expect("it lives");
    let (root, sibling) = (grow(&top), grow(&top));
    let (leaf, twig) = (grow(&root), grow(&grow(&root)));
    system.register("root", &root).expect("it is free");
    system.register("sibling", &sibling).expect("it is free");
    root.remind().send();
    sibling.remind().send();
    // A request from outside waits in the tree, one to outside, and one within.
    sibling.ask(leaf.clone(), 1).send();
    leaf.ask(sibling.clone(), 2).send();
    twig.ask(root.clone(), 3).send();
    simulation.run_for(Duration::from_secs(1));
    let journal = MemoryStore::default().journal();
    let report = system.snapshot_of(&root, &journal).expect("all is saved");
    // The root, the leaf, the twig and what is between.
    assert_eq!(report.actors(SavedAs::State), 4);
    assert_eq!(report.actors(SavedAs::Nothing), 0);
    assert_eq!(report.messages, 2);
    let paths = [&root, &leaf, &twig].map(Address::path);
    let whole = system.snapshot(&journal).expect("all is saved");
    assert_eq!(whole.actors(SavedAs::State), 6);
    let image = journal.catalog().image(report.number).expect("it exists");
    drop((top, root, sibling, leaf, twig));

    let (simulation, actors) = restored(&image);
    let system = simulation.system();
    let root = system.lookup::<Branch>("root").expect("it has a name");
    assert!(system.lookup::<Branch>("sibling").is_err());
    let find = |path: &String| {
        let mut found = actors.actors::<Branch>();
        let found = found.find(|branch| Address::path(branch) == *path);
        found.expect("it is in the tree")
    };
    let [_, leaf, twig] = paths.each_ref().map(find);
    assert_eq!(Address::path(&root), paths[0]);
    let below = root.below().ask_blocking().expect("it lives");
    assert_eq!((below.len(), &below[0]), (2, &leaf));
    // What is outside has ended: it is not in the image.
    let top = root.above().ask_blocking().expect("it lives");
    let top = top.expect("the address is kept");
    let error = top.got().ask_blocking().expect_err("it is not saved");
    assert!(error.to_string().contains("tree::Branch/0"), "{error}");
    root.open().send();
    leaf.open().send();
    simulation.run_for(Duration::from_secs(60));
    assert_eq!(got(&root), [3, 77]);
    // The promise for the sibling's answer broke, and the sibling's request was done.
    assert_eq!(got(&leaf), [1_000, 1]);
    assert_eq!(got(&twig), [3]);
    assert_eq!(system.inspect().actors.len(), 4);
}

#[test]
fn an_image_of_a_tree_has_the_tree_alone() {
    a_tree_is_saved_without_the_rest();
}

#[test]
fn an_image_of_more_than_the_tree_is_noticed() {
    must_catch(
        InjectedFault::ScopeIgnored,
        a_tree_is_saved_without_the_rest,
    );
}

#[test]
fn a_tree_of_another_system_is_an_error() {
    let (simulation, other) = (Simulation::new(1), Simulation::new(2));
    let branch = Branch::spawn(other.system(), None);
    let journal = MemoryStore::default().journal();
    let error = simulation.system().snapshot_of(&branch, &journal);
    let error = error.expect_err("it is not there");
    assert!(
        matches!(error, SnapshotError::OtherSystem { .. }),
        "{error:?}"
    );
    let said = error.to_string();
    assert!(
        said.contains("tree::Branch/0 is an actor of another system"),
        "{said}"
    );
}
