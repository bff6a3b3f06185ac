//! Reports of the runtime: slow turns, panics, threads that could not start. The newest first.

use super::{Palette, list};
use crate::model::Model;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Wrap;
use vivant_console::wire::Report;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, model: &Model, palette: Palette) {
    let reports = &model.look.reports;
    let lines: Vec<Line<'_>> = reports
        .iter()
        .skip(model.reports_above)
        .map(|report| line(report, palette))
        .collect();
    let lines = if lines.is_empty() {
        vec![Line::from(" none")]
    } else {
        lines
    };
    let title = match model.reports_above {
        0 => format!("reports: the latest {}, newest first", reports.len()),
        above => format!("reports: the latest {}, {above} above", reports.len()),
    };
    let paragraph = list(title, lines, palette).wrap(Wrap { trim: false });
    frame.render_widget(paragraph, area);
}

fn line(report: &Report, palette: Palette) -> Line<'_> {
    Line::from(vec![
        Span::styled(format!(" {:<11} ", kind(report)), palette.warning()),
        Span::raw(&*report.text),
    ])
}

/// The kind of a report, in a word.
pub(crate) fn kind(report: &Report) -> &str {
    match &*report.kind {
        "slow_turn" => "slow turn",
        "panicked" => "panic",
        "thread_failed" => "thread",
        _ => "report",
    }
}
