import { parseHeader } from '@assay/core/bitcoin/header';
import { formatLeafProof, batchTree, nonceOf } from '@assay/core/ots/batch';
import { evaluate } from '@assay/core/ots/evaluate';
import { graft } from '@assay/node/bitcoin/graft';
import { otsHashes, type OtsHashes } from '@assay/core/ots/hashes';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { formatTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import {
  DEVELOPMENT_CALENDARS,
  developmentCalendar,
  developmentFetch,
} from '@assay/node/dev/bitcoin/development-calendar';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

export const HASHES: OtsHashes = otsHashes(nodeSha256);

const BLOCK_S = 600;
const START = Date.UTC(2026, 7, 1) / 1000;

/** Proofs of a batch before and after its block, as our own code makes them. */
export interface OwnBatch {
  readonly digests: readonly Uint8Array[];
  readonly nonces: readonly Uint8Array[];
  /** Bare timestamps over the tip: with two calendars that promise, and with their block too. */
  readonly pendingTip: Uint8Array;
  readonly attestedTip: Uint8Array;
  readonly pending: readonly Uint8Array[];
  readonly attested: readonly Uint8Array[];
  readonly height: number;
  /** In the block's own order, 32 bytes. */
  readonly merkleRoot: Uint8Array;
}

/** A batch of `size` digests that follow from `size` alone, over a development chain in memory. */
export async function ownBatch(size: number): Promise<OwnBatch> {
  let now = START;
  const chain = new DevelopmentChain({ blockSeconds: BLOCK_S });
  const calendars = DEVELOPMENT_CALENDARS.map(({ name, uri }) =>
    developmentCalendar({ chain, name, uri, now: () => now }),
  );
  const uris = calendars.map(({ uri }) => uri);
  const client = new CalendarClient({
    fetch: developmentFetch(calendars),
    pool: uris,
    attestors: uris,
    timeoutMs: 10_000,
    sha256: nodeSha256,
  });
  // Others stamp as well, so that a block is more than one leaf.
  for (let i = 0; i < 5; i += 1) await client.submit(numbered('other', i));
  const digests = Array.from({ length: size }, (_, i) => numbered('digest', i));
  const nonces = digests.map((_, i) => nonceOf(nodeSha256, numbered('salt', size), i));
  const tree = batchTree(
    nodeSha256,
    digests.map((digest, i) => ({ digest, nonce: nonces[i] as Uint8Array })),
  );
  const { answers } = await client.submit(tree.tip);
  const pending = answers.map(({ timestamp }) => timestamp).reduce(mergeTimestamps);
  now += 8 * BLOCK_S;
  let attested: Timestamp = pending;
  for (const { attestation, message } of evaluate(pending, tree.tip, HASHES)) {
    if (attestation.kind !== 'pending') continue;
    const upgrade = await client.upgrade(attestation.uri, message);
    if (upgrade.kind !== 'attested') throw new Error(`${attestation.uri}: ${upgrade.reason}`);
    attested = graft(attested, tree.tip, message, upgrade.timestamp, HASHES);
  }
  const height = evaluate(attested, tree.tip, HASHES)
    .map(({ attestation }) => ('height' in attestation ? attestation.height : 0))
    .reduce((a, b) => Math.max(a, b), 0);
  const block = chain.block(height);
  if (block === undefined) throw new Error('no block');
  const [pendingTip, attestedTip] = [formatTimestamp(pending), formatTimestamp(attested)];
  const files = (tip: Uint8Array): readonly Uint8Array[] =>
    digests.map((digest, i) => formatLeafProof(digest, tree.pathOf(i), tip));
  return {
    digests,
    nonces,
    pendingTip,
    attestedTip,
    pending: files(pendingTip),
    attested: files(attestedTip),
    height,
    merkleRoot: parseHeader(block.header).merkleRoot,
  };
}

/** 32 bytes that nobody would guess and everybody can make again. */
export function numbered(what: string, i: number): Uint8Array {
  return new Uint8Array(nodeSha256(Buffer.from(`${what} ${i}`)));
}

/** Each with its length before it, u32, big endian: how other programs are given many proofs. */
export function framed(proofs: readonly Uint8Array[]): Uint8Array {
  const parts = proofs.flatMap((proof) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, proof.length);
    return [length, proof];
  });
  return new Uint8Array(Buffer.concat(parts));
}
