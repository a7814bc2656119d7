//! Periods as numbers without gaps: which page and slot a period has.

use crate::error::{Error, Result, require};

pub const UTC_DAY: u8 = 1;
pub const WEEK_ENDING_SATURDAY: u8 = 2;
pub const MONTH: u8 = 3;

/// 1970-01-03.
const FIRST_SATURDAY: u32 = 2;

/// The ordinal of the period that day `period` (days since 1970-01-01) names: days, Saturdays or
/// months since 1970. `BadPeriod` for a day before 1970, or one that names no period of the cadence.
pub fn ordinal(cadence: u8, period: i32) -> Result<u32> {
    let day = u32::try_from(period).map_err(|_| Error::BadPeriod)?;
    match cadence {
        UTC_DAY => Ok(day),
        WEEK_ENDING_SATURDAY => {
            let days = day.checked_sub(FIRST_SATURDAY).ok_or(Error::BadPeriod)?;
            require(days % 7 == 0, Error::BadPeriod)?;
            Ok(days / 7)
        }
        MONTH => month_ordinal(day),
        _ => Err(Error::BadCadence),
    }
}

/// Months since 1970 of a month's first day (the era method of H. Hinnant's date algorithms). Every
/// number stays far below 2^64; subtractions wrap nowhere, for each takes a part from its whole.
fn month_ordinal(day: u32) -> Result<u32> {
    let days = u64::from(day) + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era + day_of_era / 36_524)
        .wrapping_sub(day_of_era / 1460)
        .wrapping_sub(day_of_era / 146_096)
        / 365;
    let day_of_year = (day_of_era + year_of_era / 100)
        .wrapping_sub(365 * year_of_era)
        .wrapping_sub(year_of_era / 4);
    let shifted = (5 * day_of_year.min(365) + 2) / 153;
    require(day_of_year == (153 * shifted + 2) / 5, Error::BadPeriod)?;
    // March is month 0 of a shifted year; 1970-01 is month 10 of 1969.
    let months = 12 * (year_of_era.min(399) + 400 * era) + shifted;
    let since = months.checked_sub(12 * 1969 + 10).ok_or(Error::BadPeriod)?;
    u32::try_from(since).map_err(|_| Error::BadPeriod)
}
