//! 6: hands the feed to the key that was committed to, after the delay. Accounts: publisher (signs), next
//! key (signs), feed (written). Data behind the first byte: sha256 of the key after the next.
//!
//! That the key stands in a co-signer set bars nothing: else whoever stole the publisher's key could put
//! it there when he sees the rotation. As the publisher's it never counts toward a quorum.

use super::require_publisher;
use crate::bytes::{Key, equal};
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;
use crate::key::require_key;
use crate::syscall::{Slice, sha256};

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [publisher, next, mut account] = accounts.take()?;
    let after: &Key = data.try_into().map_err(|_| Error::Data)?;
    let feed = feed::write(&mut account, program)?;
    let now = clock::now()?.unix_timestamp;
    require_publisher(&publisher, feed, now)?;
    next.require_signer()?;
    let key = next.key();
    require(equal(&sha256(&[Slice::of(key)]), feed::next_hash(feed, now)?), Error::WrongNextKey)?;
    require(feed::rotation_at(feed)? <= now, Error::RotationWaits)?;
    require_key(key)?;
    feed::rotate(feed, now, clock::after_delay(now)?, key, after)
}
