//! [`GroupMark`]: a group mark, as its steps follow each other. See [README.md](README.md).

use super::member::{Began, DeltasLeft, Member, Reached};
use super::visit_queue::{AfterVisit, MemberProgress, VisitQueue};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::group_state::{GroupPhase, GroupState};
use crate::mark::marker::{Marker, Progress};
use crate::orca::sharing::ExportRoots;
use std::collections::HashMap;
use std::fmt;
use std::mem;
use std::task::{Poll, Waker};

/// Counts, exports or reached objects handled in one visit: some ten to some hundred microseconds.
const PIECE: usize = if cfg!(any(test, miri)) { 3 } else { 1024 };

/// Objects scanned in one step.
const SCAN: usize = if cfg!(any(test, miri)) { 4 } else { 2048 };

/// References of other members that are pending for a member before it gets some of them.
const PENDING_MAX: usize = 64 * PIECE;

/// How a group mark reaches the heaps of its members, by their index.
///
/// # Safety
///
/// No turn of a member runs during a visit of it.
pub unsafe trait Members {
    /// Passes a member's heap to `visit`, unless it runs a turn or has ended. No turn of it runs
    /// meanwhile.
    fn visit(&mut self, member: usize, visit: &mut dyn FnMut(Member<'_>)) -> Visit;
}

/// The result of a visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visit {
    /// The heap was visited.
    Done,
    /// It runs a turn.
    Active,
    /// It has ended.
    Ended,
}

/// Whether a group mark is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum GroupProgress {
    /// The next step does more.
    More,
    /// Members run turns: the next step may do more.
    Wait,
    /// Members end marks of their own: a step in some time may do more.
    WaitLonger,
    /// It is over: all that is unreachable in its members will be freed by their marks.
    Committed,
    /// It is over: a member has ended, or grows and could not wait. Marks that had begun go on
    /// alone.
    Dissolved,
}

/// A mark of several heaps at once: references between them are followed, and are no roots. So it
/// finds cycles of references across these heaps, which no heap can find alone.
///
/// Its caller steps it. Turns of the members may run between any two steps. Source: Lang, Queinnec
/// and Piquet, *Garbage Collecting the World* (POPL 1992), with the marks of [`Heap`](crate::Heap).
pub struct GroupMark {
    state: GroupState,
    members: Vec<MemberState>,
    /// The index of each member, by the address that its pages name. Looked up, never iterated
    /// over (R5).
    indices: HashMap<usize, usize>,
    stage: GroupStage,
    /// Members with work left in this stage.
    left: VisitQueue,
}

#[derive(Default)]
struct MemberState {
    marker: Option<Marker>,
    waker: Option<Waker>,
    /// The first import or export of the next visit.
    from: usize,
    /// References of other members to its objects, which it gets in its next visit.
    pending: Vec<Reached>,
}

/// What the next step does, for the next member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GroupStage {
    /// Its mark begins.
    Begin,
    /// What an earlier group mark has added up is cleared.
    Clear,
    /// The weights that it has of other members' objects are added up there.
    AddUp,
    /// It applies the deltas that other heaps have sent.
    Drain,
    /// Its exports become roots, or are withheld.
    TakeRoots,
    /// It marks, and what it reaches in other members is passed on.
    Mark,
    /// It is asked once more whether it has marked everything.
    Close,
    /// The group mark is committed or dissolved.
    Over(GroupProgress),
}

impl GroupMark {
    /// A group mark of so many members.
    #[must_use]
    pub fn new(members: usize) -> GroupMark {
        let mut states = Vec::new();
        states.resize_with(members, MemberState::default);
        GroupMark {
            state: GroupState::open(),
            members: states,
            indices: HashMap::new(),
            stage: GroupStage::Begin,
            left: VisitQueue::of(0..members),
        }
    }

    /// The next step visits this member, if it has work left: it runs no turn at the moment.
    pub fn prefer(&mut self, member: usize) {
        self.left.prefer(member);
    }

    /// Does a piece of work, some ten to some hundred microseconds.
    pub fn step(&mut self, members: &mut dyn Members) -> GroupProgress {
        if let GroupStage::Over(end) = self.stage {
            return end;
        }
        self.step_open(members).unwrap_or_else(|| {
            self.state.dissolve();
            self.end(GroupProgress::Dissolved)
        })
    }

    /// `None` if a member has ended or has left the group mark, or if a member was waited for too
    /// long.
    fn step_open(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        if self.state.phase() == GroupPhase::Dissolved {
            return None;
        }
        let Some(member) = self.left.first() else {
            return self.next_stage();
        };
        let progress = self.step_member(member, members)?;
        match self.left.visited(progress) {
            AfterVisit::Next => Some(GroupProgress::More),
            AfterVisit::Wait => Some(GroupProgress::Wait),
            AfterVisit::WaitLonger => Some(GroupProgress::WaitLonger),
            AfterVisit::GiveUp => None,
        }
    }

    fn step_member(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        if !self.members[member].pending.is_empty() {
            return self.deliver(member, members);
        }
        match self.stage {
            GroupStage::Begin => self.begin(member, members),
            GroupStage::Clear => self.clear(member, members),
            GroupStage::AddUp => self.add_up(member, members),
            GroupStage::Drain => self.drain(member, members),
            GroupStage::TakeRoots => self.take_roots(member, members),
            GroupStage::Mark => self.mark(member, members),
            GroupStage::Close => self.close(member, members),
            GroupStage::Over(_) => Some(MemberProgress::Done),
        }
    }

    /// All members are done with this stage.
    fn next_stage(&mut self) -> Option<GroupProgress> {
        let next = match self.stage {
            GroupStage::Begin => GroupStage::Clear,
            GroupStage::Clear => GroupStage::AddUp,
            GroupStage::AddUp => GroupStage::Drain,
            GroupStage::Drain => GroupStage::TakeRoots,
            GroupStage::TakeRoots => GroupStage::Mark,
            GroupStage::Mark => {
                self.state.close();
                GroupStage::Close
            }
            // All members have been drained, one after the other, twice. If no turn has reopened
            // the group mark meanwhile, then no member can reach anything else.
            GroupStage::Close => match self.state.commit() {
                GroupPhase::Committed => return Some(self.end(GroupProgress::Committed)),
                GroupPhase::Open | GroupPhase::Closing => GroupStage::Mark,
                GroupPhase::Dissolved => return None,
            },
            GroupStage::Over(end) => return Some(end),
        };
        self.begin_stage(next);
        Some(GroupProgress::More)
    }

    fn begin_stage(&mut self, stage: GroupStage) {
        self.stage = stage;
        self.left = VisitQueue::of(0..self.members.len());
        self.members.iter_mut().for_each(|member| member.from = 0);
    }

    /// The group mark is decided, and the marks go on. Safe at any time, also without this call: a
    /// group mark that is dropped is dissolved.
    fn end(&mut self, end: GroupProgress) -> GroupProgress {
        self.stage = GroupStage::Over(end);
        self.wake_members();
        end
    }

    /// A member that is not idle goes on after its turn, but another thread may have it.
    fn wake_members(&mut self) {
        let members = self.members.iter_mut();
        members
            .filter_map(|member| member.waker.take())
            .for_each(Waker::wake);
    }

    /// Visits a member. Returns what `visit` returns; `Pending` if the member runs a turn; `None`
    /// if it has ended, or has left the group mark.
    fn visit<T>(
        &self,
        member: usize,
        members: &mut dyn Members,
        mut visit: impl FnMut(&mut Member<'_>, &GroupState) -> Option<T>,
    ) -> Option<Poll<T>> {
        let mut visited = None;
        match members.visit(member, &mut |mut heap| {
            visited = visit(&mut heap, &self.state)
        }) {
            Visit::Done => visited.map(Poll::Ready),
            Visit::Active => Some(Poll::Pending),
            Visit::Ended => None,
        }
    }

    /// Passes references of other members on to a member.
    fn deliver(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        let mut pending = mem::take(&mut self.members[member].pending);
        let now = pending.split_off(pending.len().saturating_sub(PIECE));
        let delivered = self.visit(member, members, |heap, state| {
            heap.in_group(state)?.reach(&now);
            Some(())
        });
        let is_delivered = delivered?.is_ready();
        if !is_delivered {
            pending.extend(now);
        }
        self.members[member].pending = pending;
        Some(match is_delivered {
            true => MemberProgress::More,
            false => MemberProgress::Active,
        })
    }

    fn begin(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        let visited = self.visit(member, members, |heap, state| {
            let began = heap.begin(state, PIECE);
            Some((heap.name(), began, heap.marker(), heap.waker()))
        });
        Some(match visited? {
            Poll::Ready((name, Began::Yes, marker, waker)) => {
                self.indices.insert(name, member);
                let state = &mut self.members[member];
                (state.marker, state.waker) = (marker, waker);
                MemberProgress::Done
            }
            Poll::Ready((_, Began::Draining, _, _)) => MemberProgress::More,
            Poll::Ready((_, Began::Busy, _, _)) => MemberProgress::Busy,
            Poll::Pending => MemberProgress::Active,
        })
    }

    fn clear(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        let from = self.members[member].from;
        let visited = self.visit(member, members, |heap, state| {
            Some(heap.in_group(state)?.clear_internal(from, PIECE))
        });
        Some(match visited? {
            Poll::Ready(cleared) => self.examined(member, cleared),
            Poll::Pending => MemberProgress::Active,
        })
    }

    /// So many entries of a member were examined.
    fn examined(&mut self, member: usize, entries: usize) -> MemberProgress {
        self.members[member].from += entries;
        match entries < PIECE {
            true => MemberProgress::Done,
            false => MemberProgress::More,
        }
    }

    fn add_up(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        if let Some(relieved) = self.relieve(members) {
            return relieved;
        }
        let from = self.members[member].from;
        let visited = self.visit(member, members, |heap, state| {
            Some(heap.in_group(state)?.imports(from, PIECE))
        });
        let Poll::Ready(imports) = visited? else {
            return Some(MemberProgress::Active);
        };
        let examined = imports.len();
        self.route(imports);
        Some(self.examined(member, examined))
    }

    fn drain(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        let drained = self.visit(member, members, |heap, state| heap.drain(state, PIECE));
        Some(match drained? {
            Poll::Ready(DeltasLeft::None) => MemberProgress::Done,
            Poll::Ready(DeltasLeft::Some) => MemberProgress::More,
            Poll::Pending => MemberProgress::Active,
        })
    }

    fn take_roots(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        let taken = self.visit(member, members, |heap, state| heap.take_roots(state, PIECE));
        Some(match taken? {
            Poll::Ready(ExportRoots::Taken) => MemberProgress::Done,
            Poll::Ready(ExportRoots::Pending) => MemberProgress::More,
            Poll::Pending => MemberProgress::Active,
        })
    }

    /// Marks some objects of a member, and takes what its mark has reached elsewhere.
    fn mark(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        #[cfg(test)]
        if is_injected(InjectedFault::EarlyCommit) && self.left.len() < self.members.len() {
            return Some(MemberProgress::Done);
        }
        if let Some(marker) = &self.members[member].marker {
            match marker.work(SCAN) {
                Progress::More => return Some(MemberProgress::More),
                // Another thread scans: an assist of the member's own turn, for example.
                Progress::NoWork => return Some(MemberProgress::Active),
                Progress::Drained => {}
                Progress::Over => return None,
            }
        }
        if let Some(relieved) = self.relieve(members) {
            return relieved;
        }
        let visited = self.visit(member, members, |heap, state| {
            Some((heap.take_reached(state, PIECE)?, heap.is_drained(state)?))
        });
        let Poll::Ready((reached, is_drained)) = visited? else {
            return Some(MemberProgress::Active);
        };
        let has_reached = !reached.is_empty();
        #[cfg(test)]
        let reached = match is_injected(InjectedFault::ReachedNotPassedOn) {
            true => Vec::new(),
            false => reached,
        };
        self.route(reached);
        Some(match is_drained && !has_reached {
            true => MemberProgress::Done,
            false => MemberProgress::More,
        })
    }

    fn close(&mut self, member: usize, members: &mut dyn Members) -> Option<MemberProgress> {
        let visited = self.visit(member, members, |heap, state| heap.is_drained(state));
        let Poll::Ready(is_drained) = visited? else {
            return Some(MemberProgress::Active);
        };
        #[cfg(test)]
        let is_drained = is_drained || is_injected(InjectedFault::EarlyCommit);
        if is_drained {
            return Some(MemberProgress::Done);
        }
        // A turn has run, and left something to scan.
        self.begin_stage(GroupStage::Mark);
        Some(MemberProgress::More)
    }

    /// Keeps of these what members of the group own, for the owners.
    fn route(&mut self, found: Vec<Reached>) {
        for reached in found {
            let Some(&owner) = self.indices.get(&reached.owner) else {
                continue;
            };
            let pending = &mut self.members[owner].pending;
            pending.push(reached);
            if self.stage == GroupStage::Mark && pending.len() == 1 {
                self.left.add(owner);
            }
        }
    }

    /// Passes on some of what is pending for a member that has much. `None` if there is none.
    fn relieve(&mut self, members: &mut dyn Members) -> Option<Option<MemberProgress>> {
        let pending = self.members.iter().map(|member| member.pending.len());
        let full = pending
            .enumerate()
            .find(|(_, pending)| *pending >= PENDING_MAX);
        full.map(|(full, _)| self.deliver(full, members))
    }
}

impl Drop for GroupMark {
    /// The members' marks go on alone.
    fn drop(&mut self) {
        self.state.dissolve();
        self.wake_members();
    }
}

impl fmt::Debug for GroupMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupMark")
            .field("members", &self.members.len())
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}
