//! 4: appends a rule, which holds after the delay. Accounts: publisher (signs), feed (written). Data
//! behind the first byte: rule hash 32, first period i32.

use super::require_publisher;
use crate::bytes::{Key, array_at, i32_at};
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;
use crate::ordinal::ordinal;

const DATA_BYTES: usize = 36;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [publisher, mut account] = accounts.take()?;
    require(data.len() == DATA_BYTES, Error::Data)?;
    let hash = array_at(data, 0).ok_or(Error::Data)?;
    let first = i32_at(data, 32).ok_or(Error::Data)?;
    let feed = feed::write(&mut account, program)?;
    let now = clock::now()?.unix_timestamp;
    require_publisher(&publisher, feed, now)?;
    ordinal(feed::cadence(feed), first)?;
    feed::add_rule(feed, hash, first, [now, clock::after_delay(now)?])
}
