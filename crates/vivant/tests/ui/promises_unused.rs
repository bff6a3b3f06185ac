#![deny(unused_must_use)]

use std::time::Duration;
use vivant::prelude::*;

#[derive(Actor)]
struct Shop {
    till: Address<Till>,
}

#[derive(Actor)]
struct Till;

#[behaviours]
impl Till {
    fn sell(&mut self) -> u64 {
        1
    }
}

#[behaviours]
impl Shop {
    fn forgets(&mut self, t: &Turn<Self>) {
        t.ask(self.till.sell());
        t.ask(self.till.sell()).within(Duration::from_secs(1));
        t.all([t.ask(self.till.sell())]);
    }

    fn continues(&mut self, t: &Turn<Self>) {
        t.ask(self.till.sell()).then(t.me().sold());
        t.ask(self.till.sell()).then_local(t, |_, _, _| ());
        t.ask(self.till.sell()).then_send(t.me().sold());
        t.ask(self.till.sell()).exclusive().then(t.me().sold());
    }

    #[then]
    fn sold(&mut self, _sold: Result<u64, AskError>) {}
}

fn main() {}
