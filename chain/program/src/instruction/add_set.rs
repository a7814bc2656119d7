//! 5: appends a co-signer set, which holds after the delay. Accounts: publisher (signs), feed (written).
//! Data behind the first byte: threshold 1, number of keys n 1, n keys.

use super::require_publisher;
use crate::bytes::Key;
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [publisher, mut account] = accounts.take()?;
    let [threshold, count, keys @ ..] = data else { return Err(Error::Data) };
    let (keys, rest) = keys.as_chunks::<32>();
    require(keys.len() == usize::from(*count) && rest.is_empty(), Error::Data)?;
    let feed = feed::write(&mut account, program)?;
    let now = clock::now()?.unix_timestamp;
    require_publisher(&publisher, feed, now)?;
    feed::add_set(feed, *threshold, keys, [now, clock::after_delay(now)?])
}
