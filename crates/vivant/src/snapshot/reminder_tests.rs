//! Messages by which the runtime reminds an actor of work are in no image.

use super::tests::{restored_with, simulated_with, take_now};
use crate::actor::{
    Envelope, KindTable, MessageKind, Next, Processed, Refusal, StateRef, To, Worker, post_or_bury,
};
use crate::api::Address;
use crate::interned::Place;
use crate::message::MessageRole;
use crate::prelude::*;

#[derive(Actor)]
#[actor(saved)]
struct Counter {
    count: u64,
}

#[behaviours]
impl Counter {
    #[start]
    fn new() -> Counter {
        Counter { count: 0 }
    }

    fn add(&mut self, count: u64) {
        self.count += count;
    }
}

struct Reminder;

impl MessageKind for Reminder {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("reminder", MessageRole::Reminder);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

#[test]
fn an_image_has_no_reminders() {
    let simulation = simulated_with::<(Counter,)>(1);
    let counter = Counter::spawn(simulation.system());
    simulation.run();
    counter.add(1).send();
    let reminder = Envelope::new::<Reminder>((), Place::caller());
    post_or_bury(To::Lent(&Address::counted(&counter)), reminder);
    counter.add(2).send();
    let image = take_now(&simulation).expect("the reminder is left out");
    assert_eq!(image.waiting.len(), 2);
    let (simulation, _actors) = restored_with::<(Counter,)>(&image, 2);
    simulation.run();
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("it is idle");
        idle.state()
            .look::<Counter, _>(|counter| assert_eq!(counter.count, 3));
        idle.park();
    }
}
