//! 8: writes a Close, or a version of it that supersedes the one before. Anyone may bring it. Accounts:
//! payer (signs, pays), feed, Close (written), system program, instructions sysvar. Data behind the first
//! byte: the number of the Ed25519 instruction.

use super::one_byte;
use crate::bytes::{Key, equal};
use crate::clock::{self, DAY_SECONDS};
use crate::close_account::{self, CLOSE_BYTES};
use crate::close_message;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed;
use crate::signers::verified_signers;
use crate::syscall::Slice;
use crate::system::Creation;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [payer, feed_account, mut account, system, sysvar] = accounts.take()?;
    let index = one_byte(data)?;
    let feed = feed::read(&feed_account, program)?;
    let verified = verified_signers(&sysvar, index)?;
    let message = close_message::parse(verified.message)?;
    let log = feed::log(feed)?;
    require(equal(message.log, log), Error::WrongLog)?;
    let clock = clock::now()?;
    let [signer] = verified.signers() else { return Err(Error::EdCount) };
    let publisher = feed::publisher(feed, clock.unix_timestamp)?;
    require(equal(signer, publisher), Error::NoPublisher)?;
    let day = message.day;
    let over = i64::from(day).checked_add(1).and_then(|next| next.checked_mul(DAY_SECONDS));
    let over = over.ok_or(Error::Overflow)?;
    require(day >= 0 && clock::is_past(over, clock.unix_timestamp)?, Error::DayNotOver)?;
    if !equal(account.owner(), program) {
        let bytes = day.to_le_bytes();
        let seeds =
            [Slice::of(close_account::TAG), Slice::of(feed_account.key()), Slice::of(&bytes)];
        let creation = Creation { payer: &payer, account: &account, system: &system };
        let bump = creation.create(&seeds, CLOSE_BYTES as u16, program)?;
        close_account::begin(&mut account, bump, day, feed_account.key(), log)?;
    }
    let close = close_account::write(&mut account, feed_account.key(), day, program)?;
    close_account::append(close, message.hash, clock.slot)
}
