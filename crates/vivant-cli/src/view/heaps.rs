//! The heaps of actors, and below them the pauses of the whole system by kind.

use super::{Palette, actors, list};
use crate::model::Model;
use crate::model::column::List;
use crate::model::figure;
use crate::model::look::Look;
use crate::table;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use vivant_console::wire::Distribution;

/// Lines of pauses on a screen of 24 lines: the kinds with the most time.
const KINDS_MIN: usize = 5;

/// Lines of the screen that the list of heaps gets before all kinds of pauses are shown.
const LIST_LINES: usize = 20;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, model: &Model, palette: Palette) {
    let room = (area.height as usize)
        .saturating_sub(LIST_LINES)
        .max(KINDS_MIN);
    let width = area.width as usize;
    let mut lines = pause_lines(&model.look, width);
    lines.truncate(room + 1);
    // Its title too.
    let height = Constraint::Length(lines.len() as u16 + 1);
    let [above, below] = Layout::vertical([Constraint::Fill(1), height]).areas(area);
    actors::draw(frame, above, model, List::Heaps, palette);
    let line = |(at, text): (usize, String)| match at {
        0 => Line::styled(text, palette.title()),
        _ => Line::from(text),
    };
    let lines = lines.into_iter().enumerate().map(line).collect();
    let title = "pauses of all actors since the program began, by kind";
    frame.render_widget(list(title, lines, palette), below);
}

/// The names of the columns, all pauses together, and the kinds: those with the most time first.
pub(crate) fn pause_lines(look: &Look, width: usize) -> Vec<String> {
    let names = ["count", "total", "p50", "p99", "p99.9", "longest"];
    let mut lines = vec![line(width, " pause", &names.map(str::to_owned))];
    lines.push(pauses(width, "all", &look.pauses.all));
    let mut kinds: Vec<(&String, &Distribution)> = look.pauses.by_kind.iter().collect();
    kinds.sort_by_key(|(_, these)| std::cmp::Reverse((these.total_ns, these.count)));
    for (kind, these) in kinds {
        lines.push(pauses(width, &kind.replace('_', " "), these));
    }
    lines
}

fn pauses(width: usize, name: &str, these: &Distribution) -> String {
    let texts = [
        figure::count(these.count),
        figure::pause(these.total_ns),
        figure::pause(these.p50_ns),
        figure::pause(these.p99_ns),
        figure::pause(these.p999_ns),
        figure::pause(these.longest_ns),
    ];
    line(width, &format!(" {name}"), &texts)
}

fn line(width: usize, first: &str, texts: &[String]) -> String {
    let figures: Vec<(usize, String)> = texts.iter().map(|text| (9, text.clone())).collect();
    table::row(width, first, &figures)
}
