//! Trial deletion (Bacon and Rajan): finds the actors of a graph that no root reaches, and their
//! groups. A few actors at a time.

use super::graph::{Graph, Seen};
use crate::candidates::Who;

/// Steps of trial deletion that cost as much as the examination of one actor.
const STRIDE: usize = if cfg!(test) { 1 } else { 16 };

/// End of a list.
const NONE: u32 = u32::MAX;

/// A running trial deletion.
pub(super) struct TrialDeletion {
    fates: Vec<Fate>,
    /// Kept actors; the actors that they refer to are not marked as kept yet.
    open: Vec<usize>,
    groups: Groups,
    /// For each free actor: the next of its group, in the order in which the pass reached them.
    next: Vec<u32>,
    /// For the first actor of a group: the last one so far.
    last: Vec<u32>,
    step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// No root that reaches it was found.
    Free,
    /// A root reaches it, or it was not examined.
    Kept,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Whether this actor is a root is tested next.
    Roots(usize),
    /// Open actors keep those that they refer to.
    Keeping,
    /// This actor is joined next with those that it refers to.
    Joining(usize),
    /// This actor is appended next to the list of its group.
    Listing(usize),
    /// This actor is tested next for being the first of a group to return.
    HandingOut(usize),
}

/// Result of a piece.
pub(super) enum Found {
    More,
    /// No other actor refers to these, and they are connected; in order of creation.
    Group(Vec<Who>),
    All,
}

impl TrialDeletion {
    pub(super) fn of(graph: &Graph) -> TrialDeletion {
        let fates = Vec::with_capacity(graph.len());
        TrialDeletion {
            fates,
            open: Vec::new(),
            groups: Groups::default(),
            next: Vec::new(),
            last: Vec::new(),
            step: Step::Roots(0),
        }
    }

    /// Continues for about `left` examinations of an actor, which it subtracts from `left`, or up
    /// to the next group.
    pub(super) fn goes_on(&mut self, graph: &Graph, left: &mut usize) -> Found {
        while *left > 0 {
            let mut cost = 0;
            for _ in 0..STRIDE {
                match self.steps(graph) {
                    Found::More => {}
                    Found::Group(group) => {
                        *left -= 1;
                        return Found::Group(group);
                    }
                    Found::All => return Found::All,
                }
                cost += self.knows_many(graph);
            }
            *left = left.saturating_sub(1 + cost / STRIDE);
        }
        Found::More
    }

    /// Number of outgoing references of the next actor: they make its step longer.
    fn knows_many(&self, graph: &Graph) -> usize {
        match self.step {
            Step::Joining(at) if at < graph.len() => graph.knows(at).len(),
            Step::Keeping => self.open.last().map_or(0, |at| graph.knows(*at).len()),
            _ => 0,
        }
    }

    /// A step about one actor.
    fn steps(&mut self, graph: &Graph) -> Found {
        match self.step {
            Step::Roots(at) if at == graph.len() => self.step = Step::Keeping,
            Step::Roots(at) => {
                let fate = match graph.is_root(at) || graph.node(at).seen == Seen::Gone {
                    true => Fate::Kept,
                    false => Fate::Free,
                };
                self.fates.push(fate);
                self.open.extend(graph.is_root(at).then_some(at));
                self.groups.add();
                self.next.push(NONE);
                self.last.push(NONE);
                self.step = Step::Roots(at + 1);
            }
            Step::Keeping => match self.open.pop() {
                None => self.step = Step::Joining(0),
                Some(at) => self.keeps(graph, at),
            },
            Step::Joining(at) if at == graph.len() => self.step = Step::Listing(0),
            Step::Joining(at) => {
                if self.is_free(at) {
                    for other in graph
                        .knows(at)
                        .filter(|other| self.fates[*other] == Fate::Free)
                    {
                        self.groups.join(at, other);
                    }
                }
                self.step = Step::Joining(at + 1);
            }
            Step::Listing(at) if at == graph.len() => self.step = Step::HandingOut(0),
            Step::Listing(at) => {
                if self.is_free(at) {
                    self.lists(at);
                }
                self.step = Step::Listing(at + 1);
            }
            Step::HandingOut(at) if at == graph.len() => return Found::All,
            Step::HandingOut(at) => {
                self.step = Step::HandingOut(at + 1);
                if self.is_free(at) && self.groups.first(at) == at {
                    return Found::Group(self.group(graph, at));
                }
            }
        }
        Found::More
    }

    fn is_free(&self, at: usize) -> bool {
        self.fates[at] == Fate::Free
    }

    fn keeps(&mut self, graph: &Graph, at: usize) {
        for other in graph.knows(at) {
            if self.fates[other] == Fate::Free {
                self.fates[other] = Fate::Kept;
                self.open.push(other);
            }
        }
    }

    /// Appends the actor to the list of its group, of which the first is the one reached first.
    fn lists(&mut self, at: usize) {
        let first = self.groups.first(at);
        if first != at {
            let last = match self.last[first] {
                NONE => first,
                last => last as usize,
            };
            self.next[last] = at as u32;
            self.last[first] = at as u32;
        }
    }

    fn group(&self, graph: &Graph, first: usize) -> Vec<Who> {
        let mut group = vec![graph.node(first).who];
        let mut at = self.next[first];
        while at != NONE {
            group.push(graph.node(at as usize).who);
            at = self.next[at as usize];
        }
        group.sort_unstable_by_key(|who| who.id);
        group
    }
}

/// Disjoint sets (Tarjan 1975), by path halving. The first of a set is the element with the lowest
/// number.
#[derive(Default)]
struct Groups(Vec<u32>);

impl Groups {
    fn add(&mut self) {
        self.0.push(self.0.len() as u32);
    }

    fn first(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at as usize
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        let (low, high) = (one.min(other), one.max(other));
        self.0[high] = low as u32;
    }
}
