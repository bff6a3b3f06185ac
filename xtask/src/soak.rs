//! `soak`: large heaps of constant size, for an hour, with all their objects replaced and
//! concurrent marking. The process must not grow.

use crate::Failure;
use crate::command::Run;
use crate::{suite, workspace};
use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const MINUTES_DEFAULT: u64 = 60;

/// Samples of the resident size: the least number, and the time between two.
const LOOKS: u32 = 200;
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// The allowed growth of the last quarter over the second one.
const GROWTH: f64 = 1.05;

/// Fewer samples in a quarter prove nothing; nor do fewer collections of a heap, in all or in a
/// minute.
const LOOKS_OF_A_QUARTER: usize = 20;
const COLLECTIONS: u64 = 5;

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(long, value_parser = suite::count, default_value_t = MINUTES_DEFAULT)]
    minutes: u64,
    /// The heaps do grow: the check must fail
    #[arg(long)]
    leak: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let minutes = options.minutes;
    let leak = if options.leak { "yes" } else { "no" };
    Run::cargo("build --release -p vivant-bench --bin vivant-bench").run()?;
    let time = Duration::from_secs(60 * minutes);
    let program = workspace::target_dir("release").join("vivant-bench");
    let mut child = Run::new(program)
        .words("soak --json --milliseconds")
        .arg(time.as_millis().to_string())
        .words("--leak")
        .arg(leak)
        .start(Stdio::piped())?;
    let looks = watch(&mut child, time)?;
    let mut row = String::new();
    if let Some(output) = &mut child.stdout {
        let read = output.read_to_string(&mut row);
        read.map_err(|error| format!("the row of the soak: {error}"))?;
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    println!("{row}");
    if !status.success() {
        return Err(format!("the soak has failed: {status}"));
    }
    let full = number(&row, "full_least").ok_or("the row says nothing of `full_least`")?;
    println!("{}", judge(&looks, full, minutes)?);
    Ok(())
}

/// Samples the resident size of the process, in KiB, until the time is over or the process has
/// ended.
fn watch(child: &mut Child, time: Duration) -> Result<Vec<u64>, Failure> {
    let path = format!("/proc/{}/status", child.id());
    let between = BETWEEN_LOOKS.min(time / LOOKS);
    let began = Instant::now();
    let mut told = Duration::ZERO;
    let mut looks = Vec::new();
    while began.elapsed() < time {
        thread::sleep(between);
        let ended = child.try_wait().map_err(|error| error.to_string())?;
        if ended.is_some() {
            break;
        }
        let status = fs::read_to_string(&path)
            .map_err(|error| format!("{path}: {error}; this needs Linux"))?;
        // A process that has just ended has none.
        let Some(resident) = resident(&status) else {
            break;
        };
        looks.push(resident);
        if began.elapsed() >= told {
            println!("{} s: {} MiB", began.elapsed().as_secs(), resident >> 10);
            told += Duration::from_secs(60);
        }
    }
    Ok(looks)
}

/// The resident size in a `/proc/…/status`, in KiB. Read by `std`: one line needs no library.
fn resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A number of a row of JSON.
fn number(row: &str, name: &str) -> Option<u64> {
    let (_, rest) = row.split_once(&format!("\"{name}\":"))?;
    let end = rest.find(|it: char| !it.is_ascii_digit())?;
    rest[..end].parse().ok()
}

/// The result of the samples, with `full` the number of concurrent collections of the heap that had
/// the fewest: that the process has not grown, or why they do not prove it.
///
/// The first quarter is warm-up, in which the heaps find their sizes. Medians are compared: a
/// maximum is one sample, and depends on how late one mark ended beside other load of the machine;
/// a leak is in all samples.
fn judge(looks: &[u64], full: u64, minutes: u64) -> Result<String, Failure> {
    let quarter = looks.len() / 4;
    if quarter < LOOKS_OF_A_QUARTER {
        return Err(format!(
            "{} looks at the resident size are too few to say anything",
            looks.len()
        ));
    }
    if full < COLLECTIONS.max(minutes) {
        return Err(format!(
            "a heap was collected beside its turns {full} times in {minutes} minutes: that says nothing of marks"
        ));
    }
    let second = median(&looks[quarter..2 * quarter]);
    let last = median(&looks[looks.len() - quarter..]);
    let said = format!(
        "resident: {} MiB in the second quarter, {} MiB in the last ({:+.1} %), medians; {full} full collections of a heap, or more",
        second >> 10,
        last >> 10,
        (last as f64 / second as f64 - 1.0) * 100.0
    );
    if last as f64 > second as f64 * GROWTH {
        return Err(format!("the process grows. {said}"));
    }
    Ok(said)
}

fn median(looks: &[u64]) -> u64 {
    let mut looks = looks.to_vec();
    looks.sort_unstable();
    looks[looks.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 10;

    /// A heap that grows by a quarter and is collected, again and again; it takes a while to find
    /// its size.
    fn saw(at: u64) -> u64 {
        (600 + at.min(100) + at % 10 * 15) * MIB
    }

    #[test]
    fn a_process_that_stays_as_large_passes() {
        let looks: Vec<u64> = (0..720).map(saw).collect();
        judge(&looks, 500, 60).unwrap();
        let spike = |at| saw(at) + if at == 700 { 500 * MIB } else { 0 };
        let looks: Vec<u64> = (0..720).map(spike).collect();
        judge(&looks, 500, 60).unwrap();
    }

    #[test]
    fn canary_a_leak_is_noticed() {
        // 48 MiB in half an hour.
        let leaks = |at| saw(at) + at * 48 * MIB / 360;
        let looks: Vec<u64> = (0..720).map(leaks).collect();
        let why = judge(&looks, 500, 60).unwrap_err();
        assert!(why.starts_with("the process grows"), "{why}");
        // A late leak is a leak too.
        let late = |at| saw(at) + if at > 600 { 80 * MIB } else { 0 };
        let looks: Vec<u64> = (0..720).map(late).collect();
        assert!(judge(&looks, 500, 60).is_err());
    }

    #[test]
    fn canary_what_says_nothing_is_refused() {
        let looks: Vec<u64> = (0..79).map(saw).collect();
        let why = judge(&looks, 500, 2).unwrap_err();
        assert!(why.contains("too few"), "{why}");
        let looks: Vec<u64> = (0..720).map(saw).collect();
        for (full, minutes) in [(0, 2), (4, 2), (59, 60)] {
            let why = judge(&looks, full, minutes).unwrap_err();
            assert!(why.contains("says nothing"), "{why}");
        }
    }

    #[test]
    fn sizes_and_rows_are_read() {
        let status = "VmHWM:\t  12 kB\nVmRSS:\t  7 kB\n";
        assert_eq!(resident(status), Some(7));
        assert_eq!(resident("VmHWM:\t  12 kB\n"), None);
        let row = r#"{"ops":3,"full_least":41,"major":9}"#;
        assert_eq!(number(row, "full_least"), Some(41));
        assert_eq!(number(row, "full"), None);
    }
}
