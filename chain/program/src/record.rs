//! One print as a page keeps it, 64 bytes, little endian:
//!
//! ```text
//!      0   8  value i64
//!      8   8  published_at i64, unix seconds
//!     16  32  report hash
//!     48   1  status
//!     49   1  decimals
//!     50   1  flags
//!     51   1  issue
//!     52   1  rule number
//!     53   1  set number
//!     54   1  who co-signed: bit i is key i of the set
//!     55   1  who dissents, likewise
//!     56   8  slot u64
//! ```

use crate::bytes::{Key, array_at, put};
use crate::error::{Error, Result};
use crate::print::Print;

pub const RECORD_BYTES: usize = 64;
pub type Record = [u8; RECORD_BYTES];

pub const ISSUE: usize = 51;
pub const RULE: usize = 52;
pub const SET: usize = 53;
pub const COSIGNERS: usize = 54;
pub const DISSENTS: usize = 55;

/// What the chain adds to a print.
pub struct Context {
    pub rule: u8,
    pub set: u8,
    pub cosigners: u8,
    pub slot: u64,
}

/// Writes the record of a print, without dissents.
#[inline(always)]
pub fn fill(record: &mut Record, print: &Print, context: &Context) -> Result<()> {
    let (figures, report) = facts(print)?;
    let marks = [
        print.status,
        print.decimals,
        print.flags,
        print.issue,
        context.rule,
        context.set,
        context.cosigners,
        0,
    ];
    put(record, 0, figures)
        .and_then(|()| put(record, 16, report))
        .and_then(|()| put(record, 48, &marks))
        .and_then(|()| put(record, 56, &context.slot.to_le_bytes()))
        .ok_or(Error::Corrupt)
}

/// Whether the record is of exactly this print, its rule aside.
pub fn is_of(record: &Record, print: &Print) -> Result<bool> {
    let (figures, report) = facts(print)?;
    let marks = [print.status, print.decimals, print.flags, print.issue];
    let same_figures = array_at::<16>(record, 0)
        .is_some_and(|held| u128::from_le_bytes(*held) == u128::from_le_bytes(*figures));
    let same_report =
        array_at::<32>(record, 16).is_some_and(|held| crate::bytes::equal(held, report));
    let same_marks = array_at::<4>(record, 48)
        .is_some_and(|held| u32::from_le_bytes(*held) == u32::from_le_bytes(marks));
    Ok(same_figures && same_report && same_marks)
}

/// Value and publication time, which stand together in message and record; and the report hash.
#[inline(always)]
fn facts<'a>(print: &Print<'a>) -> Result<(&'a [u8; 16], &'a Key)> {
    let figures = array_at(print.message, crate::print::VALUE).ok_or(Error::Corrupt)?;
    Ok((figures, print.report))
}
