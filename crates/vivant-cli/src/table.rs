//! Columns of text: a first column that takes the rest of the width, and numbers to its right.

use ratatui::text::Span;

/// The end of a text that is kept when it does not fit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keep {
    Beginning,
    /// The end of a path has most information.
    End,
}

/// The mark for omitted text.
const CUT: char = '…';

/// The smallest width of a first column.
const FIRST_MIN: usize = 8;

/// `first`, and the other columns to its right, each of its own width.
pub(crate) fn row(width: usize, first: &str, figures: &[(usize, String)]) -> String {
    let taken: usize = figures.iter().map(|(width, _)| width + 1).sum();
    let mut line = fit(first, width.saturating_sub(taken).max(FIRST_MIN), Keep::End);
    for (width, text) in figures {
        let text = cut(text, *width, Keep::Beginning);
        let blanks = width - text_width(&text);
        line.push_str(&" ".repeat(blanks + 1));
        line.push_str(&text);
    }
    line
}

/// `text` in exactly `width` columns.
pub(crate) fn fit(text: &str, width: usize, keep: Keep) -> String {
    let mut text = cut(text, width, keep);
    let blanks = width - text_width(&text);
    text.push_str(&" ".repeat(blanks));
    text
}

/// `text` without terminal control characters: a panic's message, and so a report, may contain any.
pub(crate) fn legible(text: &str) -> String {
    let legible = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(legible).collect()
}

/// `text` in at most `width` columns, and legible.
pub(crate) fn cut(text: &str, width: usize, keep: Keep) -> String {
    let text = legible(text);
    if text_width(&text) <= width {
        return text;
    }
    if width == 0 {
        return String::new();
    }
    match keep {
        Keep::Beginning => {
            let mut kept = first_of(text.chars(), width - 1);
            kept.push(CUT);
            kept
        }
        Keep::End => {
            let backwards = first_of(text.chars().rev(), width - 1);
            let kept: String = backwards.chars().rev().collect();
            format!("{CUT}{kept}")
        }
    }
}

fn first_of(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut kept = String::new();
    let mut left = width;
    for c in chars {
        let mut buffer = [0; 4];
        let taken = text_width(c.encode_utf8(&mut buffer));
        if taken > left {
            break;
        }
        left -= taken;
        kept.push(c);
    }
    kept
}

fn text_width(text: &str) -> usize {
    Span::raw(text).width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_width() {
        let figures = [(5, "12".to_owned()), (6, "1,234,567".to_owned())];
        assert_eq!(row(24, "Kitchen#0", &figures), "Kitchen#0      12 1,234…");
        assert_eq!(
            row(24, "Kitchen#0/Cook#17", &figures),
            "…#0/Cook#17    12 1,234…"
        );
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(fit("厨房#0", 7, Keep::End), "厨房#0 ");
        assert_eq!(fit("厨房#0", 5, Keep::End), "…房#0");
        assert_eq!(fit("厨房#0", 4, Keep::Beginning), "厨… ");
    }

    #[test]
    fn canary_a_terminal_is_given_no_orders() {
        assert_eq!(cut("\u{1b}[2Ja\nb", 20, Keep::Beginning), " [2Ja b");
    }

    #[test]
    fn no_room_is_no_text() {
        assert_eq!(cut("abc", 0, Keep::End), "");
        assert_eq!(cut("abc", 1, Keep::End), "…");
    }
}
