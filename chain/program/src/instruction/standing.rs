//! Where a print belongs in its slot, and whether it stands there already.

use crate::bytes::equal;
use crate::error::{Error, Result};
use crate::feed::{self, Feed};
use crate::page::{self, Place};
use crate::print::{self, Print};
use crate::record::{self, RULE, Record};

/// The place of a status, and the flag of the slot that says it is filled.
#[inline(always)]
pub fn place_of(status: u8) -> Result<(Place, u8)> {
    match status {
        print::PROVISIONAL => Ok((Place::Provisional, page::IS_PROVISIONAL)),
        print::FINAL => Ok((Place::Settled, page::IS_FINAL)),
        print::CORRECTED => Ok((Place::Corrected, page::IS_CORRECTED)),
        print::VOID => Ok((Place::Settled, page::IS_VOID)),
        _ => Err(Error::BadStatus),
    }
}

/// Whether the record is of exactly this print, of which series and period are checked.
#[inline(always)]
pub fn is_of(feed: &Feed, held: &Record, print: &Print) -> Result<bool> {
    Ok(equal(feed::rule(feed, held[RULE])?.hash, print.rule) && record::is_of(held, print)?)
}
