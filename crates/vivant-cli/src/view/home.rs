//! The first page: counters, and five lists of five.

use super::{Palette, list};
use crate::model::figure;
use crate::model::home::{self, Muting, TOP};
use crate::model::look::{Letters, Look, Row};
use crate::table::{self, Keep, cut};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Columns between two lists side by side.
const GAP: u16 = 2;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, look: &Look, palette: Palette) {
    let height = Constraint::Length(TOP as u16 + 1);
    let [counters, first, second, third, _] = Layout::vertical([
        Constraint::Length(4),
        height,
        height,
        // The last list gives way on a screen of 24 lines.
        Constraint::Max(TOP as u16 + 1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let halves = Layout::horizontal([Constraint::Fill(1); 2]).spacing(GAP);
    let [busiest, longest] = halves.areas(first);
    // The names of muted actors take more room than a number.
    let thirds = Layout::horizontal([Constraint::Fill(2), Constraint::Fill(1)]).spacing(GAP);
    let [muting, restarted] = thirds.areas(second);
    let text: Vec<Line<'_>> = counter_lines(look).into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(text), counters);
    let mut put = |area: Rect, title: &str, lines: Vec<String>| {
        frame.render_widget(list(title, or_none(lines), palette), area);
    };
    let width = |area: Rect| area.width as usize;
    put(
        busiest,
        "busiest: share, turns/s",
        lines(home::busiest(look), |row| busy(row, width(busiest))),
    );
    put(
        longest,
        "longest mailboxes: waiting, oldest",
        lines(home::longest(look), |row| long(row, width(longest))),
    );
    put(
        muting,
        "muting: how many, and whom",
        lines(home::muting(look), |by| mutes(by, width(muting))),
    );
    put(
        restarted,
        "restarts",
        lines(home::restarted(look), |row| restarts(row, width(restarted))),
    );
    put(
        third,
        "dead letters: how many, a second",
        lines(home::letters(look), |row| dead(row, width(third))),
    );
}

/// The counters of the whole system, in four lines.
pub(crate) fn counter_lines(look: &Look) -> [String; 4] {
    let totals = &look.totals;
    let count = |count: usize| figure::count(count as u64);
    let surplus = match totals.surplus_workers {
        0 => String::new(),
        surplus => format!("+{surplus}"),
    };
    let left_out = match totals.left_out {
        0 => String::new(),
        left_out => format!(" ({} not listed)", count(left_out)),
    };
    let lost = match totals.lost {
        0 => String::new(),
        lost => format!(", {} by bounds", figure::count(lost)),
    };
    [
        format!(
            " actors {}{left_out}   turns/s {}   waiting {}   deferred {}   muted {}",
            count(totals.actors),
            figure::rate(look.turns),
            count(totals.waiting),
            count(totals.deferred),
            count(totals.muted),
        ),
        format!(
            " dead letters {}{}{lost}   restarts {}   panics {}{}   reports {}",
            figure::count(totals.dead_letters),
            figure::growth(look.dead_letters),
            figure::count(totals.restarts),
            figure::count(totals.panics),
            figure::growth(look.panics),
            count(look.reports.len()),
        ),
        format!(
            " workers {}{surplus}   timers {}   held {}",
            totals.workers,
            count(totals.timers),
            figure::bytes(totals.bytes),
        ),
        heaps_and_waits(look),
    ]
}

fn heaps_and_waits(look: &Look) -> String {
    let totals = &look.totals;
    if look.revision == 0 {
        return super::OLDER_CONSOLE.replace("not told", "heaps and waits");
    }
    let count = |count: usize| figure::count(count as u64);
    format!(
        " heaps {}, {}   pauses p99 {}, max {}   waits {}   requests {}   full {}",
        count(totals.heaps),
        figure::size(totals.heap_bytes),
        figure::pause(look.pauses.all.p99_ns),
        figure::pause(look.pauses.all.longest_ns),
        count(totals.waits),
        count(totals.requests),
        count(totals.full),
    )
}

fn lines<T>(rows: Vec<T>, line: impl Fn(T) -> String) -> Vec<String> {
    rows.into_iter().map(line).collect()
}

fn or_none(lines: Vec<String>) -> Vec<Line<'static>> {
    if lines.is_empty() {
        return vec![Line::from(" none")];
    }
    lines.into_iter().map(Line::from).collect()
}

fn busy(row: &Row, width: usize) -> String {
    let figures = [(6, figure::share(row.busy)), (8, figure::rate(row.turns))];
    table::row(width, &format!(" {}", row.facts.actor), &figures)
}

fn long(row: &Row, width: usize) -> String {
    let facts = &row.facts;
    let figures = [
        (9, figure::filled(facts.depth, facts.bound)),
        (7, figure::age(facts.age_ms)),
    ];
    table::row(width, &format!(" {}", facts.actor), &figures)
}

fn mutes(muting: Muting<'_>, width: usize) -> String {
    let facts = &muting.by.facts;
    let count = figure::count(facts.mutes as u64);
    let line = if muting.muted.is_empty() {
        format!(" {} mutes {count}", facts.actor)
    } else {
        format!(
            " {} mutes {count}: {}",
            facts.actor,
            muting.muted.join(", ")
        )
    };
    cut(&line, width, Keep::Beginning)
}

fn restarts(row: &Row, width: usize) -> String {
    let figures = [(8, figure::count(row.facts.restarts.into()))];
    table::row(width, &format!(" {}", row.facts.actor), &figures)
}

fn dead(letters: &Letters, width: usize) -> String {
    let facts = &letters.facts;
    let first = format!(" {} from {}: {}", facts.behaviour, facts.place, facts.cause);
    let figures = [
        (8, figure::count(facts.count)),
        (6, figure::rate(letters.rate)),
    ];
    let taken: usize = figures.iter().map(|(width, _)| width + 1).sum();
    let first = cut(&first, width.saturating_sub(taken), Keep::Beginning);
    table::row(width, &first, &figures)
}
