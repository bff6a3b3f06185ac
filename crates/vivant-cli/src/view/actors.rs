//! The lists of actors: sorted by a column, filtered by text.

use super::{Palette, first_shown, list};
use crate::model::column::{Column, List};
use crate::model::look::Row;
use crate::model::{Focus, Model};
use crate::table;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// A mailbox of this age or more is marked with `!`, as a line that needs attention.
const OLD_MS: u64 = 1_000;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, model: &Model, of: List, palette: Palette) {
    let [head, columns, body] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let width = area.width as usize;
    let rows = model.rows();
    let title = list(title(model, of, rows.len()), Vec::new(), palette);
    frame.render_widget(title, head);
    frame.render_widget(
        Line::styled(header(of, model.sort(of), width), palette.title()),
        columns,
    );
    if rows.is_empty() {
        frame.render_widget(Line::from(why_empty(model, of)), body);
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
            let line = format!("{mark}{}", cells(of, row, width - 1));
            if is_chosen {
                Line::styled(line, palette.chosen())
            } else if of == List::Actors && needs_attention(row) {
                Line::styled(line, palette.warning())
            } else {
                Line::from(line)
            }
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), body);
}

/// Its oldest message is old, or its mailbox is full; the columns show both.
fn needs_attention(row: &Row) -> bool {
    let facts = &row.facts;
    facts.age_ms >= OLD_MS || facts.bound.is_some_and(|bound| facts.depth >= bound)
}

fn why_empty(model: &Model, of: List) -> &'static str {
    let look = &model.look;
    match of {
        List::Heaps if look.revision == 0 => super::OLDER_CONSOLE,
        List::Heaps if !look.rows.iter().any(|row| of.has(row)) => {
            " no actor has a graph as its state (`struct State<'gc>`), so there are no heaps"
        }
        List::Actors if look.rows.is_empty() => " no actors",
        _ => " no actor whose path, type or behaviour contains that: Esc clears the filter",
    }
}

fn title(model: &Model, of: List, shown: usize) -> String {
    let (name, all) = match of {
        List::Actors => ("actors", model.look.totals.actors),
        List::Heaps => ("heaps", model.look.totals.heaps),
    };
    let mut title = format!("{name} {shown} of {all}, by {}", model.sort(of).name());
    title.push_str(&filter(model));
    title
}

/// The filter as a part of a title.
pub(super) fn filter(model: &Model) -> String {
    match (&model.focus, &*model.filter) {
        (Focus::Filter, filter) => format!(", filter: {filter}_"),
        (_, "") => String::new(),
        (_, filter) => format!(", filter: {filter}"),
    }
}

fn column_width(column: Column) -> usize {
    match column {
        Column::Actor => 0,
        Column::Busy => 6,
        Column::Depth | Column::Age | Column::Turns | Column::Deferred | Column::Restarts => 9,
        Column::Live | Column::Pages | Column::Marks | Column::Paused => 7,
        Column::Allocating | Column::Longest => 8,
    }
}

/// The names of the columns, with a mark at the sorting one.
pub(crate) fn header(of: List, sort: Column, width: usize) -> String {
    let name = |column: Column| {
        let mark = if column == sort { "▾" } else { "" };
        format!("{}{mark}", column.name())
    };
    columns(of, width, |column| match column {
        Column::Actor => format!(" {}", name(column)),
        _ => name(column),
    })
}

/// One actor as a line.
pub(crate) fn cells(of: List, row: &Row, width: usize) -> String {
    columns(of, width, |column| match column {
        Column::Age if row.facts.age_ms >= OLD_MS => format!("!{}", column.text(row)),
        _ => column.text(row),
    })
}

/// The first column takes the rest of the width.
fn columns(of: List, width: usize, text: impl Fn(Column) -> String) -> String {
    let (first, figures) = of.columns().split_first().expect("a list has columns");
    let figures: Vec<(usize, String)> = figures
        .iter()
        .map(|column| (column_width(*column), text(*column)))
        .collect();
    table::row(width, &text(*first), &figures)
}
