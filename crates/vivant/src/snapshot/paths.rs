//! The paths of restored actors.

use crate::actor::ActorPath;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// Returns the path of an actor with these numbers, which may have ended.
pub(super) fn path_of<'i>(
    numbers: &'i [u32],
    paths: &mut BTreeMap<&'i [u32], Arc<ActorPath>>,
) -> Option<Arc<ActorPath>> {
    let mut path = None;
    for length in 1..=numbers.len() {
        let (own, number) = (&numbers[..length], numbers[length - 1]);
        let made = || Arc::new(ActorPath::new(path.clone(), number));
        path = Some(paths.entry(own).or_insert_with(made).clone());
    }
    path
}
