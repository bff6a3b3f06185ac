//! The layer tables of `docs/ARCHITECTURE.md`: one for each crate, from the top down.
//!
//! A table stands below the heading `### Layers of ` and the crate's name in backticks. The order
//! of its rows and what they hold are written by hand; the column of imports is drawn.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) folder: String,
    pub(super) holds: String,
    /// Folders that it imports, in the order of the rows.
    pub(super) imports: Vec<String>,
}

/// The rows of the table of `krate` and the line of its heading.
pub(super) fn read(document: &str, krate: &str) -> Option<(usize, Vec<Row>)> {
    let heading = format!("### Layers of `{krate}`");
    let mut lines = document.lines().enumerate();
    let (at, _) = lines.find(|(_, line)| **line == heading)?;
    let rows = lines
        .map(|(_, line)| line)
        .take_while(|line| !line.starts_with('#'))
        .filter(|line| line.starts_with("| `"))
        .filter_map(row)
        .collect();
    Some((at + 1, rows))
}

fn row(line: &str) -> Option<Row> {
    let mut cells = line.trim_matches('|').split('|').map(str::trim);
    Some(Row {
        folder: cells.next()?.trim_matches('`').into(),
        holds: cells.next()?.into(),
        imports: names(cells.next()?),
    })
}

fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect()
}

/// The rows with the imports of `edges`.
pub(super) fn drawn(rows: &[Row], edges: &BTreeMap<(String, String), usize>) -> Vec<Row> {
    rows.iter()
        .map(|row| Row {
            imports: rows
                .iter()
                .filter(|to| edges.contains_key(&(row.folder.clone(), to.folder.clone())))
                .map(|to| to.folder.clone())
                .collect(),
            ..row.clone()
        })
        .collect()
}

/// The table as text.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::from("| folder | what it holds | imports |\n|---|---|---|\n");
    for row in rows {
        let imports: Vec<String> = row.imports.iter().map(|name| format!("`{name}`")).collect();
        let (folder, holds, imports) = (&row.folder, &row.holds, imports.join(", "));
        text += &format!("| `{folder}` | {holds} | {imports} |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let rows =
            [("a", "all", vec!["b", "c"]), ("b", "", vec![])].map(|(folder, holds, names)| Row {
                folder: folder.into(),
                holds: holds.into(),
                imports: names.into_iter().map(String::from).collect(),
            });
        let document = format!(
            "# Title\n\n### Layers of `k`\n\n{}\n## More\n| `x` | |",
            text(&rows)
        );
        assert_eq!(read(&document, "k"), Some((3, rows.to_vec())));
        assert_eq!(read(&document, "other"), None);
    }
}
