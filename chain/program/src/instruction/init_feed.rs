//! 0: makes a feed with its first rule and set. Accounts: payer (signs, pays), genesis publisher (signs),
//! feed (written), system program. Data behind the first byte:
//!
//! ```text
//!      0   1  cadence
//!      1   1  decimals
//!      2   1  threshold
//!      3   1  number of keys n, 1..8
//!      4  16  ticker
//!     20  32  log id
//!     52  32  sha256(next key)
//!     84  32  sha256(recovery key)
//!    116  32  rule hash
//!    148   4  first period i32
//!    152 32n  co-signers' keys
//! ```

use crate::bytes::{Key, array_at, i32_at};
use crate::clock;
use crate::entry::Accounts;
use crate::error::{Error, Result, require};
use crate::feed::{self, FEED_BYTES, Feed, Origin};
use crate::key::require_key;
use crate::ordinal::ordinal;
use crate::syscall::{Slice, sha256};
use crate::system::Creation;
use crate::ticker::require_ticker;

const SERIES_TAG: &[u8] = b"assay/series/v1\0";
const MAX_DECIMALS: u8 = 18;
const KEYS: usize = 152;

pub fn run(accounts: Accounts, data: &[u8], program: &Key) -> Result<()> {
    let [payer, genesis, mut account, system] = accounts.take()?;
    let &[cadence, decimals, threshold, count] = array_at(data, 0).ok_or(Error::Data)?;
    let keys = data.get(KEYS..).ok_or(Error::Data)?;
    let (keys, rest) = keys.as_chunks::<32>();
    require(keys.len() == usize::from(count) && rest.is_empty(), Error::Data)?;
    let hash_at = |at: usize| array_at::<32>(data, at).ok_or(Error::Data);
    let ticker: &[u8; 16] = array_at(data, 4).ok_or(Error::Data)?;
    let first = i32_at(data, 148).ok_or(Error::Data)?;
    genesis.require_signer()?;
    require_ticker(ticker)?;
    require(decimals <= MAX_DECIMALS, Error::BadDecimals)?;
    ordinal(cadence, first)?;
    require_key(genesis.key())?;
    let seeds = [Slice::of(feed::TAG), Slice::of(genesis.key()), Slice::of(ticker)];
    let creation = Creation { payer: &payer, account: &account, system: &system };
    let bump = creation.create(&seeds, FEED_BYTES as u16, program)?;
    let log = hash_at(20)?;
    let series = sha256(&[Slice::of(SERIES_TAG), Slice::of(log), Slice::of(ticker)]);
    let now = clock::now()?.unix_timestamp;
    let feed: &mut Feed = account.data_mut()?.try_into().map_err(|_| Error::WrongSize)?;
    let origin = Origin {
        bump,
        cadence,
        decimals,
        ticker,
        genesis: genesis.key(),
        log,
        series: &series,
        next: hash_at(52)?,
        recovery: hash_at(84)?,
    };
    feed::begin(feed, &origin)?;
    feed::add_rule(feed, hash_at(116)?, first, [now, now])?;
    feed::add_set(feed, threshold, keys, [now, now])
}
