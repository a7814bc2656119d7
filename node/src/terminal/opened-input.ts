import { equalBytes } from '@assay/core/bytes';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash';
import type { TickInput } from '@assay/core/terminal/good';
import { parseTickValues, tickCommitment } from '@assay/core/terminal/tick-values';
import type { TickOpening } from '@assay/core/terminal/tick-writer';
import { formatTime } from '@assay/core/time';
import { parseUtf8 } from '@assay/core/utf8';
import type { WireValue } from '@assay/core/wire';

/** What was read of an asset at `ts`. Throws `replay_differs` for an opening that is not of `commitment`, its leaf's. */
export function openedInput(
  sha256: Sha256,
  ts: number,
  { symbol, salt, bytes }: TickOpening,
  commitment: Uint8Array | undefined,
): TickInput {
  if (commitment === undefined || !equalBytes(tickCommitment(sha256, salt, bytes), commitment)) {
    throw new Fault('replay_differs', 'tick openings', {
      at: `${symbol} of ${formatTime(ts)}`,
      expected: 'what opens its leaf',
    });
  }
  const values = parseTickValues(JSON.parse(parseUtf8(bytes)) as WireValue, 'values');
  return { price: values.price, volume24h: values.volume_24h, sources: values.sources };
}
