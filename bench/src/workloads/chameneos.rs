//! Creatures meet at one place: one actor to which all others send, and the contention for it.
//!
//! Protocol: chameneos-redux with the sizes of the peers. A creature requests a partner from the
//! broker. The broker keeps the first request and sends each of two creatures the other's number
//! and colour; both change colour and send a request again. After 6,000,000 meetings the broker
//! ends all requests, and the creatures report the number of their meetings.
//!
//! Timed: from the making of the first actor to the last creature's count. An operation is a
//! meeting: four messages.

use super::savina::Halves;
use crate::prelude::*;
use vivant::prelude::*;

const CREATURES: &str = "creatures";
const MEETINGS: Param = Param::count("meetings", 6_000_000, 300, "meetings");

pub(super) const CHAMENEOS3: Bench = Bench::new(
    Group::Messages,
    "chameneos3",
    "three creatures meet at one broker",
    &[
        Param::count(CREATURES, 3, 3, "creatures").at_least(2),
        MEETINGS,
        FAIR,
    ],
    run,
)
.saved::<(Broker, Creature)>()
.peer_ops(6_000_000);

pub(super) const CHAMENEOS10: Bench = Bench {
    name: "chameneos10",
    about: "ten creatures meet at one broker",
    params: &[
        Param::count(CREATURES, 10, 10, "creatures").at_least(2),
        MEETINGS,
        FAIR,
    ],
    ..CHAMENEOS3
};

#[derive(Actor)]
#[actor(saved)]
struct Broker {
    /// Meetings to come.
    left: Halves,
    waiting: Option<(Address<Creature>, u64, u8)>,
    at_large: u64,
    counted: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Broker {
    /// Answers, when all creatures have ended, with the number of their meetings.
    fn all_home(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        promise
    }

    fn meet(&mut self, t: &Turn<Self>, who: Address<Creature>, id: u64, colour: u8) {
        if !self.left.remain(t) {
            t.send(who.go_home());
            return;
        }
        match self.waiting.take() {
            None => self.waiting = Some((who, id, colour)),
            Some((other, other_id, other_colour)) => {
                self.left.step(t);
                t.send(other.mate(id, colour));
                t.send(who.mate(other_id, other_colour));
            }
        }
    }

    fn count(&mut self, meetings: u64) {
        self.counted += meetings;
        self.at_large -= 1;
        if self.at_large == 0
            && let Some(done) = self.done.take()
        {
            done.resolve(self.counted);
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Creature {
    broker: Address<Broker>,
    id: u64,
    colour: u8,
    meetings: u64,
    with_itself: u64,
}

#[behaviours]
impl Creature {
    #[start]
    fn new(t: &Turn<Self>, broker: Address<Broker>, id: u64) -> Creature {
        let creature = Creature {
            broker,
            id,
            colour: (id % 3) as u8,
            meetings: 0,
            with_itself: 0,
        };
        creature.look_for_a_mate(t);
        creature
    }

    #[local]
    fn look_for_a_mate(&self, t: &Turn<Self>) {
        t.send(self.broker.meet(t.me(), self.id, self.colour));
    }

    fn mate(&mut self, t: &Turn<Self>, id: u64, colour: u8) {
        self.meetings += 1;
        self.with_itself += u64::from(id == self.id);
        self.colour = complement(self.colour, colour);
        self.look_for_a_mate(t);
    }

    fn go_home(&mut self, t: &Turn<Self>) {
        t.send(self.broker.count(self.meetings));
        t.stop();
    }
}

/// Two colours give the third.
fn complement(a: u8, b: u8) -> u8 {
    if a == b { a } else { 3 - a - b }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (creatures, meetings) = (run.count(CREATURES), run.count("meetings"));
    let system = run.system();
    let meter = Meter::start();
    let broker = system.spawn(Broker {
        left: Halves::of(meetings),
        waiting: None,
        at_large: creatures,
        counted: 0,
        done: None,
    });
    let counted = broker.all_home().ask();
    for id in 0..creatures {
        Creature::spawn(&system, broker.clone(), id);
    }
    let counted = system.block_on(counted)?;
    let spent = meter.stop();
    run.row(
        spent,
        meetings,
        ("meetings of all creatures", 2 * meetings, counted),
    )
}
