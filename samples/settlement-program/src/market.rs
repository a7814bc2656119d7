//! What two parties agreed on, 448 bytes, little endian:
//!
//! ```text
//!      0   8  "venueMK1"; zero before it is open, "venuePD1" once it is paid
//!      8   4  period i32, days since 1970-01-01
//!     12   1  how many of the own co-signers must have signed
//!     13   1  own co-signers n, 1 to 8
//!     14   2  zero
//!     16   8  strike i64, times 10 to the power of the feed's decimals
//!     24   8  refund i64, unix seconds: from when each gets half, where there is no final
//!     32  32  the feed
//!     64  32  the Assay program that owns it
//!     96  32  rule hash
//!    128  32  over: wins when the value is the strike or more
//!    160  32  under: wins otherwise
//!    192 8x32 own co-signers, chosen by the two parties
//! ```

use crate::error::{Error, Result, require};
use crate::final_value::{Key, final_value};
use crate::input::Account;

const MARKET_BYTES: usize = 448;
const OPEN: &[u8; 8] = b"venueMK1";
const PAID: &[u8; 8] = b"venuePD1";
const MOST: usize = 8;

/// The bytes of an open market.
pub struct Market<'a>(&'a [u8; MARKET_BYTES]);

impl<'a> Market<'a> {
    /// The open market in an account of this program.
    pub fn of(account: &'a Account, program: &Key) -> Result<Self> {
        require(account.owner() == program, Error::WrongMarket)?;
        let bytes = account.data().try_into().map_err(|_| Error::WrongMarket)?;
        let market = Self(bytes);
        require(market.at::<8>(0) == *OPEN, Error::WrongState)?;
        Ok(market)
    }

    /// Writes the terms, the bytes from 8 on, into an account that was never a market.
    pub fn open(account: &mut Account, terms: &[u8], program: &Key) -> Result<()> {
        require(account.owner() == program, Error::WrongMarket)?;
        let bytes: &mut [u8; MARKET_BYTES] =
            account.data_mut().try_into().map_err(|_| Error::WrongMarket)?;
        let (magic, rest) = bytes.split_first_chunk_mut::<8>().ok_or(Error::WrongMarket)?;
        require(*magic == [0; 8], Error::WrongState)?;
        require(terms.len() == rest.len(), Error::Instruction)?;
        *magic = *OPEN;
        rest.copy_from_slice(terms);
        let market = Market(bytes);
        let (required, own) = (market.required(), market.own_count());
        let fits = required >= 1 && required <= own && own <= MOST;
        require(fits && market.over() != market.under(), Error::BadTerms)
    }

    /// Who wins, by the first final of the period.
    pub fn winner(&self, feed: &Account, page: &Account) -> Result<Key> {
        let program = self.at::<32>(64);
        let meant = feed.key() == &self.at::<32>(32);
        let owned = *feed.owner() == program && *page.owner() == program;
        require(meant && owned, Error::WrongFeed)?;
        let own = self.0[192..].as_chunks().0.get(..self.own_count()).ok_or(Error::BadTerms)?;
        let period = i32::from_le_bytes(self.at(8));
        let feed = (feed.key(), feed.data());
        let value = final_value(feed, page.data(), period, &self.at(96), own, self.required())
            .ok_or(Error::NoFinal)?;
        let strike = i64::from_le_bytes(self.at(16));
        Ok(if value >= strike { self.over() } else { self.under() })
    }

    pub fn refund_at(&self) -> i64 {
        i64::from_le_bytes(self.at(24))
    }

    pub fn over(&self) -> Key {
        self.at(128)
    }

    pub fn under(&self) -> Key {
        self.at(160)
    }

    fn required(&self) -> usize {
        usize::from(self.0[12])
    }

    fn own_count(&self) -> usize {
        usize::from(self.0[13])
    }

    /// `at` is a place of the layout: the compiler sees that it is inside.
    #[inline(always)]
    fn at<const N: usize>(&self, at: usize) -> [u8; N] {
        core::array::from_fn(|i| self.0[at + i])
    }
}

/// Moves `lamports` of the market to a party.
pub fn pay(market: &mut Account, party: &mut Account, lamports: u64) -> Result<()> {
    let left = market.lamports().checked_sub(lamports).ok_or(Error::Overflow)?;
    let got = party.lamports().checked_add(lamports).ok_or(Error::Overflow)?;
    market.set_lamports(left);
    party.set_lamports(got);
    Ok(())
}

/// An account without lamports is gone after its transaction, unless somebody sends it some within:
/// then it is not open.
pub fn end(market: &mut Account) -> Result<()> {
    let magic = market.data_mut().first_chunk_mut::<8>().ok_or(Error::WrongMarket)?;
    *magic = *PAID;
    Ok(())
}
