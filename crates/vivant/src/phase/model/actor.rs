//! An actor of the model, and its mailbox.

use crate::phase::history::{At, Line};
use crate::phase::number::{Pass, PassMark, Stamp};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
pub(in crate::phase) struct Message {
    pub(super) news: usize,
    pub(in crate::phase) stamp: Stamp,
}

#[derive(Clone, Debug)]
pub(in crate::phase) struct Actor {
    pub(super) pass: PassMark,
    pub(in crate::phase) events: usize,
    pub(in crate::phase) line: Line,
    pub(in crate::phase) born: Option<At>,
    pub(in crate::phase) runs: bool,
    pub(in crate::phase) inbox: VecDeque<Message>,
    pub(in crate::phase) deferred: VecDeque<Message>,
    /// By the parity of the phase.
    pub(super) signals: [Option<Message>; 2],
    pub(super) last_address: Option<usize>,
    pub(in crate::phase) ended: Option<Pass>,
}

impl Actor {
    pub(super) fn new(pass: PassMark, line: Line, born: Option<At>) -> Actor {
        let (inbox, deferred) = (VecDeque::new(), VecDeque::new());
        let (signals, last_address, ended) = ([None; 2], None, None);
        let (events, runs) = (0, false);
        Actor {
            pass,
            events,
            line,
            born,
            runs,
            inbox,
            deferred,
            signals,
            last_address,
            ended,
        }
    }
}
