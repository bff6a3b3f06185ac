//! [`GroupMark`]: a group mark, as its steps follow each other. See [README.md](README.md).

use super::member::{Member, MemberIs, Reached};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::group_state::{GroupPhase, GroupState};
use crate::mark::marker::{Marker, Progress};
use crate::orca::sharing::ExportRoots;
use std::collections::HashMap;
use std::fmt;
use std::mem;

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
/// No turn of a member runs during a visit of it, nor from [`Members::hold`] to
/// [`Members::release`]. A turn of a member changes the number that [`Members::idle_turns`]
/// returns. All members are [`Heap`](crate::Heap)s that are not detached.
pub unsafe trait Members {
    /// Passes a member's heap to `visit`, unless it runs a turn or has ended. No turn of it runs
    /// meanwhile.
    fn visit(&mut self, member: usize, visit: &mut dyn FnMut(Member<'_>)) -> Visit;

    /// The number of turns of a member, if it is idle: it runs none, and none is about to begin.
    fn idle_turns(&mut self, member: usize) -> Option<u64>;

    /// Holds all members: until [`Members::release`] none runs a turn, and all can be visited.
    /// Returns false, and holds none, if one is not idle.
    fn hold(&mut self) -> bool;

    /// Releases all members.
    fn release(&mut self);
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
    /// It is over: all that is unreachable in its members will be freed by their marks, which are
    /// in termination.
    Committed,
    /// It is over: a member has run a turn too early, has begun another mark, or has ended. Marks
    /// that had begun go on alone.
    Dissolved,
}

/// A mark of several heaps at once: references between them are followed, and are no roots. So it
/// finds cycles of references across these heaps, which no heap can find alone.
///
/// Its caller steps it. Turns of the members may run between any two steps; if one runs before all
/// marks have begun, the group mark is dissolved. Source: Lang, Queinnec and Piquet, *Garbage
/// Collecting the World* (POPL 1992), with the marks of [`Heap`](crate::Heap).
pub struct GroupMark {
    state: GroupState,
    members: Vec<MemberState>,
    /// The index of each member, by the address that its pages name. Looked up, never iterated
    /// over (R5).
    indices: HashMap<usize, usize>,
    stage: GroupStage,
    /// Reached objects, or weights, that their owners have not got yet.
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
    /// Numbers of its turns and of its heap's marks when it entered.
    turns: u64,
    marks: u64,
    marker: Option<Marker>,
}

/// What the next step does, for the next member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GroupStage {
    /// The member is registered, and what an earlier group mark has added up is cleared.
    Enter,
    /// The weights that it has of other members' objects are added up there.
    AddUp,
    /// Its mark begins.
    Begin,
    /// Its exports become roots, or are withheld.
    TakeRoots,
    /// It was idle all the time: a consistent cut.
    Validate,
    /// It marks, and what it reaches in other members is passed on.
    Mark,
    /// It is committed or dissolved.
    Over,
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
            stage: GroupStage::Enter,
            pending: Vec::new(),
            member: 0,
            from: 0,
            quiet: 0,
            waits: 0,
        }
    }

    /// Does a piece of work, some ten to some hundred microseconds.
    pub fn step(&mut self, members: &mut dyn Members) -> GroupProgress {
        if self.state.phase() == GroupPhase::Dissolved {
            return self.dissolve(members);
        }
        let stepped = match self.stage {
            GroupStage::Enter => self.enter(members),
            GroupStage::AddUp => self.add_up(members),
            GroupStage::Begin => self.begin(members),
            GroupStage::TakeRoots => self.take_roots(members),
            GroupStage::Validate => self.validate(members),
            GroupStage::Mark => self.mark(members),
            GroupStage::Over => Some(GroupProgress::Committed),
        };
        stepped.unwrap_or_else(|| self.dissolve(members))
    }

    /// Ends it: marks that have begun go on alone. Safe at any time, also without this call: a
    /// group mark that is dropped is dissolved.
    fn dissolve(&mut self, members: &mut dyn Members) -> GroupProgress {
        self.state.dissolve();
        if self.stage == GroupStage::Over {
            return GroupProgress::Dissolved;
        }
        self.stage = GroupStage::Over;
        for member in 0..self.members.len() {
            // A member that is not idle goes on after its turn.
            let _visit = members.visit(member, &mut |mut heap| heap.wake());
        }
        GroupProgress::Dissolved
    }

    /// The stage of this member is over: the next member, or the next stage.
    fn advance(&mut self, next: GroupStage) -> Option<GroupProgress> {
        self.from = 0;
        self.member += 1;
        if self.member == self.members.len() {
            self.member = 0;
            self.stage = next;
        }
        Some(GroupProgress::More)
    }

    fn enter(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let turns = members.idle_turns(self.member)?;
        let (mut name, mut cleared, mut marks) = (0, 0, None);
        let from = self.from;
        let visit = members.visit(self.member, &mut |mut heap| {
            name = heap.name();
            marks = heap.marks();
            cleared = heap.clear_internal(from, PIECE);
        });
        is_done(visit)?;
        let marks = marks?;
        if from == 0 {
            let state = &mut self.members[self.member];
            (state.turns, state.marks) = (turns, marks);
            self.indices.insert(name, self.member);
        }
        self.from += cleared;
        match cleared < PIECE {
            true => self.advance(GroupStage::AddUp),
            false => Some(GroupProgress::More),
        }
    }

    fn add_up(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let (from, mut weights) = (self.from, Vec::new());
        let visit = members.visit(self.member, &mut |mut heap| {
            weights = heap.imports(from, PIECE);
        });
        is_done(visit)?;
        let examined = weights.len();
        self.route(weights);
        self.deliver(members, |heap, weights| {
            weights.iter().for_each(|weight| heap.add_internal(weight));
            Some(())
        })?;
        if !self.pending.is_empty() {
            // Its owner runs a turn: no consistent cut.
            return None;
        }
        self.from += examined;
        match examined < PIECE {
            true => self.advance(GroupStage::Begin),
            false => Some(GroupProgress::More),
        }
    }

    fn begin(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let (state, mut began, mut marker) = (&self.state, MemberIs::Busy, None);
        let marks = self.members[self.member].marks;
        let visit = members.visit(self.member, &mut |mut heap| {
            began = heap.begin(state, marks);
            marker = heap.marker();
        });
        is_done(visit)?;
        if began == MemberIs::Busy {
            return None;
        }
        self.members[self.member].marker = marker;
        self.advance(GroupStage::TakeRoots)
    }

    fn take_roots(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let (state, mut taken) = (&self.state, None);
        let visit = members.visit(self.member, &mut |mut heap| {
            taken = heap.take_roots(state, PIECE);
        });
        is_done(visit)?;
        match taken? {
            ExportRoots::Taken => self.advance(GroupStage::Validate),
            ExportRoots::Pending => Some(GroupProgress::More),
        }
    }

    fn validate(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        #[cfg(test)]
        if is_injected(InjectedFault::InconsistentCut) {
            return self.advance(GroupStage::Mark);
        }
        match members.idle_turns(self.member)? == self.members[self.member].turns {
            true => self.advance(GroupStage::Mark),
            false => None,
        }
    }

    fn mark(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        let member = self.member;
        self.member = (member + 1) % self.members.len();
        match self.mark_member(member, members)? {
            Marked::Some => {
                (self.quiet, self.waits) = (0, 0);
                return Some(GroupProgress::More);
            }
            Marked::Active => {
                self.quiet = 0;
                return self.wait();
            }
            Marked::Nothing => self.quiet += 1,
        }
        let all = self.members.len();
        #[cfg(test)]
        let all = if is_injected(InjectedFault::EarlyCommit) {
            1
        } else {
            all
        };
        match self.quiet < all || !self.pending.is_empty() {
            true => Some(GroupProgress::More),
            false => self.commit(members),
        }
    }

    /// Marks some objects of a member, and takes what its mark has reached elsewhere.
    fn mark_member(&mut self, member: usize, members: &mut dyn Members) -> Option<Marked> {
        if let Some(marker) = &self.members[member].marker {
            match marker.work(SCAN) {
                Progress::More => return Some(Marked::Some),
                // Another thread scans: it is an assist of the member's own turn.
                Progress::NoWork => return Some(Marked::Active),
                Progress::Drained => {}
                Progress::Over => return None,
            }
        }
        let (state, mut reached) = (&self.state, None);
        let mut is_drained = None;
        match members.visit(member, &mut |mut heap| {
            reached = heap.take_reached(state, PIECE);
            is_drained = heap.is_drained(state);
        }) {
            Visit::Done => {}
            Visit::Active => return Some(Marked::Active),
            Visit::Ended => return None,
        }
        self.route(reached?);
        #[cfg(test)]
        if is_injected(InjectedFault::ReachedNotPassedOn) {
            self.pending.clear();
        }
        let had_some = !self.pending.is_empty();
        let state = self.state.clone();
        self.deliver(members, |heap, reached| {
            let objects: Vec<_> = reached.iter().map(|reached| reached.object).collect();
            heap.reach(&state, &objects)
        })?;
        Some(match had_some || !is_drained? {
            _ if !self.pending.is_empty() => Marked::Active,
            true => Marked::Some,
            false => Marked::Nothing,
        })
    }

    /// A member runs a turn.
    fn wait(&mut self) -> Option<GroupProgress> {
        self.waits += 1;
        (self.waits <= PATIENCE).then_some(GroupProgress::Wait)
    }

    /// All members have been drained, one after the other. If all still are while all are held, no
    /// member can reach anything else.
    fn commit(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        self.quiet = 0;
        if !members.hold() {
            return self.wait();
        }
        let decided = self.commit_held(members);
        members.release();
        decided
    }

    fn commit_held(&mut self, members: &mut dyn Members) -> Option<GroupProgress> {
        for member in 0..self.members.len() {
            let (state, mut is_drained) = (&self.state, None);
            let visit = members.visit(member, &mut |mut heap| is_drained = heap.is_drained(state));
            is_done(visit)?;
            #[cfg(test)]
            if is_injected(InjectedFault::EarlyCommit) {
                continue;
            }
            if !is_drained? {
                // A turn has run, and left something to scan.
                return Some(GroupProgress::More);
            }
        }
        if self.state.commit() != GroupPhase::Committed {
            return None;
        }
        self.stage = GroupStage::Over;
        for member in 0..self.members.len() {
            let _visit = members.visit(member, &mut |mut heap| {
                heap.begin_termination();
                heap.wake();
            });
        }
        Some(GroupProgress::Committed)
    }

    /// Keeps of these what members of the group own.
    fn route(&mut self, found: Vec<Reached>) {
        for reached in found {
            if let Some(&owner) = self.indices.get(&reached.owner) {
                self.pending.push(Reached { owner, ..reached });
            }
        }
    }

    /// Passes all that is pending to the owners. What belongs to a member that is not idle stays.
    fn deliver(
        &mut self,
        members: &mut dyn Members,
        mut take: impl FnMut(&mut Member<'_>, &[Reached]) -> Option<()>,
    ) -> Option<()> {
        self.pending.sort_by_key(|reached| reached.owner);
        let mut left = mem::take(&mut self.pending);
        while let Some(last) = left.last() {
            let owner = last.owner;
            let first = left.partition_point(|reached| reached.owner < owner);
            let of_owner = left.split_off(first);
            let mut taken = None;
            match members.visit(owner, &mut |mut heap| {
                taken = take(&mut heap, &of_owner);
            }) {
                Visit::Done => taken?,
                Visit::Active => self.pending.extend(of_owner),
                Visit::Ended => return None,
            }
        }
        Some(())
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

fn is_done(visit: Visit) -> Option<()> {
    (visit == Visit::Done).then_some(())
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
