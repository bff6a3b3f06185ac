//! The detail page: all known figures of one actor.

use super::{Palette, list};
use crate::model::Model;
use crate::model::figure;
use crate::model::look::Row;
use crate::table::{Keep, cut};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use vivant_console::wire::{Actor, Heap, Pauses};

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
    let state = match (&facts.muted_by, facts.exclusive_for_ms) {
        (Some(by), _) => format!("muted on account of {by}"),
        (None, Some(ms)) => format!(
            "takes no messages: it waits exclusively, for {}",
            figure::age(ms)
        ),
        (None, None) => "takes messages".to_owned(),
    };
    let deferred = match facts.deferred_age_ms {
        Some(ms) => format!("{}, oldest {}", count(facts.deferred), figure::age(ms)),
        None => count(facts.deferred),
    };
    let mut lines = vec![
        ("type", facts.type_name.clone()),
        ("alive because", facts.because.clone()),
        ("runs", running),
        ("state", state),
        ("waiting", waiting(facts)),
        ("deferred", deferred),
        ("waits for", waits_for(model, facts)),
        ("asked by", asked_by(model, facts)),
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
        (
            "lost",
            format!(
                "{} messages, to the bound of its mailbox",
                figure::count(facts.lost)
            ),
        ),
    ];
    if let Some(heap) = &facts.heap {
        lines.extend(of_heap(heap, row));
    }
    lines
}

fn waiting(facts: &Actor) -> String {
    let count = |count: usize| figure::count(count as u64);
    let age = figure::age(facts.age_ms);
    let bound = match (facts.bound, &*facts.when_full) {
        (None, _) => String::new(),
        (Some(bound), policy) => {
            let policy = match policy {
                "reject" => "rejects messages",
                "drop_newest" => "drops the newest message",
                "drop_oldest" => "drops the oldest message",
                other => other,
            };
            format!("; a full mailbox of {} {policy}", count(bound))
        }
    };
    format!("{}, oldest {age}{bound}", count(facts.depth))
}

/// The oldest of the lines, and the number of the others.
fn waits_for(model: &Model, facts: &Actor) -> String {
    let waits = model.look.waits.iter();
    let mut waits = waits.filter(|wait| wait.actor() == Some(&*facts.actor));
    let Some(first) = waits.next() else {
        return "no answer".to_owned();
    };
    format!(
        "{} of {}, asked at {}{}",
        first.behaviour,
        first.answerer,
        first.asked_at,
        and_more(waits.count())
    )
}

fn asked_by(model: &Model, facts: &Actor) -> String {
    let waits = model.look.waits.iter();
    let mut waits = waits.filter(|wait| wait.answerer == facts.actor);
    let Some(first) = waits.next() else {
        return "no open request".to_owned();
    };
    format!(
        "{}, for {} ({}), for {}{}",
        first.asker,
        first.behaviour,
        first.state,
        figure::age(first.for_ms),
        and_more(waits.count())
    )
}

fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    }
}

fn of_heap(heap: &Heap, row: &Row) -> Vec<(&'static str, String)> {
    let pauses = heap.all_pauses();
    let free = heap.held.saturating_sub(heap.live) as f64 / heap.held.max(1) as f64;
    let mut kinds: Vec<(&String, &Pauses)> = heap.pauses.iter().collect();
    kinds.sort_by_key(|(_, these)| std::cmp::Reverse(these.longest_ns));
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, these)| {
            format!(
                "{} {}",
                kind.replace('_', " "),
                figure::pause(these.longest_ns)
            )
        })
        .collect();
    vec![
        (
            "heap",
            format!(
                "{} live, {} in pages, {} of the old ones free",
                figure::size(heap.live),
                figure::size(heap.pages),
                figure::share(Some(free))
            ),
        ),
        (
            "allocated",
            format!(
                "{}, {} a second; {} promoted",
                figure::size(heap.allocated),
                figure::size_rate(row.allocating),
                figure::size(heap.promoted)
            ),
        ),
        (
            "collections",
            format!(
                "{} minor, {} marks",
                figure::count(heap.minors),
                figure::count(heap.marks)
            ),
        ),
        (
            "pauses",
            format!(
                "{}, {} in all, {} now",
                figure::count(pauses.count),
                figure::pause(pauses.total_ns),
                figure::share(row.paused)
            ),
        ),
        ("longest", kinds.join(", ")),
        (
            "references",
            format!(
                "{} exports, {} imports",
                figure::count(heap.exports),
                figure::count(heap.imports)
            ),
        ),
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
