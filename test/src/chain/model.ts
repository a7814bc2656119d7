import type { CloseAccount } from '@assay/core/onchain/close-account';
import type { ChainError } from '@assay/chain/errors';
import {
  type FeedAccount,
  type FeedSet,
  nextHashAt,
  publisherAt,
  ruleNumberOf,
  setNumberAt,
} from '@assay/core/onchain/feed-account';
import type { FeedParameters } from '@assay/chain/instructions';
import { ordinalOf, pagePlace } from '@assay/core/onchain/ordinal';
import type { PageAccount, PageSlot } from '@assay/core/onchain/page-account';
import type { ChainRecord } from '@assay/core/onchain/record';
import type { HashHex } from '@assay/core/hash';
import { parseHex } from '@assay/core/hex';
import type { Waiting } from '@assay/chain/instructions';
import type { Print } from '@assay/core/print';
import { isTicker } from '@assay/core/ticker';
import { hashOf } from './party.ts';

/**
 * What the program is to do, written a second time: plain state and one function an instruction. A
 * refusal is the program's error; every check stands in the program's order.
 */
export interface Model {
  now: bigint;
  readonly slot: bigint;
  feed: FeedAccount | null;
  readonly pages: Map<number, PageAccount>;
  readonly closes: Map<number, CloseAccount>;
  /** What the model cannot work out: addresses, bumps, the series, which keys are points. */
  readonly facts: ModelFacts;
}

export interface ModelFacts {
  readonly genesis: HashHex;
  readonly feedKey: HashHex;
  readonly feedBump: number;
  readonly pageBump: (index: number) => number;
  readonly closeBump: (day: number) => number;
  readonly series: (log: HashHex) => HashHex;
  readonly isKey: (key: HashHex) => boolean;
}

type Refusal = ChainError | null;

const DAY = 86_400n;
const DELAY = 7n * DAY;
const AHEAD = 120n;
const HORIZON = 400n * DAY;
const LAST_SECOND = 2n ** 63n - 1n;
const NO_SET: FeedSet = { effective: 0n, threshold: 0, keys: [] };

export function modelInit(model: Model, parameters: FeedParameters): Refusal {
  const { facts, now } = model;
  const { cadence, decimals, ticker, first, threshold, cosigners } = parameters;
  if (!isTicker(ticker)) return 'bad_ticker';
  if (decimals > 18) return 'bad_decimals';
  if (!isOrdinal(cadence, first)) return 'bad_period';
  if (model.feed !== null) return 'exists';
  if (now + HORIZON > LAST_SECOND) return 'overflow';
  if (BigInt(first) * DAY > now + HORIZON) return 'rule_time';
  const roles = { keys: [facts.genesis], hashes: [parameters.nextHash as HashHex] };
  const set = refuseSet(model, threshold, cosigners as HashHex[], roles);
  if (set !== null) return set;
  model.feed = {
    bump: facts.feedBump,
    cadence,
    decimals,
    ticker,
    genesis: facts.genesis,
    log: parameters.log as HashHex,
    series: facts.series(parameters.log as HashHex),
    publisher: facts.genesis,
    nextHash: parameters.nextHash as HashHex,
    recoveryHash: parameters.recoveryHash as HashHex,
    rotation: null,
    latest: null,
    rules: [{ hash: parameters.rule as HashHex, first, effective: now }],
    sets: [{ effective: now, threshold, keys: cosigners as HashHex[] }],
  };
  return null;
}

/** `at` is the feed whose page the account is, where it is another's. */
export function modelOpenPage(model: Model, index: number, at: Model = model): Refusal {
  if (model.feed === null) return 'wrong_owner';
  if (at !== model) return 'wrong_address';
  if (model.pages.has(index)) return 'exists';
  model.pages.set(index, {
    bump: model.facts.pageBump(index),
    index,
    feed: model.facts.feedKey,
    slots: Array.from({ length: 32 }, () => null),
  });
  return null;
}

export function modelPublish(
  model: Model,
  print: Print,
  signers: readonly HashHex[],
  index: number,
  at: Model = model,
): Refusal {
  const { feed, now } = model;
  const page = at.pages.get(index);
  if (page === undefined) return 'wrong_owner';
  if (at !== model) return 'wrong_feed';
  if (feed === null) return 'wrong_owner';
  if (new Set(signers).size < signers.length) return 'repeated_signer';
  const { status, issue, withheld } = print;
  const settles = status === 'final' || status === 'void';
  if (print.series !== feed.series) return 'wrong_series';
  if (print.decimals !== feed.decimals) return 'bad_decimals';
  if (print.settleable && (status !== 'final' || withheld)) return 'bad_flags';
  if (print.value !== 0n && (status === 'void' || withheld)) return 'bad_value';
  if (settles ? issue !== 0 : status === 'corrected' && issue === 0) return 'bad_issue';
  const { publishedAt, period } = print;
  if (publishedAt < BigInt(period) * DAY) return 'bad_time';
  if (now + AHEAD > LAST_SECOND) return 'overflow';
  if (publishedAt > now + AHEAD) return 'bad_time';
  if (!isOrdinal(feed.cadence, period)) return 'bad_period';
  const place = pagePlace(ordinalOf(feed.cadence, period));
  if (place.index !== index) return 'wrong_page';
  const before = page.slots[place.slot] ?? null;
  const name = placeOf(status);
  const held = before?.[name];
  const publisher = publisherAt(feed, now);
  const others = signers.filter((key) => key !== publisher);
  if (before !== null && held !== null && held !== undefined && isOf(feed, held, print)) {
    const { keys: own } = feed.sets[held.set] ?? NO_SET;
    if (others.some((key) => !own.includes(key))) return 'unknown_signer';
    if (others.length === signers.length) return 'no_publisher';
    const cosigners = held.cosigners | bitsOf(own, others);
    if (cosigners !== held.cosigners) {
      setSlot(model, page, place.slot, { ...before, [name]: { ...held, cosigners } });
      return null;
    }
  }
  if (status === 'corrected') {
    if (before?.settled?.status !== 'final') return 'no_final';
    if (issue !== (before.corrected?.issue ?? 0) + 1) return 'bad_issue';
  } else {
    if (before !== null && before.settled !== null) return 'settled';
    if (status === 'provisional' && issue <= (before?.provisional?.issue ?? -1)) return 'bad_issue';
  }
  const rule = ruleNumberOf(feed, period);
  if (rule === undefined) return 'no_rule';
  if ((feed.rules[rule]?.effective ?? 0n) > now) return 'rule_waits';
  if (feed.rules[rule]?.hash !== print.rule) return 'wrong_rule';
  const set = setNumberAt(feed, now);
  if (set === undefined) return 'corrupt';
  const { keys, threshold } = feed.sets[set] ?? NO_SET;
  if (others.some((key) => !keys.includes(key))) return 'unknown_signer';
  if (others.length === signers.length) return 'no_publisher';
  if (status !== 'provisional' && others.length < threshold) return 'no_quorum';
  const cosigners = bitsOf(keys, others);
  const record = recordOf(print, rule, set, cosigners, model.slot);
  const empty = { period, provisional: null, settled: null, corrected: null, dissent: false };
  const changed: PageSlot = { ...(before ?? empty), [name]: record };
  setSlot(model, page, place.slot, changed);
  if (settles) {
    model.feed = { ...feed, latest: Math.max(feed.latest ?? period, period) };
  }
  return null;
}

export function modelDissent(
  model: Model,
  print: Print,
  signers: readonly HashHex[],
  index: number,
  at: Model = model,
): Refusal {
  const { feed } = model;
  const page = at.pages.get(index);
  if (page === undefined || feed === null) return 'wrong_owner';
  if (at !== model) return 'wrong_feed';
  if (new Set(signers).size < signers.length) return 'repeated_signer';
  if (print.series !== feed.series) return 'wrong_series';
  if (!isOrdinal(feed.cadence, print.period)) return 'bad_period';
  const place = pagePlace(ordinalOf(feed.cadence, print.period));
  if (place.index !== index) return 'wrong_page';
  const slot = page.slots[place.slot];
  const name = placeOf(print.status);
  const held = slot?.[name];
  if (slot === null || slot === undefined || held === null || held === undefined) {
    return 'no_such_print';
  }
  if (!isOf(feed, held, print)) return 'no_such_print';
  const { keys } = feed.sets[held.set] ?? NO_SET;
  if (signers.some((key) => !keys.includes(key))) return 'unknown_signer';
  const dissents = held.dissents | bitsOf(keys, signers);
  if (dissents === held.dissents) return 'dissented';
  setSlot(model, page, place.slot, { ...slot, [name]: { ...held, dissents }, dissent: true });
  return null;
}

/** Whether a record is of exactly this print. */
function isOf(feed: FeedAccount, held: ChainRecord, print: Print): boolean {
  const same = recordOf(print, held.rule, held.set, held.cosigners, held.slot);
  return (
    feed.rules[held.rule]?.hash === print.rule &&
    JSON.stringify({ ...same, ...NO_WIDE }) ===
      JSON.stringify({ ...held, ...NO_WIDE, dissents: 0 }) &&
    same.value === held.value &&
    same.publishedAt === held.publishedAt
  );
}

/** JSON has no wide integers: they are compared apart. */
const NO_WIDE = { value: null, publishedAt: null, slot: null };

export function modelAddRule(model: Model, signer: HashHex, hash: HashHex, first: number): Refusal {
  const { feed, now } = model;
  if (feed === null) return 'wrong_owner';
  if (signer !== publisherAt(feed, now)) return 'not_publisher';
  if (!isOrdinal(feed.cadence, first)) return 'bad_period';
  if (now + DELAY > LAST_SECOND) return 'overflow';
  if (feed.rules.length === 16) return 'rules_full';
  if ((feed.rules.at(-1)?.effective ?? 0n) > now) return 'rule_waits';
  const last = Math.max(feed.rules.at(-1)?.first ?? 0, feed.latest ?? Number.NEGATIVE_INFINITY);
  if (first <= last) return 'rule_order';
  if (now + HORIZON > LAST_SECOND) return 'overflow';
  const begin = BigInt(first) * DAY;
  if (begin < now + DELAY || begin > now + HORIZON) return 'rule_time';
  model.feed = { ...feed, rules: [...feed.rules, { hash, first, effective: now + DELAY }] };
  return null;
}

export function modelAddSet(
  model: Model,
  signer: HashHex,
  threshold: number,
  keys: readonly HashHex[],
): Refusal {
  const { feed, now } = model;
  if (feed === null) return 'wrong_owner';
  if (signer !== publisherAt(feed, now)) return 'not_publisher';
  if (now + DELAY > LAST_SECOND) return 'overflow';
  if (feed.sets.length === 16) return 'sets_full';
  if ((feed.sets.at(-1)?.effective ?? 0n) > now) return 'set_waits';
  const { publisher, nextHash, rotation } = feed;
  const roles = {
    keys: [publisher, ...(rotation === null ? [] : [rotation.coming])],
    hashes: [nextHash, ...(rotation === null ? [] : [rotation.afterHash])],
  };
  const refusal = refuseSet(model, threshold, keys, roles);
  if (refusal !== null) return refusal;
  model.feed = { ...feed, sets: [...feed.sets, { effective: now + DELAY, threshold, keys }] };
  return null;
}

export function modelRotate(
  model: Model,
  signer: HashHex,
  next: HashHex,
  afterHash: HashHex,
): Refusal {
  const { feed, now } = model;
  if (feed === null) return 'wrong_owner';
  if (signer !== publisherAt(feed, now)) return 'not_publisher';
  if (hashOf(parseHex(next, 32)) !== nextHashAt(feed, now)) return 'wrong_next_key';
  if (feed.rotation !== null && feed.rotation.effective > now) return 'rotation_waits';
  if (now + DELAY > LAST_SECOND) return 'overflow';
  model.feed = {
    ...feed,
    publisher: publisherAt(feed, now),
    nextHash: nextHashAt(feed, now),
    rotation: { effective: now + DELAY, coming: next, afterHash },
  };
  return null;
}

export function modelCancel(model: Model, signer: HashHex, what: readonly Waiting[]): Refusal {
  const { feed, now } = model;
  if (what.length === 0) return 'data';
  if (feed === null) return 'wrong_owner';
  if (hashOf(parseHex(signer, 32)) !== feed.recoveryHash) return 'wrong_recovery_key';
  let { rotation, rules, sets } = feed;
  if (what.includes('rotation')) {
    if (rotation === null || rotation.effective <= now) return 'no_rotation';
    rotation = null;
  }
  // Two minutes before it holds, nobody takes it back.
  const waits = (list: readonly { readonly effective: bigint }[]): boolean =>
    (list[1] === undefined ? 0n : (list.at(-1)?.effective ?? 0n)) > now + AHEAD;
  if (what.includes('rule')) {
    if (rules.length > 1 && now + AHEAD > LAST_SECOND) return 'overflow';
    if (!waits(rules)) return 'no_waiting_rule';
    rules = rules.slice(0, -1);
  }
  if (what.includes('set')) {
    if (sets.length > 1 && now + AHEAD > LAST_SECOND) return 'overflow';
    if (!waits(sets)) return 'no_waiting_set';
    sets = sets.slice(0, -1);
  }
  model.feed = { ...feed, rotation, rules, sets };
  return null;
}

export function modelClose(
  model: Model,
  day: number,
  hash: HashHex,
  signers: readonly HashHex[],
  log: HashHex,
  at: Model = model,
): Refusal {
  const { feed, now } = model;
  if (feed === null) return 'wrong_owner';
  if (new Set(signers).size < signers.length) return 'repeated_signer';
  if (log !== feed.log) return 'wrong_log';
  if (signers.length !== 1) return 'ed_count';
  if (signers[0] !== publisherAt(feed, now)) return 'no_publisher';
  if (day < 0) return 'day_not_over';
  if (now + AHEAD > LAST_SECOND) return 'overflow';
  if (BigInt(day + 1) * DAY > now + AHEAD) return 'day_not_over';
  if (at !== model) return at.closes.has(day) ? 'wrong_feed' : 'wrong_address';
  const before = model.closes.get(day)?.hashes ?? [];
  if (before.includes(hash)) return 'repeated_close';
  if (before.length === 16) return 'close_full';
  model.closes.set(day, {
    bump: model.facts.closeBump(day),
    day,
    feed: model.facts.feedKey,
    log,
    slot: model.slot,
    hashes: [...before, hash],
  });
  return null;
}

function refuseSet(
  { facts }: Model,
  threshold: number,
  keys: readonly HashHex[],
  publishers: { readonly keys: readonly HashHex[]; readonly hashes: readonly HashHex[] },
): Refusal {
  if (keys.length > 8) return 'data';
  if (threshold < 1 || threshold > keys.length || 2 * threshold <= keys.length || threshold > 5) {
    return 'bad_threshold';
  }
  for (const [i, key] of keys.entries()) {
    if (!facts.isKey(key)) return 'bad_key';
    if (publishers.keys.includes(key) || keys.indexOf(key) < i) return 'repeated_key';
    if (publishers.hashes.includes(hashOf(parseHex(key, 32)))) return 'repeated_key';
  }
  return null;
}

function placeOf(status: Print['status']): 'provisional' | 'settled' | 'corrected' {
  return status === 'final' || status === 'void' ? 'settled' : status;
}

function recordOf(
  { series: _series, rule: _rule, period: _period, ...figures }: Print,
  rule: number,
  set: number,
  cosigners: number,
  slot: bigint,
): ChainRecord {
  const { value, publishedAt, report, status, decimals, settleable, withheld, issue } = figures;
  const said = { value, publishedAt, report, status, decimals, settleable, withheld, issue };
  return { ...said, rule, set, cosigners, dissents: 0, slot };
}

function setSlot(model: Model, page: PageAccount, number: number, slot: PageSlot): void {
  const slots = page.slots.with(number, slot);
  model.pages.set(page.index, { ...page, slots });
}

function bitsOf(keys: readonly HashHex[], signers: readonly HashHex[]): number {
  return signers.reduce((bits, key) => bits | (1 << keys.indexOf(key)), 0);
}

function isOrdinal(cadence: FeedAccount['cadence'], period: number): boolean {
  try {
    ordinalOf(cadence, period);
    return true;
  } catch {
    return false;
  }
}
