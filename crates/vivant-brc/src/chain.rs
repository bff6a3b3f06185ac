//! Destructors of deep structures, without a deep stack.

use crate::Brc;

/// Drops a reference and all objects that only it keeps alive, in a loop. For the `Drop` of lists
/// and trees, which would overflow the stack if each node dropped the next one.
///
/// `parts` takes out of a value that is about to be dropped the references that may lead deeper. A
/// node with other references stays, with all nodes below it. Each node costs as much as its drop.
///
/// ```
/// use vivant_brc::{Brc, drop_chain};
///
/// struct Node {
///     next: Option<Brc<Node>>,
/// }
///
/// struct List {
///     first: Option<Brc<Node>>,
/// }
///
/// impl Drop for List {
///     fn drop(&mut self) {
///         drop_chain(self.first.take(), |node, parts| parts.extend(node.next.take()));
///     }
/// }
///
/// let mut list = List { first: None };
/// for _ in 0..100_000 {
///     list.first = Some(Brc::new(Node { next: list.first.take() }));
/// }
/// drop(list);
/// ```
///
/// If another thread owns an object and this thread may not end it, the reference goes to that
/// owner, which drops it with all nodes below it. Give `Node` itself such a `Drop` if threads share
/// nodes.
pub fn drop_chain<T>(
    first: impl IntoIterator<Item = Brc<T>>,
    mut parts: impl FnMut(&mut T, &mut Vec<Brc<T>>),
) {
    let mut left: Vec<Brc<T>> = first.into_iter().collect();
    while let Some(next) = left.pop() {
        if let Some(mut value) = Brc::into_inner(next) {
            parts(&mut value, &mut left);
        }
    }
}
