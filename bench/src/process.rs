//! The operating system's statistics of this process. On systems other than Linux there are none:
//! see [`is_known`].
//!
//! `/proc` is read by `std` and not by `procfs`, which builds on Linux alone: each function would
//! be written twice.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Whether this system tells of memory and of context switches. Where it does not, the figures are
/// 0.
pub(crate) fn is_known() -> bool {
    Path::new("/proc/self/status").exists()
}

/// What this machine is, in one line.
pub(crate) fn machine() -> String {
    let cores = thread::available_parallelism().map_or(0, NonZeroUsize::get);
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let processor = processor.unwrap_or_else(|| env::consts::ARCH.to_owned());
    format!("{cores} processors, {processor}, {}", env::consts::OS)
}

/// The largest resident size so far, in bytes.
pub(crate) fn peak_rss() -> u64 {
    own_status("VmHWM:") * 1024
}

/// The resident size now, in bytes.
pub(crate) fn rss() -> u64 {
    own_status("VmRSS:") * 1024
}

fn own_status(field: &str) -> u64 {
    fs::read_to_string("/proc/self/status").map_or(0, |status| number(&status, field))
}

/// The number in the line that begins with `field`; 0 if there is none.
fn number(status: &str, field: &str) -> u64 {
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// How often each thread but this one has been taken off a processor, of its own will or not, by
/// thread number.
pub(crate) fn context_switches() -> BTreeMap<String, u64> {
    let me = fs::read_link("/proc/thread-self")
        .ok()
        .and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut switches = BTreeMap::new();
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return switches;
    };
    for thread in threads.flatten() {
        let name = thread.file_name().to_string_lossy().into_owned();
        if Some(&name) == me.as_ref() {
            continue;
        }
        // A thread may end between the listing and the look.
        if let Ok(status) = fs::read_to_string(thread.path().join("status")) {
            let count = number(&status, "voluntary_ctxt_switches:")
                + number(&status, "nonvoluntary_ctxt_switches:");
            switches.insert(name, count);
        }
    }
    switches
}

/// CPU time of the machine since its start, in seconds; and the part of it for ended child
/// processes of this process. Zero where the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Busy {
    machine: f64,
    children: f64,
}

impl Busy {
    pub(crate) fn now() -> Busy {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Busy::parse(&read("/proc/stat"), &read("/proc/self/stat"))
    }

    fn parse(machine: &str, own: &str) -> Busy {
        let seconds = |word: &str| word.parse::<f64>().unwrap_or(0.0) / TICKS_PER_SECOND;
        // cpu user nice system idle iowait irq softirq steal …: all but waiting, what others stole
        // included.
        let machine = machine.lines().next().unwrap_or_default();
        let machine = machine.split_whitespace().skip(1).take(8).enumerate();
        let working = machine.filter(|(at, _)| !(3..=4).contains(at));
        // The name, in brackets, may hold anything; the third word is the first after it, cutime
        // and cstime are the 16th and 17th.
        let own = own.rsplit(')').next().unwrap_or_default();
        Busy {
            machine: working.map(|(_, word)| seconds(word)).sum(),
            children: own.split_whitespace().skip(13).take(2).map(seconds).sum(),
        }
    }

    /// The number of processors that programs other than the children used since `before`, in
    /// `wall`.
    pub(crate) fn others_since(self, before: Busy, wall: Duration) -> f64 {
        let machine = self.machine - before.machine;
        let children = self.children - before.children;
        ((machine - children) / wall.as_secs_f64()).max(0.0)
    }
}

/// The unit of Linux's times, the same on all its machines.
const TICKS_PER_SECOND: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let status =
            "VmHWM:\t  12 kB\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(number(status, "VmHWM:"), 12);
        assert_eq!(number(status, "voluntary_ctxt_switches:"), 3);
        assert_eq!(number(status, "nonvoluntary_ctxt_switches:"), 4);
        assert_eq!(number(status, "VmRSS:"), 0);
    }

    #[test]
    fn others_are_the_machine_without_the_children() {
        let own = "7 (a (b) c) S 1 7 7 0 -1 0 0 0 0 0 5 6 100 50 20 0";
        let after = Busy::parse("cpu  200 0 100 9000 50 0 0 100 0 0\ncpu0 …\n", own);
        assert_eq!((after.machine, after.children), (4.0, 1.5));
        let others = after.others_since(Busy::default(), Duration::from_secs(10));
        assert!((others - 0.25).abs() < 1e-9, "{others}");
        assert_eq!(Busy::parse("", ""), Busy::default());
    }
}
