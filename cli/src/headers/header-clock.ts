import { HEADER_BYTES, MAX_FUTURE_BLOCK_SECONDS, TIME_AT } from '@assay/core/bitcoin/header';
import { Fault } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';

/**
 * Requires that headers, 80 bytes each from `height` on, are of blocks that were mined by `now` (unix seconds).
 * A header further ahead was invented, or this machine's clock is wrong: throws `refused` at `height N`.
 */
export function requireMined(headers: Uint8Array, height: number, now: number): void {
  const view = new DataView(headers.buffer, headers.byteOffset, headers.byteLength);
  for (let at = 0; at + HEADER_BYTES <= headers.length; at += HEADER_BYTES) {
    const time = view.getUint32(at + TIME_AT, true);
    if (time <= now + MAX_FUTURE_BLOCK_SECONDS) continue;
    throw new Fault('refused', 'Bitcoin header', {
      at: `height ${height + at / HEADER_BYTES}`,
      expected: `a time up to two hours ahead of this machine's clock, ${formatTime(now)}`,
      found: formatTime(time),
    });
  }
}
