import { bitcoinNetworkOf } from '@assay/core/bitcoin/bitcoin-network';
import { MAX_REORGANISED } from '@assay/core/kind/anchor';
import type { Beacon } from '@assay/core/kind/beacon';
import type { Genesis } from '@assay/core/kind/genesis';
import type { Report } from '@assay/core/report/report';
import type { TimeText } from '@assay/core/time/time';
import { checkBeacon } from '../../bitcoin/beacon-check.ts';
import type { BlockRules } from '../../bitcoin/block-check.ts';
import { checkAfterBlock } from '../../bitcoin/block-time.ts';
import { sourceFacts } from '../../bitcoin/header-lookup.ts';
import { pendingWhy, promiseText } from '../../bitcoin/pending.ts';
import type { CheckContext } from '../../check/read-check.ts';
import type { Session } from '../session.ts';
import type { CheckedStamp } from '../../bitcoin/stamp-check.ts';
import type { BitcoinFacts, BlockFacts } from '../../verdict/verdict.ts';

const NO_STAMP = 'no stamp is in this bundle; whether the log has one, the log shows';

/** A beacon in the checkpoint's tree. */
export interface NamedBeacon {
  readonly seq: number;
  readonly at: TimeText;
  readonly body: Beacon;
}

/** What the blocks of a bundle are checked against. Names it where the given headers are of another chain. */
export function blockRules(
  { environment, headers, notChecked }: Session,
  { network }: Genesis,
): BlockRules {
  const own = bitcoinNetworkOf(network);
  const lookup = headers?.network === own.name ? headers : undefined;
  if (headers !== undefined && lookup === undefined) {
    notChecked.add(
      'times',
      `the bundle's blocks against the headers given, which are of ${headers.network}`,
      `the log is of ${own.name}`,
      'headers',
    );
  }
  return { sha256: environment.sha256, network: own, lookup };
}

/**
 * The block that a report names as the newest known. Its beacon must be among the entries, before the report, and no
 * other beacon may be. Undefined where the report names none, or with a finding.
 */
export async function blockBefore(
  { after }: Report,
  beacons: readonly NamedBeacon[],
  reportSeq: number,
  rules: BlockRules,
  context: CheckContext,
): Promise<BlockFacts | undefined> {
  const { findings } = context;
  const [beacon, ...more] = beacons;
  if (beacon === undefined) {
    if (after !== null) {
      findings.add('bundle_incomplete', 'bundle', `the beacon of block ${after.hash}`, 'none');
    }
    return undefined;
  }
  const unasked = after === null ? beacon : more[0];
  if (unasked !== undefined || beacon.seq >= reportSeq) {
    const expected = 'the one beacon that the report names, before it';
    findings.add('bundle_malformed', 'bundle', expected, `entry ${(unasked ?? beacon).seq}`);
  }
  const place = `bundle entry ${beacon.seq}`;
  const facts = (await checkBeacon(beacon.body, place, rules, context))?.facts;
  if (facts !== undefined) {
    checkAfterBlock({ how: 'recorded', at: beacon.at, place }, facts, context);
  }
  return facts;
}

/** The report's two blocks, as far as the bundle shows them. */
export function bundleBlocks(
  seq: number,
  after: BlockFacts | undefined,
  stamp: CheckedStamp | undefined,
  { network, lookup }: BlockRules,
  { findings, notChecked }: CheckContext,
): BitcoinFacts {
  const [first] = stamp?.blocks ?? [];
  const before = stamp?.blocks.find(({ trust }) => trust !== 'none') ?? first;
  const inOrder = before === undefined || after === undefined || before.height > after.height;
  const known =
    lookup !== undefined && before?.trust === lookup.kind && after?.trust === lookup.kind;
  if (!inOrder && (known || before.height <= after.height - MAX_REORGANISED)) {
    const expected = `a block above ${after.height}, which the report names`;
    findings.add('anchor_proof_invalid', 'bundle ots', expected, `height ${before.height}`);
  } else if (!inOrder) {
    notChecked.add(
      'times',
      `which of two blocks the chain has: ${after.height}, which the report names, or ${before.height}, ` +
        'which holds it',
      'a reorganisation took one of them back; given headers would show it',
      'headers',
    );
  }
  if (stamp === undefined) {
    notChecked.add(
      'times',
      `before which ${network.name === 'bitcoin' ? 'Bitcoin' : 'development'} block the report was written`,
      NO_STAMP,
      'later',
    );
  } else if (before === undefined) {
    notChecked.add(
      'times',
      `that a ${network.name === 'bitcoin' ? 'Bitcoin' : 'development'} block holds the stamp of the report`,
      `${pendingWhy(stamp.pending, network.name)}; a bundle that is made then has it`,
      'later',
    );
  }
  return {
    network: network.name,
    trust: before?.trust ?? 'none',
    source: sourceFacts(lookup),
    anchored: null,
    newest_beacon: null,
    pending: [],
    pending_count: 0,
    uncovered: null,
    windows: [
      {
        seq,
        kind: 'report/1',
        after: after ?? null,
        before: before ?? null,
        pending:
          before !== undefined ? null : stamp === undefined ? NO_STAMP : promiseText(stamp.pending),
      },
    ],
  };
}
