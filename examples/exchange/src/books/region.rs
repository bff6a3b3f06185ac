//! The graph in a region of its own, outside actors.

use super::{Book, OrderBook};
use crate::order::{Answer, Order, Rest, Trade};
use std::sync::Arc;
use vivant::Pacing;
use vivant::heap::{HeapStats, Iso, PageSource};

/// A [`Book`] in a region, which is opened for each order.
#[derive(Debug)]
pub struct RegionBook(Iso<Book<'static>>);

impl RegionBook {
    /// An empty one, of pages from a source.
    #[must_use]
    pub fn new(source: &Arc<PageSource>) -> RegionBook {
        RegionBook::paced(source, Pacing::new())
    }

    /// As [`RegionBook::new`], with another pacing than the usual one.
    #[must_use]
    pub fn paced(source: &Arc<PageSource>, pacing: Pacing) -> RegionBook {
        RegionBook(Iso::paced(source, pacing, |_| Book::new()))
    }

    /// Carries orders out, and opens the region once for all of them.
    pub fn apply_all(
        &mut self,
        orders: &[Order],
        trades: &mut Vec<Trade>,
        mut answered: impl FnMut(Answer),
    ) {
        self.0.open(|r, book| {
            for order in orders {
                answered(book.apply(r, order, trades));
            }
        });
    }

    /// What its collector did.
    #[must_use]
    pub fn stats(&self) -> HeapStats {
        self.0.stats()
    }
}

impl OrderBook for RegionBook {
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        self.0.open(|r, book| book.apply(r, order, trades))
    }

    fn resting(&mut self) -> Vec<Rest> {
        self.0.open(|_, book| book.resting())
    }
}
