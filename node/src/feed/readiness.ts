import type { KeySignature } from '@assay/chain/ed25519-instruction';
import { parseHex } from '@assay/core/bytes/hex';
import { type FeedAccount, ruleNumberOf, setNumberAt } from '@assay/core/feed/feed-account';
import { quorumOf } from '@assay/core/round/quorum';
import { parseDate, parseTime } from '@assay/core/time/time';
import { cosignsOf } from '@assay/core/view/cosigns';
import { setByHash } from '@assay/core/view/cosigner-sets';
import type { ReportRow } from '@assay/core/view/reports';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { setsOf } from './feed-plan.ts';
import { isHeard } from './late-cosigns.ts';

/** Whether a print can be posted now, and with which signatures besides the publisher's; otherwise why not. */
export type Readiness =
  | { readonly kind: 'ready'; readonly cosignatures: readonly KeySignature[] }
  /** It can be posted later. */
  | { readonly kind: 'waits'; readonly why: string }
  /** It can never be posted. */
  | { readonly kind: 'never'; readonly why: string };

const waits = (why: string): Readiness => ({ kind: 'waits', why });
const never = (why: string): Readiness => ({ kind: 'never', why });

/** When a print is to be posted. */
export interface Posting {
  /** Unix seconds. */
  readonly now: number;
  /** How many seconds to wait for the rest of a set once there is a quorum. */
  readonly gatherS: number;
}

/** Whether a report's print can be posted to a feed as it is now. */
export function readiness(
  state: ViewState,
  row: ReportRow,
  feed: FeedAccount,
  posting: Posting,
): Readiness {
  return ruleBar(state, row, feed, posting.now) ?? signaturesOf(state, row, feed, posting);
}

function ruleBar(
  state: ViewState,
  { report }: ReportRow,
  feed: FeedAccount,
  now: number,
): Readiness | undefined {
  const number = ruleNumberOf(feed, parseDate(report.period));
  const rule = number === undefined ? undefined : feed.rules[number];
  if (rule === undefined) return never("its period is before the feed's first rule");
  if (rule.hash !== report.rule.hash) {
    const versions = ruleVersions(state, report.ticker).map(({ hash }) => hash);
    const coming = versions.indexOf(report.rule.hash);
    const newest = feed.rules.at(-1);
    const isComing = newest !== undefined && coming > versions.indexOf(newest.hash);
    return isComing ? waits('its rule is to be registered') : never('the feed never had its rule');
  }
  return rule.effective > BigInt(now) ? waits('its rule waits on chain') : undefined;
}

function signaturesOf(
  state: ViewState,
  reportRow: ReportRow,
  feed: FeedAccount,
  { now, gatherS }: Posting,
): Readiness {
  const { hash, report } = reportRow;
  // A provisional settles nothing, so it waits for nobody.
  if (report.status === 'provisional') return { kind: 'ready', cosignatures: [] };
  const number = setNumberAt(feed, BigInt(now));
  const set = number === undefined ? undefined : feed.sets[number];
  const { set: named } = report.cosigners;
  const row = named === null ? undefined : setByHash(state, named);
  const known = setsOf(state, feed);
  if (set === undefined || number === undefined || row === undefined || known === undefined) {
    return waits('its co-signer set is not known');
  }
  const place = known.findIndex((each) => each.number === row.number);
  if (place < 0) {
    const isComing = row.number > (known.at(-1)?.number ?? -1);
    if (isComing) return waits('its co-signer set is to be registered');
    return never('the feed never had its co-signer set');
  }
  if (place > number) return waits('its co-signer set waits on chain');
  const members = row.cosigners.filter(({ key }) => set.keys.some((each) => each === key));
  if (members.length < set.threshold) return never('its co-signers are replaced on chain');
  const isMember = (key: string): boolean => members.some((each) => each.key === key);
  const signed = cosignsOf(state, hash).filter(({ statement }) => isMember(statement.cosigner));
  if (signed.length < set.threshold) return waits('its quorum is missing');
  // One transaction for all of them costs less than one for each that comes late.
  const { reached_at: reached } = quorumOf(state, reportRow);
  const until = reached === null ? now : parseTime(reached) + gatherS;
  if (now < until && !isHeard(state, reportRow, isMember)) {
    return waits('the rest of its co-signers are waited for');
  }
  return {
    kind: 'ready',
    cosignatures: signed.map((each) => ({
      key: parseHex(each.statement.cosigner, 32),
      signature: parseHex(each.print_signature, 64),
    })),
  };
}
