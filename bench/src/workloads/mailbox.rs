//! Many actors send to one: the cost of a contended mailbox, and of its waiting messages.
//!
//! Protocol: mailbox performance of CAF, with the sizes of the peers: 20 senders, 500,000 messages
//! each. `mailbox_burst` is the peers' form, where a sender sends all in one turn. In `mailbox` a
//! sender sends 1,000 a turn and then a message to itself for the next turn, so that back-pressure
//! can hold it.
//!
//! Timed: from the making of the first actor to the receiver's last message. An operation is a
//! message to the receiver.

use super::sink::Sink;
use crate::prelude::*;
use vivant::prelude::*;

const SENDERS: Param = Param::count("senders", 20, 4, "senders");
const MESSAGES: Param = Param::count("messages", 500_000, 250, "messages of each sender");

pub(super) const MAILBOX: Bench = Bench::new(
    Group::Messages,
    "mailbox",
    "many senders, one receiver, some messages a turn",
    &[
        SENDERS,
        MESSAGES,
        Param::count(
            "per_turn",
            1_000,
            100,
            "messages a sender sends in one turn",
        ),
    ],
    |run| senders(run, run.count("per_turn")),
)
.peer_ops(20 * 500_000);

pub(super) const MAILBOX_BURST: Bench = Bench {
    name: "mailbox_burst",
    about: "many senders, one receiver, all messages of a sender in one turn",
    peer_ops: None,
    params: &[SENDERS, MESSAGES],
    run: |run| senders(run, run.count("messages")),
    ..MAILBOX
};

#[derive(Actor)]
struct Source {
    sink: Address<Sink>,
    per_turn: u64,
}

#[behaviours]
impl Source {
    /// Sends the items from `from` to `upto`.
    fn go(&mut self, t: &Turn<Self>, from: u64, upto: u64) {
        let end = upto.min(from + self.per_turn);
        for number in from..end {
            t.send(self.sink.add(number));
        }
        if end < upto {
            t.send(t.me().go(end, upto));
        }
    }
}

/// All messages of all senders, to the last one's receipt; and the sum of their items.
pub(super) fn fill(
    system: &System,
    senders: u64,
    messages: u64,
    per_turn: u64,
) -> Result<(Spent, u64), Failure> {
    let meter = Meter::start();
    let sink = system.spawn(Sink::new(senders * messages));
    let sum = sink.sum().ask();
    for _ in 0..senders {
        let sink = sink.clone();
        let source = system.spawn(Source { sink, per_turn });
        source.go(0, messages).send();
    }
    let sum = system.block_on(sum)?;
    Ok((meter.stop(), sum))
}

/// What the sum must be.
pub(super) fn sum_of_items(senders: u64, messages: u64) -> u64 {
    senders * (messages * (messages - 1) / 2)
}

fn senders(run: &Run, per_turn: u64) -> Result<Vec<Figures>, Failure> {
    let (senders, messages) = (run.count("senders"), run.count("messages"));
    let (spent, sum) = fill(&run.system(), senders, messages, per_turn)?;
    run.row(
        spent,
        senders * messages,
        ("sum of the items", sum_of_items(senders, messages), sum),
    )
}
