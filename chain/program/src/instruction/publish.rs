//! 2: writes a print, or notes further co-signers of exactly the print that stands. Anyone may bring it.
//! Accounts: feed (written), page (written), instructions sysvar. Data behind the first byte: the number of
//! the Ed25519 instruction that proves the signatures.

use super::one_byte;
use super::standing::{is_of, place_of};
use crate::bytes::{Key, equal};
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed::{self, CosignerSet, Feed};
use crate::ordinal::ordinal;
use crate::page::{self, Place, Slot};
use crate::print::{self, PRINT_BYTES, Print};
use crate::record::{self, COSIGNERS, Context, ISSUE, SET};
use crate::signers::{Verified, verified_signers};

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [mut feed_account, mut page_account, sysvar] = accounts.take()?;
    let index = one_byte(data)?;
    let page = page::write(&mut page_account, feed_account.key(), program)?;
    let feed = feed::write(&mut feed_account, program)?;
    let verified = verified_signers(&sysvar, index)?;
    let print = print::parse(verified.message, print::PRINT_MAGIC)?;
    print.require_sense(feed::series(feed)?, feed::decimals(feed))?;
    let clock = clock::now()?;
    let now = clock.unix_timestamp;
    clock::require_published(print.period, print.published_at, now)?;
    let ordinal = ordinal(feed::cadence(feed), print.period)?;
    let slot = page::slot(page, ordinal, print.period)?;
    let (place, flag) = match admit(slot, &print) {
        Ok(admitted) => admitted,
        Err(refusal) => return add_cosigners(slot, feed, now, &verified, refusal),
    };
    let rule = feed::rule_for(feed, print.period, now)?;
    require(equal(rule.hash, print.rule), Error::WrongRule)?;
    let (set, cosigners) = require_quorum(feed, now, &verified, print.status)?;
    let context = Context { rule: rule.number, set, cosigners, slot: clock.slot };
    record::fill(page::record_mut(slot, place)?, &print, &context)?;
    page::mark(slot, print.period, flag)?;
    if matches!(place, Place::Settled) {
        feed::settle(feed, print.period)?;
    }
    Ok(())
}

/// Notes further co-signers of the print that stands, of the set that it was written under, so that nobody
/// keeps one out by bringing the print without him. `refusal` of another print, and where nobody is new.
#[inline(never)]
fn add_cosigners(
    slot: &mut Slot,
    feed: &Feed,
    now: i64,
    verified: &Verified<PRINT_BYTES>,
    refusal: Error,
) -> Result<()> {
    let print = print::parse(verified.message, print::PRINT_MAGIC)?;
    let (place, flag) = place_of(print.status)?;
    require(page::has(slot, flag), refusal)?;
    let held = page::record_mut(slot, place)?;
    require(is_of(feed, held, &print)?, refusal)?;
    let set = feed::cosigner_set(feed, held[SET])?;
    let cosigners = held[COSIGNERS] | cosigners_of(feed, now, verified, &set)?;
    require(cosigners != held[COSIGNERS], refusal)?;
    held[COSIGNERS] = cosigners;
    Ok(())
}

/// Who of a set signed, as bits. `NoPublisher` unless the publisher did, `UnknownSigner` for anybody else.
#[inline(always)]
fn cosigners_of<const N: usize>(
    feed: &Feed,
    now: i64,
    verified: &Verified<N>,
    set: &CosignerSet,
) -> Result<u8> {
    let publisher = feed::publisher(feed, now)?;
    let mut has_publisher = false;
    let mut cosigners = 0u8;
    for key in verified.signers() {
        if equal(key, publisher) {
            has_publisher = true;
        } else {
            cosigners |= set.bit(key).ok_or(Error::UnknownSigner)?;
        }
    }
    require(has_publisher, Error::NoPublisher)?;
    Ok(cosigners)
}

/// The newest set's number and who of it signed. The publisher always signs; a provisional needs nobody
/// else. A function of its own, for its loops then have the registers to themselves.
#[inline(never)]
fn require_quorum<const N: usize>(
    feed: &Feed,
    now: i64,
    verified: &Verified<N>,
    status: u8,
) -> Result<(u8, u8)> {
    let set = feed::newest_set(feed, now)?;
    let cosigners = cosigners_of(feed, now, verified, &set)?;
    // Signers are distinct, so that all but the publisher are bits.
    let count = verified.signers().len().saturating_sub(1);
    let has_quorum = status == print::PROVISIONAL || count >= usize::from(set.threshold);
    require(has_quorum, Error::NoQuorum)?;
    Ok((set.number, cosigners))
}

/// Where the slot takes this print, and the flag that it then shows. It never takes the one that stands.
#[inline(always)]
fn admit(slot: &Slot, print: &Print) -> Result<(Place, u8)> {
    let is_settled = page::has(slot, page::IS_FINAL | page::IS_VOID);
    let last_issue = |flag: u8, place: Place| -> Result<Option<u8>> {
        if !page::has(slot, flag) {
            return Ok(None);
        }
        Ok(Some(page::record(slot, place)?[ISSUE]))
    };
    match print.status {
        print::PROVISIONAL => {
            require(!is_settled, Error::Settled)?;
            let last = last_issue(page::IS_PROVISIONAL, Place::Provisional)?;
            require(last.is_none_or(|last| print.issue > last), Error::BadIssue)?;
            Ok((Place::Provisional, page::IS_PROVISIONAL))
        }
        print::CORRECTED => {
            require(page::has(slot, page::IS_FINAL), Error::NoFinal)?;
            let last = last_issue(page::IS_CORRECTED, Place::Corrected)?.unwrap_or(0);
            require(last.checked_add(1) == Some(print.issue), Error::BadIssue)?;
            Ok((Place::Corrected, page::IS_CORRECTED))
        }
        print::FINAL => {
            require(!is_settled, Error::Settled)?;
            Ok((Place::Settled, page::IS_FINAL))
        }
        _ => {
            require(!is_settled, Error::Settled)?;
            Ok((Place::Settled, page::IS_VOID))
        }
    }
}
