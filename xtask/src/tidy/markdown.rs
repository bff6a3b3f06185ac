//! The few forms of Markdown that rules read.

/// The code spans of a line.
pub(super) fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The cells of a table's row; none for its rule and for other lines.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let row = line.strip_prefix('|').and_then(|row| row.strip_suffix('|'));
    let row = row.filter(|row| !row.starts_with("---"));
    row.map_or_else(Vec::new, |row| row.split('|').map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_cells_are_read() {
        assert_eq!(spans("a `b c` d `e`").collect::<Vec<_>>(), ["b c", "e"]);
        assert_eq!(cells("| a | `b` | |"), ["a", "`b`", ""]);
        assert!(cells("|---|---|").is_empty());
        assert!(cells("a | b").is_empty());
    }
}
