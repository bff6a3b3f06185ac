//! [`Checks`]: which nodes `verify` examines.

use vivant_heap::Fault;
use vivant_heap::raw::CheckedNodes;

/// Which nodes are examined.
#[derive(Clone, Copy)]
pub(super) enum Checks<'a> {
    All,
    /// Those that this restore has not examined in their place.
    New(&'a CheckedNodes),
}

impl Checks<'_> {
    /// What `check` finds of a node. `place` is all that it knows besides the node.
    pub(super) fn of(
        self,
        node: usize,
        place: [u64; 3],
        check: impl FnOnce() -> Result<usize, Fault>,
    ) -> Result<usize, Fault> {
        let Checks::New(checked) = self else {
            return check();
        };
        if let Some(found) = checked.get(node, place) {
            return Ok(found);
        }
        let found = check()?;
        checked.insert(node, place, found);
        Ok(found)
    }
}
