//! The table of the Orca paper's figure 21, from the rows of the bench `orca`: each program's
//! messages here, and below them the paper's.

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
