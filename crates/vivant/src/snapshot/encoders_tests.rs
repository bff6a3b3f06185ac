//! Code that encodes a value settles a promise of the actor that is being captured.

use super::taking::{simulated, take};
use crate::Saved;
use crate::api::SavedKinds;
use crate::oracle::Dice;
use crate::prelude::*;
use crate::sync::Arc;
use std::cell::RefCell;
use vivant_codec::{Decoder, Encoder, LoadError, Shape};

/// Drops a resolver while it is encoded.
struct Drops(RefCell<Option<Resolver<u64>>>);

impl<'gc> Saved<'gc> for Drops {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        drop(self.0.take());
        7_u64.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        u64::load(input).map(|_| Drops(RefCell::default()))
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Asker {
    last: Option<Resolver<u64>>,
    heard: Vec<Result<u64, AskError>>,
    others: u64,
}

#[behaviours]
impl Asker {
    /// Opens promises in such an order that the encoder of one settles another.
    fn open(&mut self, t: &Turn<Self>, order: Order) {
        let (first, resolves_first) = t.promise();
        let (second, resolves_second) = t.promise();
        let (dropped, kept) = match order {
            Order::TheNext => (resolves_first, resolves_second),
            Order::Itself => (resolves_second, resolves_first),
        };
        first.then_send(t.me().hear(Drops(RefCell::default())));
        second.then_send(t.me().hear(Drops(RefCell::new(Some(dropped)))));
        self.last = Some(kept);
    }

    #[then]
    fn hear(&mut self, value: Result<u64, AskError>, drops: Drops) {
        drop(drops);
        self.heard.push(value);
    }

    fn work(&mut self) {
        self.others += 1;
    }

    fn finish(&mut self) {
        if let Some(last) = self.last.take() {
            last.resolve(7);
        }
    }

    fn heard(&self) -> Vec<bool> {
        self.heard.iter().map(Result::is_ok).collect()
    }
}

#[derive(Saved, Clone, Copy)]
enum Order {
    TheNext,
    Itself,
}

/// The walk through the list of its open promises goes on, and each promise is settled once.
#[test]
fn an_encoder_may_settle_promises_of_its_actor() {
    let kinds = Arc::new(SavedKinds::of::<(Asker,)>().expect("no two names are equal"));
    for order in [Order::TheNext, Order::Itself] {
        let simulation = simulated(&kinds, 1);
        let asker = simulation.system().spawn(Asker {
            last: None,
            heard: Vec::new(),
            others: 0,
        });
        asker.open(order).send();
        simulation.run();
        // So that the actor is captured in its run.
        asker.work().send();
        let _image = take(&simulation, &mut Dice::new(1));
        asker.finish().send();
        simulation.run();
        assert_eq!(asker.heard().ask_blocking(), Ok(vec![false, true]));
    }
}
