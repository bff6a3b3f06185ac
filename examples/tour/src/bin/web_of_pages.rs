//! A graph in an actor: pages that link to each other in cycles, and back.
//!
//! The state has a lifetime, so it lies in a heap of its own, which is collected between the
//! actor's turns. Pages refer to each other by `Gc`, which is one word and `Copy`; a mutable object
//! is a `Mut`. There are no reference counts, and no code frees a page.
//!
//! Where to look: `connect` makes cycles that counted pointers would leak; `forget` cuts a page
//! off, and `on_death` sends a message when the collector has found the page dead, with all pages
//! reachable only from it; `reachable` walks the graph some pages a step, so other messages and the
//! collector run in between.
//!
//! To try: let `forget` keep one link to the page, and see that no message comes. Send `reachable`
//! an `ask` for a page while it is cut off.

#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::PauseKind;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// A page. Links may lead anywhere, back to this page too.
#[derive(Object)]
struct Page<'gc> {
    title: String,
    links: gc::Vec<'gc, Gc<'gc, Mut<Page<'gc>>>>,
    visited: u64,
}

#[derive(Actor)]
struct WebState<'gc> {
    by_title: gc::HashMap<'gc, String, Gc<'gc, Mut<Page<'gc>>>>,
    walks: u64,
    gone: Vec<String>,
}

/// The state of a walk: visited pages, and their number.
#[derive(Object, Default)]
struct Walk<'gc> {
    to_visit: Vec<Gc<'gc, Mut<Page<'gc>>>>,
    met: u64,
}

#[behaviours]
impl<'gc> WebState<'gc> {
    #[start]
    fn new() -> Self {
        WebState {
            by_title: gc::HashMap::new(),
            walks: 0,
            gone: Vec::new(),
        }
    }

    /// Makes a page.
    fn page(&mut self, t: &Turn<'gc, Web>, title: String) {
        let page = t.alloc(Mut::new(Page {
            title: title.clone(),
            links: gc::Vec::new(),
            visited: 0,
        }));
        t.on_death(page, t.me().gone(title.clone()));
        self.by_title.insert(t, title, page);
    }

    /// Links two pages, in both directions.
    fn connect(&mut self, t: &Turn<'gc, Web>, one: String, other: String) {
        if let (Some(&one), Some(&other)) = (self.by_title.get(&one), self.by_title.get(&other)) {
            one.borrow_mut(t).links.push(t, other);
            other.borrow_mut(t).links.push(t, one);
        }
    }

    /// Drops the state's reference to a page: pages that link to it still have theirs.
    fn forget(&mut self, t: &Turn<'gc, Web>, title: String) {
        self.by_title.remove(t, &title);
    }

    /// The number of pages that are reachable from this one; visits a hundred of them a step.
    fn reachable(
        &mut self,
        t: &Turn<'gc, Web>,
        from: String,
        #[locals] mut walk: Walk<'gc>,
    ) -> Step<(String, Walk<'gc>), u64> {
        if walk.met == 0 {
            self.walks += 1;
            let Some(&first) = self.by_title.get(&from) else {
                return Step::Done(0);
            };
            first.borrow_mut(t).visited = self.walks;
            walk.to_visit.push(first);
            walk.met = 1;
        }
        for _ in 0..100 {
            let Some(page) = walk.to_visit.pop() else {
                return Step::Done(walk.met);
            };
            for &next in page.borrow().links.iter() {
                // A page may link to itself, and so be borrowed here already.
                let visited = next.borrow().visited;
                if visited != self.walks && !Gc::ptr_eq(next, page) {
                    next.borrow_mut(t).visited = self.walks;
                    walk.to_visit.push(next);
                    walk.met += 1;
                }
            }
        }
        Step::Again((from, walk))
    }

    fn gone(&mut self, title: String) {
        self.gone.push(title);
    }

    fn all_gone(&self) -> Vec<String> {
        self.gone.clone()
    }

    fn title_of(&self, title: String) -> Option<String> {
        let page = self.by_title.get(&title)?;
        Some(page.borrow().title.clone())
    }
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let web = Web::spawn(simulation.system());
    let title = |number: u64| format!("page {number}");
    for number in 0..2_000 {
        web.page(title(number)).send();
        web.connect(title(number), title(number / 2)).send();
    }
    let reached = web.reachable(title(0)).ask_blocking()?;
    println!("{reached} pages can be reached from the first");
    assert_eq!(reached, 2_000);

    // Two pages that refer to each other, without other references.
    for name in ["here", "there"] {
        web.page(name.into()).send();
    }
    web.connect("here".into(), "there".into()).send();
    web.forget("here".into()).send();
    simulation.run();
    assert_eq!(web.all_gone().ask_blocking()?, Vec::<String>::new());
    assert_eq!(
        web.title_of("there".into()).ask_blocking()?.as_deref(),
        Some("there")
    );
    web.forget("there".into()).send();
    // Old objects die at the next mark, which begins when the heap has grown.
    for number in 2_000..20_000 {
        web.page(title(number)).send();
    }
    simulation.run();
    let gone = web.all_gone().ask_blocking()?;
    println!("gone: {gone:?}");
    assert_eq!(gone, ["here", "there"]);

    let heap = simulation.system().inspect().actors[0].heap;
    let heap = heap.expect("an actor with a graph has a heap");
    println!(
        "{} minor collections, {} of everything",
        heap.pauses[PauseKind::Minor].count,
        heap.marks()
    );
    Ok(())
}
