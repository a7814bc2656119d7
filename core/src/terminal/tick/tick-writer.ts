import { requireLength } from '../../bytes/bytes.ts';
import { SALT_BYTES } from '../../hash/commitment.ts';
import { Fault } from '../../fault.ts';
import { type Hash, leafHash, type Sha256, taggedBytes } from '../../hash/hash.ts';
import { isDecimal } from '../../number/rational.ts';
import { formatTime, type TimeText } from '../../time/time.ts';
import { rootOf } from '../../log/tree.ts';
import { ASSET_BYTES, symbolBytes } from './asset-symbol.ts';
import { NO_SCORE, TICK_LEAF_BYTES } from './tick-leaf.ts';
import { MAX_TICK_SOURCES, type TickSource, type TickValues } from './tick-values.ts';

/** The values of one asset at a tick, before they are hashed. */
export interface TickRow extends Pick<TickValues, 'symbol' | 'price' | 'volume_24h' | 'sources'> {
  readonly score: number | null;
  readonly good: boolean;
}

/** What opens a leaf's commitment, which is `sha256(salt || bytes)`. */
export interface TickOpening {
  readonly symbol: string;
  readonly salt: Uint8Array;
  /** The canonical values. */
  readonly bytes: Uint8Array;
}

export interface WrittenTick {
  /** The leaves, rising by asset. */
  readonly blob: Uint8Array;
  /** The RFC 6962 root over the leaves. */
  readonly root: Hash;
  /** One for each leaf; empty unless they were requested. */
  readonly openings: readonly TickOpening[];
}

/** The most bytes of an asset's values: eight sources with figures of any sensible length. */
const MAX_VALUES = 8192;

/**
 * Writes ticks: the same bytes as `formatTickValues`, `tickSalt`, `tickCommitment`, `formatTickLeaves` and
 * `tickRoot` one after the other, in buffers that are reused. It computes four hashes for each asset: salt,
 * commitment, leaf and node.
 */
export class TickWriter {
  readonly #sha256: Sha256;
  /** `tag 0x00 || seed || asset || ts`. The last two are overwritten each time. */
  readonly #saltInput: Uint8Array;
  readonly #saltView: DataView;
  readonly #assetAt: number;
  /** `salt || values`. */
  readonly #preimage: Uint8Array = new Uint8Array(SALT_BYTES + MAX_VALUES);
  /** Where the preimage currently ends. */
  #end = 0;
  readonly #leaf: Uint8Array;
  readonly #leafView: DataView;
  readonly #symbols = new Map<string, Uint8Array>();

  constructor(sha256: Sha256, seed: Uint8Array) {
    this.#sha256 = sha256;
    const start = taggedBytes('assay/tick-salt/v1', requireLength(seed, SALT_BYTES, 'seed'));
    this.#assetAt = start.length;
    this.#saltInput = new Uint8Array(start.length + ASSET_BYTES + 8);
    this.#saltInput.set(start);
    this.#saltView = new DataView(this.#saltInput.buffer);
    this.#leaf = new Uint8Array(TICK_LEAF_BYTES);
    this.#leaf.set(taggedBytes('assay/tick/v1'));
    this.#leafView = new DataView(this.#leaf.buffer);
  }

  /**
   * Writes the tick at `ts` (unix seconds). `rows` rise by symbol. Throws `malformed` for a value that is no
   * plain decimal, and `too_large`.
   */
  write(ts: number, rows: readonly TickRow[], keepOpenings: boolean): WrittenTick {
    const sha256 = this.#sha256;
    const time = formatTime(ts);
    const at = BigInt(ts);
    this.#saltView.setBigInt64(this.#assetAt + ASSET_BYTES, at, true);
    this.#leafView.setBigInt64(14 + ASSET_BYTES, at, true);
    const leaf = this.#leaf;
    const blob = new Uint8Array(rows.length * TICK_LEAF_BYTES);
    const hashes: Hash[] = [];
    const openings: TickOpening[] = [];
    for (const [i, row] of rows.entries()) {
      const asset = this.#symbolOf(row.symbol);
      this.#saltInput.set(asset, this.#assetAt);
      this.#preimage.set(sha256(this.#saltInput));
      this.#end = SALT_BYTES;
      this.#putValues(row, time);
      const end = this.#end;
      leaf.set(asset, 14);
      leaf[38] = row.score ?? NO_SCORE;
      leaf[39] = row.good ? 1 : 0;
      leaf.set(sha256(this.#preimage.subarray(0, end)), 40);
      blob.set(leaf, i * TICK_LEAF_BYTES);
      hashes.push(leafHash(sha256, leaf));
      if (!keepOpenings) continue;
      const kept = this.#preimage.slice(0, end);
      const [salt, bytes] = [kept.subarray(0, SALT_BYTES), kept.subarray(SALT_BYTES)];
      openings.push({ symbol: row.symbol, salt, bytes });
    }
    return { blob, root: rootOf(sha256, hashes), openings };
  }

  #symbolOf(symbol: string): Uint8Array {
    let bytes = this.#symbols.get(symbol);
    if (bytes === undefined) {
      bytes = symbolBytes(symbol);
      this.#symbols.set(symbol, bytes);
    }
    return bytes;
  }

  /** Writes the bytes of `formatTickValues` piece by piece. Nothing in them needs an escape. */
  #putValues({ symbol, price, volume_24h, sources }: TickRow, ts: TimeText): void {
    if (sources.length > MAX_TICK_SOURCES) {
      const expected = `at most ${MAX_TICK_SOURCES} sources`;
      throw new Fault('malformed', 'tick values', { expected });
    }
    requireDecimal(price);
    requireDecimal(volume_24h);
    this.#put('{"price":');
    this.#putQuoted(price);
    this.#put(',"sources":[');
    for (let i = 0; i < sources.length; i += 1) {
      const source = sources[i] as TickSource;
      if (!/^[a-z0-9_]{1,64}$/.test(source.provider)) {
        throw new Fault('malformed', 'provider', { found: JSON.stringify(source.provider) });
      }
      // A price equal to the asset's own was checked already.
      if (source.price !== price) requireDecimal(source.price);
      if (source.volume_24h !== volume_24h) requireDecimal(source.volume_24h);
      this.#put(i === 0 ? '{"price":' : ',{"price":');
      this.#putQuoted(source.price);
      this.#put(',"provider":"');
      this.#put(source.provider);
      this.#put('","stamped_at":');
      this.#putQuoted(source.stamped_at);
      this.#put(',"volume_24h":');
      this.#putQuoted(source.volume_24h);
      this.#put('}');
    }
    this.#put('],"symbol":"');
    this.#put(symbol);
    this.#put('","ts":"');
    this.#put(ts);
    this.#put('","type":"assay-tick-values/1","volume_24h":');
    this.#putQuoted(volume_24h);
    this.#put('}');
  }

  #putQuoted(text: string | null): void {
    if (text === null) {
      this.#put('null');
      return;
    }
    this.#put('"');
    this.#put(text);
    this.#put('"');
  }

  /**
   * Writes ASCII. A loop over short pieces takes a third of the time of joining them to a text and encoding
   * that.
   */
  #put(text: string): void {
    const bytes = this.#preimage;
    const at = this.#end;
    const { length } = text;
    if (at + length > bytes.length) {
      throw new Fault('too_large', 'tick values', { expected: `at most ${MAX_VALUES} bytes` });
    }
    for (let i = 0; i < length; i += 1) bytes[at + i] = text.charCodeAt(i);
    this.#end = at + length;
  }
}

function requireDecimal(text: string | null): void {
  if (text === null || isDecimal(text)) return;
  throw new Fault('malformed', 'tick value', {
    expected: 'a plain decimal',
    found: JSON.stringify(text.slice(0, 40)),
  });
}
