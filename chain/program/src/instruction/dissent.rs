//! 3: notes that co-signers of a print's own set dissent from it. Anyone may bring it. Accounts: feed,
//! page (written), instructions sysvar. Data behind the first byte: the number of the Ed25519 instruction.

use super::one_byte;
use super::standing::{is_of, place_of};
use crate::bytes::{Key, equal};
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;
use crate::ordinal::ordinal;
use crate::page;
use crate::print;
use crate::record::{DISSENTS, SET};
use crate::signers::verified_signers;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [feed_account, mut page_account, sysvar] = accounts.take()?;
    let index = one_byte(data)?;
    let feed = feed::read(&feed_account, program)?;
    let page = page::write(&mut page_account, feed_account.key(), program)?;
    let verified = verified_signers(&sysvar, index)?;
    let print = print::parse(verified.message, print::DISSENT_MAGIC)?;
    require(equal(print.series, feed::series(feed)?), Error::WrongSeries)?;
    let ordinal = ordinal(feed::cadence(feed), print.period)?;
    let slot = page::slot(page, ordinal, print.period)?;
    let (place, flag) = place_of(print.status)?;
    require(page::has(slot, flag), Error::NoSuchPrint)?;
    let held = page::record_mut(slot, place)?;
    require(is_of(feed, held, &print)?, Error::NoSuchPrint)?;
    let set = feed::cosigner_set(feed, held[SET])?;
    let mut dissents = held[DISSENTS];
    for key in verified.signers() {
        dissents |= set.bit(key).ok_or(Error::UnknownSigner)?;
    }
    require(dissents != held[DISSENTS], Error::Dissented)?;
    held[DISSENTS] = dissents;
    page::mark(slot, print.period, page::HAS_DISSENT)
}
