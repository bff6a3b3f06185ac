//! The screen: a pure function of the model. Each page has a file.

mod actors;
mod detail;
mod heaps;
mod help;
mod home;
mod palette;
mod reports;
#[cfg(test)]
mod tests;
mod waits;

pub(crate) use actors::{cells, header};
pub(crate) use heaps::pause_lines;
pub(crate) use home::counter_lines;
pub(crate) use palette::Palette;
pub(crate) use reports::kind;
pub(crate) use waits::{cells as wait_cells, header as wait_header};

use crate::model::column::List;
use crate::model::{Focus, Link, Model, Pace, Page};
use crate::table::{Keep, cut, legible};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};

/// The smallest terminal that holds the first page.
pub(crate) const WIDTH_MIN: u16 = 80;
pub(crate) const HEIGHT_MIN: u16 = 24;

/// Columns that a line may lose where it is broken between words.
const WORD_WIDTH: usize = 15;

const STATUS_LINES_MAX: u16 = 4;

/// On pages that need facts of a newer console.
pub(crate) const OLDER_CONSOLE: &str =
    " not told: the program's vivant-console is older than this command";

/// Draws the model.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &Model, palette: Palette) {
    let area = frame.area();
    if area.width < WIDTH_MIN || area.height < HEIGHT_MIN {
        draw_too_small(frame, area);
        return;
    }
    let (status, status_lines) = status(model, area.width, palette);
    let [first, second, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(status_lines),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_head(frame, first, model, palette);
    frame.render_widget(status, second);
    match (&model.focus, model.page) {
        (Focus::Help, _) => help::draw(frame, body, palette),
        (Focus::Detail(path), _) => detail::draw(frame, body, model, path, palette),
        (_, Page::Home) => home::draw(frame, body, &model.look, palette),
        (_, Page::Actors) => actors::draw(frame, body, model, List::Actors, palette),
        (_, Page::Heaps) => heaps::draw(frame, body, model, palette),
        (_, Page::Waits) => waits::draw(frame, body, model, palette),
        (_, Page::Reports) => reports::draw(frame, body, model, palette),
    }
    frame.render_widget(Line::styled(keys(model), palette.faint()), foot);
}

fn draw_too_small(frame: &mut Frame<'_>, area: Rect) {
    let text = [
        "This terminal is too small:".to_owned(),
        format!(
            "{}x{}, and {WIDTH_MIN}x{HEIGHT_MIN}",
            area.width, area.height
        ),
        "are needed.".to_owned(),
        "Make it larger, or q to quit.".to_owned(),
    ];
    let lines: Vec<Line<'_>> = text.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(lines).alignment(Alignment::Center), area);
}

fn draw_head(frame: &mut Frame<'_>, area: Rect, model: &Model, palette: Palette) {
    let tabs = tabs(model, palette);
    let width = area.width as usize - tabs.width() - 1;
    let title = format!(" vivant top  {}", model.title);
    let [left, right] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(tabs.width() as u16)])
            .areas(area);
    frame.render_widget(
        Line::styled(cut(&title, width, Keep::Beginning), palette.title()),
        left,
    );
    frame.render_widget(tabs, right);
}

fn tabs(model: &Model, palette: Palette) -> Line<'static> {
    let tab = |page: Page| {
        if page == model.page {
            Span::styled(format!("[{}]", page.name()), palette.title())
        } else {
            Span::raw(format!(" {} ", page.name()))
        }
    };
    Line::from(Page::ALL.map(tab).to_vec())
}

/// The status line. A lost system takes more lines: the reason, which says what to do.
fn status(model: &Model, width: u16, palette: Palette) -> (Paragraph<'static>, u16) {
    let at = format!("{:.1}s", model.look.at.as_secs_f64());
    let (text, style) = match (&model.link, model.pace) {
        (Link::Lost(why), _) => (
            format!(" LOST, trying again: {}", legible(why)),
            palette.warning(),
        ),
        (Link::Live, Pace::Paused) => (
            format!(" PAUSED at {at}: p goes on, n takes one look"),
            palette.warning(),
        ),
        (Link::Live, Pace::Running) => (format!(" at {at}"), palette.faint()),
    };
    // Lines break between words, so each may be some characters short.
    let lines = 1 + text.chars().count() / (usize::from(width) - WORD_WIDTH);
    let lines = u16::try_from(lines)
        .unwrap_or(STATUS_LINES_MAX)
        .min(STATUS_LINES_MAX);
    let paragraph = Paragraph::new(Line::styled(text, style)).wrap(Wrap { trim: false });
    (paragraph, lines)
}

fn keys(model: &Model) -> &'static str {
    match (&model.focus, model.page) {
        (Focus::Filter, _) => " type to filter   Enter keep   Esc clear",
        (Focus::Help | Focus::Detail(_), _) => " Esc back   p pause   q quit",
        (Focus::Page, Page::Home) => {
            " q quit   Tab next page   / filter   s sort   p pause   ? help"
        }
        (Focus::Page, Page::Actors | Page::Heaps) => {
            " q quit   Tab next page   / filter   s sort   Enter detail   p pause   ? help"
        }
        (Focus::Page, Page::Waits) => {
            " q quit   Tab next page   / filter   Enter detail   p pause   ? help"
        }
        (Focus::Page, Page::Reports) => {
            " q quit   Tab next page   arrows scroll   p pause   ? help"
        }
    }
}

/// The number of rows scrolled out above, so that the chosen one is in the middle, or as near to it
/// as possible.
fn first_shown(chosen: usize, count: usize, shown: usize) -> usize {
    let last = count.saturating_sub(shown);
    chosen.saturating_sub(shown / 2).min(last)
}

/// A list under its title.
fn list(title: impl Into<String>, lines: Vec<Line<'_>>, palette: Palette) -> Paragraph<'_> {
    let title = format!(" {} ", title.into());
    let block = Block::new()
        .borders(Borders::TOP)
        .border_style(palette.faint())
        .title(Span::styled(title, palette.title()));
    Paragraph::new(lines).block(block)
}
