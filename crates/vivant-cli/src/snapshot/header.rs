//! [`Header`]: what is known of an image before its records are read.

use super::problem::Problem;
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};
use vivant_codec::{Decoder, LoadError, Saved};

/// The version of the format that this command reads.
const FORMAT: u32 = 2;

/// What an image says of itself in its manifest: `ImageHeader` in the description of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Header {
    /// The image's number.
    pub number: u64,
    /// Name of the system.
    pub system: String,
    /// The number of the cut in the life of that system.
    pub phase: u64,
    /// When the image was taken, in UTC as RFC 3339 has it, to the millisecond.
    pub taken_at: String,
    /// The number of saved actors.
    pub saved: u64,
    /// The number of actors that start again.
    pub restarting: u64,
    /// The number of actors of which the image has nothing.
    pub not_saved: u64,
    /// The number of waiting messages.
    pub messages: u64,
    /// The number of bytes of all records.
    pub bytes: u64,
    /// The number of bytes in the store.
    pub stored_bytes: u64,
    /// The numbers of the earlier images that it needs.
    pub needed: Vec<u64>,
}

impl Header {
    pub(super) fn of(summary: &vivant_journal::Summary) -> Result<Header, Problem> {
        let number = summary.number;
        let wrong = |error| Problem::NotASnapshot { number, error };
        let mut input = Decoder::new(&summary.metadata);
        let found = u32::load(&mut input).map_err(wrong)?;
        if found != FORMAT {
            return Err(Problem::OtherVersion {
                number,
                found,
                known: FORMAT,
            });
        }
        Header::load(summary, &mut input).map_err(wrong)
    }

    /// Fields that follow are those of a later version.
    fn load(
        summary: &vivant_journal::Summary,
        input: &mut Decoder<'_, '_>,
    ) -> Result<Header, LoadError> {
        Ok(Header {
            number: summary.number,
            system: String::load(input)?,
            phase: u64::load(input)?,
            taken_at: utc(SystemTime::load(input)?),
            saved: u64::load(input)?,
            restarting: u64::load(input)?,
            not_saved: u64::load(input)?,
            messages: u64::load(input)?,
            bytes: summary.value_bytes,
            stored_bytes: summary.stored_bytes,
            needed: summary.needed.clone(),
        })
    }
}

/// A time as `2026-01-31T23:59:59.123Z`, by the Gregorian calendar.
fn utc(time: SystemTime) -> String {
    let milliseconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_millis() as i128,
        Err(before) => -(before.duration().as_nanos().div_ceil(1_000_000) as i128),
    };
    let (days, in_day) = (
        milliseconds.div_euclid(86_400_000),
        milliseconds.rem_euclid(86_400_000),
    );
    let (seconds, milliseconds) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Year, month and day of a number of days since 1970. Years begin in March here, so that a leap
/// day is the last one: <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
fn date(days: i128) -> (i128, i128, i128) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i128::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_dates() {
        let after = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(after(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(after(951_782_399), "2000-02-28T23:59:59.000Z");
        assert_eq!(after(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(after(4_107_542_400), "2100-03-01T00:00:00.000Z");
        let before = UNIX_EPOCH - Duration::from_millis(1);
        assert_eq!(utc(before), "1969-12-31T23:59:59.999Z");
    }
}
