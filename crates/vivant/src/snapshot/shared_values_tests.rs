//! Values that heaps share, in snapshots.

use super::memory_store::MemoryStore;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use vivant_heap::{Gc, Mut, Val};

#[derive(Actor)]
#[actor(saved, id = "shared::Paper")]
struct PaperState<'gc> {
    pages: Vec<Gc<'gc, Mut<Val<'gc, str>>>>,
}

#[behaviours(id = "shared::Paper")]
impl<'gc> PaperState<'gc> {
    #[start]
    fn new() -> Self {
        PaperState { pages: Vec::new() }
    }

    fn print(&mut self, t: &Turn<'gc, Paper>, text: String) {
        let page = t.val_str(&text);
        self.pages.push(t.alloc(Mut::new(page)));
    }

    fn all(&self) -> String {
        let pages = self.pages.iter();
        pages.map(|page| page.get().to_string()).collect()
    }
}

#[test]
fn own_values_are_restored() {
    let builder = || System::builder().saved::<(Paper,)>();
    let system = builder().workers(1).build();
    let paper = Paper::spawn(&system);
    for text in ["rain", " and snow"] {
        let printed = paper.print(text.to_owned()).ask_blocking();
        printed.expect("it lives");
    }
    let journal = MemoryStore::default().journal();
    let report = system.snapshot(&journal).expect("all values are own");
    let image = journal.catalog().image(report.number).expect("it exists");
    let restored = Simulation::restore(1, Faults::none(), builder(), &image);
    let (simulation, actors, _) = restored.expect("the program is the same");
    let paper = actors.actors::<Paper>().next().expect("one is saved");
    let all = paper.all().ask_blocking();
    simulation.run();
    assert_eq!(all.expect("it lives"), "rain and snow");
}
