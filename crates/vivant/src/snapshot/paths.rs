//! The paths of restored actors.

use crate::actor::ActorPath;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// Paths that have been made, each once.
#[derive(Default)]
pub(super) struct Paths(BTreeMap<(Parent, u32), Arc<ActorPath>>);

/// The address of the path above, which its entry keeps alive. `None`: nothing is above.
type Parent = Option<usize>;

impl Paths {
    /// Returns the path of an actor with these numbers, which may have ended.
    pub(super) fn path_of(&mut self, numbers: &[u32]) -> Option<Arc<ActorPath>> {
        let mut path = None;
        for number in numbers {
            let entry = self.0.entry((address(path.as_ref()), *number));
            let own = entry.or_insert_with(|| Arc::new(ActorPath::new(path.clone(), *number)));
            path = Some(own.clone());
        }
        path
    }

    /// The path of an actor is this one.
    pub(super) fn insert(&mut self, own: Arc<ActorPath>) {
        let above = address(own.parent.as_ref());
        self.0.insert((above, own.number), own);
    }
}

fn address(path: Option<&Arc<ActorPath>>) -> Parent {
    path.map(|path| Arc::as_ptr(path).addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_made_once() {
        let mut paths = Paths::default();
        assert!(paths.path_of(&[]).is_none());
        let one = paths.path_of(&[1, 2]).expect("it has numbers");
        let other = paths.path_of(&[1, 2, 3]).expect("it has numbers");
        assert!(Arc::ptr_eq(
            other.parent.as_ref().expect("it has one"),
            &one
        ));
        let own = Arc::new(ActorPath::new(one.parent.clone(), 2));
        paths.insert(own.clone());
        let found = paths.path_of(&[1, 2]).expect("it has numbers");
        assert!(Arc::ptr_eq(&found, &own));
        assert_eq!(paths.0.len(), 3);
    }

    /// A file may have a path as long as itself.
    #[test]
    fn a_long_path_takes_as_many_steps_as_it_has_numbers() {
        let numbers: Vec<_> = (0..if cfg!(miri) { 100 } else { 100_000 }).collect();
        let mut paths = Paths::default();
        for _ in 0..2 {
            let path = paths.path_of(&numbers).expect("it has numbers");
            assert_eq!(Some(&path.number), numbers.last());
        }
        assert_eq!(paths.0.len(), numbers.len());
    }
}
