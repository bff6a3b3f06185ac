//! Persistent collections in images: nodes are shared objects of the file, so restored versions
//! share those that they shared. A version is checked when it is loaded (J8).

mod map;
mod node_ref;
mod ord_map;
mod string;
mod vec;

use super::checks::Checks;
use std::collections::HashSet;
use vivant_codec::{Decoder, LoadError};
use vivant_heap::Fault;
use vivant_heap::raw::CheckedNodes;

/// The checks for a version that is loaded.
fn checks<'a>(input: &Decoder<'_, 'a>) -> Checks<'a> {
    input
        .context::<CheckedNodes>()
        .map_or(Checks::All, Checks::New)
}

/// A version as its check finds it.
fn checked<'gc, T>(
    version: T,
    check: impl FnOnce(&T, Checks<'_>) -> Result<(), Fault>,
    input: &Decoder<'gc, '_>,
) -> Result<T, LoadError> {
    match check(&version, checks(input)) {
        Ok(()) => Ok(version),
        Err(fault) => Err(input.error(fault.to_string())),
    }
}

/// Calls `each` with a root and all nodes that it adds to the list of those below, each once.
/// Returns false if a node was there twice, so that no file makes it call without end.
fn distinct<N: Copy>(
    root: Option<N>,
    address: impl Fn(N) -> usize,
    mut each: impl FnMut(N, &mut Vec<N>),
) -> bool {
    let (mut visited, mut open) = (HashSet::new(), Vec::from_iter(root));
    while let Some(node) = open.pop() {
        if !visited.insert(address(node)) {
            return false;
        }
        each(node, &mut open);
    }
    true
}
