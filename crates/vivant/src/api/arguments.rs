//! A message's arguments as text, for the turns that a simulation traces: `(id: 7, amount: 10)`.

use std::fmt;

/// For the macros: the value of an argument. A method `of` of this name is found for a type that is
/// `Debug`, and that of [`NotDebug`] for every other.
#[doc(hidden)]
pub struct Argument<'a, T>(pub &'a T);

#[doc(hidden)]
impl<'a, T: fmt::Debug> Argument<'a, T> {
    /// The argument's `Debug`.
    pub fn of(&self) -> &'a dyn fmt::Debug {
        self.0
    }
}

impl<T> fmt::Debug for Argument<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        NotShown.fmt(f)
    }
}

/// See [`Argument`].
#[doc(hidden)]
pub trait NotDebug {
    /// Two dots.
    fn of(&self) -> &'static dyn fmt::Debug {
        &NotShown
    }
}

impl<T> NotDebug for Argument<'_, T> {}

struct NotShown;

impl fmt::Debug for NotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

/// For the macros: writes named arguments in parentheses.
#[doc(hidden)]
pub fn fmt_named(f: &mut fmt::Formatter<'_>, arguments: &[(&str, &dyn fmt::Debug)]) -> fmt::Result {
    for (position, (name, value)) in arguments.iter().enumerate() {
        let before = if position == 0 { "(" } else { ", " };
        write!(f, "{before}{name}: {value:?}")?;
    }
    f.write_str(if arguments.is_empty() { "()" } else { ")" })
}
