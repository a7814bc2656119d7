//! An index's name: `[A-Z][A-Z0-9]{0,15}`, zero padded to 16 bytes, and not CLOSE.

use crate::error::{Error, Result, require};

const CLOSE: [u8; 16] = *b"CLOSE\0\0\0\0\0\0\0\0\0\0\0";

pub fn require_ticker(ticker: &[u8; 16]) -> Result<()> {
    let mut ended = false;
    for (i, &byte) in ticker.iter().enumerate() {
        let fits = if ended || (byte == 0 && i > 0) {
            ended = true;
            byte == 0
        } else {
            byte.is_ascii_uppercase() || (byte.is_ascii_digit() && i > 0)
        };
        require(fits, Error::BadTicker)?;
    }
    require(u128::from_le_bytes(*ticker) != u128::from_le_bytes(CLOSE), Error::BadTicker)
}
