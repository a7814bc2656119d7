//! The instructions, by the first byte of their data. The runtime refuses what changes an account that
//! is not writable, or takes lamports of an account that is not this program's.

use crate::clock;
use crate::error::{Error, Result, require};
use crate::final_value::Key;
use crate::input::Input;
use crate::market::{self, Market};

pub fn run(input: Input) -> Result<()> {
    let (kind, data) = input.data.split_first().ok_or(Error::Instruction)?;
    match (kind, data) {
        (0, terms) => open(input, terms),
        (1, []) => settle(input),
        (2, []) => refund(input),
        _ => Err(Error::Instruction),
    }
}

/// Market, over and under sign. The market holds what both brought.
fn open(input: Input, terms: &[u8]) -> Result<()> {
    let program = input.program;
    let [mut market, over, under] = input.accounts()?;
    let signed = market.is_signer() && over.is_signer() && under.is_signer();
    require(signed, Error::NotSigner)?;
    Market::open(&mut market, terms, program)?;
    let terms = Market::of(&market, program)?;
    require(parties(&terms) == (*over.key(), *under.key()), Error::WrongParty)
}

/// Anybody may send it: market, feed, page, and the winner, who gets everything.
fn settle(input: Input) -> Result<()> {
    let program = input.program;
    let [mut market, feed, page, mut winner] = input.accounts()?;
    let wins = Market::of(&market, program)?.winner(&feed, &page)?;
    require(*winner.key() == wins, Error::WrongParty)?;
    let all = market.lamports();
    market::pay(&mut market, &mut winner, all)?;
    market::end(&mut market)
}

/// Anybody may send it, from the time on that the terms name: market, over and under, half each.
fn refund(input: Input) -> Result<()> {
    let program = input.program;
    let [mut market, mut over, mut under] = input.accounts()?;
    let terms = Market::of(&market, program)?;
    require(clock::now() >= terms.refund_at(), Error::TooEarly)?;
    require(parties(&terms) == (*over.key(), *under.key()), Error::WrongParty)?;
    let all = market.lamports();
    let half = all / 2;
    market::pay(&mut market, &mut over, half)?;
    market::pay(&mut market, &mut under, all - half)?;
    market::end(&mut market)
}

fn parties(terms: &Market) -> (Key, Key) {
    (terms.over(), terms.under())
}
