//! The instructions, by the first byte of their data.

mod add_rule;
mod add_set;
mod cancel;
mod close;
mod dissent;
mod init_feed;
mod open_page;
mod publish;
mod rotate;
mod standing;

use crate::account::Account;
use crate::bytes::equal;
use crate::entry::Input;
use crate::error::{Error, Result, require};
use crate::feed::{self, Feed};

pub fn run(input: Input) -> Result<()> {
    let Input { accounts, data, program } = input;
    let (&kind, data) = data.split_first().ok_or(Error::Instruction)?;
    match kind {
        0 => init_feed::run(accounts, data, program),
        1 => open_page::run(accounts, data, program),
        2 => publish::run(accounts, data, program),
        3 => dissent::run(accounts, data, program),
        4 => add_rule::run(accounts, data, program),
        5 => add_set::run(accounts, data, program),
        6 => rotate::run(accounts, data, program),
        7 => cancel::run(accounts, data, program),
        8 => close::run(accounts, data, program),
        _ => Err(Error::Instruction),
    }
}

/// `NotSigner` or `NotPublisher` unless the account is the feed's publisher and signs.
fn require_publisher(account: &Account, feed: &Feed, now: i64) -> Result<()> {
    account.require_signer()?;
    require(equal(account.key(), feed::publisher(feed, now)?), Error::NotPublisher)
}

/// Data that is one byte: the number of the Ed25519 instruction, or what a cancellation names.
fn one_byte(data: &[u8]) -> Result<u8> {
    match *data {
        [byte] => Ok(byte),
        _ => Err(Error::Data),
    }
}
