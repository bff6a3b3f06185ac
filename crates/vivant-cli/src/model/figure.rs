//! Numbers as text, short enough for a column of eight characters.

use super::look::Rate;

/// The text for an unknown number.
pub(crate) const UNKNOWN: &str = "-";

/// `1,234`, and from a million on `1.2M`.
pub(crate) fn count(count: u64) -> String {
    if count < 1_000_000 {
        return thousands(count);
    }
    let (unit, name) = match count {
        0..1_000_000_000 => (1e6, 'M'),
        1_000_000_000..1_000_000_000_000 => (1e9, 'G'),
        _ => (1e12, 'T'),
    };
    format!("{:.1}{name}", count as f64 / unit)
}

fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `0.3` below ten, else as [`count`].
pub(crate) fn rate(rate: Rate) -> String {
    match rate {
        None => UNKNOWN.to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(rate) if rate < 9.95 => format!("{rate:.1}"),
        Some(rate) => count(rate.round() as u64),
    }
}

/// `+3/s`; empty while nothing is added.
pub(crate) fn growth(rate_now: Rate) -> String {
    match rate_now {
        Some(rate_now) if rate_now > 0.0 => format!(" (+{}/s)", rate(Some(rate_now))),
        _ => String::new(),
    }
}

/// `12.5%`.
pub(crate) fn share(share: Rate) -> String {
    match share {
        None => UNKNOWN.to_owned(),
        Some(share) => format!("{:.1}%", share * 100.0),
    }
}

/// How long something has waited: `0`, `12ms`, `1.2s`, `3m05s`, `2h07m`.
pub(crate) fn age(ms: u64) -> String {
    let seconds = ms / 1000;
    match ms {
        0 => "0".to_owned(),
        1..1_000 => format!("{ms}ms"),
        1_000..60_000 => format!("{seconds}.{}s", ms % 1000 / 100),
        60_000..3_600_000 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// `1.2 MiB`.
pub(crate) fn bytes(bytes: i64) -> String {
    let mut value = bytes.max(0) as f64;
    let mut unit = "B";
    for greater in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = greater;
    }
    if unit == "B" {
        format!("{value:.0} B")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// As [`bytes`] in at most six characters: `512B`, `1.5K`, `146K`, `3.0M`.
pub(crate) fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = 'B';
    for greater in ['K', 'M', 'G', 'T', 'P', 'E'] {
        if value < 999.5 {
            break;
        }
        value /= 1024.0;
        unit = greater;
    }
    if unit == 'B' || value >= 9.95 {
        format!("{value:.0}{unit}")
    } else {
        format!("{value:.1}{unit}")
    }
}

/// Bytes a second, as [`size`].
pub(crate) fn size_rate(rate: Rate) -> String {
    rate.map_or(UNKNOWN.to_owned(), |rate| size(rate.round() as u64))
}

/// The messages of a mailbox and its bound, in at most nine characters: `7/64`, `9999/65k`; without
/// a bound as [`count`].
pub(crate) fn filled(depth: usize, bound: Option<usize>) -> String {
    match bound {
        Some(bound) => format!("{}/{}", four_characters(depth), four_characters(bound)),
        None => count(depth as u64),
    }
}

fn four_characters(count: usize) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        1_000_000..1_000_000_000 => format!("{}M", count / 1_000_000),
        _ => "∞".to_owned(),
    }
}

/// The duration of a pause: `0`, `850ns`, `12µs`, `1.2ms`, and from a second on as [`age`].
pub(crate) fn pause(ns: u64) -> String {
    let us = ns as f64 / 1e3;
    match ns {
        0 => "0".to_owned(),
        1..1_000 => format!("{ns}ns"),
        1_000..9_950 => format!("{us:.1}µs"),
        9_950..999_500 => format!("{us:.0}µs"),
        999_500..9_950_000 => format!("{:.1}ms", us / 1e3),
        9_950_000..999_500_000 => format!("{:.0}ms", us / 1e3),
        _ => age(ns / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let texts = [0, 7, 999, 1_000, 999_999, 1_234_567, 5_000_000_000].map(count);
        assert_eq!(texts, ["0", "7", "999", "1,000", "999,999", "1.2M", "5.0G"]);
        assert_eq!(count(u64::MAX), "18446744.1T");
    }

    #[test]
    fn rates_and_shares() {
        let texts = [None, Some(0.0), Some(0.25), Some(9.96), Some(1234.4)].map(rate);
        assert_eq!(texts, ["-", "0", "0.2", "10", "1,234"]);
        assert_eq!(
            [None, Some(0.125), Some(1.0)].map(share),
            ["-", "12.5%", "100.0%"]
        );
        assert_eq!(
            [None, Some(0.0), Some(3.0)].map(growth),
            ["", "", " (+3.0/s)"]
        );
    }

    #[test]
    fn ages_and_bytes() {
        let texts = [0, 12, 1_250, 185_000, 7_620_000].map(age);
        assert_eq!(texts, ["0", "12ms", "1.2s", "3m05s", "2h07m"]);
        let texts = [-5, 1023, 1536, 3 << 20].map(bytes);
        assert_eq!(texts, ["0 B", "1023 B", "1.5 KiB", "3.0 MiB"]);
    }

    #[test]
    fn sizes_and_pauses() {
        let sizes = [0, 999, 1_000, 1536, 150_000, 3 << 20, u64::MAX].map(size);
        assert_eq!(sizes, ["0B", "999B", "1.0K", "1.5K", "146K", "3.0M", "16E"]);
        let times = [
            0,
            850,
            1_250,
            12_400,
            999_600,
            1_200_000,
            45_000_000,
            1_500_000_000,
            u64::MAX,
        ];
        let texts = [
            "0",
            "850ns",
            "1.2µs",
            "12µs",
            "1.0ms",
            "1.2ms",
            "45ms",
            "1.5s",
            "5124095h34m",
        ];
        assert_eq!(times.map(pause), texts);
        assert_eq!([None, Some(2048.4)].map(size_rate), ["-", "2.0K"]);
    }

    #[test]
    fn a_mailbox_and_its_bound_have_nine_characters() {
        assert_eq!(filled(2_048, None), "2,048");
        let bounds = [
            (0, 4),
            (512, 1_024),
            (9_999, 65_536),
            (5_000_000, 8_000_000),
        ];
        let texts = bounds.map(|(depth, bound)| filled(depth, Some(bound)));
        assert_eq!(texts, ["0/4", "512/1024", "9999/65k", "5M/8M"]);
        let longest = filled(999_999, Some(999_999));
        assert_eq!(longest, "999k/999k");
        assert_eq!(filled(3, Some(usize::MAX)), "3/∞");
    }
}
