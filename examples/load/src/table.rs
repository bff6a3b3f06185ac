//! Tables: of text for a terminal, and in HTML.

use crate::{Summary, readable};
use comfy_table::{CellAlignment, presets};
use maud::{Markup, Render, html};
use std::fmt;

/// A head and rows. The first column has names, the others have numbers.
#[derive(Clone, Debug)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    #[must_use]
    pub fn new(head: &[&str]) -> Table {
        Table {
            head: head.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// A table of latencies, each with a name.
    pub fn of_latencies<'a>(
        what: &str,
        latencies: impl IntoIterator<Item = (&'a str, Summary)>,
    ) -> Table {
        let mut table = Table::new(&[what, "count", "p50", "p99", "p99.9", "p99.99", "max"]);
        for (name, it) in latencies {
            let mut row = vec![name.to_owned(), it.count.to_string()];
            row.extend([it.p50_ns, it.p99_ns, it.p99_9_ns, it.p99_99_ns, it.max_ns].map(readable));
            table.row(row);
        }
        table
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a column, with a cell for each row.
    pub fn column(&mut self, head: String, cells: impl IntoIterator<Item = String>) {
        self.head.push(head);
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = comfy_table::Table::new();
        text.load_style(presets::NOTHING);
        text.set_header(&self.head).add_rows(&self.rows);
        for column in text.column_iter_mut() {
            column.set_padding((0, 2));
            if column.index > 0 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        f.write_str(&text.trim_fmt())
    }
}

impl Render for Table {
    fn render(&self) -> Markup {
        html! {
            table {
                tr { @for name in &self.head { th { (name) } } }
                @for row in &self.rows {
                    tr { @for cell in row { td { (cell) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Latency;
    use std::time::Duration;

    #[test]
    fn a_table_has_the_same_cells_as_text_and_in_html() {
        let mut latency = Latency::default();
        latency.record(Duration::from_nanos(999));
        let mut table = Table::of_latencies("request", [("a < b", latency.summary())]);
        table.column(">1 s".to_owned(), ["none".to_owned()]);
        let text = table.to_string();
        let cells: Vec<&str> = text.lines().nth(1).unwrap().split("  ").collect();
        assert_eq!(cells.iter().filter(|it| it.trim() == "999 ns").count(), 5);
        assert!(text.contains("p99.99") && text.contains(">1 s") && text.ends_with("none"));
        let html = table.render().into_string();
        assert_eq!(
            (html.matches("<th>").count(), html.matches("<td>").count()),
            (8, 8)
        );
        assert!(html.contains("<td>a &lt; b</td>") && html.contains("<th>&gt;1 s</th>"));
    }
}
