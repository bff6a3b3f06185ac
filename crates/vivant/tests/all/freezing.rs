//! Graphs that one actor builds and hands over whole, another freezes, and many read.

use crate::scenes::{live_bytes, stressed};
use vivant::System;
use vivant::heap::Mutator;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// A price level of a book: a list that leads both ways.
#[derive(Object, Freeze)]
struct Level<'gc> {
    price: u64,
    orders: Vec<Gc<'gc, Mut<u64>>>,
    better: Option<Gc<'gc, Mut<Level<'gc>>>>,
    worse: Option<Gc<'gc, Mut<Level<'gc>>>>,
    market: Option<Val<'gc, str>>,
}

type Book<'gc> = Gc<'gc, Mut<Level<'gc>>>;
type BookIso = Iso<Book<'static>>;

fn level<'r>(r: &Mutator<'r>, price: u64, market: Option<Val<'r, str>>) -> Book<'r> {
    r.alloc(Mut::new(Level {
        price,
        orders: (0..price % 3).map(|_| r.alloc(Mut::new(10))).collect(),
        better: None,
        worse: None,
        market,
    }))
}

/// This many levels, from the best price down. The market is the name of all.
fn book<'r>(r: &Mutator<'r>, best: u64, levels: u64) -> Book<'r> {
    let market = r.val_str("XETR");
    let first = level(r, best, Some(market));
    let mut last = first;
    for price in (best + 1 - levels..best).rev() {
        let next = level(r, price, Some(market));
        next.borrow_mut(r).better = Some(last);
        last.borrow_mut(r).worse = Some(next);
        last = next;
    }
    first
}

/// Builds books, and sends them away.
#[derive(Actor)]
struct MakerState<'gc> {
    drafts: Vec<Gc<'gc, Mut<BookIso>>>,
}

#[behaviours]
impl<'gc> MakerState<'gc> {
    #[start]
    fn new() -> Self {
        MakerState { drafts: Vec::new() }
    }

    fn give(&mut self, t: &Turn<'gc, Maker>, to: Address<Publisher>, best: u64, levels: u64) {
        t.send(to.publish(t.iso(|r| book(r, best, levels))));
    }

    /// A draft that is never sent.
    fn draft(&mut self, t: &Turn<'gc, Maker>, best: u64) {
        let draft = t.iso(|r| book(r, best, 5));
        self.drafts.push(t.alloc(Mut::new(draft)));
        self.drafts.truncate(3);
    }

    fn forget(&mut self) {
        self.drafts.clear();
    }

    fn nothing(&mut self) {}
}

/// Freezes the books that it gets, and sends them to its readers.
#[derive(Actor)]
struct PublisherState<'gc> {
    latest: Option<Val<'gc, Ice<Mut<Level<'gc>>>>>,
    #[object(leaf)]
    readers: Vec<Address<Reader>>,
}

#[behaviours]
impl<'gc> PublisherState<'gc> {
    #[start]
    fn new(readers: Vec<Address<Reader>>) -> Self {
        PublisherState {
            latest: None,
            readers,
        }
    }

    fn publish(&mut self, t: &Turn<'gc, Publisher>, mut draft: BookIso) {
        draft.open(|r, first| {
            let orders = r.alloc(Mut::new(7));
            first.borrow_mut(r).orders.push(orders);
        });
        let frozen = *draft.freeze(t);
        self.latest = Some(frozen);
        for reader in &self.readers {
            t.send(reader.read(frozen));
        }
    }

    fn forget(&mut self) {
        self.latest = None;
    }

    fn nothing(&mut self) {}
}

#[derive(Actor)]
struct ReaderState<'gc> {
    kept: Vec<Val<'gc, Ice<Mut<Level<'gc>>>>>,
}

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    fn new() -> Self {
        ReaderState { kept: Vec::new() }
    }

    fn read(&mut self, book: Val<'gc, Ice<Mut<Level<'gc>>>>) {
        self.kept.push(book);
        if self.kept.len() > 2 {
            self.kept.remove(0);
        }
    }

    /// Keeps the worst level in place of each book.
    fn keep_the_worst(&mut self) {
        for book in &mut self.kept {
            while let Some(worse) = book.read().worse {
                *book = worse;
            }
        }
    }

    /// Prices and orders of all its levels, from there on.
    fn sums(&self) -> Vec<(u64, u64)> {
        let sum = |book: &Val<'gc, Ice<Mut<Level<'gc>>>>| {
            let levels = std::iter::successors(Some(*book), |level| level.read().worse);
            levels.fold((0, 0), |(prices, orders), level| {
                let it = level.read();
                assert_eq!(it.market.as_deref(), Some("XETR"));
                let back = it.better.and_then(|better| better.read().worse);
                assert!(back.is_none_or(|same| Val::ptr_eq(same, level)));
                let here: u64 = it.orders.iter().map(|order| order.read()).sum();
                (prices + it.price, orders + here)
            })
        };
        self.kept.iter().map(sum).collect()
    }

    fn forget(&mut self) {
        self.kept.clear();
    }

    fn nothing(&mut self) {}
}

/// The expected sums of a reader, for a book of three levels or more with this best price.
fn sums(best: u64, levels: u64) -> (u64, u64) {
    let prices = best + 1 - levels..=best;
    let orders = prices.clone().map(|price| price % 3 * 10).sum::<u64>();
    (prices.sum(), orders + 7)
}

/// Bytes of old objects in all heaps, after enough turns for every heap to drain its count inbox.
fn live(
    system: &System,
    maker: &Address<Maker>,
    publishers: &[&Address<Publisher>],
    readers: &[Address<Reader>],
) -> u64 {
    for _ in 0..3 {
        maker.nothing().ask_blocking().unwrap();
        for publisher in publishers {
            publisher.nothing().ask_blocking().unwrap();
        }
        for reader in readers {
            reader.nothing().ask_blocking().unwrap();
        }
    }
    live_bytes(system)
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_a_book_is_frozen_and_published(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let readers = [(); 3].map(|()| Reader::spawn(system)).to_vec();
    let publisher = Publisher::spawn(system, readers.clone());
    let maker = Maker::spawn(system);
    for best in [100, 200, 300] {
        maker.give(publisher.clone(), best, 4).send();
        maker.draft(best).send();
    }
    simulation.run();
    for reader in &readers {
        let read = reader.sums().ask_blocking().unwrap();
        assert_eq!(read, [sums(200, 4), sums(300, 4)]);
    }
    // The publisher has it no more; a component outlives its container.
    publisher.forget().send();
    readers[0].keep_the_worst().send();
    readers[1].forget().send();
    readers[2].forget().send();
    let all = live(system, &maker, &[&publisher], &readers);
    let worst = readers[0].sums().ask_blocking().unwrap();
    assert_eq!(worst, [(197, 20), (297, 0)]);
    maker.forget().send();
    readers[0].forget().send();
    let left = live(system, &maker, &[&publisher], &readers);
    assert!(all > 0 && left == 0, "{left} of {all} bytes");
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_frozen_books_outlive_their_publisher(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let readers = [(); 2].map(|()| Reader::spawn(system)).to_vec();
    let [ends, stays] = [0, 1].map(|at: usize| Publisher::spawn(system, vec![readers[at].clone()]));
    let maker = Maker::spawn(system);
    maker.give(ends.clone(), 100, 5).send();
    maker.give(stays.clone(), 95, 5).send();
    simulation.run();
    assert_eq!(readers[0].sums().ask_blocking(), Ok(vec![sums(100, 5)]));
    assert_eq!(readers[1].sums().ask_blocking(), Ok(vec![sums(95, 5)]));
    // Frozen objects of the publisher outlive it.
    Address::stop(&ends);
    simulation.run();
    assert_eq!(readers[0].sums().ask_blocking(), Ok(vec![sums(100, 5)]));
    stays.forget().send();
    readers.iter().for_each(|reader| reader.forget().send());
    live(system, &maker, &[&stays], &readers);
    // The heap of the publisher that has ended receives the counts.
    simulation.run();
    assert_eq!(live(system, &maker, &[&stays], &readers), 0);
}

#[test]
fn books_are_published_on_threads() {
    let system = System::new();
    let readers: Vec<_> = (0..8).map(|_| Reader::spawn(&system)).collect();
    let publisher = Publisher::spawn(&system, readers.clone());
    let maker = Maker::spawn(&system);
    let rounds = if cfg!(miri) { 3 } else { 200 };
    for round in 0..rounds {
        maker.give(publisher.clone(), 100 + round, 50).send();
    }
    for _ in 0..4 {
        maker.nothing().ask_blocking().unwrap();
        publisher.nothing().ask_blocking().unwrap();
    }
    let expected = [sums(98 + rounds, 50), sums(99 + rounds, 50)];
    for reader in &readers {
        assert_eq!(reader.sums().ask_blocking().unwrap(), expected);
    }
}
