//! 7: cancels the rotation that waits. Accounts: recovery key (signs), feed (written). No data behind the
//! first byte.

use crate::bytes::{Key, equal};
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;
use crate::syscall::{Slice, sha256};

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [recovery, mut account] = accounts.take()?;
    require(data.is_empty(), Error::Data)?;
    let feed = feed::write(&mut account, program)?;
    recovery.require_signer()?;
    let hash = sha256(&[Slice::of(recovery.key())]);
    require(equal(&hash, feed::recovery_hash(feed)?), Error::WrongRecoveryKey)?;
    let now = clock::now()?.unix_timestamp;
    require(feed::rotation_at(feed)? > now, Error::NoRotation)?;
    feed::cancel_rotation(feed)
}
