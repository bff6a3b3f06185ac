//! The protocol of `README.md` under chosen interleavings. One step here is one step under the
//! lock, or one push into the mailbox. So a seed decides the order that threads would.

use super::intake::{Admission, Gap, InFlightValue, Intake, OpenedGap};
use crate::oracle::{below, split_mix};
use crate::phase::{Pass, Phase};
use crate::sync::Arc;
use std::collections::VecDeque;

/// No line runs here.
fn phase() -> Phase {
    Pass::FIRST.phase()
}

const PUBLISHERS: usize = 3;
const VALUES: u64 = 6;

/// A value of a publisher, or a notice.
enum Mail {
    Value(usize, u64, InFlightValue),
    Notice(Gap),
}

/// An admitted value or notice is pushed into the mailbox, and then declared posted.
struct Posting {
    mail: Option<Mail>,
    what: Posted,
    is_half_done: bool,
}

#[derive(Clone, Copy)]
enum Posted {
    Value,
    Notice(OpenedGap),
}

/// An injected fault in the order of these two.
#[derive(Clone, Copy, PartialEq)]
enum OrderFault {
    Nothing,
    ValuePostedEarly,
    NoticePostedEarly,
}

#[derive(Debug)]
enum Received {
    Value(usize, u64),
    Missed(u64),
}

#[derive(Default)]
struct Publisher {
    published: u64,
    posting: Option<Posting>,
}

struct Run {
    intake: Arc<Intake>,
    fault: OrderFault,
    publishers: [Publisher; PUBLISHERS],
    mailbox: VecDeque<Mail>,
    /// The value in its turn.
    turn: Option<InFlightValue>,
    received: Vec<Received>,
}

impl Run {
    /// One step of a publisher.
    fn publish(&mut self, number: usize) {
        let publisher = &mut self.publishers[number];
        let Some(mut posting) = publisher.posting.take() else {
            let (mail, what) = match self.intake.admit(phase) {
                Admission::Missed => return publisher.published += 1,
                Admission::Value(token) => {
                    let value = Mail::Value(number, publisher.published, token);
                    (value, Posted::Value)
                }
                Admission::Notice(gap, opened) => (Mail::Notice(gap), Posted::Notice(opened)),
            };
            publisher.posting = Some(Posting {
                mail: Some(mail),
                what,
                is_half_done: false,
            });
            return;
        };
        let posts_early = match posting.what {
            Posted::Value => self.fault == OrderFault::ValuePostedEarly,
            Posted::Notice(_) => self.fault == OrderFault::NoticePostedEarly,
        };
        if posting.is_half_done == posts_early {
            self.mailbox.extend(posting.mail.take());
        } else {
            match posting.what {
                Posted::Value => self.intake.value_posted(phase),
                Posted::Notice(opened) => self.intake.notice_posted(opened, phase),
            }
        }
        if posting.is_half_done {
            publisher.published += 1;
        } else {
            posting.is_half_done = true;
            publisher.posting = Some(posting);
        }
    }

    /// One step of the subscriber: a turn begins, or ends.
    fn receive(&mut self) {
        if self.turn.take().is_some() {
            return;
        }
        match self.mailbox.pop_front() {
            Some(Mail::Value(publisher, value, token)) => {
                self.received.push(Received::Value(publisher, value));
                self.turn = Some(token);
            }
            Some(Mail::Notice(gap)) => self.received.push(Received::Missed(gap.close())),
            None => {}
        }
    }

    fn is_over(&self) -> bool {
        let published = |it: &Publisher| it.published == VALUES;
        self.publishers.iter().all(published) && self.mailbox.is_empty()
    }

    /// Checks L3.
    fn check_bounds(&self, capacity: usize) {
        let values = |mail: &&Mail| matches!(mail, Mail::Value(..));
        let in_flight = self.mailbox.iter().filter(values).count();
        assert!(in_flight <= capacity, "L3: {in_flight} of {capacity}");
        let (notices, most) = (self.mailbox.len() - in_flight, capacity + 1 + PUBLISHERS);
        assert!(notices <= most, "L3: {notices} notices, {most} are allowed");
    }
}

fn run_of(capacity: usize, fault: OrderFault) -> Run {
    Run {
        intake: Intake::new((0, 0), capacity, None),
        fault,
        publishers: Default::default(),
        mailbox: VecDeque::new(),
        turn: None,
        received: Vec::new(),
    }
}

/// The messages that the subscriber gets under this seed.
fn run_seed(seed: u64, fault: OrderFault) -> Vec<Received> {
    let capacity = 1 + (seed % 3) as usize;
    let mut run = run_of(capacity, fault);
    let mut chance = seed;
    while !run.is_over() {
        let drawn;
        (chance, drawn) = split_mix(chance);
        let chosen = below(drawn, PUBLISHERS as u64 + 1) as usize;
        match run.publishers.get(chosen) {
            Some(publisher) if publisher.published < VALUES => run.publish(chosen),
            Some(_) => {}
            None => run.receive(),
        }
        run.check_bounds(capacity);
    }
    run.received
}

/// Tests L1 and L2: returns the violation, if there is one.
fn violation(received: &[Received]) -> Option<&'static str> {
    let (mut values, mut missed) = (0, 0);
    for publisher in 0..PUBLISHERS {
        let (mut next, mut reported) = (0, 0);
        for one in received {
            match *one {
                Received::Value(number, value) if number == publisher => {
                    if value < next {
                        return Some("L1: a value is out of order");
                    }
                    if value - next > reported {
                        return Some("L1: a gap is reported in another place");
                    }
                    (next, reported) = (value + 1, 0);
                    values += 1;
                }
                Received::Value(..) => {}
                Received::Missed(0) => return Some("L2: a notice of nothing"),
                Received::Missed(count) => reported += count,
            }
        }
        if VALUES - next > reported {
            return Some("L1: the last gap is reported too soon");
        }
    }
    for one in received {
        if let Received::Missed(count) = one {
            missed += count;
        }
    }
    (values + missed != PUBLISHERS as u64 * VALUES).then_some("L2: values are not accounted for")
}

/// The protocol runs on one thread; an interpreter finds nothing in it.
const RUNS: u64 = if cfg!(miri) { 100 } else { 30_000 };

#[test]
fn seeded_values_stay_in_order_and_are_all_accounted_for() {
    for seed in 0..RUNS {
        let received = run_seed(seed, OrderFault::Nothing);
        assert_eq!(violation(&received), None, "seed {seed}: {received:?}");
    }
}

/// A publisher is suspended within a publication, and the others continue: their misses need no
/// notice each (L3).
#[test]
fn notices_have_a_bound_beside_a_suspended_publisher() {
    for (capacity, steps) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)] {
        let mut run = run_of(capacity, OrderFault::Nothing);
        for _ in 0..steps {
            run.publish(0);
        }
        let mut chance = capacity as u64;
        for _ in 0..10_000 {
            let drawn;
            (chance, drawn) = split_mix(chance);
            match below(drawn, 16) {
                0 => run.receive(),
                other => run.publish(1 + other as usize % (PUBLISHERS - 1)),
            }
            run.check_bounds(capacity);
        }
    }
}

/// Both races that the README fears must be found when they are injected.
#[test]
fn canary_posting_in_the_wrong_order_is_caught() {
    for fault in [OrderFault::ValuePostedEarly, OrderFault::NoticePostedEarly] {
        let found = (0..30_000).find_map(|seed| violation(&run_seed(seed, fault)));
        assert!(
            found.is_some_and(|fault| fault.starts_with("L1")),
            "{found:?}"
        );
    }
}
