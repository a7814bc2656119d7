//! 32 periods of a feed, 6,480 bytes, little endian; address `["page", feed, index u32]`:
//!
//! ```text
//!      0   8  "assayPG1"
//!      8   1  bump
//!      9   3  zero
//!     12   4  index u32: ordinal / 32
//!     16  32  feed
//!     48  32  zero
//!     80 ...  32 slots, by ordinal % 32
//! ```
//!
//! A slot, 200 bytes: period i32, flags 1, zero 3, then three records: the newest provisional, the final
//! or void, the newest correction.

use crate::account::Account;
use crate::bytes::{Key, array_at, array_at_mut, equal, i32_at, put, u32_at, u64_at};
use crate::error::{Error, Result, require};
use crate::record::{RECORD_BYTES, Record};

pub const PAGE_BYTES: usize = 6480;
pub type Page = [u8; PAGE_BYTES];

pub const SLOT_BYTES: usize = 200;
pub type Slot = [u8; SLOT_BYTES];

pub const TAG: &[u8] = b"page";
pub const MAGIC: [u8; 8] = *b"assayPG1";

const PERIODS: u32 = 32;
const BUMP: usize = 8;
const INDEX: usize = 12;
const FEED: usize = 16;
const SLOTS: usize = 80;
const FLAGS: usize = 4;

pub const IS_PROVISIONAL: u8 = 1;
pub const IS_FINAL: u8 = 2;
pub const IS_VOID: u8 = 4;
pub const IS_CORRECTED: u8 = 8;
pub const HAS_DISSENT: u8 = 16;

/// Where a record stands in its slot.
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Place {
    Provisional = 8,
    Settled = 72,
    Corrected = 136,
}

/// The page that `account` holds, of this feed, to be changed.
#[inline(always)]
pub fn write<'a>(account: &'a mut Account, feed: &Key, program: &Key) -> Result<&'a mut Page> {
    require(equal(account.owner(), program), Error::WrongOwner)?;
    let page: &mut Page = account.data_mut()?.try_into().map_err(|_| Error::WrongSize)?;
    require(u64_at(page, 0) == Some(u64::from_le_bytes(MAGIC)), Error::WrongMagic)?;
    let of: &Key = array_at(page, FEED).ok_or(Error::Corrupt)?;
    require(equal(of, feed), Error::WrongFeed)?;
    Ok(page)
}

/// A new page, in zero bytes.
pub fn begin(page: &mut Page, bump: u8, index: u32, feed: &Key) -> Result<()> {
    page[BUMP] = bump;
    put(page, INDEX, &index.to_le_bytes())
        .and_then(|()| put(page, FEED, feed))
        .and_then(|()| put(page, 0, &MAGIC))
        .ok_or(Error::Corrupt)
}

/// The slot of a period. `WrongPage` where another page has it.
#[inline(always)]
pub fn slot(page: &mut Page, ordinal: u32, period: i32) -> Result<&mut Slot> {
    require(u32_at(page, INDEX) == Some(ordinal / PERIODS), Error::WrongPage)?;
    let at = SLOTS + SLOT_BYTES * (ordinal % PERIODS) as usize;
    let slot: &mut Slot = array_at_mut(page, at).ok_or(Error::Corrupt)?;
    require(slot[FLAGS] == 0 || i32_at(slot, 0) == Some(period), Error::Corrupt)?;
    Ok(slot)
}

pub fn has(slot: &Slot, flag: u8) -> bool {
    slot[FLAGS] & flag != 0
}

#[inline(always)]
pub fn record(slot: &Slot, place: Place) -> Result<&Record> {
    array_at::<RECORD_BYTES>(slot, place as usize).ok_or(Error::Corrupt)
}

#[inline(always)]
pub fn record_mut(slot: &mut Slot, place: Place) -> Result<&mut Record> {
    array_at_mut::<RECORD_BYTES>(slot, place as usize).ok_or(Error::Corrupt)
}

/// Notes that the slot is of `period` and shows `flag`.
#[inline(always)]
pub fn mark(slot: &mut Slot, period: i32, flag: u8) -> Result<()> {
    slot[FLAGS] |= flag;
    put(slot, 0, &period.to_le_bytes()).ok_or(Error::Corrupt)
}
