//! What a program has as a reference to a static, and a file can supply too: a [`Place`] in the
//! source, and a [`Name`].
//!
//! A value made by the program is that reference and nothing more. A value from outside is
//! *interned*: its text is kept in a table of the process until the process ends, once for equal
//! ones. A file is not trusted, so the table is bounded; what exceeds it becomes one value that
//! says so.

mod name;
mod place;
mod saved;
mod table;

pub use name::Name;
pub use place::Place;
