//! The graph of [`astar`](super::astar): a cube of nodes, in which each node leads to random ones
//! of its neighbours with larger coordinates.

use super::Random;
use std::collections::VecDeque;
use vivant::Saved;
use vivant::codec::{Decoder, Encoder, LoadError, Shape};

/// The immutable graph. It is saved as its edge, which determines the rest.
#[derive(Debug, PartialEq)]
pub(super) struct Grid {
    edge: u32,
    /// Of each node.
    beyond: Vec<Vec<u32>>,
}

/// Limit of a graph that is loaded: 16 million nodes.
const EDGE_MAX: u32 = 256;

impl<'gc> Saved<'gc> for Grid {
    const SHAPE: &'static Shape = <u32 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.edge.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Grid, LoadError> {
        match u32::load(input)? {
            edge if edge <= EDGE_MAX => Ok(Grid::of(edge)),
            edge => Err(input.error(format!("a cube with {edge} nodes along an edge"))),
        }
    }
}

/// Steps to the neighbours: along one axis or two.
const STEPS: [[u32; 3]; 6] = [
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 1],
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, 0],
];

impl Grid {
    pub(super) const ORIGIN: u32 = 0;

    /// A cube with so many nodes along an edge. Each step is there by chance; a node without any
    /// gets the last one.
    pub(super) fn of(edge: u32) -> Grid {
        let mut random = Random::seeded(Random::SEED);
        let mut grid = Grid {
            edge,
            beyond: Vec::new(),
        };
        for node in 0..edge.pow(3) {
            let mut beyond = Vec::new();
            for (at, step) in STEPS.iter().enumerate() {
                let is_last_hope = at == STEPS.len() - 1 && beyond.is_empty();
                if is_last_hope || random.coin() {
                    beyond.extend(grid.step(node, *step).filter(|next| *next != node));
                }
            }
            grid.beyond.push(beyond);
        }
        grid
    }

    pub(super) fn nodes(&self) -> usize {
        self.beyond.len()
    }

    /// The node at four fifths of all edges.
    pub(super) fn target(&self) -> u32 {
        let at = self.edge * 4 / 5;
        self.node([at; 3])
    }

    /// The nodes to which this one leads.
    pub(super) fn beyond(&self, node: u32) -> &[u32] {
        &self.beyond[node as usize]
    }

    /// The sum of the coordinates by which a path, given from its end to the origin, advances; none
    /// if it does not begin at the origin, or takes a step that the graph does not have.
    pub(super) fn advance(&self, path: &[u32]) -> Option<u64> {
        let is_step = |step: &[u32]| self.beyond(step[1]).contains(&step[0]);
        let is_path = path.last() == Some(&Grid::ORIGIN) && path.windows(2).all(is_step);
        is_path.then(|| self.coordinates(path[0]).map(u64::from).iter().sum())
    }

    /// The advance of every path to the target.
    pub(super) fn advance_of_target(&self) -> u64 {
        self.coordinates(self.target()).map(u64::from).iter().sum()
    }

    /// Whether a path leads from the origin to the target, by a search without actors.
    pub(super) fn leads_to_target(&self) -> bool {
        self.reachable()[self.target() as usize]
    }

    fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.nodes()];
        reached[Grid::ORIGIN as usize] = true;
        let mut queue = VecDeque::from([Grid::ORIGIN]);
        while let Some(node) = queue.pop_front() {
            for &next in self.beyond(node) {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    queue.push_back(next);
                }
            }
        }
        reached
    }

    fn step(&self, node: u32, by: [u32; 3]) -> Option<u32> {
        let from = self.coordinates(node);
        let to = [0, 1, 2].map(|axis| (from[axis] + by[axis]).min(self.edge - 1));
        Some(self.node(to))
    }

    fn node(&self, [i, j, k]: [u32; 3]) -> u32 {
        (i * self.edge + j) * self.edge + k
    }

    fn coordinates(&self, node: u32) -> [u32; 3] {
        [
            node / self.edge / self.edge,
            node / self.edge % self.edge,
            node % self.edge,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant::codec::{from_bytes, to_bytes};

    #[test]
    fn the_target_is_savinas_and_reachable() {
        let grid = Grid::of(30);
        assert_eq!((grid.nodes(), grid.target()), (27_000, 22_344));
        assert_eq!(
            (grid.advance_of_target(), grid.leads_to_target()),
            (72, true)
        );
    }

    #[test]
    fn a_saved_graph_comes_back() {
        let bytes = to_bytes(&Grid::of(5)).expect("saved");
        assert_eq!(bytes, [5]);
        assert_eq!(from_bytes::<Grid>(&bytes).expect("loaded"), Grid::of(5));
        let large = to_bytes(&(EDGE_MAX + 1)).expect("saved");
        assert!(from_bytes::<Grid>(&large).is_err());
    }

    #[test]
    fn a_path_is_checked() {
        let grid = Grid::of(5);
        let next = grid.beyond(Grid::ORIGIN)[0];
        assert!(grid.advance(&[next, Grid::ORIGIN]).is_some());
        assert_eq!(grid.advance(&[next]), None);
        assert_eq!(grid.advance(&[grid.target(), Grid::ORIGIN]), None);
    }
}
