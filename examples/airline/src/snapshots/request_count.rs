//! [`RequestCount`]: counts requests, and requests snapshots.

use axum::Router;
use axum::middleware::map_response;
use axum::response::Response;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

/// What the thread that takes snapshots is to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// Take a snapshot, which was requested after this number of requests.
    Take(u64),
    /// Take a last one, and end.
    End(u64),
}

/// Counts answered requests, and requests a snapshot every so many of them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RequestCount {
    every: NonZeroU64,
    answered: Arc<AtomicU64>,
    orders: Sender<Order>,
}

impl RequestCount {
    pub(super) fn new(every: NonZeroU64, orders: Sender<Order>) -> RequestCount {
        RequestCount {
            every,
            answered: Arc::default(),
            orders,
        }
    }

    /// Counts a request that is answered: the actors have done what it wanted.
    pub fn count(&self) {
        // Relaxed: the channel orders the snapshot behind the answer.
        let answered = self.answered.fetch_add(1, Ordering::Relaxed) + 1;
        if answered.is_multiple_of(self.every.get()) {
            self.order(Order::Take(answered));
        }
    }

    pub(super) fn end(&self) {
        self.order(Order::End(self.answered.load(Ordering::Relaxed)));
    }

    fn order(&self, order: Order) {
        // An error: the snapshots have ended, because the airline closes.
        let _sent = self.orders.send(order);
    }

    /// Counts the requests of this router.
    pub(crate) fn layered(&self, router: Router) -> Router {
        let count = self.clone();
        router.layer(map_response(move |response: Response| {
            count.count();
            async { response }
        }))
    }
}
