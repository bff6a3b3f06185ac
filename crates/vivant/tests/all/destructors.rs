//! Messages sent by destructors in a heap, which may run in the middle of an allocation. And that
//! destructors run although a turn has panicked.

use crate::scenes::stressed;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use vivant::heap::{Leaf, Parcel};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{OnPanic, Supervisor};

#[derive(Actor)]
struct ReaderState<'gc> {
    news: Vec<Val<'gc, str>>,
}

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    fn new() -> Self {
        ReaderState { news: Vec::new() }
    }
    fn take(&mut self, news: Val<'gc, str>) {
        self.news.push(news);
    }
    fn count(&self) -> usize {
        self.news.iter().filter(|news| &***news == "rain").count()
    }
}

/// Sends its content when it is dropped.
struct Late {
    parcel: Option<Parcel<Val<'static, str>>>,
    to: Address<Reader>,
}

impl Drop for Late {
    fn drop(&mut self) {
        if let Some(parcel) = self.parcel.take() {
            parcel.open(|news| self.to.take(news).send());
        }
    }
}

/// Few of them fit into a page, so that one sweep step does not sweep them all.
#[derive(Object)]
struct Page {
    late: Leaf<Late>,
    text: Leaf<[u64; 200]>,
}

#[derive(Actor)]
struct PaperState<'gc> {
    pages: Vec<Val<'gc, Page>>,
    to: Address<Reader>,
    /// Unswept spans of pages when it last began to write.
    unswept: usize,
}

#[behaviours]
impl<'gc> PaperState<'gc> {
    #[start]
    fn new(to: Address<Reader>) -> Self {
        let pages = Vec::new();
        let unswept = 0;
        PaperState { pages, to, unswept }
    }
    fn write(&mut self, t: &Turn<'gc, Paper>, pages: usize) {
        self.unswept = t.stats().unswept;
        for _ in 0..pages {
            let parcel = Some(t.pack::<Val<'static, str>>(t.val_str("rain")));
            let to = self.to.clone();
            let (late, text) = (Leaf(Late { parcel, to }), Leaf([0; 200]));
            self.pages.push(t.val(Page { late, text }));
        }
    }
    fn forget(&mut self) {
        self.pages.clear();
    }
    fn unswept(&self) -> usize {
        self.unswept
    }
}

#[test]
fn messages_of_destructors_arrive_from_every_collection() {
    let simulation = stressed(1);
    let reader = Reader::spawn(simulation.system());
    let paper = Paper::spawn(simulation.system(), reader.clone());
    paper.write(300).send();
    paper.forget().send();
    paper.write(300).send();
    simulation.run();
    let unswept = paper.unswept().ask_blocking().unwrap();
    assert!(unswept > 0, "the turn has ended some, when it allocated");
    assert_eq!(reader.count().ask_blocking(), Ok(300));
    drop(paper);
    simulation.run();
    assert_eq!(reader.count().ask_blocking(), Ok(600));
}

#[derive(Actor)]
struct DeskState<'gc> {
    token: Option<Gc<'gc, Leaf<Arc<()>>>>,
}

#[behaviours]
impl<'gc> DeskState<'gc> {
    #[start]
    fn new() -> Self {
        DeskState { token: None }
    }
    fn forget(&mut self, t: &Turn<'gc, Desk>, token: Arc<()>) {
        self.token = Some(t.alloc(Leaf(token)));
        self.token = None;
    }
    fn forget_and_panic(&mut self, t: &Turn<'gc, Desk>, token: Arc<()>) {
        self.forget(t, token);
        resume_unwind(Box::new("as planned"));
    }
}

/// A destructor is awaited, also after a turn that a panic aborted.
#[test]
fn garbage_of_a_last_turn_that_panicked_is_destroyed() {
    let simulation = Simulation::new(3);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let desk = tree.add(Desk::child().on_panic(OnPanic::Resume));
    let ends = |of: &dyn Fn(Arc<()>)| {
        simulation.run_for(Duration::from_secs(100));
        let token = Arc::new(());
        of(token.clone());
        simulation.run_for(Duration::from_secs(1000));
        assert_eq!(Arc::strong_count(&token), 1);
    };
    ends(&|token| desk.forget(token).send());
    ends(&|token| desk.forget_and_panic(token).send());
}
