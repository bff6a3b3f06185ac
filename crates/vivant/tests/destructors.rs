//! What destructors in a heap send: whoever runs them may be in the middle of an allocation.

use vivant::heap::{Leaf, Parcel, Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Pacing, System};

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

/// Sends what it has at its end.
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

/// Few of them in a page, so that a sweep is not done with all at once.
#[derive(Object)]
struct Page {
    late: Leaf<Late>,
    text: Leaf<[u64; 200]>,
}

#[derive(Actor)]
struct PaperState<'gc> {
    pages: Vec<Val<'gc, Page>>,
    to: Address<Reader>,
    /// Runs of pages whose dead were not ended when it last began to write.
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
fn what_destructors_send_arrives_whoever_runs_them() {
    let pacing = Pacing::new().stressed(Stress::new(When::All, 1));
    let builder = System::builder().pacing(pacing);
    let simulation = Simulation::with(1, Faults::none(), builder);
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
