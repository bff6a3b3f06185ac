//! Messages for models: nodes of the real inbox with content that loom tracks, and a safe interface
//! to both.

use crate::runtime::inbox::{Chain, Inbox, Linked, Notified, Parked, Pushed, TryHold};
use crate::tracked::Tracked;
use loom::alloc::Track;
use std::ptr::{NonNull, addr_of_mut};

/// The content of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Letter {
    pub(crate) from: char,
    pub(crate) number: u32,
}

/// A sender's `number`th letter.
pub(crate) fn letter(from: char, number: u32) -> Letter {
    Letter { from, number }
}

/// M2: no sender's letters were overtaken by later ones of its own.
pub(crate) fn in_order(letters: &[Letter]) {
    for from in ['a', 'b'] {
        let of_one: Vec<u32> = letters
            .iter()
            .filter(|letter| letter.from == from)
            .map(|letter| letter.number)
            .collect();
        assert!(of_one.is_sorted(), "M2: {from} was overtaken: {letters:?}");
    }
}

/// Stands for an envelope of the runtime. A node that is never opened is a leak, which loom
/// reports.
struct Node {
    link: *mut Node,
    content: Track<Tracked<Letter>>,
}

// SAFETY: 1. `link` is a fixed field that only inbox and chain touch. 2. `sealed` gives up a box of
// a `Node`, which may be used on any thread as far as loom's tracking of its content allows.
unsafe impl Linked for Node {
    unsafe fn link(node: NonNull<Node>) -> *mut *mut Node {
        // SAFETY: the caller owns the node (the trait's rule); only the field's address is taken.
        unsafe { addr_of_mut!((*node.as_ptr()).link) }
    }
}

/// A node with this content, owned by the caller.
fn sealed(content: Letter) -> NonNull<Node> {
    let tracked = Tracked::new(letter('?', 0));
    // A change and not the first value: loom is to see that the maker writes.
    tracked.change(|place| *place = content);
    NonNull::from(Box::leak(Box::new(Node {
        link: std::ptr::null_mut(),
        content: Track::new(tracked),
    })))
}

/// Takes a node apart.
///
/// # Safety
///
/// `node` comes from [`sealed`] and the caller owns it.
unsafe fn opened(node: NonNull<Node>) -> Letter {
    // SAFETY: a leaked box that the caller owns.
    let node = unsafe { Box::from_raw(node.as_ptr()) };
    // A change and not a read: the thread that opens a letter has exclusive access to it.
    node.content.get_ref().change(|content| *content)
}

/// The result that a sender gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// The sender has woken the receiver, and puts this letter into the backlog itself.
    Wakes(Letter),
    First,
    Later,
}

/// An inbox of letters, as models use it.
pub(crate) struct Mailbox(Inbox<Node>);

impl Mailbox {
    pub(crate) fn new() -> Mailbox {
        Mailbox(Inbox::new())
    }

    /// The letter comes back if the mailbox is closed.
    pub(crate) fn push(&self, letter: Letter) -> Result<Told, Letter> {
        // SAFETY: `sealed` gave up a node that it had just made.
        match unsafe { self.0.push(sealed(letter)) } {
            Ok(Pushed::Wakes(node)) => {
                let mut laid = Chain::new();
                // SAFETY: a waking push gives the node back to its sender, which owns it again.
                unsafe { laid.push(node) };
                Ok(Told::Wakes(all(laid)[0]))
            }
            // SAFETY: `node` came out of `sealed` above, and the refused push gave it back: the
            // caller owns it.
            Err(node) => Err(unsafe { opened(node) }),
            Ok(Pushed::First) => Ok(Told::First),
            Ok(Pushed::Later) => Ok(Told::Later),
        }
    }

    pub(crate) fn notify(&self) -> Notified {
        self.0.notify()
    }

    pub(crate) fn take(&self) -> Vec<Letter> {
        let mut backlog = Chain::new();
        backlog.append(self.0.take());
        all(backlog)
    }

    pub(crate) fn park(&self) -> Parked {
        self.0.park()
    }

    pub(crate) fn try_hold(&self) -> TryHold {
        self.0.try_hold()
    }

    pub(crate) fn close(&self) -> Vec<Letter> {
        all(self.0.close())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn all(mut chain: Chain<Node>) -> Vec<Letter> {
    let mut letters = Vec::new();
    while let Some(node) = chain.pop() {
        // SAFETY: the chain owned the node, and only `push` above puts nodes into an inbox.
        letters.push(unsafe { opened(node) });
    }
    letters
}
