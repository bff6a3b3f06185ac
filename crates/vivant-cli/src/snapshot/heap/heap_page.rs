//! `vivant snapshot show --heap`: the objects of a heap by their types.

use super::opened_heap::OpenedHeap;
use super::reach::Holder;
use super::summary::{Amount, Summary, TypeSummary};
use crate::snapshot::contents::Contents;
use crate::snapshot::file::SnapshotFile;
use crate::snapshot::json::quoted;
use crate::snapshot::problem::Problem;
use crate::snapshot::show::{ShowForm, head};
use crate::snapshot::verdict::Verdict;
use std::io::Write;

const COLUMNS: [&str; 7] = [
    "objects", "memory", "reached", "memory", "weakly", "largest", "type",
];

/// Shows how many objects the heap of an actor has of each type, and how many of them the state
/// leads to. `actor` is its path or its number.
///
/// Holds the heap in memory.
///
/// # Errors
///
/// The image cannot be read, has no such actor or no heap of it, or `out` fails.
pub fn show_heap(
    file: &SnapshotFile,
    actor: &str,
    form: ShowForm,
    out: &mut impl Write,
) -> Result<Verdict, Problem> {
    let contents = Contents::of(file)?;
    let opened = OpenedHeap::open(&contents, actor)?;
    let summary = Summary::of(&opened.heap, &opened.reach);
    match form {
        ShowForm::Json => writeln!(out, "{}", json(&opened, &summary))?,
        ShowForm::Text(_) => {
            writeln!(out, "{}", head(file))?;
            writeln!(out, "{}", text(&opened, &summary))?;
        }
    }
    match opened.reach.lost {
        0 => Ok(Verdict::Good),
        _ => Ok(Verdict::Bad),
    }
}

fn text(opened: &OpenedHeap<'_, '_>, summary: &Summary) -> String {
    let (actor, heap) = (&opened.actor, &opened.heap);
    let mut text = format!(
        "{} (actor {}): {} objects in {} spans",
        actor.name(),
        actor.id,
        summary.all.objects,
        heap.spans
    );
    if heap.unchanged_spans > 0 {
        text += &format!(", {} of these in earlier images", heap.unchanged_spans);
    }
    if let Some((holder, name)) = opened.reach.first_lost {
        let holder = match holder {
            Holder::Roots => "the state".to_owned(),
            Holder::Object(at) => heap.objects()[at].name.to_string(),
        };
        text += &format!(
            "\n  references to objects that are not in the image: {}, the first one from {holder} to {name}",
            opened.reach.lost
        );
    }
    text + "\n" + table(summary).trim_end()
}

fn table(summary: &Summary) -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(summary.types.iter().map(row));
    let (all, largest) = ("all".to_owned(), String::new());
    rows.push(cells(
        summary.all,
        summary.reached,
        summary.weakly,
        [largest, all],
    ));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max();
    let widths: [usize; 7] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for row in &rows {
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            text += &match at {
                // The last one needs no room behind it.
                6 => format!("  {cell}\n"),
                _ => format!("  {cell:>width$}"),
            };
        }
    }
    text
}

fn row(of_type: &TypeSummary) -> [String; 7] {
    let rest = [of_type.largest.0.to_string(), of_type.type_name.clone()];
    cells(of_type.all, of_type.reached, of_type.weakly, rest)
}

fn cells(all: Amount, reached: Amount, weakly: Amount, rest: [String; 2]) -> [String; 7] {
    let [largest, name] = rest;
    [
        all.objects.to_string(),
        all.memory.to_string(),
        reached.objects.to_string(),
        reached.memory.to_string(),
        weakly.objects.to_string(),
        largest,
        name,
    ]
}

fn json(opened: &OpenedHeap<'_, '_>, summary: &Summary) -> String {
    let types = summary.types.iter().map(|it| {
        format!(
            "{{\"type\":{},{},\"largest\":{}}}",
            quoted(&it.type_name),
            amounts(it.all, it.reached, it.weakly),
            quoted(&it.largest.0.to_string())
        )
    });
    let types = types.collect::<Vec<_>>().join(",");
    let heap = &opened.heap;
    format!(
        "{{\"actor\":{},\"spans\":{},\"unchanged_spans\":{},{},\"lost_references\":{},\"types\":[{types}]}}",
        opened.actor.id,
        heap.spans,
        heap.unchanged_spans,
        amounts(summary.all, summary.reached, summary.weakly),
        opened.reach.lost
    )
}

fn amounts(all: Amount, reached: Amount, weakly: Amount) -> String {
    let amount = |name, it: Amount| {
        let Amount { objects, memory } = it;
        format!("\"{name}\":{{\"objects\":{objects},\"memory\":{memory}}}")
    };
    [
        amount("all", all),
        amount("reached", reached),
        amount("weakly", weakly),
    ]
    .join(",")
}
