//! [`GroupMark`]: a group mark, as its steps follow each other. See [README.md](README.md).

use super::member::{Began, DeltasLeft, Member, Reached};
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

/// Waits in a row in which the group mark makes no progress, because a member runs turns. Then it
/// is dissolved.
const PATIENCE: u32 = 256;

/// How a group mark reaches the heaps of its members, by their index.
///
/// # Safety
///
/// No turn of a member runs during a visit of it. All members are [`Heap`](crate::Heap)s that are
/// not detached.
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
    /// A member runs a turn: the next step may do more.
    Wait,
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
    /// References to objects that their owners have not got yet.
    pending: Vec<Reached>,
    /// The member that is visited next, and the first entry for that visit.
    member: usize,
    from: usize,
    /// Members in a row that had nothing left to do.
    quiet: usize,
    waits: u32,
}

#[derive(Default)]
struct MemberState {
    marker: Option<Marker>,
    waker: Option<Waker>,
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
            pending: Vec::new(),
            member: 0,
            from: 0,
            quiet: 0,
            waits: 0,
        }
    }

    /// Does a piece of work, some ten to some hundred microseconds.
    pub fn step(&mut self, members: &mut dyn Members) -> GroupProgress {
        let stepped = match self.stage {
            GroupStage::Over(end) => return end,
            _ if self.state.phase() == GroupPhase::Dissolved => None,
            GroupStage::Begin => self.begin(members),
            GroupStage::Clear => self.clear(members),
            GroupStage::AddUp => self.add_up(members),
            GroupStage::Drain => self.drain(members),
            GroupStage::TakeRoots => self.take_roots(members),
            GroupStage::Mark => self.mark(members),
            GroupStage::Close => self.close(members),
        };
        stepped.unwrap_or_else(|| {
            self.state.dissolve();
            self.end(GroupProgress::Dissolved)
        })
    }

    /// The group mark is decided, and the marks go on. Safe at any time, also without this call: a
    /// group mark that is dropped is dissolved.
    fn end(&mut self, end: GroupProgress) -> GroupProgress {
        self.stage = GroupStage::Over(end);
        // A member that is not idle goes on after its turn, but another thread may have it.
        let members = self.members.iter_mut();
        members
            .filter_map(|member| member.waker.take())
            .for_each(Waker::wake);
        end
    }

    /// The stage of this member is over: the next member, or the next stage.
    fn advance(&mut self, next: GroupStage) -> Option<GroupProgress> {
        (self.from, self.waits) = (0, 0);
        self.member += 1;
        if self.member == self.members.len() {
            self.member = 0;
            self.stage = next;
        }
        Some(GroupProgress::More)
    }

    /// Visits the member that is next. Returns what `visit` returns; `Pending` if the member runs a
    /// turn; `None` if it has ended, or has left the group mark.
    fn visit<T>(
        &self,
        members: &mut dyn Members,
        mut visit: impl FnMut(&mut Member<'_>, &GroupState) -> Option<T>,
    ) -> Option<Poll<T>> {
        let mut visited = None;
        match members.visit(self.member, &mut |mut heap| {
            visited = visit(&mut heap, &self.state);
        }) {
            Visit::Done => visited.map(Poll::Ready),
            Visit::Active => Some(Poll::Pending),
            Visit::Ended => None,
        }
    }

    fn begin(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let visited = self.visit(members, |heap, state| {
            let began = heap.begin(state, PIECE);
            let member = MemberState {
                marker: heap.marker(),
                waker: heap.waker(),
            };
            Some((heap.name(), began, member))
        });
        match visited? {
            Poll::Ready((name, Began::Yes, member)) => {
                self.indices.insert(name, self.member);
                self.members[self.member] = member;
                self.advance(GroupStage::Clear)
            }
            Poll::Ready((_, Began::Draining, _)) => Some(GroupProgress::More),
            Poll::Ready((_, Began::Busy, _)) | Poll::Pending => self.wait(),
        }
    }

    fn clear(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let from = self.from;
        let visited = self.visit(members, |heap, state| {
            Some(heap.in_group(state)?.clear_internal(from, PIECE))
        });
        match visited? {
            Poll::Ready(cleared) => self.examined(cleared, GroupStage::AddUp),
            Poll::Pending => self.wait(),
        }
    }

    /// So many entries of a member were examined.
    fn examined(&mut self, entries: usize, next: GroupStage) -> Option<GroupProgress> {
        self.from += entries;
        match entries < PIECE {
            true => self.advance(next),
            false => Some(GroupProgress::More),
        }
    }

    fn add_up(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        if self.deliver(members)?.is_pending() {
            return self.wait();
        }
        let from = self.from;
        let visited = self.visit(members, |heap, state| {
            Some(heap.in_group(state)?.imports(from, PIECE))
        });
        match visited? {
            Poll::Ready(imports) => {
                let examined = imports.len();
                self.route(imports);
                self.examined(examined, GroupStage::Drain)
            }
            Poll::Pending => self.wait(),
        }
    }

    fn drain(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        if self.deliver(members)?.is_pending() {
            return self.wait();
        }
        match self.visit(members, |heap, state| heap.drain(state, PIECE))? {
            Poll::Ready(DeltasLeft::None) => self.advance(GroupStage::TakeRoots),
            Poll::Ready(DeltasLeft::Some) => Some(GroupProgress::More),
            Poll::Pending => self.wait(),
        }
    }

    fn take_roots(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        match self.visit(members, |heap, state| heap.take_roots(state, PIECE))? {
            Poll::Ready(ExportRoots::Taken) => self.advance(GroupStage::Mark),
            Poll::Ready(ExportRoots::Pending) => Some(GroupProgress::More),
            Poll::Pending => self.wait(),
        }
    }

    fn mark(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let marked = self.mark_member(members);
        self.member = (self.member + 1) % self.members.len();
        match marked? {
            Marked::Some => {
                (self.quiet, self.waits) = (0, 0);
                return Some(GroupProgress::More);
            }
            // The others are asked meanwhile, and this one again before the commit.
            Marked::Active => return self.wait(),
            Marked::Nothing => self.quiet += 1,
        }
        let all = self.members.len();
        #[cfg(test)]
        let all = match is_injected(InjectedFault::EarlyCommit) {
            true => 1,
            false => all,
        };
        if self.quiet >= all && self.pending.is_empty() {
            self.state.close();
            (self.stage, self.member, self.quiet) = (GroupStage::Close, 0, 0);
        }
        Some(GroupProgress::More)
    }

    /// Marks some objects of a member, and takes what its mark has reached elsewhere.
    fn mark_member(&mut self, members: &mut dyn Members) -> Option<Marked> {
        if let Some(marker) = &self.members[self.member].marker {
            match marker.work(SCAN) {
                Progress::More => return Some(Marked::Some),
                // Another thread scans: an assist of the member's own turn, for example.
                Progress::NoWork => return Some(Marked::Active),
                Progress::Drained => {}
                Progress::Over => return None,
            }
        }
        let visited = self.visit(members, |heap, state| {
            Some((heap.take_reached(state, PIECE)?, heap.is_drained(state)?))
        });
        let Poll::Ready((reached, is_drained)) = visited? else {
            return Some(Marked::Active);
        };
        self.route(reached);
        #[cfg(test)]
        if is_injected(InjectedFault::ReachedNotPassedOn) {
            self.pending.clear();
        }
        let had_some = !self.pending.is_empty();
        Some(match self.deliver(members)? {
            Poll::Pending => Marked::Active,
            Poll::Ready(()) if had_some || !is_drained => Marked::Some,
            Poll::Ready(()) => Marked::Nothing,
        })
    }

    /// A member runs a turn.
    fn wait(&mut self) -> Option<GroupProgress> {
        self.waits += 1;
        (self.waits <= PATIENCE).then_some(GroupProgress::Wait)
    }

    /// All members have been drained, one after the other. If they still are, one after the other,
    /// and no turn has reopened the group mark meanwhile, then no member can reach anything else.
    fn close(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let Poll::Ready(is_drained) = self.visit(members, |heap, state| heap.is_drained(state))?
        else {
            return self.wait();
        };
        #[cfg(test)]
        let is_drained = is_drained || is_injected(InjectedFault::EarlyCommit);
        if !is_drained {
            // A turn has run, and left something to scan.
            self.stage = GroupStage::Mark;
            return Some(GroupProgress::More);
        }
        self.advance(GroupStage::Mark);
        if self.stage == GroupStage::Close {
            return Some(GroupProgress::More);
        }
        match self.state.commit() {
            GroupPhase::Committed => Some(self.end(GroupProgress::Committed)),
            GroupPhase::Open | GroupPhase::Closing => Some(GroupProgress::More),
            GroupPhase::Dissolved => None,
        }
    }

    /// Keeps of these what members of the group own.
    fn route(&mut self, found: Vec<Reached>) {
        for reached in found {
            if let Some(&owner) = self.indices.get(&reached.owner) {
                self.pending.push(Reached { owner, ..reached });
            }
        }
    }

    /// Passes all that is pending to the owners. What belongs to a member that is not idle stays
    /// pending.
    fn deliver(&mut self, members: &mut dyn Members) -> Option<Poll<()>> {
        self.pending.sort_by_key(|reached| reached.owner);
        let mut left = mem::take(&mut self.pending);
        while let Some(last) = left.last() {
            let owner = last.owner;
            let first = left.partition_point(|reached| reached.owner < owner);
            let of_owner = left.split_off(first);
            let mut taken = None;
            match members.visit(owner, &mut |mut heap| {
                taken = heap.in_group(&self.state).map(|heap| heap.reach(&of_owner));
            }) {
                Visit::Done => taken?,
                Visit::Active => self.pending.extend(of_owner),
                Visit::Ended => return None,
            }
        }
        Some(match self.pending.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
    }
}

/// What a step of marking has found.
enum Marked {
    /// Something was scanned, or passed on.
    Some,
    Nothing,
    /// The member runs a turn.
    Active,
}

impl Drop for GroupMark {
    fn drop(&mut self) {
        self.state.dissolve();
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
