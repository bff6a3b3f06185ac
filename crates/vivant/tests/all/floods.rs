//! T3, T5: every message sent to a full mailbox, by actors and by threads, is begun, comes back, or
//! is counted.

use crate::waits::wait_while;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// What a group of senders counted of its messages to one actor.
#[derive(Default)]
struct Tally {
    begun: AtomicU64,
    answered: AtomicU64,
}

/// Checks that the messages of each sender come in their order.
#[derive(Actor)]
#[actor(mailbox = drop_oldest(3))]
struct Busy {
    tally: Arc<Tally>,
    last: Vec<u64>,
}

#[behaviours]
impl Busy {
    fn take(&mut self, t: &Turn<Self>, from: usize, number: u64) {
        self.tally.begun.fetch_add(1, Ordering::Relaxed);
        assert!(self.last[from] < number, "T2: {number} came late");
        self.last[from] = number;
        match t.random_below(200) {
            0 => std::panic::resume_unwind(Box::new("planned")),
            1 => t.stop(),
            _ => {}
        }
    }
}

#[derive(Actor)]
struct Crowd {
    busy: Address<Busy>,
    me: usize,
    number: u64,
    tally: Arc<Tally>,
}

#[behaviours]
impl Crowd {
    fn go(&mut self, t: &Turn<Self>, left: u64) {
        self.number += 1;
        let (call, tally) = (self.busy.take(self.me, self.number), self.tally.clone());
        drop(t.ask(call).then_local(t, move |_, _, answer| {
            drop(answer);
            tally.answered.fetch_add(1, Ordering::Relaxed);
        }));
        if left > 1 {
            t.send(t.me().go(left - 1));
        }
    }
}

const SENDERS: u64 = 4;
const EACH: u64 = 50;

fn crowd(system: &System) -> Arc<Tally> {
    let tally = Arc::new(Tally::default());
    let busy = system.spawn(Busy {
        tally: tally.clone(),
        last: vec![0; SENDERS as usize],
    });
    for me in 0..SENDERS as usize {
        let crowd = system.spawn(Crowd {
            busy: busy.clone(),
            me,
            number: 0,
            tally: tally.clone(),
        });
        crowd.go(EACH).send();
    }
    tally
}

#[vivant::test(seeds = 200)]
fn seeded_every_message_of_a_flood_is_begun_or_counted(simulation: &Simulation) {
    let system = simulation.system();
    let tally = crowd(system);
    simulation.run();
    let begun = tally.begun.load(Ordering::Relaxed);
    let all = SENDERS * EACH;
    assert_eq!(begun + system.dead_letters().total(), all, "T3");
    assert_eq!(tally.answered.load(Ordering::Relaxed), all, "T3");
    assert_eq!(system.inspect().bytes, 0);
}

#[test]
fn messages_of_threads_to_a_full_mailbox_are_all_counted() {
    #[derive(Actor)]
    #[actor(mailbox = reject(4))]
    struct Narrow {
        got: u64,
    }
    #[behaviours]
    impl Narrow {
        fn take(&mut self) {
            self.got += 1;
        }
        fn got(&mut self) -> u64 {
            self.got
        }
    }
    const THREADS: u64 = 4;
    const EACH: u64 = if cfg!(miri) { 20 } else { 5_000 };
    let system = System::builder().workers(2).build();
    let narrow = system.spawn(Narrow { got: 0 });
    let back = AtomicU64::new(0);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (narrow, system, back) = (&narrow, &system, &back);
            scope.spawn(move || {
                for _ in 0..EACH {
                    match number {
                        0 => narrow.take().send(),
                        1 if narrow.take().try_send().is_err() => {
                            back.fetch_add(1, Ordering::Relaxed);
                        }
                        1 => {}
                        _ => assert!(system.block_on(narrow.take().offer()).is_ok()),
                    }
                    let depth = system.inspect().actors[0].depth;
                    assert!(depth <= 4, "{depth} wait");
                }
            });
        }
    });
    let got = loop {
        // The mailbox may still be full.
        if let Ok(got) = narrow.got().ask_blocking() {
            break got;
        }
    };
    let narrowed: u64 = system
        .dead_letters()
        .counts()
        .iter()
        .filter(|line| line.behaviour.ends_with("take"))
        .map(|line| line.count)
        .sum();
    assert_eq!(
        got + narrowed + back.load(Ordering::Relaxed),
        THREADS * EACH
    );
    assert!(system.shutdown().is_complete());
}

#[test]
fn displaced_messages_that_wait_for_a_guard_are_all_counted() {
    #[derive(Actor)]
    #[actor(mailbox = drop_oldest(3))]
    struct Gate {
        open: bool,
        passed: Arc<AtomicU64>,
    }
    #[behaviours]
    impl Gate {
        #[when(self.open)]
        fn pass(&mut self) {
            self.passed.fetch_add(1, Ordering::Relaxed);
        }
        fn turn(&mut self) {
            self.passed.fetch_add(1, Ordering::Relaxed);
            self.open = !self.open;
        }
    }
    const THREADS: u64 = 3;
    const EACH: u64 = if cfg!(miri) { 20 } else { 5_000 };
    let system = System::builder().workers(2).build();
    let passed = Arc::new(AtomicU64::new(0));
    let gate = system.spawn(Gate {
        open: false,
        passed: passed.clone(),
    });
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for number in 0..EACH {
                    match number % 7 {
                        0 => gate.turn().send(),
                        _ => gate.pass().send(),
                    }
                }
            });
        }
    });
    Address::stop_after_queue(&gate);
    wait_while(|| Address::is_alive(&gate));
    assert!(system.shutdown().is_complete());
    let lost = system.dead_letters().total();
    assert_eq!(passed.load(Ordering::Relaxed) + lost, THREADS * EACH);
}
