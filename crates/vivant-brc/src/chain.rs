//! Destructors of deep structures, without a deep stack.

use crate::Brc;

/// Drops a reference, and what it alone kept, in a loop: for a `Drop` of lists and trees, which
/// would overflow the stack if each node dropped the next one.
///
/// `parts` takes out of a value that is about to be dropped what may lead deeper. A node to which
/// there are other references stays, with all below it. Costs, for each node, what its drop costs.
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
/// A reference that this thread may not end, because the object's owner runs elsewhere, goes to
/// that owner, and is dropped there with all below it; so give `Node` itself such a `Drop` if nodes
/// are shared between threads.
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
