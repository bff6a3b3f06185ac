//! [`Cut`]: how much is shown of what is long.

/// Characters of a line that are shown unless all are.
const LINE_SHORT: usize = 160;

/// How much of large values is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// `…` stands for the rest.
    Short,
    /// All of them.
    Full,
}

/// A line for a terminal: without control characters, and cut if large values are.
pub(super) fn cut_line(line: &str, cut: Cut) -> String {
    let end = match cut {
        Cut::Short => line.char_indices().nth(LINE_SHORT).map(|(at, _)| at),
        Cut::Full => None,
    };
    let (shown, rest) = match end {
        Some(end) => (&line[..end], "…"),
        None => (line, ""),
    };
    let mut safe = String::with_capacity(shown.len());
    for c in shown.chars() {
        match c.is_control() {
            true => safe.extend(c.escape_debug()),
            false => safe.push(c),
        }
    }
    safe + rest
}
