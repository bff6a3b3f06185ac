//! The detail page: all known figures of one actor.

use super::{Palette, list};
use crate::model::Model;
use crate::model::figure;
use crate::model::look::Row;
use crate::table::{Keep, cut};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The width of the names.
const NAME_WIDTH: usize = 16;

/// The number of muted actors that are named.
const NAMED_MAX: usize = 20;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, model: &Model, path: &str, palette: Palette) {
    let width = area.width as usize;
    let lines: Vec<Line<'_>> = match model.detail(path) {
        None => vec![
            Line::from(" This actor has ended, or the snapshot leaves it out."),
            Line::from(" Esc goes back to the list."),
        ],
        Some(row) => facts(model, row)
            .into_iter()
            .map(|(name, text)| {
                Line::from(cut(
                    &format!(" {name:<NAME_WIDTH$}{text}"),
                    width,
                    Keep::Beginning,
                ))
            })
            .collect(),
    };
    let title = cut(path, width.saturating_sub(4), Keep::End);
    frame.render_widget(list(title, lines, palette), area);
}

fn facts(model: &Model, row: &Row) -> Vec<(&'static str, String)> {
    let facts = &row.facts;
    let count = |count: usize| figure::count(count as u64);
    let for_ms =
        |ms: Option<u64>| ms.map_or(String::new(), |ms| format!(", for {}", figure::age(ms)));
    let running = match &facts.current {
        Some(current) => format!("{current}{}", for_ms(facts.current_for_ms)),
        None => "nothing".to_owned(),
    };
    let muted_by = match &facts.muted_by {
        Some(by) => format!("muted on account of {by}"),
        None => "takes messages".to_owned(),
    };
    let deferred = match facts.deferred_age_ms {
        Some(ms) => format!("{}, oldest {}", count(facts.deferred), figure::age(ms)),
        None => count(facts.deferred),
    };
    vec![
        ("type", facts.type_name.clone()),
        ("alive because", facts.because.clone()),
        ("runs", running),
        ("state", muted_by),
        (
            "waiting",
            format!(
                "{}, oldest {}",
                count(facts.depth),
                figure::age(facts.age_ms)
            ),
        ),
        ("deferred", deferred),
        (
            "turns",
            format!(
                "{}, {} a second",
                figure::count(facts.turns),
                figure::rate(row.turns)
            ),
        ),
        (
            "busy",
            format!(
                "{} in all, {} now",
                figure::age(facts.busy_ms),
                figure::share(row.busy)
            ),
        ),
        ("mutes", mutes(model, row)),
        ("restarts", figure::count(facts.restarts.into())),
        ("lost", format!("{} messages", figure::count(facts.lost))),
    ]
}

fn mutes(model: &Model, row: &Row) -> String {
    let path = Some(&row.facts.actor);
    let muted: Vec<&str> = model
        .look
        .rows
        .iter()
        .filter(|other| other.facts.muted_by.as_ref() == path)
        .map(|other| &*other.facts.actor)
        .take(NAMED_MAX)
        .collect();
    match (row.facts.mutes, muted.is_empty()) {
        (0, _) => "nobody".to_owned(),
        (count, true) => format!("{count} actors"),
        (count, false) => format!("{count} actors: {}", muted.join(", ")),
    }
}
