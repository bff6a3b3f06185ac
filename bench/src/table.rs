//! The tables of the Orca paper's figure 21. From the rows of the bench `orca`: each program's
//! messages here, and below them the paper's. From the rows of `heavyring`: the parts of a tree's
//! time by its depth.

use crate::bench::Bench;
use crate::param::Value;
use crate::row::Row;
use std::io::{self, Write};

/// The verb of the command line.
pub(crate) const VERB: &str = "table";

/// What gives the rows.
pub(crate) fn bench() -> &'static Bench {
    Bench::named("orca").expect("it is one of the benches")
}

pub(crate) fn show(rows: &[Row], output: &mut impl Write) -> io::Result<()> {
    let heads = [
        "program",
        "runtime",
        "app",
        "INC",
        "DEC",
        "cycles",
        "INC/app",
        "all of collectors",
    ];
    writeln!(output, "| {} |", heads.join(" | "))?;
    writeln!(output, "|---|---|---:|---:|---:|---:|---:|---:|")?;
    for row in rows {
        let count = |name: &str| row.own(name).and_then(serde_json::Value::as_u64);
        let program = row.params.iter().find_map(|(name, value)| match value {
            Value::Choice(word) if name == "program" => Some(word),
            _ => None,
        });
        let of = |names: [&str; 4]| -> Option<Vec<u64>> { names.into_iter().map(count).collect() };
        let share = row
            .own("collector_share")
            .and_then(serde_json::Value::as_f64);
        let ours = of(["app", "incs", "decs", "cycles"]);
        let pony = of(["paper_app", "paper_incs", "paper_decs", "paper_cycles"]);
        for (runtime, counts) in [("vivant", ours), ("Pony, paper", pony)] {
            let Some(counts) = counts else { continue };
            let share = match (runtime, share) {
                ("vivant", Some(share)) => share,
                _ => (counts[1] + counts[2]) as f64 / (counts[0] + counts[1] + counts[2]) as f64,
            };
            let cells = counts
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(" | ");
            let per_app = counts[1] as f64 / counts[0] as f64;
            writeln!(
                output,
                "| {} | {runtime} | {cells} | {per_app:.4} | {:.4} % |",
                program.unwrap_or_default(),
                share * 100.0,
            )?;
        }
    }
    Ok(())
}

/// What gives the rows of [`show_by_depth`].
pub(crate) fn bench_by_depth() -> &'static Bench {
    Bench::named("heavyring").expect("it is one of the benches")
}

/// The parts of the paper's chart: all time of a tree's way, the part of sending and receiving it,
/// and the time of collections.
pub(crate) fn show_by_depth(rows: &[Row], output: &mut impl Write) -> io::Result<()> {
    let heads = [
        "tree",
        "depth",
        "way, us",
        "scan, us",
        "scan, ns a hop",
        "collections",
        "of collections, us",
    ];
    writeln!(output, "\n| {} |", heads.join(" | "))?;
    writeln!(output, "|---|---:|---:|---:|---:|---:|---:|")?;
    for row in rows {
        let own = |name: &str| row.own(name).and_then(serde_json::Value::as_f64);
        let (scan, collections) = (own("scan_ns"), own("collections"));
        let tree = row.params.iter().find_map(|(name, value)| match value {
            Value::Choice(word) if name == "tree" => Some(word),
            _ => None,
        });
        let way = row.wall_s * 1e6;
        let scan = scan.unwrap_or(f64::NAN);
        writeln!(
            output,
            "| {} | {} | {way:.1} | {:.1} | {scan:.1} | {:.1} | {:.1} |",
            tree.unwrap_or_default(),
            row.params.count("depth"),
            scan * row.ops as f64 / 1e3,
            collections.unwrap_or(f64::NAN),
            own("pauses_us").unwrap_or(f64::NAN),
        )?;
    }
    Ok(())
}
