//! [`GroupSurvey`]: the groups of heaps through which cycles of references can pass. See
//! [README.md](README.md).

use super::components::{ComponentSearch, SearchProgress};
use super::group_mark::{Members, Visit};
use super::member::{HeapShares, Member};
use super::neighbourhoods::Neighbourhoods;
use super::visit_queue::{AfterVisit, MemberProgress, VisitQueue};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::mem;
use std::task::Poll;

/// Imports read in one visit: some ten microseconds.
const PIECE: usize = if cfg!(any(test, miri)) { 3 } else { 1024 };

/// How often a heap that releases imports meanwhile is read from the start again. A cycle that is
/// missed then is found by a later survey.
const RESTARTS_MAX: u32 = 1;

/// Edges followed in one step of the search for components.
const EDGES: usize = if cfg!(any(test, miri)) { 3 } else { 4096 };

/// Whether a survey is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum SurveyProgress {
    /// The next step does more.
    More,
    /// A heap runs a turn: the next step may do more.
    Wait,
    /// It is over.
    Done,
}

/// Finds the groups of heaps that are worth a [`GroupMark`](crate::GroupMark): the strongly
/// connected components of the graph in which a heap leads to the owners of its imports. No other
/// heap of the survey can be on a cycle of references with them.
///
/// Its caller steps it. Turns of the heaps may run between any two steps, so a cycle that is made
/// meanwhile may be missed: the next survey finds it.
pub struct GroupSurvey {
    heaps: Vec<SurveyedHeap>,
    /// The index of each heap that shares objects, by the address that its pages name. Looked up,
    /// never iterated over (R5).
    indices: HashMap<usize, usize>,
    stage: SurveyStage,
    /// Heaps with work left in this stage.
    left: VisitQueue,
    given_up: usize,
    start: usize,
    /// The heaps that own imports of each heap.
    edges: Vec<Vec<usize>>,
    search: ComponentSearch,
    /// Components of which the groups were not taken yet.
    components: VecDeque<Neighbourhoods>,
}

#[derive(Default)]
struct SurveyedHeap {
    /// The heaps of the survey that own imports of this one.
    owners: BTreeSet<usize>,
    tags: HasTags,
    emptied: Option<u64>,
    /// The first import of the next visit, and the number of imports at the last one.
    from: usize,
    imports: usize,
    restarts: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum HasTags {
    #[default]
    No,
    Yes,
}

/// What the next step does, for the next heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SurveyStage {
    /// It is named, if it shares objects.
    Name,
    /// The owners of its imports are looked up.
    Follow,
    /// The components of the graph are searched for.
    Search,
    Over,
}

impl GroupSurvey {
    /// A survey of so many heaps. The parts of a large component begin with another heap for each
    /// number `start`.
    #[must_use]
    pub fn new(heaps: usize, start: usize) -> GroupSurvey {
        let mut states = Vec::new();
        states.resize_with(heaps, SurveyedHeap::default);
        GroupSurvey {
            heaps: states,
            indices: HashMap::new(),
            stage: SurveyStage::Name,
            left: VisitQueue::of(0..heaps),
            given_up: 0,
            start,
            edges: Vec::new(),
            search: ComponentSearch::default(),
            components: VecDeque::new(),
        }
    }

    /// The next step visits this heap, if it has work left: it runs no turn at the moment.
    pub fn prefer(&mut self, heap: usize) {
        self.left.prefer(heap);
    }

    /// Does a piece of work, some ten to some hundred microseconds.
    pub fn step(&mut self, heaps: &mut dyn Members) -> SurveyProgress {
        if self.stage == SurveyStage::Search {
            return self.search();
        }
        let Some(heap) = self.left.first() else {
            return self.next_stage();
        };
        let progress = match self.stage {
            SurveyStage::Name => self.name(heap, heaps),
            _ => self.follow(heap, heaps),
        };
        match self.left.visited(progress) {
            AfterVisit::Next => SurveyProgress::More,
            AfterVisit::Wait | AfterVisit::WaitLonger => SurveyProgress::Wait,
            AfterVisit::GiveUp => {
                self.given_up += self.left.len();
                self.next_stage()
            }
        }
    }

    fn next_stage(&mut self) -> SurveyProgress {
        self.left = VisitQueue::of(0..0);
        self.stage = match self.stage {
            // A cycle passes through a tag, and through more than one heap.
            SurveyStage::Name if self.indices.len() > 1 && self.has_tags(0..self.heaps.len()) => {
                let mut shares: Vec<usize> = self.indices.values().copied().collect();
                shares.sort_unstable();
                self.left = VisitQueue::of(shares.into_iter());
                SurveyStage::Follow
            }
            SurveyStage::Follow => {
                let heaps = self.heaps.iter_mut();
                let owners = heaps.map(|heap| mem::take(&mut heap.owners).into_iter().collect());
                self.edges = owners.collect();
                self.search = ComponentSearch::new(self.heaps.len());
                SurveyStage::Search
            }
            _ => SurveyStage::Over,
        };
        match self.stage {
            SurveyStage::Over => SurveyProgress::Done,
            _ => SurveyProgress::More,
        }
    }

    fn search(&mut self) -> SurveyProgress {
        if self.search.step(&self.edges, EDGES) == SearchProgress::More {
            return SurveyProgress::More;
        }
        for component in self.search.take() {
            if component.len() < 2 || !self.has_tags(component.iter().copied()) {
                continue;
            }
            for heap in &component {
                let is_inside = |to: &usize| component.binary_search(to).is_ok();
                self.edges[*heap].retain(is_inside);
            }
            self.components
                .push_back(Neighbourhoods::of(component, self.start));
        }
        self.next_stage()
    }

    fn name(&mut self, heap: usize, heaps: &mut dyn Members) -> MemberProgress {
        let visited = visit(heap, heaps, |member| {
            let tags = match member.has_tags() {
                true => HasTags::Yes,
                false => HasTags::No,
            };
            (member.shares(), member.name(), tags, member.emptied())
        });
        match visited {
            Poll::Ready(Some((shares, name, tags, emptied))) => {
                if shares == HeapShares::Both {
                    self.indices.insert(name, heap);
                }
                let state = &mut self.heaps[heap];
                (state.tags, state.emptied) = (tags, Some(emptied));
                MemberProgress::Done
            }
            Poll::Ready(None) => MemberProgress::Done,
            Poll::Pending => MemberProgress::Active,
        }
    }

    fn follow(&mut self, heap: usize, heaps: &mut dyn Members) -> MemberProgress {
        let from = self.heaps[heap].from;
        let visited = visit(heap, heaps, |member| -> (usize, Vec<usize>) {
            (member.imports_len(), member.owners(from, PIECE).collect())
        });
        let (imports, owners) = match visited {
            Poll::Ready(found) => found.unwrap_or_default(),
            Poll::Pending => return MemberProgress::Active,
        };
        let state = &mut self.heaps[heap];
        let were_released = mem::replace(&mut state.imports, imports) > imports;
        if were_released && state.restarts < RESTARTS_MAX {
            // Others may have taken their places.
            (state.from, state.restarts) = (0, state.restarts + 1);
            return MemberProgress::More;
        }
        let read = owners.len();
        let owners = owners.iter().filter_map(|name| self.indices.get(name));
        state.from += read;
        state.owners.extend(owners.filter(|owner| **owner != heap));
        // Imports beyond lead to no other heap.
        let has_all = state.owners.len() + 1 >= self.indices.len();
        match read < PIECE || has_all {
            true => MemberProgress::Done,
            false => MemberProgress::More,
        }
    }

    fn has_tags(&self, mut heaps: impl Iterator<Item = usize>) -> bool {
        heaps.any(|heap| self.heaps[heap].tags == HasTags::Yes)
    }

    /// The next group, of at most `most` heaps in ascending order; `None` after the last one, and
    /// before the survey is over. A larger component has several groups, which overlap: two heaps
    /// that lead to each other are in a group together, unless both lead to more than half of
    /// `most` heaps. In a component with many edges that is so for some of them only.
    pub fn next_group(&mut self, most: usize) -> Option<Vec<usize>> {
        loop {
            let component = self.components.front_mut()?;
            if let Some(group) = component.next(&self.edges, most) {
                return Some(group);
            }
            self.components.pop_front();
        }
    }

    /// Objects that group marks have emptied in this heap, as of its visit; `None` if it was not
    /// visited.
    #[must_use]
    pub fn emptied(&self, heap: usize) -> Option<u64> {
        self.heaps[heap].emptied
    }

    /// Number of times that a heap was given up in a stage, because it always ran a turn.
    #[must_use]
    pub fn given_up(&self) -> usize {
        self.given_up
    }
}

/// Visits a heap. `None` if it has ended, `Pending` if it runs a turn.
fn visit<T>(
    heap: usize,
    heaps: &mut dyn Members,
    mut visit: impl FnMut(&mut Member<'_>) -> T,
) -> Poll<Option<T>> {
    let mut visited = None;
    match heaps.visit(heap, &mut |mut member| visited = Some(visit(&mut member))) {
        Visit::Done | Visit::Ended => Poll::Ready(visited),
        Visit::Active => Poll::Pending,
    }
}

impl fmt::Debug for GroupSurvey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupSurvey")
            .field("heaps", &self.heaps.len())
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}
