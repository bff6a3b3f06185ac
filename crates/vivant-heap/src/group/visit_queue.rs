//! [`VisitQueue`]: the members that a stage has yet to visit.

use std::collections::VecDeque;

/// Waits in a row in which no member makes progress, and one of those that are left runs a turn.
/// Then they are given up.
const PATIENCE: u32 = 256;

/// The same, if all members that are left are busy. A member's own mark ends by itself, but that of
/// a muted actor does not go on.
const BUSY_PATIENCE: u32 = 1024;

/// How far a member is in a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemberProgress {
    Done,
    More,
    /// It runs a turn, or another thread marks its objects.
    Active,
    /// A mark of its own runs, or is to be swept.
    Busy,
}

/// What the caller does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AfterVisit {
    /// It visits the first member.
    Next,
    /// It waits: all members that are left run turns, or are busy.
    Wait,
    /// It waits for longer: all members that are left are busy.
    WaitLonger,
    /// It has waited too long.
    GiveUp,
}

/// The members with work left in a stage. The first one is visited next.
pub(super) struct VisitQueue {
    left: VecDeque<usize>,
    /// Members in a row that did nothing, because they run turns or are busy.
    unproductive: usize,
    /// How many of these run turns.
    active: usize,
    waits: u32,
    busy_waits: u32,
}

impl VisitQueue {
    pub(super) fn of(members: impl Iterator<Item = usize>) -> VisitQueue {
        VisitQueue {
            left: members.collect(),
            unproductive: 0,
            active: 0,
            waits: 0,
            busy_waits: 0,
        }
    }

    pub(super) fn first(&self) -> Option<usize> {
        self.left.front().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    /// A member has more to do in this stage.
    pub(super) fn add(&mut self, member: usize) {
        if !self.left.contains(&member) {
            self.left.push_back(member);
        }
    }

    /// This member can be visited now, if it has work left: it is the first.
    pub(super) fn prefer(&mut self, member: usize) {
        if let Some(place) = self.left.iter().position(|left| *left == member) {
            self.left.swap(0, place);
        }
    }

    /// The first member was visited.
    pub(super) fn visited(&mut self, progress: MemberProgress) -> AfterVisit {
        match progress {
            MemberProgress::Active | MemberProgress::Busy => {
                self.active += usize::from(progress == MemberProgress::Active);
                return self.visit_next();
            }
            MemberProgress::More => {}
            MemberProgress::Done => {
                self.left.pop_front();
            }
        }
        (self.unproductive, self.active) = (0, 0);
        (self.waits, self.busy_waits) = (0, 0);
        AfterVisit::Next
    }

    /// The first member did nothing: the others are visited meanwhile.
    fn visit_next(&mut self) -> AfterVisit {
        self.left.rotate_left(1);
        self.unproductive += 1;
        if self.unproductive < self.left.len() {
            return AfterVisit::Next;
        }
        let after = match self.active {
            0 => {
                self.busy_waits += 1;
                AfterVisit::WaitLonger
            }
            _ => {
                self.waits += 1;
                AfterVisit::Wait
            }
        };
        (self.unproductive, self.active) = (0, 0);
        match self.waits > PATIENCE || self.busy_waits > BUSY_PATIENCE {
            true => AfterVisit::GiveUp,
            false => after,
        }
    }
}
