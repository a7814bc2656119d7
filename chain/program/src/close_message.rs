//! What a publisher signs of a Close, 76 bytes, little endian: docs/spec/close.md.
//!
//! ```text
//!      0   8  "assayCL1"
//!      8  32  log id
//!     40   4  day i32, days since 1970-01-01
//!     44  32  content hash
//! ```

use crate::bytes::{Key, array_at, i32_at, u64_at};
use crate::error::{Error, Result, require};

pub const CLOSE_MESSAGE_BYTES: usize = 76;

const MAGIC: [u8; 8] = *b"assayCL1";

pub struct CloseMessage<'a> {
    pub log: &'a Key,
    pub day: i32,
    pub hash: &'a Key,
}

pub fn parse(message: &[u8; CLOSE_MESSAGE_BYTES]) -> Result<CloseMessage<'_>> {
    require(u64_at(message, 0) == Some(u64::from_le_bytes(MAGIC)), Error::MessageMagic)?;
    Ok(CloseMessage {
        log: array_at(message, 8).ok_or(Error::Corrupt)?,
        day: i32_at(message, 40).ok_or(Error::Corrupt)?,
        hash: array_at(message, 44).ok_or(Error::Corrupt)?,
    })
}
