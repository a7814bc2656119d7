//! The print message, 128 bytes, little endian: docs/spec/print.md. A dissent is the same bytes behind
//! another magic.

use crate::bytes::{Key, array_at, equal, i32_at, i64_at, u64_at};
use crate::error::{Error, Result, require};

pub const PRINT_BYTES: usize = 128;

pub const PRINT_MAGIC: [u8; 8] = *b"assayPR1";
pub const DISSENT_MAGIC: [u8; 8] = *b"assayDS1";

pub const PROVISIONAL: u8 = 1;
pub const FINAL: u8 = 2;
pub const CORRECTED: u8 = 3;
pub const VOID: u8 = 4;

/// Where the value stands; published_at follows it.
pub const VALUE: usize = 104;

const SETTLEABLE: u8 = 1;
const WITHHELD: u8 = 2;

pub struct Print<'a> {
    pub message: &'a [u8; PRINT_BYTES],
    pub series: &'a Key,
    pub rule: &'a Key,
    pub report: &'a Key,
    pub value: i64,
    pub published_at: i64,
    pub period: i32,
    pub status: u8,
    pub decimals: u8,
    pub flags: u8,
    pub issue: u8,
}

/// The parts of a message behind `magic`. `MessageMagic` for another.
#[inline(always)]
pub fn parse<'a>(message: &'a [u8; PRINT_BYTES], magic: [u8; 8]) -> Result<Print<'a>> {
    require(u64_at(message, 0) == Some(u64::from_le_bytes(magic)), Error::MessageMagic)?;
    let key_at = |at: usize| array_at(message, at).ok_or(Error::Corrupt);
    Ok(Print {
        message,
        series: key_at(8)?,
        rule: key_at(40)?,
        report: key_at(72)?,
        value: i64_at(message, VALUE).ok_or(Error::Corrupt)?,
        published_at: i64_at(message, 112).ok_or(Error::Corrupt)?,
        period: i32_at(message, 120).ok_or(Error::Corrupt)?,
        status: message[124],
        decimals: message[125],
        flags: message[126],
        issue: message[127],
    })
}

impl Print<'_> {
    /// Refuses what no report has as its print: see docs/spec/print.md.
    #[inline(always)]
    pub fn require_sense(&self, series: &Key, decimals: u8) -> Result<()> {
        let Self { status, flags, issue, .. } = *self;
        require(equal(self.series, series), Error::WrongSeries)?;
        require(status >= PROVISIONAL && status <= VOID, Error::BadStatus)?;
        require(self.decimals == decimals, Error::BadDecimals)?;
        require(flags & !(SETTLEABLE | WITHHELD) == 0, Error::BadFlags)?;
        let is_settleable = flags & SETTLEABLE != 0;
        let is_withheld = flags & WITHHELD != 0;
        require(!is_settleable || (status == FINAL && !is_withheld), Error::BadFlags)?;
        require(self.value == 0 || !(status == VOID || is_withheld), Error::BadValue)?;
        let is_first_only = status == FINAL || status == VOID;
        require(issue == 0 || !is_first_only, Error::BadIssue)?;
        require(issue != 0 || status != CORRECTED, Error::BadIssue)
    }
}
