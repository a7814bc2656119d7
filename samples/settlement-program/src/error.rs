//! Every refusal: the custom program error is its number.

#[derive(Clone, Copy)]
pub enum Error {
    /// The first byte names no instruction, or the data has another length.
    Instruction = 1,
    /// Another number of accounts, or one account twice.
    Accounts = 2,
    /// The market, or a party, did not sign.
    NotSigner = 3,
    /// The market is not this program's, or has another length.
    WrongMarket = 4,
    /// The market is open already, or not open.
    WrongState = 5,
    /// Terms that nobody could win or get back.
    BadTerms = 6,
    /// Not the feed of the terms, or feed or page of another program.
    WrongFeed = 7,
    /// No final that settles: none yet, void, another rule, too few of the own list.
    NoFinal = 8,
    /// Not the party that the money goes to.
    WrongParty = 9,
    /// Before the day of refund.
    TooEarly = 10,
    /// A number beyond its type.
    Overflow = 11,
}

pub type Result<T> = core::result::Result<T, Error>;

#[inline(always)]
pub fn require(holds: bool, error: Error) -> Result<()> {
    if holds { Ok(()) } else { Err(error) }
}
