//! [`VisitQueue`]: the members that a stage has yet to visit.

use std::collections::VecDeque;

/// Waits in a row in which no member makes progress, because all that are left run turns. Then they
/// are given up.
const PATIENCE: u32 = 256;

/// How far a member is in a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemberProgress {
    Done,
    More,
    /// It runs a turn, or another thread marks its objects.
    Active,
}

/// What the caller does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AfterVisit {
    /// It visits the first member.
    Next,
    /// It waits: all members that are left run turns.
    Wait,
    /// It has waited too long.
    GiveUp,
}

/// The members with work left in a stage. The first one is visited next.
pub(super) struct VisitQueue {
    left: VecDeque<usize>,
    /// Members in a row that were not visited, because they run turns.
    active: usize,
    waits: u32,
}

impl VisitQueue {
    pub(super) fn of(members: impl Iterator<Item = usize>) -> VisitQueue {
        VisitQueue {
            left: members.collect(),
            active: 0,
            waits: 0,
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

    /// The first member was visited.
    pub(super) fn visited(&mut self, progress: MemberProgress) -> AfterVisit {
        match progress {
            MemberProgress::Active => {
                // The others are visited meanwhile.
                self.left.rotate_left(1);
                self.active += 1;
                if self.active < self.left.len() {
                    return AfterVisit::Next;
                }
                (self.active, self.waits) = (0, self.waits + 1);
                return match self.waits <= PATIENCE {
                    true => AfterVisit::Wait,
                    false => AfterVisit::GiveUp,
                };
            }
            MemberProgress::More => {}
            MemberProgress::Done => {
                self.left.pop_front();
            }
        }
        (self.active, self.waits) = (0, 0);
        AfterVisit::Next
    }
}
