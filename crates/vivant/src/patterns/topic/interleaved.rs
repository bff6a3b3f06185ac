//! The protocol of `README.md` under chosen interleavings. One step here is one step under the
//! lock, or one push into the mailbox. So a seed decides the order that threads would.

use super::intake::{Admission, Gap, Intake, OnTheWay};
use crate::oracle::{below, split_mix};
use crate::sync::Arc;
use std::collections::VecDeque;

const PUBLISHERS: usize = 3;
const VALUES: u64 = 6;

/// A value of a publisher, or a notice.
enum Mail {
    Value(usize, u64, OnTheWay),
    Notice(Gap),
}

/// An admitted value or notice is pushed into the mailbox, and then declared posted.
struct Posting {
    mail: Option<Mail>,
    what: Posted,
    is_half_done: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Posted {
    Value,
    Notice,
}

/// An injected fault in the order of these two.
#[derive(Clone, Copy, PartialEq)]
enum Planted {
    Nothing,
    ValueSaidTooSoon,
    NoticeSaidTooSoon,
}

#[derive(Debug)]
enum Heard {
    Value(usize, u64),
    Missed(u64),
}

#[derive(Default)]
struct Publisher {
    published: u64,
    posting: Option<Posting>,
}

struct Play {
    intake: Arc<Intake>,
    planted: Planted,
    publishers: [Publisher; PUBLISHERS],
    mailbox: VecDeque<Mail>,
    /// The value in its turn.
    turn: Option<OnTheWay>,
    heard: Vec<Heard>,
}

impl Play {
    /// One step of a publisher.
    fn publish(&mut self, number: usize) {
        let publisher = &mut self.publishers[number];
        let Some(mut posting) = publisher.posting.take() else {
            let (mail, what) = match self.intake.admit() {
                Admission::Missed => return publisher.published += 1,
                Admission::Value(token) => {
                    let value = Mail::Value(number, publisher.published, token);
                    (value, Posted::Value)
                }
                Admission::Notice(gap) => (Mail::Notice(gap), Posted::Notice),
            };
            publisher.posting = Some(Posting {
                mail: Some(mail),
                what,
                is_half_done: false,
            });
            return;
        };
        let says_first = match posting.what {
            Posted::Value => self.planted == Planted::ValueSaidTooSoon,
            Posted::Notice => self.planted == Planted::NoticeSaidTooSoon,
        };
        if posting.is_half_done == says_first {
            self.mailbox.extend(posting.mail.take());
        } else {
            match posting.what {
                Posted::Value => self.intake.value_posted(),
                Posted::Notice => self.intake.notice_posted(),
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
    fn hear(&mut self) {
        if self.turn.take().is_some() {
            return;
        }
        match self.mailbox.pop_front() {
            Some(Mail::Value(publisher, value, token)) => {
                self.heard.push(Heard::Value(publisher, value));
                self.turn = Some(token);
            }
            Some(Mail::Notice(gap)) => self.heard.push(Heard::Missed(gap.close())),
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
        let on_the_way = self.mailbox.iter().filter(values).count();
        assert!(on_the_way <= capacity, "L3: {on_the_way} of {capacity}");
        let (notices, most) = (self.mailbox.len() - on_the_way, capacity + 1 + PUBLISHERS);
        assert!(notices <= most, "L3: {notices} notices, {most} are allowed");
    }
}

fn play_of(capacity: usize, planted: Planted) -> Play {
    Play {
        intake: Intake::new(capacity),
        planted,
        publishers: Default::default(),
        mailbox: VecDeque::new(),
        turn: None,
        heard: Vec::new(),
    }
}

/// The messages that the subscriber gets under this seed.
fn played(seed: u64, planted: Planted) -> Vec<Heard> {
    let capacity = 1 + (seed % 3) as usize;
    let mut play = play_of(capacity, planted);
    let mut chance = seed;
    while !play.is_over() {
        let drawn;
        (chance, drawn) = split_mix(chance);
        let who = below(drawn, PUBLISHERS as u64 + 1) as usize;
        match play.publishers.get(who) {
            Some(publisher) if publisher.published < VALUES => play.publish(who),
            Some(_) => {}
            None => play.hear(),
        }
        play.check_bounds(capacity);
    }
    play.heard
}

/// Tests L1 and L2: returns the violation, if there is one.
fn fault(heard: &[Heard]) -> Option<&'static str> {
    let (mut values, mut missed) = (0, 0);
    for publisher in 0..PUBLISHERS {
        let (mut next, mut told) = (0, 0);
        for one in heard {
            match *one {
                Heard::Value(number, value) if number == publisher => {
                    if value < next {
                        return Some("L1: a value is out of order");
                    }
                    if value - next > told {
                        return Some("L1: a gap is told in another place");
                    }
                    (next, told) = (value + 1, 0);
                    values += 1;
                }
                Heard::Value(..) => {}
                Heard::Missed(0) => return Some("L2: a notice of nothing"),
                Heard::Missed(count) => told += count,
            }
        }
        if VALUES - next > told {
            return Some("L1: the last gap is told too soon");
        }
    }
    for one in heard {
        if let Heard::Missed(count) = one {
            missed += count;
        }
    }
    (values + missed != PUBLISHERS as u64 * VALUES).then_some("L2: values are not accounted for")
}

/// The protocol runs on one thread; an interpreter finds nothing in it.
const RUNS: u64 = if cfg!(miri) { 100 } else { 30_000 };

#[test]
fn seeded_order_and_number_are_kept_however_steps_interleave() {
    for seed in 0..RUNS {
        let heard = played(seed, Planted::Nothing);
        assert_eq!(fault(&heard), None, "seed {seed}: {heard:?}");
    }
}

/// A publisher is suspended within a publication, and the others go on: their misses need no notice
/// each (L3).
#[test]
fn notices_have_a_bound_beside_a_suspended_publisher() {
    for (capacity, steps) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)] {
        let mut play = play_of(capacity, Planted::Nothing);
        for _ in 0..steps {
            play.publish(0);
        }
        let mut chance = capacity as u64;
        for _ in 0..10_000 {
            let drawn;
            (chance, drawn) = split_mix(chance);
            match below(drawn, 16) {
                0 => play.hear(),
                other => play.publish(1 + other as usize % (PUBLISHERS - 1)),
            }
            play.check_bounds(capacity);
        }
    }
}

/// Both races that the README fears must be found when they are injected.
#[test]
fn canary_posting_in_the_wrong_order_is_noticed() {
    for planted in [Planted::ValueSaidTooSoon, Planted::NoticeSaidTooSoon] {
        let found = (0..30_000).find_map(|seed| fault(&played(seed, planted)));
        assert!(
            found.is_some_and(|fault| fault.starts_with("L1")),
            "{found:?}"
        );
    }
}
