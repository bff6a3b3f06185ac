//! Tables on threads, while one cut is taken after the other: alarms that actors set, cancel and
//! wait for, and names that a thread outside registers and removes.

use super::image::Image;
use super::message_record::{MessageRecord, WaitingKind};
use super::taking::{restored, take_beside_threads};
use crate::Timer;
use crate::api::SavedKinds;
use crate::cut::Over;
use crate::prelude::*;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::system::System;
use std::thread;
use std::time::Duration;

const CUTS: usize = if cfg!(miri) { 1 } else { 80 };
const ACTORS: usize = 6;

const DELAY: Duration = Duration::from_micros(60);

/// Has one token: it is an alarm, or a message that waits.
#[derive(Actor)]
#[actor(saved)]
struct Holder {
    timer: Option<Timer>,
    rung: u64,
    /// Numbers of names that it has now, as it was told.
    given: Vec<u64>,
}

#[behaviours]
impl Holder {
    #[start]
    fn new() -> Holder {
        Holder {
            timer: None,
            rung: 0,
            given: Vec::new(),
        }
    }

    fn ring(&mut self, t: &Turn<Self>) {
        self.rung += 1;
        self.timer = Some(t.after(DELAY, t.me().ring()));
    }

    /// Cancels the alarm, if it has not fired, and sends the message at once.
    fn hurry(&mut self, t: &Turn<Self>) {
        if let Some(timer) = self.timer.take()
            && timer.cancel()
        {
            t.send(t.me().ring());
        }
    }

    fn is_given(&mut self, number: u64) {
        self.given.push(number);
    }

    fn loses(&mut self, number: u64) {
        self.given.retain(|given| *given != number);
    }
}

fn name(number: u64) -> String {
    format!("given {number}")
}

/// Each name is there before its actor is told of it, and until after the actor is told otherwise.
fn give_names(system: &System, holders: &[Address<Holder>], is_over: &AtomicBool) {
    for number in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let holder = |number: u64| &holders[number as usize % ACTORS];
        system
            .register(&name(number), holder(number))
            .expect("it is free");
        holder(number).is_given(number).send();
        holder(number + 1).hurry().send();
        if let Some(old) = number.checked_sub(4) {
            holder(old).loses(old).send();
            assert!(system.unregister(&name(old)));
        }
        thread::yield_now();
    }
}

fn check(image: &Image, kinds: &Arc<SavedKinds>) {
    for actor in &image.actors {
        let alarms = image.shared.tables.alarms.iter();
        let alarms = alarms.filter(|alarm| alarm.message.actor == actor.id);
        let waiting = image.waiting.iter();
        let is_ring = |it: &MessageRecord| match image.kind(it) {
            WaitingKind::Message(kind) => kind.name.ends_with("ring"),
            WaitingKind::Arrival(_) => false,
        };
        let rings = waiting.filter(|it| it.actor == actor.id && is_ring(it));
        let tokens = (alarms.count(), rings.count());
        assert_eq!(tokens.0 + tokens.1, 1, "{tokens:?} of {}", actor.id);
    }
    let (simulation, actors) = restored(image, 1, kinds);
    simulation.run_for(DELAY / 2);
    for (id, address) in &*actors {
        let cell = address.cell();
        let mut idle = cell.hold_idle().expect("no message waits");
        let given = idle
            .state()
            .look::<Holder, _>(|holder| holder.given.clone());
        idle.park();
        for number in given.unwrap_or_default() {
            let found = simulation.system().lookup::<Holder>(&name(number));
            let found = found.map(|holder| Address::counted(&holder).id);
            assert_eq!(found.ok(), Some(*id), "{}", name(number));
        }
    }
}

fn tables_on(workers: usize) {
    let kinds = Arc::new(SavedKinds::of::<(Holder,)>().expect("no two names are equal"));
    let builder = System::builder().workers(workers);
    let system = builder.saved::<(Holder,)>().build();
    let holders: Vec<_> = (0..ACTORS).map(|_| Holder::spawn(&system)).collect();
    holders.iter().for_each(|holder| holder.ring().send());
    let is_over = AtomicBool::new(false);
    let images = thread::scope(|scope| {
        let _names = scope.spawn(|| give_names(&system, &holders, &is_over));
        let _over = Over(&is_over);
        let images = (0..CUTS).filter_map(|_| take_beside_threads(&system));
        images.inspect(|image| check(image, &kinds)).count()
    });
    let _report = system.shutdown();
    assert!(images > 0, "all cuts were void");
}

#[test]
fn tables_on_two_threads_are_those_of_the_line() {
    tables_on(2);
}

#[test]
fn tables_on_four_threads_are_those_of_the_line() {
    tables_on(4);
}
