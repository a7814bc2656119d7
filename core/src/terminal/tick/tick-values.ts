import { type Hash, type Sha256, taggedBytes, toHash } from '../../hash/hash.ts';
import { concatBytes, requireLength } from '../../bytes/bytes.ts';
import { SALT_BYTES } from '../../hash/commitment.ts';
import {
  array,
  decimal,
  literal,
  nullable,
  object,
  type Parse,
  string,
  time,
} from '../../wire/schema.ts';
import type { TimeText } from '../../time/time.ts';
import { formatWire } from '../../wire/wire.ts';
import { parseSymbol, symbolBytes } from './asset-symbol.ts';

/** The answer of one source at a tick, as it was received. */
export interface TickSource {
  readonly provider: string;
  /** Plain decimals in the quote currency. */
  readonly price: string | null;
  /** The volume in the quote currency over the last 24 hours, or over as many ticks of the session. */
  readonly volume_24h: string | null;
  /** The time that the source gives for its price. */
  readonly stamped_at: TimeText | null;
}

/** The vendor values of an asset at a tick. They are never published, but opened to whoever may see them. */
export interface TickValues {
  readonly type: 'assay-tick-values/1';
  readonly symbol: string;
  readonly ts: TimeText;
  /** What was scored: the price of the first source that has one; null if none has. */
  readonly price: string | null;
  readonly volume_24h: string | null;
  readonly sources: readonly TickSource[];
}

/** The most sources of an asset at a tick. */
export const MAX_TICK_SOURCES = 8;

export const parseTickValues: Parse<TickValues> = object<TickValues>({
  type: literal('assay-tick-values/1'),
  symbol: parseSymbol,
  ts: time,
  price: nullable(decimal),
  volume_24h: nullable(decimal),
  sources: array(
    object<TickSource>({
      provider: string(1, 64, /^[a-z0-9_]+$/),
      price: nullable(decimal),
      volume_24h: nullable(decimal),
      stamped_at: nullable(time),
    }),
    0,
    MAX_TICK_SOURCES,
  ),
});

/** The canonical bytes of a tick's values, which the leaf commits to. */
export function formatTickValues(values: TickValues): Uint8Array {
  return formatWire(values);
}

/** What a leaf commits to: `sha256(salt32 || canonical values)`. */
export function tickCommitment(sha256: Sha256, salt: Uint8Array, values: Uint8Array): Hash {
  return toHash(sha256(concatBytes(requireLength(salt, SALT_BYTES, 'salt'), values)));
}

/** What a salt is for: a tick's values as a whole, or its price alone, which an event or receipt cites. */
export type SaltOf = 'tick' | 'price';

/**
 * The salt of an asset's values at `ts`: `sha256(tag 0x00 || seed32 || asset 16 || ts i64 LE)`. Each salt can
 * be shown without the seed and reveals nothing about any other.
 */
export function tickSalt(
  sha256: Sha256,
  seed: Uint8Array,
  of: SaltOf,
  symbol: string,
  ts: number,
): Uint8Array {
  const when = new Uint8Array(8);
  new DataView(when.buffer).setBigInt64(0, BigInt(ts), true);
  return sha256(
    taggedBytes(
      `assay/${of}-salt/v1`,
      requireLength(seed, SALT_BYTES, 'seed'),
      symbolBytes(symbol),
      when,
    ),
  );
}
