import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { TickInput } from '@assay/core/terminal/score/good';
import {
  parseTickValues,
  tickCommitment,
  type TickValues,
} from '@assay/core/terminal/tick/tick-values';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { formatTime } from '@assay/core/time/time';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { WireValue } from '@assay/core/wire/wire';

/**
 * What was read of an asset at `ts`. Throws `replay_differs` for an opening that does not match `commitment`,
 * its leaf's.
 */
export function openedInput(
  sha256: Sha256,
  ts: number,
  opening: TickOpening,
  commitment: Uint8Array | undefined,
): TickInput {
  return inputOf(openedValues(sha256, ts, opening, commitment));
}

/** Everything that its leaf commits to. Throws as `openedInput`, and `malformed` for invalid values. */
export function openedValues(
  sha256: Sha256,
  ts: number,
  { symbol, salt, bytes }: TickOpening,
  commitment: Uint8Array | undefined,
): TickValues {
  if (commitment === undefined || !equalBytes(tickCommitment(sha256, salt, bytes), commitment)) {
    throw new Fault('replay_differs', 'tick openings', {
      at: `${symbol} of ${formatTime(ts)}`,
      expected: 'what opens its leaf',
    });
  }
  return parseTickValues(JSON.parse(parseUtf8(bytes)) as WireValue, 'values');
}

export function inputOf({ price, volume_24h: volume24h, sources }: TickValues): TickInput {
  return { price, volume24h, sources };
}
