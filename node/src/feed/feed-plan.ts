import type { FeedParameters } from '@assay/chain/instructions';
import type { HashHex } from '@assay/core/hash/hash';
import type { FeedAccount, FeedSet } from '@assay/core/feed/feed-account';
import { nextPeriod } from '@assay/core/answer/index';
import { isWithheld, type Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, parseDate } from '@assay/core/time/time';
import { cosignersAt, cosignerSets, type SetRow } from '@assay/core/view/cosigner-sets';
import { keyHash, keyInForce } from '@assay/core/view/key/keys';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import type { LogRow } from '@assay/core/view/log';
import { type RuleRow, ruleVersions } from '@assay/core/view/rules';
import { governingRule } from '@assay/core/round/governing';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '../platform/node-sha256.ts';

/** The first period that a rule holds for, in days since 1970-01-01. */
export function firstPeriodOf({ applies_from: from }: Rule): number {
  // The parser of rules ensures that this day names a period.
  return parseDate(from);
}

/**
 * The parameters of the feed of an index at `now` (unix seconds): the newest co-signer set in force, and the
 * rule that `oldest` names, which is that of the oldest waiting print. Without such a print, it is the rule of
 * the next period if no rule came before it or if a Close waits. Undefined while the feed must not be created.
 */
export function initialFeed(
  state: ViewState,
  log: LogRow,
  ticker: Ticker,
  oldest: HashHex | undefined,
  now: number,
  close = false,
): FeedParameters | undefined {
  const set = cosignersAt(state, now);
  const rule = firstRule(state, ticker, oldest, close);
  const key = keyInForce(state);
  const recoveryHash = recoveryInForce(state);
  if (set === undefined || rule === undefined) return undefined;
  if (key === undefined || recoveryHash === undefined) return undefined;
  return {
    cadence: rule.rule.period,
    decimals: rule.rule.decimals,
    ticker,
    log: log.log,
    // The first key creates it. If the log has changed keys, it is then handed to the key in force in one step.
    nextHash: key.number === 0 ? key.next_key_sha256 : keyHash(nodeSha256, key.key),
    recoveryHash,
    rule: rule.hash,
    first: firstPeriodOf(rule.rule),
    threshold: set.threshold,
    cosigners: set.cosigners.map((each) => each.key),
  };
}

function firstRule(
  state: ViewState,
  ticker: Ticker,
  oldest: HashHex | undefined,
  close: boolean,
): RuleRow | undefined {
  const versions = ruleVersions(state, ticker);
  if (oldest !== undefined) return versions.find(({ hash }) => hash === oldest);
  const [first] = versions;
  if (first === undefined) return undefined;
  // No rule governs a first period that was released before its rule was recorded, so it is not printed.
  const next = governingRule(state, ticker, nextPeriod(state, ticker)) ?? first;
  if (close) return next;
  if (isWithheld(first.rule)) return undefined;
  return next.hash === first.hash ? first : undefined;
}

/**
 * The chain puts a rule into effect this many seconds after it is registered, and accepts none that begins
 * later than the second number.
 */
const RULE_DELAY_S = 7 * DAY_SECONDS;
const RULE_HORIZON_S = 400 * DAY_SECONDS;

/** The rule that a feed needs next. */
export interface NextRule {
  readonly hash: HashHex;
  /** Days since 1970-01-01. */
  readonly first: number;
  /** Why it can no longer be registered; undefined while it can. */
  readonly barred: string | undefined;
}

/**
 * The next rule of the log that a feed lacks, at `now` (unix seconds): the first that can be registered,
 * otherwise the first that cannot. A version that begins too far ahead is skipped.
 */
export function nextRule(
  state: ViewState,
  ticker: Ticker,
  feed: FeedAccount,
  now: number,
): NextRule | undefined {
  const newest = feed.rules.at(-1);
  if (newest === undefined) return undefined;
  const versions = ruleVersions(state, ticker);
  const known = versions.findIndex(({ hash }) => hash === newest.hash);
  if (known < 0) return undefined;
  let missed: NextRule | undefined;
  for (const [i, { hash, rule }] of versions.entries()) {
    if (i <= known) continue;
    const first = firstPeriodOf(rule);
    const begins = first * DAY_SECONDS;
    if (begins > now + RULE_HORIZON_S) continue;
    if (first <= newest.first || (feed.latest !== null && first <= feed.latest)) {
      missed ??= {
        hash,
        first,
        barred: `version ${rule.version} begins before what stands on chain`,
      };
    } else if (begins < now + RULE_DELAY_S) {
      const barred = `version ${rule.version} begins before the chain would have it in effect`;
      missed ??= { hash, first, barred };
    } else return { hash, first, barred: undefined };
  }
  return missed;
}

/** For each set of a feed, the same set of the log; undefined if they do not correspond. */
export function setsOf(state: ViewState, feed: FeedAccount): readonly SetRow[] | undefined {
  const rows = cosignerSets(state);
  const fits = (from: number): boolean =>
    feed.sets.every((set, i) => {
      const row = rows[from + i];
      return row !== undefined && isSet(set, row);
    });
  const begun = cosignersAt(state, Number(feed.sets[0]?.effective ?? 0n));
  const all = rows.map((_, from) => from).filter(fits);
  const from = all.find((each) => rows[each]?.number === begun?.number) ?? all.at(-1);
  return from === undefined ? undefined : rows.slice(from, from + feed.sets.length);
}

/** The next co-signer set of the log that a feed lacks. */
export function nextSet(state: ViewState, feed: FeedAccount): SetRow | undefined {
  const newest = setsOf(state, feed)?.at(-1);
  if (newest === undefined) return undefined;
  return cosignerSets(state).find(({ number }) => number > newest.number);
}

function isSet({ threshold, keys }: FeedSet, row: SetRow): boolean {
  return (
    threshold === row.threshold &&
    keys.length === row.cosigners.length &&
    row.cosigners.every(({ key }, i) => key === keys[i])
  );
}
