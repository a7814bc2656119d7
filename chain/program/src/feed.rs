//! The feed of one index, 5,424 bytes, little endian; address `["series", genesis key, ticker]`:
//!
//! ```text
//!      0   8  "assayFD1"
//!      8   1  bump
//!      9   1  cadence: 1 utc_day, 2 week_ending_saturday, 3 month
//!     10   1  decimals
//!     11   1  rules used
//!     12   1  sets used
//!     13   3  zero
//!     16  16  ticker, zero padded
//!     32  32  genesis publisher key
//!     64  32  log id
//!     96  32  series
//!    128  32  publisher key
//!    160  32  sha256(next key)
//!    192  32  sha256(recovery key)
//!    224   8  the rotation takes effect, unix seconds i64; 0 none
//!    232  32  the key that comes with it
//!    264  32  sha256 of the key after that
//!    296   4  latest final or void period i32; i32::MIN none
//!    300   4  zero
//!    304 768  16 rules
//!   1072 ...  16 co-signer sets
//! ```
//!
//! A rule, 48 bytes: hash 32, first period i32, zero 4, takes effect i64.
//! A set, 272 bytes: takes effect i64, keys used 1, threshold 1, zero 6, 8 keys.

use crate::account::Account;
use crate::bytes::{self, Key, array_at, equal, i32_at, i64_at, put};
use crate::clock;
use crate::error::{Error, Result, require};
use crate::key::require_key;
use crate::syscall::{Slice, sha256};

pub const FEED_BYTES: usize = 5424;
pub type Feed = [u8; FEED_BYTES];

pub const TAG: &[u8] = b"series";
pub const MAGIC: [u8; 8] = *b"assayFD1";

pub const MAX_RULES: u8 = 16;
pub const MAX_SETS: u8 = 16;
pub const MAX_COSIGNERS: usize = 8;

/// As many co-signatures as fit a transaction of 1,232 bytes beside the publisher's, a page that it opens
/// and a priority fee. More keys of a set can sign afterwards.
const MAX_THRESHOLD: usize = 5;

/// No period is final or void.
pub const NO_PERIOD: i32 = i32::MIN;

const BUMP: usize = 8;
const CADENCE: usize = 9;
const DECIMALS: usize = 10;
const RULES_USED: usize = 11;
const SETS_USED: usize = 12;
const TICKER: usize = 16;
const GENESIS: usize = 32;
const LOG: usize = 64;
const SERIES: usize = 96;
const PUBLISHER: usize = 128;
const NEXT: usize = 160;
const RECOVERY: usize = 192;
const ROTATION_AT: usize = 224;
const COMING: usize = 232;
const AFTER: usize = 264;
const LATEST: usize = 296;
const RULES: usize = 304;
const RULE_BYTES: usize = 48;
const SETS: usize = 1072;
const SET_BYTES: usize = 272;
const SET_KEYS: usize = 16;

/// What is fixed when a feed is made.
pub struct Origin<'a> {
    pub bump: u8,
    pub cadence: u8,
    pub decimals: u8,
    pub ticker: &'a [u8; 16],
    pub genesis: &'a Key,
    pub log: &'a Key,
    pub series: &'a Key,
    pub next: &'a Key,
    pub recovery: &'a Key,
}

#[derive(Clone, Copy)]
pub struct Rule<'a> {
    pub number: u8,
    pub hash: &'a Key,
    pub first: i32,
    pub effective: i64,
}

#[derive(Clone, Copy)]
pub struct CosignerSet<'a> {
    pub number: u8,
    pub threshold: u8,
    pub keys: &'a [Key],
}

impl CosignerSet<'_> {
    /// The bit of a co-signer's key.
    #[inline(always)]
    pub fn bit(&self, key: &Key) -> Option<u8> {
        let mut bit = 1u8;
        for each in self.keys {
            if equal(each, key) {
                return Some(bit);
            }
            bit <<= 1;
        }
        None
    }
}

/// The feed that `account` holds.
#[inline(always)]
pub fn read<'a>(account: &'a Account, program: &Key) -> Result<&'a Feed> {
    require(equal(account.owner(), program), Error::WrongOwner)?;
    let feed: &Feed = account.data().try_into().map_err(|_| Error::WrongSize)?;
    require_feed(feed)?;
    Ok(feed)
}

/// The feed that `account` holds, to be changed.
#[inline(always)]
pub fn write<'a>(account: &'a mut Account, program: &Key) -> Result<&'a mut Feed> {
    require(equal(account.owner(), program), Error::WrongOwner)?;
    let feed: &mut Feed = account.data_mut()?.try_into().map_err(|_| Error::WrongSize)?;
    require_feed(feed)?;
    Ok(feed)
}

#[inline(always)]
fn require_feed(feed: &Feed) -> Result<()> {
    require(bytes::u64_at(feed, 0) == Some(u64::from_le_bytes(MAGIC)), Error::WrongMagic)?;
    let (rules, sets) = (feed[RULES_USED], feed[SETS_USED]);
    require(rules >= 1 && rules <= MAX_RULES && sets >= 1 && sets <= MAX_SETS, Error::Corrupt)
}

/// A new feed without rules and sets, in zero bytes.
pub fn begin(feed: &mut Feed, origin: &Origin) -> Result<()> {
    feed[BUMP] = origin.bump;
    feed[CADENCE] = origin.cadence;
    feed[DECIMALS] = origin.decimals;
    set(feed, TICKER, origin.ticker)?;
    set(feed, GENESIS, origin.genesis)?;
    set(feed, LOG, origin.log)?;
    set(feed, SERIES, origin.series)?;
    set(feed, PUBLISHER, origin.genesis)?;
    set(feed, NEXT, origin.next)?;
    set(feed, RECOVERY, origin.recovery)?;
    set(feed, LATEST, &NO_PERIOD.to_le_bytes())?;
    set(feed, 0, &MAGIC)
}

fn set<const N: usize>(feed: &mut Feed, at: usize, value: &[u8; N]) -> Result<()> {
    put(feed, at, value).ok_or(Error::Corrupt)
}

#[inline(always)]
fn key_at(feed: &Feed, at: usize) -> Result<&Key> {
    array_at(feed, at).ok_or(Error::Corrupt)
}

pub fn cadence(feed: &Feed) -> u8 {
    feed[CADENCE]
}

pub fn decimals(feed: &Feed) -> u8 {
    feed[DECIMALS]
}

pub fn log(feed: &Feed) -> Result<&Key> {
    key_at(feed, LOG)
}

pub fn series(feed: &Feed) -> Result<&Key> {
    key_at(feed, SERIES)
}

/// When the rotation that was asked for last takes effect; 0 where there is none.
pub fn rotation_at(feed: &Feed) -> Result<i64> {
    i64_at(feed, ROTATION_AT).ok_or(Error::Corrupt)
}

fn is_rotated(feed: &Feed, now: i64) -> Result<bool> {
    let at = rotation_at(feed)?;
    Ok(at != 0 && at <= now)
}

/// The publisher's key at `now`: a rotation takes effect by itself.
#[inline(always)]
pub fn publisher(feed: &Feed, now: i64) -> Result<&Key> {
    key_at(feed, if is_rotated(feed, now)? { COMING } else { PUBLISHER })
}

/// sha256 of the key that may follow the publisher's.
pub fn next_hash(feed: &Feed, now: i64) -> Result<&Key> {
    key_at(feed, if is_rotated(feed, now)? { AFTER } else { NEXT })
}

pub fn recovery_hash(feed: &Feed) -> Result<&Key> {
    key_at(feed, RECOVERY)
}

/// Notes that `coming` follows at `effective`, and `after` is the hash of the key after it. A rotation
/// that has taken effect becomes the present.
pub fn rotate(feed: &mut Feed, now: i64, effective: i64, coming: &Key, after: &Key) -> Result<()> {
    let publisher = *publisher(feed, now)?;
    let next = *next_hash(feed, now)?;
    set(feed, PUBLISHER, &publisher)?;
    set(feed, NEXT, &next)?;
    set(feed, ROTATION_AT, &effective.to_le_bytes())?;
    set(feed, COMING, coming)?;
    set(feed, AFTER, after)
}

/// Forgets the rotation that waits.
pub fn cancel_rotation(feed: &mut Feed) -> Result<()> {
    set(feed, ROTATION_AT, &[0; 8])?;
    set(feed, COMING, &[0; 32])?;
    set(feed, AFTER, &[0; 32])
}

pub fn latest(feed: &Feed) -> Result<i32> {
    i32_at(feed, LATEST).ok_or(Error::Corrupt)
}

/// Notes that `period` is final or void.
pub fn settle(feed: &mut Feed, period: i32) -> Result<()> {
    let latest = latest(feed)?.max(period);
    set(feed, LATEST, &latest.to_le_bytes())
}

#[inline(always)]
pub fn rule(feed: &Feed, number: u8) -> Result<Rule<'_>> {
    require(number < feed[RULES_USED], Error::Corrupt)?;
    let at = RULES + RULE_BYTES * usize::from(number);
    let bytes: &[u8; RULE_BYTES] = array_at(feed, at).ok_or(Error::Corrupt)?;
    Ok(Rule {
        number,
        hash: array_at(bytes, 0).ok_or(Error::Corrupt)?,
        first: i32_at(bytes, 32).ok_or(Error::Corrupt)?,
        effective: i64_at(bytes, 40).ok_or(Error::Corrupt)?,
    })
}

/// The one rule of a period: the last whose first period is not after it. It must have taken effect.
#[inline(always)]
pub fn rule_for(feed: &Feed, period: i32, now: i64) -> Result<Rule<'_>> {
    let mut number = feed[RULES_USED];
    while let Some(before) = number.checked_sub(1) {
        number = before;
        let rule = rule(feed, number)?;
        if rule.first <= period {
            require(rule.effective <= now, Error::RuleWaits)?;
            return Ok(rule);
        }
    }
    Err(Error::NoRule)
}

/// Appends a rule. `RulesFull`, `RuleWaits` while the one before does, `RuleOrder` where it would change
/// what a period is already under, or `RuleTime` where its first period begins before it takes effect (but
/// for a feed's first rule) or is out of sight. One at a time: whoever steals a key cannot fill the feed
/// before it is rotated.
pub fn add_rule(
    feed: &mut Feed,
    hash: &Key,
    first: i32,
    [now, effective]: [i64; 2],
) -> Result<()> {
    let used = feed[RULES_USED];
    require(used < MAX_RULES, Error::RulesFull)?;
    let mut earliest = None;
    if let Some(last) = used.checked_sub(1) {
        let last = rule(feed, last)?;
        require(last.effective <= now, Error::RuleWaits)?;
        require(first > last.first && first > latest(feed)?, Error::RuleOrder)?;
        earliest = Some(effective);
    }
    clock::require_first(first, earliest, now)?;
    let at = RULES + RULE_BYTES * usize::from(used);
    set(feed, at, hash)?;
    set(feed, at + 32, &first.to_le_bytes())?;
    set(feed, at + 40, &effective.to_le_bytes())?;
    feed[RULES_USED] = used + 1;
    Ok(())
}

/// Takes back the newest rule. `NoWaitingRule` unless it waits. The first never does.
pub fn cancel_rule(feed: &mut Feed, now: i64) -> Result<()> {
    let last = feed[RULES_USED].saturating_sub(1);
    let waits = last > 0 && clock::is_to_come(rule(feed, last)?.effective, now)?;
    require(waits, Error::NoWaitingRule)?;
    feed[RULES_USED] = last;
    set(feed, RULES + RULE_BYTES * usize::from(last), &[0; RULE_BYTES])
}

#[inline(always)]
fn set_bytes(feed: &Feed, number: u8) -> Result<&[u8; SET_BYTES]> {
    array_at(feed, SETS + SET_BYTES * usize::from(number)).ok_or(Error::Corrupt)
}

#[inline(always)]
pub fn cosigner_set(feed: &Feed, number: u8) -> Result<CosignerSet<'_>> {
    require(number < feed[SETS_USED], Error::Corrupt)?;
    let bytes = set_bytes(feed, number)?;
    let (keys, _) = bytes[SET_KEYS..].as_chunks::<32>();
    let keys = keys.get(..usize::from(bytes[8])).ok_or(Error::Corrupt)?;
    Ok(CosignerSet { number, threshold: bytes[9], keys })
}

/// The newest set that has taken effect.
#[inline(always)]
pub fn newest_set(feed: &Feed, now: i64) -> Result<CosignerSet<'_>> {
    let mut number = feed[SETS_USED];
    while let Some(before) = number.checked_sub(1) {
        number = before;
        if i64_at(set_bytes(feed, number)?, 0).ok_or(Error::Corrupt)? <= now {
            return cosigner_set(feed, number);
        }
    }
    Err(Error::Corrupt)
}

/// Appends a co-signer set: distinct strict keys other than the publisher's, present, coming and committed
/// to. `SetWaits` while the one before does, as with rules.
pub fn add_set(
    feed: &mut Feed,
    threshold: u8,
    keys: &[Key],
    [now, effective]: [i64; 2],
) -> Result<()> {
    let used = feed[SETS_USED];
    require(used < MAX_SETS, Error::SetsFull)?;
    if let Some(last) = used.checked_sub(1) {
        let since = i64_at(set_bytes(feed, last)?, 0).ok_or(Error::Corrupt)?;
        require(since <= now, Error::SetWaits)?;
    }
    let count = keys.len();
    require(count <= MAX_COSIGNERS, Error::Data)?;
    let quorum = usize::from(threshold);
    let is_quorum = quorum >= 1 && quorum <= count && 2 * quorum > count;
    require(is_quorum && quorum <= MAX_THRESHOLD, Error::BadThreshold)?;
    for (i, key) in keys.iter().enumerate() {
        require_key(key)?;
        let publishers = [key_at(feed, PUBLISHER)?, key_at(feed, COMING)?];
        let others = publishers.into_iter().chain(keys.iter().take(i));
        require(others.into_iter().all(|other| !equal(other, key)), Error::RepeatedKey)?;
        let hash = sha256(&[Slice::of(key)]);
        let committed = [key_at(feed, NEXT)?, key_at(feed, AFTER)?];
        require(committed.into_iter().all(|other| !equal(other, &hash)), Error::RepeatedKey)?;
    }
    let at = SETS + SET_BYTES * usize::from(used);
    set(feed, at, &effective.to_le_bytes())?;
    set(feed, at + 8, &[count as u8, threshold])?;
    for (i, key) in keys.iter().enumerate() {
        set(feed, at + SET_KEYS + 32 * i, key)?;
    }
    feed[SETS_USED] = used + 1;
    Ok(())
}

/// Takes back the newest co-signer set. `NoWaitingSet` unless it waits. The first never does.
pub fn cancel_set(feed: &mut Feed, now: i64) -> Result<()> {
    let last = feed[SETS_USED].saturating_sub(1);
    let since = i64_at(set_bytes(feed, last)?, 0).ok_or(Error::Corrupt)?;
    require(last > 0 && clock::is_to_come(since, now)?, Error::NoWaitingSet)?;
    feed[SETS_USED] = last;
    set(feed, SETS + SET_BYTES * usize::from(last), &[0; SET_BYTES])
}
