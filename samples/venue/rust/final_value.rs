//! The final of a period off the bytes of the feed's and the page's accounts. No allocation, no
//! dependency, no panic; offsets are those of docs/spec/chain.md. The caller checks first that
//! the owner of both accounts is the Assay program it trusts, and `feed_at` is where the feed
//! that it means stands: the address its market was made with.

pub type Key = [u8; 32];

const FEED_BYTES: usize = 5424;
const PAGE_BYTES: usize = 6480;
const PAGE_FEED: usize = 16;
const SLOTS: usize = 80;
const SLOT_BYTES: usize = 200;
const SLOT_FLAGS: usize = 4;
const IS_FINAL: u8 = 2;
const FINAL: usize = 72;
const RECORD_FLAGS: usize = 50;
const SETTLEABLE: u8 = 1;
const RULE: usize = 52;
const SET: usize = 53;
const SIGNED: usize = 54;
const RULES: usize = 304;
const RULE_BYTES: usize = 48;
const SETS: usize = 1072;
const SET_BYTES: usize = 272;
const SET_KEYS: usize = 16;
/// Rules, and sets, of a feed.
const MOST: usize = 16;
/// Of the keys of a set.
const BITS: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// The value, times 10 to the power of the feed's decimals, when `period` (days since 1970-01-01)
/// is final and settleable under `rule`, and `required` (1 or more) keys of `own` signed it.
/// `own` is the caller's list: the sets on chain are the publisher's choice.
pub fn final_value(
    (feed_at, feed): (&Key, &[u8]),
    page: &[u8],
    period: i32,
    rule: &Key,
    own: &[Key],
    required: usize,
) -> Option<i64> {
    let is_feed = feed.len() == FEED_BYTES && feed.starts_with(b"assayFD1");
    let is_page = page.len() == PAGE_BYTES && page.starts_with(b"assayPG1");
    let is_its = key_at(page, PAGE_FEED)? == feed_at;
    let mut slots = page.get(SLOTS..)?.chunks_exact(SLOT_BYTES);
    let slot = slots.find(|slot| slot.starts_with(&period.to_le_bytes()))?;
    let is_final = slot.get(SLOT_FLAGS)? & IS_FINAL != 0;
    let record = slot.get(FINAL..)?.first_chunk::<64>()?;
    let settleable = record[RECORD_FLAGS] & SETTLEABLE != 0;
    let [number, set] = [RULE, SET].map(|at| usize::from(record[at]));
    let under_rule = number < MOST && key_at(feed, RULES + RULE_BYTES * number)? == rule;
    let keys = feed.get(SETS + SET_BYTES * set + SET_KEYS..)?.as_chunks().0;
    let is_own = |(key, bit): &(&Key, u8)| record[SIGNED] & bit != 0 && own.contains(key);
    let enough = keys.iter().zip(BITS).filter(is_own).nth(required.checked_sub(1)?).is_some();
    let its = is_feed && is_page && is_its && under_rule && set < MOST;
    (its && is_final && settleable && enough).then_some(i64::from_le_bytes(*record.first_chunk()?))
}

fn key_at(bytes: &[u8], at: usize) -> Option<&Key> {
    bytes.get(at..)?.first_chunk()
}
