//! [`DisjointSets`]: which actors of a graph are connected.

/// Disjoint sets (Tarjan 1975), by path halving. The first of a set is the element with the lowest
/// number.
#[derive(Default)]
pub(super) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    pub(super) fn add(&mut self) {
        self.0.push(self.0.len() as u32);
    }

    pub(super) fn find(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at as usize
    }

    pub(super) fn union(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.0[high] = low as u32;
    }
}
