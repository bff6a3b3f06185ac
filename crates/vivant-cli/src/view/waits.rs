//! Which actor waits for which: a list, and below it the chosen line in full.

use super::{Palette, actors, first_shown, list};
use crate::model::Model;
use crate::model::figure;
use crate::model::look::Look;
use crate::model::waits::{Hold, WaitLine};
use crate::table::{Keep, cut, fit};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Widths of the first columns. The others share the rest of the line.
const AGE_WIDTH: usize = 8;
const STATE_WIDTH: usize = 8;

/// The width of the names of the chosen line's parts.
const NAME_WIDTH: usize = 11;

/// The lines of the chosen wait, with the title.
const CHOSEN_LINES: u16 = 7;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, model: &Model, palette: Palette) {
    let [head, columns, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(CHOSEN_LINES),
    ])
    .areas(area);
    let width = area.width as usize;
    let waits = model.waits();
    let title = list(title(model, waits.len()), Vec::new(), palette);
    frame.render_widget(title, head);
    frame.render_widget(Line::styled(header(width), palette.title()), columns);
    let chosen_at = model.wait_at();
    let Some(chosen) = waits.get(chosen_at) else {
        frame.render_widget(Line::from(why_empty(&model.look)), body);
        return;
    };
    let shown = body.height as usize;
    let lines: Vec<Line<'_>> = waits
        .iter()
        .enumerate()
        .skip(first_shown(chosen_at, waits.len(), shown))
        .take(shown)
        .map(|(at, wait)| {
            let mark = if at == chosen_at { '>' } else { ' ' };
            let line = format!("{mark}{}", cells(wait, width - 1));
            match wait.hold {
                _ if at == chosen_at => Line::styled(line, palette.chosen()),
                Hold::Exclusive => Line::styled(line, palette.warning()),
                Hold::Open => Line::from(line),
            }
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), body);
    let lines = in_full(&model.look, chosen)
        .into_iter()
        .map(|(name, text)| {
            let text = format!(" {name:<NAME_WIDTH$}{text}");
            Line::from(cut(&text, width, Keep::Beginning))
        })
        .collect();
    frame.render_widget(list("chosen", lines, palette), foot);
}

fn title(model: &Model, shown: usize) -> String {
    let totals = &model.look.totals;
    format!(
        "waits: {} exclusive (!), {} open requests, {shown} listed{}",
        figure::count(totals.waits as u64),
        figure::count(totals.requests as u64),
        actors::filter(model),
    )
}

fn why_empty(look: &Look) -> &'static str {
    match (look.revision, look.waits.is_empty()) {
        (0, _) => super::OLDER_CONSOLE,
        (_, true) => " no actor waits for another one",
        (_, false) => " no wait with an actor, behaviour or place like that: Esc clears the filter",
    }
}

/// The names of the columns.
pub(crate) fn header(width: usize) -> String {
    let texts = ["asker", "answerer", "behaviour", "asked at"];
    format!(" {}", columns(width - 1, "for", "state", texts))
}

/// One wait as a line.
pub(crate) fn cells(wait: &WaitLine, width: usize) -> String {
    let age = figure::age(wait.for_ms);
    let age = match wait.hold {
        Hold::Exclusive => format!("!{age}"),
        Hold::Open => age,
    };
    let texts = [
        &*wait.asker,
        &*wait.answerer,
        &*wait.behaviour,
        line_of(&wait.asked_at),
    ];
    columns(width, &age, &wait.state, texts)
}

fn columns(width: usize, age: &str, state: &str, texts: [&str; 4]) -> String {
    let age = cut(age, AGE_WIDTH, Keep::Beginning);
    let mut line = format!("{age:>AGE_WIDTH$} ");
    line.push_str(&fit(state, STATE_WIDTH, Keep::Beginning));
    let rest = width.saturating_sub(AGE_WIDTH + 1 + STATE_WIDTH + texts.len());
    let share = rest / texts.len();
    for (at, text) in texts.into_iter().enumerate() {
        // The last one has what is left over.
        let width = match at {
            3 => rest - 3 * share,
            _ => share,
        };
        line.push(' ');
        line.push_str(&fit(text, width, Keep::End));
    }
    line
}

/// A place without its column, which a line of the list has no room for.
fn line_of(place: &str) -> &str {
    match place.rsplit_once(':') {
        Some((line, column)) if line.contains(':') && column.parse::<u32>().is_ok() => line,
        _ => place,
    }
}

fn in_full(look: &Look, wait: &WaitLine) -> Vec<(&'static str, String)> {
    let exclusive = match (wait.hold, &wait.waits_at) {
        (Hold::Exclusive, Some(place)) => format!("since {place}"),
        _ => "no: it takes messages meanwhile".to_owned(),
    };
    let state = match &*wait.state {
        "blocked" => "blocked: that actor defers it, because it waits exclusively too",
        "queued" => "queued: the message is on its way or in the mailbox",
        "deferred" => "deferred: it waits for its guard, a join or an exclusive wait",
        "begun" => "begun: the turn that answers has begun, or a promise is to answer",
        other => other,
    };
    vec![
        ("asker", wait.asker.clone()),
        (
            "waits for",
            format!("{} of {}", wait.behaviour, wait.answerer),
        ),
        (
            "asked at",
            format!("{}, for {}", wait.asked_at, figure::age(wait.for_ms)),
        ),
        ("state", state.to_owned()),
        ("exclusive", exclusive),
        ("chain", chain(look, wait)),
    ]
}

/// The actors that wait exclusively one for the next, and what the last one does.
fn chain(look: &Look, wait: &WaitLine) -> String {
    let chain = wait.chain(&look.waits);
    let last = chain.last().copied().unwrap_or_default();
    let row = look.rows.iter().find(|row| row.facts.actor == last);
    let does = match row.map(|row| &row.facts) {
        None => String::new(),
        Some(facts) => match (&facts.current, &facts.muted_by) {
            (Some(current), _) => format!(" (runs {current})"),
            (None, Some(by)) => format!(" (muted by {by})"),
            (None, None) => " (idle)".to_owned(),
        },
    };
    format!("{}{does}", chain.join(" > "))
}
