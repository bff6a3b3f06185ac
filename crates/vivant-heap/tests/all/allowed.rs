//! Programs that resemble those of `tests/ui`, and are allowed.

mod frozen;
mod leaves;
mod sharing;
