//! [`GroupRound`]: a survey of the candidates' heaps, and the group marks that follow from it.

use super::group_members::{HeapKey, MemberHeaps};
use crate::actor::Shared;
use crate::candidates::ActorKey;
use crate::gc_state::{AnyTags, DetachedHeaps, GroupCandidates, GroupResult};
use crate::run::Idle;
use crate::sync::Arc;
use std::collections::HashSet;
use std::mem;
use vivant_heap::{GroupMark, GroupProgress, GroupSurvey, SurveyProgress};

/// Time that a worker spends on it between two rounds of its run queue.
const SLICE_NS: u64 = 200_000;

/// Time that a worker spends on it while it holds an actor between two of its runs. As long as that
/// actor waits, it sends nothing to the other members: these are idle, and can be visited too. With
/// 0.2 ms the actors of `object_cycles` make more than group marks free.
const HELD_SLICE_NS: u64 = 800_000;

/// Members of one group mark at most: each of them must end a turn from time to time, or the group
/// mark is dissolved.
const MEMBERS_MAX: usize = 256;

/// Actors signalled at most in one wait: a signal ends a run.
const SIGNALS_MAX: usize = 64;

/// When a worker continues the round.
pub(super) enum NextPiece {
    Now,
    /// When one of these has paused; in some time at the latest.
    Later(Vec<ActorKey>),
    /// When members have ended marks of their own.
    MuchLater,
    None,
}

/// A round: one survey, and one group mark after the other.
pub(super) struct GroupRound {
    survey: GroupSurvey,
    /// The heaps of the survey.
    candidates: Vec<HeapKey>,
    /// The group mark that runs; none as long as the survey does.
    mark: Option<GroupMark>,
    /// The heaps that are visited: the candidates, or the members of the group mark.
    heaps: Vec<HeapKey>,
    /// Actors for which it waits, because they run turns.
    waits_for: Vec<ActorKey>,
    /// Actors that group marks have waited for in vain.
    left_out: HashSet<u64>,
    result: GroupResult,
    took_ns: u64,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RoundProgress {
    More,
    /// All heaps that are left run turns.
    Wait,
    /// All heaps that are left end marks of their own.
    WaitLonger,
    Over,
}

impl GroupRound {
    /// The round of all candidates, if one is due.
    pub(super) fn begin(system: &Arc<Shared>) -> Option<Box<GroupRound>> {
        let candidates = GroupCandidates::of(system);
        let due = candidates.take_due(system.oracle.now_ns())?;
        let actors = due.candidates.into_iter().map(HeapKey::Actor);
        // After the actors: of an actor that ends meanwhile its heap is visited.
        let detached = DetachedHeaps::of(system).sharing().into_iter();
        let heaps: Vec<_> = actors.chain(detached.map(HeapKey::Detached)).collect();
        if heaps.len() < 2 || due.tags == AnyTags::No {
            candidates.end_round(system, due.coverage, 0);
            return None;
        }
        Some(Box::new(GroupRound {
            survey: GroupSurvey::new(heaps.len(), due.round),
            candidates: heaps.clone(),
            mark: None,
            heaps,
            waits_for: Vec::new(),
            left_out: HashSet::new(),
            result: due.coverage,
            took_ns: 0,
        }))
    }

    /// Continues it for a slice of time; one step in a simulation. Returns what is left of it.
    pub(super) fn run(
        mut self: Box<Self>,
        system: &Arc<Shared>,
        mut held: Option<&mut Idle>,
    ) -> (Option<Box<GroupRound>>, NextPiece) {
        let began_ns = system.oracle.now_ns();
        let slice_ns = match (system.stage(), &held) {
            (Some(_), _) => 0,
            (None, Some(_)) => HELD_SLICE_NS,
            (None, None) => SLICE_NS,
        };
        self.waits_for.clear();
        if let Some(held) = &held {
            self.prefer(held);
        }
        let is_held = held.is_some();
        let (progress, spent_ns) = loop {
            let progress = self.step(system, held.as_deref_mut());
            let spent_ns = system.oracle.now_ns() - began_ns;
            // A worker that holds an actor does not look for others that can be visited. The round
            // was waiting before, so a timer continues it.
            let stops = is_held && !self.waits_for.is_empty();
            if stops && progress == RoundProgress::More {
                break (RoundProgress::Wait, spent_ns);
            }
            if progress != RoundProgress::More || spent_ns >= slice_ns {
                break (progress, spent_ns);
            }
        };
        self.took_ns += spent_ns;
        match progress {
            RoundProgress::More => (Some(self), NextPiece::Now),
            RoundProgress::Wait => {
                let active = self.waits_for.iter().take(SIGNALS_MAX).copied().collect();
                (Some(self), NextPiece::Later(active))
            }
            RoundProgress::WaitLonger => (Some(self), NextPiece::MuchLater),
            RoundProgress::Over => {
                GroupCandidates::of(system).end_round(system, self.result, self.took_ns);
                (None, NextPiece::None)
            }
        }
    }

    fn step(&mut self, system: &Arc<Shared>, held: Option<&mut Idle>) -> RoundProgress {
        let mut heaps = MemberHeaps {
            system,
            heaps: &self.heaps,
            held,
            waits_for: &mut self.waits_for,
        };
        let Some(mark) = &mut self.mark else {
            return match self.survey.step(&mut heaps) {
                SurveyProgress::More => RoundProgress::More,
                SurveyProgress::Wait => RoundProgress::Wait,
                SurveyProgress::Done => {
                    self.end_survey(system);
                    self.next_group()
                }
            };
        };
        match mark.step(&mut heaps) {
            GroupProgress::More => RoundProgress::More,
            GroupProgress::Wait => RoundProgress::Wait,
            GroupProgress::WaitLonger => RoundProgress::WaitLonger,
            GroupProgress::Committed => self.next_group(),
            GroupProgress::Dissolved => {
                // Any other cause, as the end or the growth of a heap, leads to a call of its own.
                if !self.waits_for.is_empty() {
                    self.result = GroupResult::Dissolved;
                }
                for actor in mem::take(&mut self.waits_for) {
                    GroupCandidates::of(system).leave_out_once(actor);
                    self.left_out.insert(actor.id);
                }
                self.next_group()
            }
        }
    }

    /// This actor is held: it is visited first.
    fn prefer(&mut self, held: &Idle) {
        let is_held = |heap: &HeapKey| matches!(heap, HeapKey::Actor(key) if key.id == held.id);
        let Some(place) = self.heaps.iter().position(is_held) else {
            return;
        };
        match &mut self.mark {
            Some(mark) => mark.prefer(place),
            None => self.survey.prefer(place),
        }
    }

    fn end_survey(&mut self, system: &Shared) {
        let heaps = self.candidates.iter().enumerate();
        let actors = heaps.filter_map(|(heap, key)| match key {
            HeapKey::Actor(key) => Some((*key, self.survey.emptied(heap)?)),
            HeapKey::Detached(_) => None,
        });
        GroupCandidates::of(system).end_survey(actors);
        if self.survey.given_up() != 0 && self.result == GroupResult::Complete {
            self.result = GroupResult::Partial;
        }
    }

    fn next_group(&mut self) -> RoundProgress {
        while let Some(group) = self.survey.next_group(MEMBERS_MAX) {
            self.heaps.clear();
            for heap in group {
                match self.candidates[heap] {
                    HeapKey::Actor(key) if self.left_out.contains(&key.id) => {}
                    key => self.heaps.push(key),
                }
            }
            if self.heaps.len() > 1 {
                self.mark = Some(GroupMark::new(self.heaps.len()));
                return RoundProgress::More;
            }
        }
        RoundProgress::Over
    }
}
