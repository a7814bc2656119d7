//! The Closes of one day under one feed, 608 bytes, little endian; address `["close", feed, day i32]`:
//!
//! ```text
//!      0   8  "assayCA1"
//!      8   1  bump
//!      9   1  versions
//!     10   2  zero
//!     12   4  day i32, days since 1970-01-01
//!     16  32  feed
//!     48  32  log id
//!     80   8  slot u64 of the newest version
//!     88   8  zero
//!     96 512  16 content hashes, the newest last
//! ```

use crate::account::Account;
use crate::bytes::{Key, array_at, equal, i32_at, put, u64_at};
use crate::error::{Error, Result, require};

pub const CLOSE_BYTES: usize = 608;
pub type CloseAccount = [u8; CLOSE_BYTES];

pub const TAG: &[u8] = b"close";
pub const MAGIC: [u8; 8] = *b"assayCA1";

const MAX_VERSIONS: u8 = 16;
const BUMP: usize = 8;
const VERSIONS: usize = 9;
const DAY: usize = 12;
const FEED: usize = 16;
const LOG: usize = 48;
const SLOT: usize = 80;
const HASHES: usize = 96;

/// The account of this feed and day, to be changed.
pub fn write<'a>(
    account: &'a mut Account,
    feed: &Key,
    day: i32,
    program: &Key,
) -> Result<&'a mut CloseAccount> {
    require(equal(account.owner(), program), Error::WrongOwner)?;
    let close: &mut CloseAccount =
        account.data_mut()?.try_into().map_err(|_| Error::WrongSize)?;
    require(u64_at(close, 0) == Some(u64::from_le_bytes(MAGIC)), Error::WrongMagic)?;
    let of: &Key = array_at(close, FEED).ok_or(Error::Corrupt)?;
    require(equal(of, feed) && i32_at(close, DAY) == Some(day), Error::WrongFeed)?;
    Ok(close)
}

/// A new account without versions, in zero bytes.
pub fn begin(account: &mut Account, bump: u8, day: i32, feed: &Key, log: &Key) -> Result<()> {
    let close: &mut CloseAccount =
        account.data_mut()?.try_into().map_err(|_| Error::WrongSize)?;
    close[BUMP] = bump;
    put(close, DAY, &day.to_le_bytes())
        .and_then(|()| put(close, FEED, feed))
        .and_then(|()| put(close, LOG, log))
        .and_then(|()| put(close, 0, &MAGIC))
        .ok_or(Error::Corrupt)
}

/// Appends a version. A hash that was there once does not come again.
pub fn append(close: &mut CloseAccount, hash: &Key, slot: u64) -> Result<()> {
    let versions = close[VERSIONS];
    for number in 0..versions {
        let held: &Key =
            array_at(close, HASHES + 32 * usize::from(number)).ok_or(Error::Corrupt)?;
        require(!equal(held, hash), Error::RepeatedClose)?;
    }
    require(versions < MAX_VERSIONS, Error::CloseFull)?;
    close[VERSIONS] = versions + 1;
    put(close, HASHES + 32 * usize::from(versions), hash)
        .and_then(|()| put(close, SLOT, &slot.to_le_bytes()))
        .ok_or(Error::Corrupt)
}
