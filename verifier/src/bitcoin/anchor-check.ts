import { anchorTree } from '@assay/core/proof/anchor-tree';
import { concatBytes } from '@assay/core/bytes/bytes';
import { faultCode, messageOf } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { Anchor, AnchorBlock } from '@assay/core/kind/anchor';
import { MAX_ANCHOR_LAG, MAX_REORGANISED } from '@assay/core/kind/anchor';
import { formatLeafProof, NONCE_BYTES } from '@assay/core/ots/batch';
import { otsHashes } from '@assay/core/ots/hashes';
import type { Operation } from '@assay/core/ots/operation';
import { parseProof } from '@assay/core/ots/proof';
import { parseTimestamp } from '@assay/core/ots/timestamp';
import type { TimeText } from '@assay/core/time/time';
import { anchorRow, newestAnchor } from '@assay/core/view/anchors';
import type { ViewState } from '@assay/core/view/view';
import { type BlockRules, checkBlock, type CheckedBlock, RUN_HEADERS } from './block-check.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Findings } from '../verdict/finding.ts';
import { type Attestations, attestationsOf, wrongRoot } from './proof-check.ts';
import type { CheckContext } from '../check/read-check.ts';

/** The log before an anchor's entry. */
export interface LogBeforeAnchor {
  readonly origin: string;
  readonly state: ViewState;
  /** The tree's root at a size that is at most `MAX_ANCHOR_LAG` entries back. */
  readonly rootAt: (size: number) => Hash | undefined;
  /** The largest height that a beacon before entry `seq` names. */
  readonly beaconHeight: (seq: number) => number | undefined;
  /** The time that entry `seq` claims, as far back; undefined for an entry that could not be read. */
  readonly timeOf: (seq: number) => TimeText | undefined;
}

/**
 * Checks that an anchor follows from the rows before it. It is either the next batch, over all entries since the batch
 * before it, with the root of its size and the tip of its leaves; or it is a further issue of a batch, in which nothing
 * has changed but the progress of its calendars. The check runs when the walk reaches the entry.
 */
export function checkAnchor(
  anchor: Anchor,
  seq: number,
  at: TimeText,
  place: string,
  logBefore: LogBeforeAnchor,
  sha256: Sha256,
  { findings, tally }: CheckContext,
): void {
  tally.anchors += 1;
  if (anchor.issue === 0) {
    checkBatch(anchor, seq, at, place, logBefore, sha256, findings);
  } else {
    checkIssue(anchor, place, logBefore.state, findings);
  }
  checkHeights(anchor, place, logBefore.beaconHeight(anchor.to), findings);
}

function checkBatch(
  anchor: Anchor,
  seq: number,
  at: TimeText,
  place: string,
  { origin, state, rootAt, timeOf }: LogBeforeAnchor,
  sha256: Sha256,
  findings: Findings,
): void {
  const before = newestAnchor(state);
  const { to, stamped_at: stamped } = anchor;
  const add = (expected: string, found: string): void => {
    findings.add('anchor_not_reproduced', place, expected, found);
  };
  const next = { batch: (before?.batch ?? -1) + 1, from: before?.to ?? 0 };
  const misplaced = firstDifference(next, { batch: anchor.batch, from: anchor.from });
  if (misplaced !== undefined) {
    add(`${misplaced.path} ${misplaced.expected}`, misplaced.found);
    return;
  }
  if (to > seq || seq - to > MAX_ANCHOR_LAG) {
    add(`a batch up to entry ${seq}, at most ${MAX_ANCHOR_LAG} before it`, `up to ${to}`);
    return;
  }
  const root = rootAt(to);
  const rootText = root === undefined ? 'none' : hashHex(root);
  if (rootText !== anchor.root) add(`root ${rootText} of ${to} entries`, anchor.root);
  const { tree } = anchorTree(state, sha256, origin, anchor);
  if (hashHex(tree.tip) !== anchor.tip) {
    add(`tip ${hashHex(tree.tip)} of its leaves`, anchor.tip);
  }
  const last = timeOf(to - 1);
  if (stamped > at || (last !== undefined && stamped < last)) {
    add(`stamped from ${last ?? 'its last entry'} to ${at}`, stamped);
  }
  const further = anchor.calendars.find((calendar) => calendar.state !== 'pending');
  if (further !== undefined) add('pending calendars at first', `${further.uri} ${further.state}`);
}

function checkIssue(anchor: Anchor, place: string, state: ViewState, findings: Findings): void {
  const before = anchorRow(state, anchor.batch);
  if (before === undefined) {
    const expected = `a batch that has its issue 0`;
    findings.add('anchor_not_reproduced', place, expected, `batch ${anchor.batch}`);
    return;
  }
  const difference = firstDifference(
    { ...fixedOf(before), issue: before.issue + 1 },
    { ...fixedOf(anchor), issue: anchor.issue },
  );
  if (difference === undefined) return;
  const { path, expected, found } = difference;
  findings.add('anchor_not_reproduced', `${place}${path}`, expected, found);
}

/** The members that no further issue of a batch may change. */
function fixedOf({ batch, from, to, root, salt, tip, stamped_at }: Anchor): Partial<Anchor> {
  return { batch, from, to, root, salt, tip, stamped_at };
}

/**
 * A batch holds an entry that names a block, so the block that holds the batch was mined on top of that one. Where it
 * was not, the chain has lost one of the two since, which can explain only a few blocks of difference.
 */
function checkHeights(
  { bitcoin }: Anchor,
  place: string,
  known: number | undefined,
  findings: Findings,
): void {
  if (known === undefined) return;
  const early = bitcoin.find(({ height }) => height <= known - MAX_REORGANISED);
  if (early === undefined) return;
  findings.add(
    'anchor_not_reproduced',
    place,
    `a block above ${known}, which an entry of the batch names`,
    `height ${early.height}`,
  );
}

/** Returns the bytes under a hash, checked; undefined with a finding. */
export type KeptBytes = (hash: HashHex, place: string) => Promise<Uint8Array | undefined>;

/**
 * Checks what an anchor claims about the world outside the log. Its timestamp must lead from the tip to exactly the
 * calendars that it lists and the Merkle roots of its blocks; the seven headers of each block must be linked and have
 * their work; and the file of each of its leaves must be readable. Returns the blocks, lowest first; undefined where
 * there was a finding.
 */
export async function checkAnchorProof(
  anchor: Anchor,
  leaves: number,
  place: string,
  rules: BlockRules,
  kept: KeptBytes,
  { findings, notChecked, tally }: CheckContext,
): Promise<readonly CheckedBlock[] | undefined> {
  const bytes = await kept(anchor.proof, `proof of ${place}`);
  if (bytes === undefined) return undefined;
  let parsed: Attestations;
  try {
    const tip = parseHex(anchor.tip, 32);
    parsed = attestationsOf(parseTimestamp(bytes, tip.length), tip, otsHashes(rules.sha256));
    parseProof(formatLeafProof(tip, longestPath(leaves), bytes));
  } catch (error) {
    if (faultCode(error) !== 'bad_proof') throw error;
    findings.add('anchor_proof_invalid', place, 'a timestamp over the tip', messageOf(error));
    return undefined;
  }
  tally.proofs += 1;
  if (!checkAttestations(anchor, parsed, place, findings)) return undefined;
  const blocks: CheckedBlock[] = [];
  for (const block of anchor.bitcoin) {
    const checked = await checkAnchorBlock(block, parsed, place, rules, kept, {
      findings,
      notChecked,
    });
    if (checked === undefined) return undefined;
    blocks.push(checked);
  }
  return blocks;
}

/** A path as long as that of the first leaf of so many leaves, which is the longest one. */
function longestPath(leaves: number): readonly Operation[] {
  const argument = new Uint8Array(32);
  const levels = Math.ceil(Math.log2(leaves));
  return [
    { op: 'append', argument: argument.subarray(0, NONCE_BYTES) },
    { op: 'sha256' },
    ...Array.from({ length: levels }, (): readonly Operation[] => [
      { op: 'append', argument },
      { op: 'sha256' },
    ]).flat(),
  ];
}

/** Whether the anchor lists exactly what its timestamp has. */
function checkAttestations(
  { calendars, bitcoin }: Anchor,
  parsed: Attestations,
  place: string,
  findings: Findings,
): boolean {
  const before = findings.count;
  const add = (expected: string, found: string): void => {
    findings.add('anchor_proof_invalid', place, expected, found);
  };
  const expected = parsed.calendars.map(
    ({ uri, attested }) => `${uri} ${attested ? 'attested' : 'open'}`,
  );
  const listed = calendars.map(
    ({ uri, state }) => `${uri} ${state === 'attested' ? 'attested' : 'open'}`,
  );
  const wrong = listed.find((each) => !expected.includes(each));
  if (expected.join() !== listed.join()) {
    add(`calendars ${expected.join(', ') || 'none'}`, wrong ?? (listed.join(', ') || 'none'));
  }
  const heights = bitcoin.map(({ height }) => height).join(', ');
  const found = [...parsed.bitcoin.keys()].join(', ');
  if (heights !== found) add(`blocks at ${heights || 'no height'}`, found || 'none');
  const [other] = parsed.others;
  if (other !== undefined) add('calendars and Bitcoin blocks alone', `an attestation: ${other}`);
  return findings.count === before;
}

async function checkAnchorBlock(
  { height, header, following }: AnchorBlock,
  parsed: Attestations,
  place: string,
  rules: BlockRules,
  kept: KeptBytes,
  { findings, notChecked }: Pick<CheckContext, 'findings' | 'notChecked'>,
): Promise<CheckedBlock | undefined> {
  const at = `${place}, block ${height}`;
  const first = parseHex(header, 80);
  const wrong = wrongRoot(parsed.bitcoin.get(height) ?? [], first);
  if (wrong !== undefined) {
    findings.add('anchor_proof_invalid', at, `Merkle root ${wrong.expected}`, wrong.found);
    return undefined;
  }
  const rest = await kept(following, `headers of ${at}`);
  if (rest === undefined) return undefined;
  if (rest.length !== (RUN_HEADERS - 1) * 80) {
    const expected = `the ${RUN_HEADERS - 1} headers that follow`;
    findings.add('header_invalid', at, expected, `${rest.length} bytes`);
    return undefined;
  }
  try {
    return await checkBlock(height, concatBytes(first, rest), rules, notChecked);
  } catch (error) {
    if (faultCode(error) !== 'bad_header') throw error;
    findings.add('header_invalid', at, 'linked headers with their work', messageOf(error));
    return undefined;
  }
}
