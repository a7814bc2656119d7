import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { blockId, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Hash, HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Timestamp } from '@assay/core/ots/timestamp';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { FOLLOWING } from '../../bitcoin/header-follower.ts';
import { ChainFile, type ChainEvent } from './chain-file.ts';
import { blockBody, type BlockContents, type Commitment, mineHeader } from './development-block.ts';

export interface DevelopmentChainOptions {
  /** Seconds between two blocks. */
  readonly blockSeconds: number;
  /** The file that stores the chain; without it the chain is only in memory. */
  readonly path?: string;
}

export interface DevelopmentBlock extends BlockContents {
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly hash: Hash;
  readonly id: HashHex;
  readonly time: number;
}

/** Where a commitment is: in no block yet, or in one of them. */
export type CommitmentStatus =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'mined'; readonly height: number };

/** The most blocks that one call makes, in case the clock jumps. */
const MAX_BLOCKS = 20_000;

/**
 * Bitcoin on the development network: headers by the rules of `DEVELOPMENT`, whose blocks commit to what
 * calendars submitted. Only time makes blocks: one every `blockSeconds`, at the time that a caller gives.
 */
export class DevelopmentChain {
  readonly #blockSeconds: number;
  readonly #file: ChainFile | undefined;
  readonly #blocks: DevelopmentBlock[] = [genesis()];
  readonly #heights: Map<string, number> = new Map();
  /** The block of a commitment, by its hex; undefined while it waits. */
  readonly #places: Map<string, { readonly height: number; readonly index: number } | undefined> =
    new Map();
  #waiting: Commitment[] = [];
  #fork = 0;

  /** Throws `malformed` for a file that is no chain. */
  constructor({ blockSeconds, path }: DevelopmentChainOptions) {
    if (!(Number.isInteger(blockSeconds) && blockSeconds > 0)) {
      throw new TypeError('DevelopmentChain: whole seconds of a block, above 0');
    }
    this.#blockSeconds = blockSeconds;
    this.#heights.set(this.tip.id, 0);
    if (path === undefined) return;
    this.#file = new ChainFile(path);
    for (const [i, event] of this.#file.events.entries()) this.#replay(event, `line ${i + 1}`);
  }

  get tip(): DevelopmentBlock {
    return this.#blocks.at(-1) as DevelopmentBlock;
  }

  /** `undefined` if the chain has none. */
  block(height: number): DevelopmentBlock | undefined {
    return this.#blocks[height];
  }

  /** The height of a block on the current chain. */
  heightOf(id: string): number | undefined {
    return this.#heights.get(id);
  }

  /**
   * Makes the blocks that are due at `now` (unix seconds): one each `blockSeconds` after the last, and right
   * after genesis (2011) one at `now`. Waiting commitments go into the first of them.
   */
  advance(now: number): void {
    if (this.tip.height === 0 && now > this.tip.time) this.#mine([now]);
    if (this.tip.height === 0) return;
    const due = Math.floor((now - this.tip.time) / this.#blockSeconds);
    if (due <= 0) return;
    const count = Math.min(due, MAX_BLOCKS);
    const first = this.tip.time + (due - count + 1) * this.#blockSeconds;
    this.#mine(Array.from({ length: count }, (_, i) => first + i * this.#blockSeconds));
  }

  /** Takes a calendar's commitment for the next block. A repeated one is ignored. */
  add(calendar: string, commitment: Uint8Array): void {
    const key = formatHex(commitment);
    if (this.#places.has(key)) return;
    this.#file?.append([{ add: calendar, commitment: key }]);
    this.#wait({ calendar, bytes: commitment.slice() });
  }

  stateOf(commitment: Uint8Array): CommitmentStatus {
    const key = formatHex(commitment);
    if (!this.#places.has(key)) return { kind: 'unknown' };
    const place = this.#places.get(key);
    return place === undefined ? { kind: 'waiting' } : { kind: 'mined', height: place.height };
  }

  /** The steps from a commitment to its block; `undefined` until 6 others follow that block. */
  proof(commitment: Uint8Array): Timestamp | undefined {
    const place = this.#places.get(formatHex(commitment));
    const block = place === undefined ? undefined : this.#blocks[place.height];
    if (place === undefined || block === undefined) return undefined;
    const { height, index } = place;
    if (height + FOLLOWING > this.tip.height) return undefined;
    return blockBody(block)
      .pathOf(index)
      .reduceRight<Timestamp>((next, operation) => ({ items: [{ operation, next }] }), {
        items: [{ attestation: { kind: 'bitcoin', height } }],
      });
  }

  /**
   * Replaces the newest `depth` blocks by one more. What they contained, and what is waiting, is in the first
   * of the new ones.
   */
  reorganise(depth: number): void {
    if (!Number.isInteger(depth) || depth < 1 || depth > this.tip.height) {
      throw new TypeError('reorganise: blocks that the chain has above genesis');
    }
    const times = this.#blocks.slice(-depth).map(({ time }) => time);
    this.#file?.append([{ drop: depth }]);
    this.#drop(depth);
    this.#mine([...times, (times.at(-1) as number) + 1]);
  }

  /** Closes the file. The chain can still be read. */
  close(): void {
    this.#file?.close();
  }

  #mine(times: readonly number[]): void {
    const blocks: DevelopmentBlock[] = [];
    let { hash, height } = this.tip;
    let commitments: readonly Commitment[] = this.#waiting;
    for (const time of times) {
      height += 1;
      const contents = { height, fork: this.#fork, commitments };
      const block = blockOf(contents, mineHeader(hash, blockBody(contents).merkleRoot, time));
      blocks.push(block);
      ({ hash } = block);
      commitments = [];
    }
    this.#file?.append(blocks.map(({ header }): ChainEvent => ({ block: formatHex(header) })));
    for (const block of blocks) this.#push(block);
  }

  #push(block: DevelopmentBlock): void {
    const { height } = block;
    this.#blocks.push(block);
    this.#heights.set(block.id, height);
    for (const [index, { bytes }] of block.commitments.entries()) {
      this.#places.set(formatHex(bytes), { height, index });
    }
    this.#waiting = [];
  }

  #drop(depth: number): void {
    const dropped = this.#blocks.splice(-depth);
    const again = dropped.flatMap(({ commitments }) => commitments);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { id } of dropped) this.#heights.delete(id);
    for (const each of [...again, ...waiting]) this.#wait(each);
    this.#fork += 1;
  }

  #wait(commitment: Commitment): void {
    this.#waiting.push(commitment);
    this.#places.set(formatHex(commitment.bytes), undefined);
  }

  #replay(event: ChainEvent, at: string): void {
    if ('add' in event) {
      this.#wait({ calendar: event.add, bytes: parseHex(event.commitment) });
    } else if ('drop' in event) {
      const { drop } = event;
      if (!Number.isInteger(drop) || drop < 1 || drop > this.tip.height) throw badLine(at);
      this.#drop(drop);
    } else {
      const contents = {
        height: this.tip.height + 1,
        fork: this.#fork,
        commitments: this.#waiting,
      };
      const header = parseHex(event.block, 80);
      const block = blockOf(contents, header);
      const { prev, merkleRoot, bits } = parseHeader(header);
      const follows =
        bits === DEVELOPMENT.limit &&
        equalBytes(prev, this.tip.hash) &&
        equalBytes(merkleRoot, blockBody(contents).merkleRoot) &&
        meetsTarget(block.hash, bits);
      if (!follows) throw badLine(at);
      this.#push(block);
    }
  }
}

function blockOf(contents: BlockContents, header: Uint8Array): DevelopmentBlock {
  const hash = headerHash(nodeSha256, header);
  return { ...contents, header, hash, id: blockId(hash), time: parseHeader(header).time };
}

function genesis(): DevelopmentBlock {
  return blockOf({ height: 0, fork: 0, commitments: [] }, DEVELOPMENT.genesis);
}

function badLine(at: string): Fault {
  return new Fault('malformed', 'development chain', {
    at,
    expected: 'an event that follows from those before',
  });
}
