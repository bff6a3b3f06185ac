//! Leaf types of other crates, each with the feature of that name.

#[cfg(any(feature = "bytes", feature = "jiff"))]
use super::freeze::{Freeze, as_they_are};
use super::leaf::leaf_types;
#[cfg(any(feature = "bytes", feature = "jiff"))]
use crate::object::frozen::Frozen;

#[cfg(feature = "uuid")]
leaf_types! {
    by_value {
        [] [] uuid::Uuid;
    }
}

#[cfg(feature = "chrono")]
leaf_types! {
    by_value {
        [] [] chrono::NaiveDate, chrono::NaiveTime, chrono::NaiveDateTime, chrono::TimeDelta;
        [] [] chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::FixedOffset>;
        [] [] chrono::Utc, chrono::FixedOffset, chrono::Weekday, chrono::Month;
    }
}

#[cfg(feature = "jiff")]
leaf_types! {
    by_value {
        [] [] jiff::Timestamp, jiff::Span, jiff::SignedDuration;
        [] [] jiff::civil::Date, jiff::civil::Time, jiff::civil::DateTime, jiff::civil::Weekday;
    }
    by_reference {
        [] [] jiff::ZonedDateTime, jiff::tz::TimeZone;
    }
}

#[cfg(feature = "bytes")]
leaf_types! {
    by_reference {
        [] [] bytes::Bytes, bytes::BytesMut;
    }
}
