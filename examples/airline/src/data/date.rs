//! Days and times of the calendar, in UTC: as little of it as an airline needs.

use serde::{Serialize, Serializer};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};
use time::{Date, Month, UtcDateTime};
use vivant::Saved;

/// The day 0.
const EPOCH: Date = UtcDateTime::UNIX_EPOCH.date();
const MS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// A day, counted from 1970-01-01.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i32);

/// A moment, in milliseconds from 1970-01-01 00:00 UTC. Written as `2000-01-01T00:00:00.000Z`.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

impl Day {
    /// The day of this date, if there is such a date.
    pub fn of_date(year: i32, month: u32, day: u32) -> Option<Day> {
        let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
        let date = Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()?;
        (year > 0).then(|| Day(date.to_julian_day() - EPOCH.to_julian_day()))
    }

    /// Year, month and day.
    pub fn date(self) -> (i32, u32, u32) {
        let date = Date::from_julian_day(self.0 + EPOCH.to_julian_day());
        let (year, month, day) = date.expect("it is in the calendar").to_calendar_date();
        (year, u8::from(month).into(), day.into())
    }

    /// The day in a text: `2026-03-10`, with or without a time after it;
    /// `Tue Mar 10 00:00:00 EST 2026`, as Java writes dates and the JMeter plan sends them; or
    /// `Tue Mar 10 2026 00:00:00 GMT+0100`, as browsers send it. The written date counts; the zone
    /// is ignored.
    pub fn parse(text: &str) -> Option<Day> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [_, month, day, ..] if MONTHS.contains(&month) => {
                let month = MONTHS.iter().position(|it| *it == month)? as u32 + 1;
                let year = words[3..].iter().find_map(|word| year(word))?;
                Day::of_date(year, month, day.parse().ok()?)
            }
            [date, ..] => {
                let date = date.split('T').next()?;
                let mut parts = date.splitn(3, '-');
                let year = year(parts.next()?)?;
                let month = parts.next()?.parse().ok()?;
                Day::of_date(year, month, parts.next()?.parse().ok()?)
            }
            [] => None,
        }
    }

    /// The moment this many minutes after its midnight.
    pub fn at_minute(self, minute: u32) -> Moment {
        Moment(i64::from(self.0) * MS_PER_DAY + i64::from(minute) * 60_000)
    }
}

/// A year of four digits.
fn year(word: &str) -> Option<i32> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_year.then(|| word.parse().ok()).flatten()
}

impl Moment {
    /// The moment of a system time; before 1970 it is 1970.
    pub fn of(time: SystemTime) -> Moment {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment(since.as_millis() as i64)
    }

    /// The day it falls on.
    pub fn day(self) -> Day {
        Day(self.0.div_euclid(MS_PER_DAY) as i32)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.rem_euclid(MS_PER_DAY);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        let ms = ms % 1000;
        write!(
            f,
            "{}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z",
            self.day()
        )
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!(Day::of_date(1970, 1, 1), Some(Day(0)));
        assert_eq!(Day::of_date(2000, 3, 1), Some(Day(11_017)));
        let mut before = Day(-200_000).date();
        for day in -199_999..200_000 {
            let date = Day(day).date();
            assert!(date > before, "{date:?} follows {before:?}");
            assert_eq!(Day::of_date(date.0, date.1, date.2), Some(Day(day)));
            before = date;
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for (year, month, day) in [
            (2025, 2, 29),
            (2026, 4, 31),
            (2026, 13, 1),
            (2026, 0, 1),
            (2026, 1, 0),
            (0, 1, 1),
            (10_000, 1, 1),
        ] {
            assert_eq!(Day::of_date(year, month, day), None);
        }
        assert!(Day::of_date(2024, 2, 29).is_some());
    }

    #[test]
    fn three_ways_to_write_a_date_are_understood() {
        let day = Day::of_date(2026, 3, 10);
        for text in [
            "2026-03-10",
            "2026-3-10",
            "2026-03-10T23:59:59.999Z",
            "2026-03-10 12:00",
            "Tue Mar 10 00:00:00 EST 2026",
            "Tue Mar 10 2026 00:00:00 GMT+0100 (CET)",
            "Tue Mar 10 2026",
        ] {
            assert_eq!(Day::parse(text), day, "{text}");
        }
        for text in [
            "",
            "soon",
            "2026",
            "2026-03",
            "03/10/2026",
            "Tue Mar 10",
            "Tue Mar x 2026",
            "2026-03-10-01",
            "99999-01-01",
            "-1-01-01",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn moments_are_written_as_javascript_does() {
        let moment = Moment(Day::of_date(2026, 3, 10).unwrap().at_minute(75).0 + 4_005);
        assert_eq!(moment.to_string(), "2026-03-10T01:15:04.005Z");
        assert_eq!(moment.day().to_string(), "2026-03-10");
        assert_eq!(
            serde_json::to_string(&moment).unwrap(),
            "\"2026-03-10T01:15:04.005Z\""
        );
    }
}
