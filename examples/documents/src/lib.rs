//! A versioned document store: a version is one immutable graph of all documents, which readers
//! share with the store and with older versions.
//!
//! | module | what |
//! |---|---|
//! | [`version`] | a version and its documents, and how edits make the next one |
//! | [`commit`] | what a client wants to change, and why it may not |
//! | [`store`] | the actor with the current version and the history |
//! | [`journal`] | the actor that writes commits to a disk |
//! | [`disk`] | a file, or what tests put in its place |
//! | [`tree`] | both actors under a supervisor |
//! | [`http`] | the routes |
//! | [`planted`] | bugs for the tests of the tests |

pub mod commit;
pub mod disk;
pub mod http;
pub mod journal;
pub mod planted;
pub mod store;
pub mod tree;
pub mod version;
