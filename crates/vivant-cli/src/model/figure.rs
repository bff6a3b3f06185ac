//! Numbers as text, short enough for a column of eight characters.

use super::look::Rate;

/// The text for an unknown number.
const UNKNOWN: &str = "-";

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
}
