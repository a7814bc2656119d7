//! Time on chain, and the delays that hang on it.

use crate::error::{Error, Result, require};
use crate::syscall::{self, Clock};

pub const DAY_SECONDS: i64 = 86_400;

/// What a new rule, set or key waits before it holds, seconds.
pub const DELAY: i64 = 7 * DAY_SECONDS;

/// How far ahead the first period of a new rule may be, seconds.
const HORIZON: i64 = 400 * DAY_SECONDS;

/// How far a publisher's clock may be ahead of the chain's, seconds.
const AHEAD: i64 = 120;

pub fn now() -> Result<Clock> {
    syscall::clock()
}

/// When what is registered at `now` takes effect.
pub fn after_delay(now: i64) -> Result<i64> {
    now.checked_add(DELAY).ok_or(Error::Overflow)
}

/// Whether `time` is not after the chain's clock, but for `AHEAD`.
pub fn is_past(time: i64, now: i64) -> Result<bool> {
    Ok(time <= now.checked_add(AHEAD).ok_or(Error::Overflow)?)
}

/// Whether what takes effect at `time` has not yet, by more than `AHEAD`: then no print refers to it, even
/// if the clock has gone back by less.
pub fn is_to_come(time: i64, now: i64) -> Result<bool> {
    Ok(!is_past(time, now)?)
}

/// `RuleTime` unless a rule's first period begins at `earliest` or later, and not beyond the horizon.
pub fn require_first(period: i32, earliest: Option<i64>, now: i64) -> Result<()> {
    let begin = i64::from(period).checked_mul(DAY_SECONDS).ok_or(Error::Overflow)?;
    let horizon = now.checked_add(HORIZON).ok_or(Error::Overflow)?;
    let is_late_enough = earliest.is_none_or(|earliest| begin >= earliest);
    require(is_late_enough && begin <= horizon, Error::RuleTime)
}

/// `period's first second <= time <= now`, but for `AHEAD`.
pub fn require_published(period: i32, time: i64, now: i64) -> Result<()> {
    let begin = i64::from(period).checked_mul(DAY_SECONDS).ok_or(Error::Overflow)?;
    require(begin <= time && is_past(time, now)?, Error::BadTime)
}
