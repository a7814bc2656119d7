import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHeader, headerHash } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Operation } from '@assay/core/ots/operation';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { type PairTree, pairTree } from './pair-tree.ts';

/** What a calendar wants to have stamped. */
export interface Commitment {
  /** The name of the calendar. */
  readonly calendar: string;
  readonly bytes: Uint8Array;
}

export interface BlockContents {
  readonly height: number;
  /** How often the chain was reorganised before, so that the same commitments then make another block. */
  readonly fork: number;
  readonly commitments: readonly Commitment[];
}

/**
 * The transactions of a block, as far as a proof needs them: a coinbase, and for each calendar with commitments
 * one transaction whose output holds the root over them.
 */
export interface BlockBody {
  readonly merkleRoot: Uint8Array;
  /** The steps from a commitment, by its index in the block, to the Merkle root. */
  readonly pathOf: (index: number) => readonly Operation[];
}

/** The parts of a transaction before and after its one output of 32 bytes of data. */
interface Carrier {
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

const SEQUENCE = Uint8Array.of(0xff, 0xff, 0xff, 0xff);
const ZERO_4 = new Uint8Array(4);
const HASHED_TWICE: readonly Operation[] = [{ op: 'sha256' }, { op: 'sha256' }];

export function blockBody(contents: BlockContents): BlockBody {
  const { height, commitments } = contents;
  const names = [...new Set(commitments.map(({ calendar }) => calendar))];
  const groups = names.map((name) => {
    const members = commitments.flatMap(({ calendar }, i) => (calendar === name ? [i] : []));
    const leaves = members.map((i) => nodeSha256((commitments[i] as Commitment).bytes));
    const tree = pairTree(nodeSha256, leaves, { rounds: 1, odd: 'up' });
    return { members, tree, carrier: carrierOf(name, height) };
  });
  const transactions = groups.map(({ tree, carrier }) =>
    concatBytes(carrier.prefix, tree.root, carrier.suffix),
  );
  const ids = [coinbase(contents), ...transactions].map((bytes) => nodeSha256(nodeSha256(bytes)));
  const block: PairTree = pairTree(nodeSha256, ids, { rounds: 2, odd: 'twice' });
  return {
    merkleRoot: block.root,
    pathOf(index) {
      for (const [i, { members, tree, carrier }] of groups.entries()) {
        const place = members.indexOf(index);
        if (place < 0) continue;
        return [
          { op: 'sha256' },
          ...tree.pathOf(place),
          { op: 'prepend', argument: carrier.prefix },
          { op: 'append', argument: carrier.suffix },
          ...HASHED_TWICE,
          ...block.pathOf(i + 1),
        ];
      }
      throw new TypeError('blockBody: no such commitment');
    },
  };
}

/** Makes a header over `merkleRoot` with enough work, 80 bytes. */
export function mineHeader(prev: Uint8Array, merkleRoot: Uint8Array, time: number): Uint8Array {
  const bits = DEVELOPMENT.limit;
  for (let nonce = 0; ; nonce += 1) {
    const bytes = formatHeader({ version: 0x20000000, prev, merkleRoot, time, bits, nonce });
    if (meetsTarget(headerHash(nodeSha256, bytes), bits)) return bytes;
  }
}

/** One input that names the height (BIP 34), and one output that anyone may spend. */
function coinbase({ height, fork }: BlockContents): Uint8Array {
  const script = concatBytes(Uint8Array.of(4), u32(height), Uint8Array.of(4), u32(fork));
  return concatBytes(
    u32(1),
    Uint8Array.of(1),
    new Uint8Array(32),
    SEQUENCE,
    Uint8Array.of(script.length),
    script,
    SEQUENCE,
    Uint8Array.of(1),
    new Uint8Array(8),
    Uint8Array.of(1, 0x51),
    ZERO_4,
  );
}

/** One input of the calendar's own, and one output `OP_RETURN <32 bytes>`. */
function carrierOf(name: string, height: number): Carrier {
  const spent = nodeSha256(concatBytes(formatUtf8(name), u32(height)));
  const prefix = concatBytes(
    u32(1),
    Uint8Array.of(1),
    spent,
    ZERO_4,
    Uint8Array.of(0),
    SEQUENCE,
    Uint8Array.of(1),
    new Uint8Array(8),
    Uint8Array.of(34, 0x6a, 32),
  );
  return { prefix, suffix: ZERO_4 };
}

function u32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value, true);
  return out;
}
