//! The list of actors: sorted by a column, filtered by text.

use super::{Palette, list};
use crate::model::column::Column;
use crate::model::look::Row;
use crate::model::{Focus, Model};
use crate::table;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// A mailbox of this age or more is marked with `!`, as a line that needs attention.
const OLD_MS: u64 = 1_000;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, model: &Model, palette: Palette) {
    let [head, columns, body] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let width = area.width as usize;
    let rows = model.rows();
    frame.render_widget(list(title(model, rows.len()), Vec::new(), palette), head);
    frame.render_widget(
        Line::styled(header(model.sort, width), palette.title()),
        columns,
    );
    if rows.is_empty() {
        let text = if model.look.rows.is_empty() {
            " no actors"
        } else {
            " no actor whose path, type or behaviour contains that: Esc clears the filter"
        };
        frame.render_widget(Line::from(text), body);
        return;
    }
    let shown = body.height as usize;
    let above = first_shown(model.chosen_at(), rows.len(), shown);
    let lines: Vec<Line<'_>> = rows
        .iter()
        .enumerate()
        .skip(above)
        .take(shown)
        .map(|(at, row)| {
            let is_chosen = at == model.chosen_at();
            let mark = if is_chosen { '>' } else { ' ' };
            let line = format!("{mark}{}", cells(row, width - 1));
            match row.facts.age_ms {
                _ if is_chosen => Line::styled(line, palette.chosen()),
                OLD_MS.. => Line::styled(line, palette.warning()),
                _ => Line::from(line),
            }
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), body);
}

fn title(model: &Model, shown: usize) -> String {
    let all = model.look.totals.actors;
    let mut title = format!("actors {shown} of {all}, by {}", model.sort.name());
    match (&model.focus, &*model.filter) {
        (Focus::Filter, filter) => title.push_str(&format!(", filter: {filter}_")),
        (_, "") => {}
        (_, filter) => title.push_str(&format!(", filter: {filter}")),
    }
    title
}

/// The number of rows scrolled out above, so that the chosen one is in the middle, or as near to it
/// as possible.
fn first_shown(chosen: usize, count: usize, shown: usize) -> usize {
    let last = count.saturating_sub(shown);
    chosen.saturating_sub(shown / 2).min(last)
}

fn column_width(column: Column) -> usize {
    match column {
        Column::Actor => 0,
        Column::Busy => 6,
        Column::Depth | Column::Age | Column::Turns | Column::Deferred | Column::Restarts => 9,
    }
}

/// The names of the columns, with a mark at the sorting one.
pub(crate) fn header(sort: Column, width: usize) -> String {
    let name = |column: Column| {
        let mark = if column == sort { "▾" } else { "" };
        format!("{}{mark}", column.name())
    };
    let [first, figures @ ..] = Column::ALL;
    let figures = figures.map(|column| (column_width(column), name(column)));
    table::row(width, &format!(" {}", name(first)), &figures)
}

/// One actor as a line.
pub(crate) fn cells(row: &Row, width: usize) -> String {
    let [first, figures @ ..] = Column::ALL;
    let text = |column: Column| match column {
        Column::Age if row.facts.age_ms >= OLD_MS => format!("!{}", column.text(row)),
        _ => column.text(row),
    };
    let figures = figures.map(|column| (column_width(column), text(column)));
    table::row(width, &first.text(row), &figures)
}

#[cfg(test)]
mod tests {
    use super::first_shown;

    #[test]
    fn the_chosen_row_is_on_the_screen() {
        for count in 0..30 {
            for chosen in 0..count {
                let above = first_shown(chosen, count, 7);
                assert!((above..above + 7).contains(&chosen), "{chosen} of {count}");
                assert!(above + 7 <= count || above == 0, "no empty lines below");
            }
        }
    }
}
