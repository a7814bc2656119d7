import { realpath, stat } from 'node:fs/promises';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import { evaluate } from '@assay/core/ots/evaluate';
import { graft } from '@assay/node/bitcoin/graft';
import { otsHashes } from '@assay/core/ots/hashes';
import { mergeTimestamps, prune } from '@assay/node/bitcoin/merge';
import type { Timestamp } from '@assay/core/ots/timestamp';
import type { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { writeDurable } from '@assay/node/platform/durable-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { smallestFirst, whyTooMuch } from './answers.ts';
import type { BlockCheck, CheckedWith } from './block-check.ts';
import { checkBlocks, keptCalendars } from './check.ts';
import { formatOts, type OtsFile, readOts } from './ots-file.ts';

/** How many promises are asked about in one call. A stamp has about four. */
const MAX_ASKED = 32;

/** A calendar's answer about its promise. */
export interface Asked {
  readonly uri: string;
  /** `wrong` and `unproven`: the given headers have another block, or not six after it. */
  readonly kind: 'attested' | 'wrong' | 'unproven' | 'pending' | 'failed' | 'refused';
  /** As text; empty if it is attested. */
  readonly reason: string;
}

export interface Upgraded {
  /** What was read, with what the calendars added to it. */
  readonly timestamp: Timestamp;
  readonly asked: readonly Asked[];
}

/** A block's attestation counts for an upgrade if nothing contradicts it. */
const HOLDS: ReadonlySet<BlockCheck['standing']> = new Set(['proven', 'word']);

/**
 * Asks the calendar of each promise without a block, all at once, and merges their answers; nothing that was
 * there is lost. A calendar is asked even if another one was faster or its block is wrong.
 *
 * `rules`: with headers, blocks that are not among them are left out; without, none is checked.
 */
export async function upgradeOts(
  { proof, attested }: OtsFile,
  client: CalendarClient,
  rules: CheckedWith,
): Promise<Upgraded> {
  const hashes = otsHashes(nodeSha256);
  const done = keptCalendars(proof.timestamp, await checkBlocks(attested, rules));
  const open = new Map<string, { readonly uri: string; readonly message: Uint8Array }>();
  for (const { attestation, message } of attested) {
    if (attestation.kind !== 'pending' || done.has(attestation.uri)) continue;
    open.set(`${attestation.uri} ${formatHex(message)}`, { uri: attestation.uri, message });
  }
  const promises = [...open.values()];
  const asked: Asked[] = [];
  const additions: { uri: string; message: Uint8Array; timestamp: Timestamp }[] = [];
  const answers = await Promise.all(
    promises.slice(0, MAX_ASKED).map(async ({ uri, message }) => {
      return { uri, message, answer: await client.upgrade(uri, message) };
    }),
  );
  for (const { uri, message, answer } of answers) {
    if (!client.isAttestor(uri)) {
      const reason = 'not asked: it is none of the public calendars';
      asked.push({ uri, kind: 'refused', reason });
    } else if (answer.kind !== 'attested') {
      asked.push({ uri, kind: answer.kind, reason: answer.reason });
    } else {
      const blocks = await checkBlocks(evaluate(answer.timestamp, message, hashes), rules);
      const timestamp = borneOut(answer.timestamp, blocks, rules);
      if (timestamp === undefined) asked.push({ uri, ...whyNone([...blocks.values()]) });
      else additions.push({ uri, message, timestamp });
    }
  }
  let { timestamp } = proof;
  for (const each of smallestFirst(additions)) {
    const { uri } = each;
    const grown = graft(timestamp, proof.digest, each.message, each.timestamp, hashes);
    const reason = whyTooMuch(() => formatOts({ ...proof, timestamp: grown }));
    if (reason === undefined) {
      timestamp = grown;
      asked.push({ uri, kind: 'attested', reason: '' });
    } else {
      asked.push({ uri, kind: 'failed', reason });
    }
  }
  for (const { uri } of promises.slice(MAX_ASKED)) {
    asked.push({ uri, kind: 'refused', reason: `not asked: more than ${MAX_ASKED} promises` });
  }
  return { timestamp, asked };
}

/** An answer without the blocks that the headers contradict; undefined if none is left. */
function borneOut(
  timestamp: Timestamp,
  blocks: ReadonlyMap<Attestation, BlockCheck>,
  { lookups }: CheckedWith,
): Timestamp | undefined {
  return prune(timestamp, (each) => {
    const standing = blocks.get(each)?.standing;
    if (standing === undefined) return false;
    return HOLDS.has(standing) || (lookups.length === 0 && standing === 'not_checked');
  });
}

function whyNone(blocks: readonly BlockCheck[]): Pick<Asked, 'kind' | 'reason'> {
  const wrong = blocks.find(({ standing }) => standing === 'wrong');
  const first = wrong ?? blocks[0];
  const reason = `block ${first?.height}: ${first?.reason ?? ''}; not added`;
  return { kind: wrong === undefined ? 'unproven' : 'wrong', reason };
}

/**
 * Writes what was added to `before` to its file, and returns what the file contains then. Somebody else may
 * have written to it in the meantime: a stamp of the same digest is merged; anything else is left unchanged,
 * and this throws `not_empty`.
 */
export async function writeUpgrade(
  path: string,
  before: OtsFile,
  { timestamp }: Upgraded,
): Promise<OtsFile> {
  // The file that a link leads to, with its permissions.
  const target = await realpath(path);
  const now = await readOts(target);
  const { hash, digest } = before.proof;
  const same = equalBytes(now.bytes, before.bytes);
  if (!same && (now.proof.hash !== hash || !equalBytes(now.proof.digest, digest))) {
    throw new Fault('not_empty', 'stamp', {
      expected: `the stamp of ${formatHex(digest)} that was read`,
      found: `one of ${formatHex(now.proof.digest)}: it was written in the meantime, and is left alone`,
    });
  }
  const merged = same ? timestamp : mergeTimestamps(now.proof.timestamp, timestamp);
  const bytes = formatOts({ hash, digest, timestamp: merged });
  if (!equalBytes(bytes, now.bytes)) {
    const { mode } = await stat(target);
    await writeDurable(target, bytes, { mode: mode & 0o777 });
  }
  return readOts(target);
}
