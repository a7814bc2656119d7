//! 7: takes back what waits. Accounts: recovery key (signs), feed (written). Data behind the first byte:
//! what, a byte: 1 the rotation, 2 the newest rule, 4 the newest co-signer set, or a sum of them. Each that
//! is named must wait.

use super::one_byte;
use crate::bytes::{Key, equal};
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;
use crate::syscall::{Slice, sha256};

const ROTATION: u8 = 1;
const RULE: u8 = 2;
const SET: u8 = 4;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [recovery, mut account] = accounts.take()?;
    let what = one_byte(data)?;
    require(what >= 1 && what <= ROTATION | RULE | SET, Error::Data)?;
    let feed = feed::write(&mut account, program)?;
    recovery.require_signer()?;
    let hash = sha256(&[Slice::of(recovery.key())]);
    require(equal(&hash, feed::recovery_hash(feed)?), Error::WrongRecoveryKey)?;
    let now = clock::now()?.unix_timestamp;
    if what & ROTATION != 0 {
        require(feed::rotation_at(feed)? > now, Error::NoRotation)?;
        feed::cancel_rotation(feed)?;
    }
    if what & RULE != 0 {
        feed::cancel_rule(feed, now)?;
    }
    if what & SET != 0 {
        feed::cancel_set(feed, now)?;
    }
    Ok(())
}
