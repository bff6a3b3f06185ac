//! The table of the shapes of a file, and how its shapes relate to those of the program.

pub(crate) mod classes;
pub(crate) mod comparison;
pub(crate) mod shapes;
pub(crate) mod stored;
