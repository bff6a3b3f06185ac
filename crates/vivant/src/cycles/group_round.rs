//! [`GroupRound`]: a survey of the candidates' heaps, and the group marks that follow from it.

use super::group_members::{HeapKey, MemberHeaps};
use crate::actor::Shared;
use crate::candidates::ActorKey;
use crate::gc_state::{AnyTags, DetachedHeaps, GroupCandidates, GroupResult, Productive};
use crate::run::Idle;
use crate::sync::Arc;
use std::collections::VecDeque;
use std::mem;
use vivant_heap::{GroupMark, GroupProgress, GroupSurvey, SurveyProgress};

/// Time that a worker spends on it between two rounds of its run queue.
const SLICE_NS: u64 = 200_000;

/// Members of one group mark at most: each of them must end a turn from time to time, or the group
/// mark is dissolved.
const MEMBERS_MAX: usize = 256;

/// When a worker continues the round.
pub(super) enum NextPiece {
    Now,
    /// When one of these has paused; in some time at the latest.
    Later(Vec<ActorKey>),
    None,
}

/// A round: one survey, and one group mark after the other.
pub(super) struct GroupRound {
    stage: RoundStage,
    /// The heaps of the survey, or the members of the group mark.
    heaps: Vec<HeapKey>,
    /// The members of the group marks that follow.
    groups: VecDeque<Vec<HeapKey>>,
    /// Actors for which it waits, because they run turns.
    waits_for: Vec<ActorKey>,
    result: GroupResult,
    took_ns: u64,
}

enum RoundStage {
    Survey(GroupSurvey),
    Mark(GroupMark),
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RoundProgress {
    More,
    /// All heaps that are left run turns.
    Wait,
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
            stage: RoundStage::Survey(GroupSurvey::new(heaps.len())),
            heaps,
            groups: VecDeque::new(),
            waits_for: Vec::new(),
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
        let slice_ns = match system.stage().is_none() {
            true => SLICE_NS,
            false => 0,
        };
        self.waits_for.clear();
        let (progress, spent_ns) = loop {
            let progress = self.step(system, held.as_deref_mut());
            let spent_ns = system.oracle.now_ns() - began_ns;
            if progress != RoundProgress::More || spent_ns >= slice_ns {
                break (progress, spent_ns);
            }
        };
        self.took_ns += spent_ns;
        match progress {
            RoundProgress::More => (Some(self), NextPiece::Now),
            RoundProgress::Wait => {
                let active = self.waits_for.clone();
                (Some(self), NextPiece::Later(active))
            }
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
        match &mut self.stage {
            RoundStage::Survey(survey) => match survey.step(&mut heaps) {
                SurveyProgress::More => RoundProgress::More,
                SurveyProgress::Wait => RoundProgress::Wait,
                SurveyProgress::Done => {
                    self.end_survey(system);
                    self.next_group()
                }
            },
            RoundStage::Mark(mark) => match mark.step(&mut heaps) {
                GroupProgress::More => RoundProgress::More,
                GroupProgress::Wait => RoundProgress::Wait,
                GroupProgress::Committed => self.next_group(),
                GroupProgress::Dissolved => {
                    self.result = GroupResult::Dissolved;
                    let culprits = mem::take(&mut self.waits_for).into_iter();
                    culprits.for_each(|actor| GroupCandidates::of(system).leave_out_once(actor));
                    self.next_group()
                }
            },
        }
    }

    fn end_survey(&mut self, system: &Shared) {
        let RoundStage::Survey(survey) = &self.stage else {
            return;
        };
        let candidates = GroupCandidates::of(system);
        let mut productive = Productive::No;
        for (heap, key) in self.heaps.iter().enumerate() {
            if let (HeapKey::Actor(key), Some(emptied)) = (*key, survey.emptied(heap))
                && candidates.was_productive(key, emptied)
            {
                productive = Productive::Yes;
            }
        }
        candidates.end_survey(productive);
        if survey.given_up() != 0 && self.result == GroupResult::Complete {
            self.result = GroupResult::Partial;
        }
        let groups = survey.groups(MEMBERS_MAX).into_iter();
        self.groups = groups
            .map(|group| group.into_iter().map(|heap| self.heaps[heap]).collect())
            .collect();
    }

    fn next_group(&mut self) -> RoundProgress {
        let Some(group) = self.groups.pop_front() else {
            return RoundProgress::Over;
        };
        self.stage = RoundStage::Mark(GroupMark::new(group.len()));
        self.heaps = group;
        RoundProgress::More
    }
}
