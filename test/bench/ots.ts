import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { HEADER_BYTES } from '@assay/core/bitcoin/header';
import { checkHeaders } from '../src/core/fixture/header-chain.ts';
import type { Sha256 } from '@assay/core/hash/hash';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import { batchTree, formatLeafProof, nonceOf } from '@assay/core/ots/batch';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import { formatTimestamp } from '@assay/core/ots/timestamp';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { exampleProofs } from '../interop/ots-examples.ts';
import { numbered, ownBatch } from '../interop/ots-world.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  rateFor,
  rateOf,
  ratioOf,
} from './contest.ts';
import { npmPeer, type OtsPeer, pythonPeer } from './ots-peer.ts';
import type { Row } from './row.ts';

/** Our two hashers, the first of which is Node's own: what a node and the command line use. */
const HASHERS: readonly (readonly [name: string, sha256: Sha256])[] = [
  ['Assay', nodeSha256],
  ['Assay in plain JavaScript', nobleSha256],
];
const [[OURS], [PORTABLE]] = HASHERS as unknown as readonly [[string], [string]];

const VERIFY_GOAL = 3;
const STAMP_GOAL = 4;
const STAMPS = 20_000;
const HEADERS = 20_000;
const URI = 'https://calendar.example';

export async function otsRows(options: ContestOptions): Promise<readonly Row[]> {
  const peers = [await npmPeer(), await pythonPeer()];
  try {
    const found = [...(await stampRows(peers, options))];
    for (const proof of await proofs()) found.push(...(await verifyRows(proof, peers, options)));
    return [...found, ...(await headerRows(options))];
  } finally {
    for (const peer of peers) if (!('missing' in peer)) await peer.close();
  }
}

/** One path to a block, several calendars beside a block, and what a batch's proof is while it is pending. */
async function proofs(): Promise<readonly (Uint8Array | { what: string; missing: string })[]> {
  const examples = await exampleProofs();
  const example = (name: string): Uint8Array | { what: string; missing: string } =>
    examples.find((each) => each.name === name)?.bytes ?? {
      what: `OpenTimestamps proofs verified: ${name}`,
      missing: 'an example of an npm package that could not be installed',
    };
  const { pending } = await ownBatch(32);
  return [example('hello-world.txt.ots'), example('osdsp.txt.ots'), pending.at(0) as Uint8Array];
}

async function verifyRows(
  proof: Uint8Array | { what: string; missing: string },
  peers: readonly OtsPeer[],
  options: ContestOptions,
): Promise<readonly Row[]> {
  if ('missing' in proof) return [{ what: proof.what, peer: '', skipped: proof.missing }];
  const own = HASHERS.map(([name, sha256]): Contestant => {
    const hashes = otsHashes(sha256);
    const once = (): Promise<void> => {
      for (let i = 0; i < 50; i += 1) {
        const { timestamp, digest } = parseProof(proof);
        if (evaluate(timestamp, digest, hashes).length === 0) throw new Error('no attestation');
      }
      return Promise.resolve();
    };
    return { name, run: (ms) => rateFor(ms, 50, once), close: nothing };
  });
  return rows({
    what: `OpenTimestamps proofs verified: parsed and recomputed, ${proof.length} bytes`,
    unit: 'proofs/s',
    own,
    peers: peers.map((peer) => ('missing' in peer ? peer : peer.verifier(proof))),
    goal: VERIFY_GOAL,
    options,
  });
}

async function stampRows(
  peers: readonly OtsPeer[],
  options: ContestOptions,
): Promise<readonly Row[]> {
  const digests = Array.from({ length: STAMPS }, (_, i) => numbered('stamp', i));
  const salt = numbered('salt', 0);
  const tip = formatTimestamp({ items: [{ attestation: { kind: 'pending', uri: URI } }] });
  const own = HASHERS.map(([name, sha256]): Contestant => {
    const once = (): Promise<void> => {
      const tree = batchTree(
        sha256,
        digests.map((digest, i) => ({ digest, nonce: nonceOf(sha256, salt, i) })),
      );
      let bytes = 0;
      for (const [i, digest] of digests.entries()) {
        bytes += formatLeafProof(digest, tree.pathOf(i), tip).length;
      }
      if (bytes < 100 * STAMPS) throw new Error('too short');
      return Promise.resolve();
    };
    return { name, run: (ms) => rateFor(ms, STAMPS, once), close: nothing };
  });
  return rows({
    what: `OpenTimestamps stamps: nonces, tree and files of a batch of ${STAMPS}`,
    unit: 'stamps/s',
    own,
    peers: peers.map((peer) => ('missing' in peer ? peer : peer.stamper(digests, URI))),
    goal: STAMP_GOAL,
    options,
  });
}

async function headerRows(options: ContestOptions): Promise<readonly Row[]> {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  const start = Date.UTC(2026, 0, 1) / 1000;
  chain.advance(start);
  chain.advance(start + (HEADERS - 2) * 600);
  const bytes = new Uint8Array(HEADERS * HEADER_BYTES);
  for (let height = 0; height < HEADERS; height += 1) {
    const block = chain.block(height);
    if (block === undefined) throw new Error(`no block ${height}`);
    bytes.set(block.header, height * HEADER_BYTES);
  }
  const found: Row[] = [];
  for (const [name, sha256] of HASHERS) {
    const check = (): Promise<void> => {
      const { count } = checkHeaders(sha256, DEVELOPMENT, bytes, { first: 0 });
      if (count !== HEADERS) throw new Error(`${count} headers`);
      return Promise.resolve();
    };
    const hash = (): Promise<void> => {
      for (let at = 0; at < bytes.length; at += HEADER_BYTES) {
        sha256(sha256(bytes.subarray(at, at + HEADER_BYTES)));
      }
      return Promise.resolve();
    };
    const limit = 'double sha256 of each header alone, same hasher';
    const contestants = [
      { name, run: (ms: number) => rateFor(ms, HEADERS, check), close: nothing },
      { name: limit, run: (ms: number) => rateFor(ms, HEADERS, hash), close: nothing },
    ];
    found.push(
      ...rowsOf(
        {
          what: `Bitcoin headers checked: links, work and bits${name === PORTABLE ? ', in plain JavaScript' : ''}`,
          unit: 'headers/s',
          goal: null,
        },
        name,
        [limit],
        await contest(contestants, options),
      ),
    );
  }
  return found;
}

interface Comparison {
  readonly what: string;
  readonly unit: string;
  readonly own: readonly Contestant[];
  readonly peers: readonly (Contestant | { peer: string; missing: string })[];
  readonly goal: number;
  readonly options: ContestOptions;
}

/** Ours against each peer, and, for information, ours in plain JavaScript. */
async function rows(comparison: Comparison): Promise<readonly Row[]> {
  const { what, unit, own, peers, goal, options } = comparison;
  const there = peers.flatMap((peer) => ('missing' in peer ? [] : [peer]));
  const results = await contest([...own, ...there], options);
  const names = there.map(({ name }) => name);
  const missing = peers.flatMap((each) =>
    'missing' in each ? [{ what, peer: each.peer, skipped: each.missing }] : [],
  );
  return [
    ...rowsOf({ what, unit, goal }, OURS, names, results),
    ...missing,
    ...rowsOf({ what: `${what}, in plain JavaScript`, unit, goal: null }, PORTABLE, names, results),
  ];
}

function rowsOf(
  head: { readonly what: string; readonly unit: string; readonly goal: number | null },
  ours: string,
  peers: readonly string[],
  results: Awaited<ReturnType<typeof contest>>,
): readonly Row[] {
  return peers.map((peer) => ({
    ...head,
    ours: rateOf(results, ours),
    peer,
    theirs: rateOf(results, peer),
    ratio: ratioOf(results, ours, peer),
  }));
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
