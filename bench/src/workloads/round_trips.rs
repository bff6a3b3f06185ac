//! Two actors that have nothing to do with a bench: each millisecond one sends to the other and
//! gets an answer. The bench reports what that takes meanwhile.

use crate::prelude::*;
use std::time::Duration;
use vivant::prelude::*;

#[derive(Actor)]
pub(super) struct Back;

#[behaviours]
impl Back {
    pub(super) fn ping(&mut self, t: &Turn<Self>, front: Address<Front>, sent: Duration) {
        t.send(front.pong(sent));
    }
}

#[derive(Actor)]
pub(super) struct Front {
    back: Address<Back>,
    latencies: Latencies,
}

#[behaviours]
impl Front {
    pub(super) fn begin(&mut self, t: &Turn<Self>) {
        t.every(Duration::from_millis(1), t.me().ping());
    }

    pub(super) fn ping(&mut self, t: &Turn<Self>) {
        t.send(self.back.ping(t.me(), t.now()));
    }

    pub(super) fn pong(&mut self, t: &Turn<Self>, sent: Duration) {
        self.latencies.record(t.now() - sent);
    }

    pub(super) fn so_far(&mut self) -> Quantiles {
        self.latencies.quantiles()
    }
}

/// The pair. It begins with `begin`, and `so_far` has the quantiles.
pub(super) fn pair(system: &System) -> Address<Front> {
    let back = system.spawn(Back);
    let latencies = Latencies::new();
    system.spawn(Front { back, latencies })
}
