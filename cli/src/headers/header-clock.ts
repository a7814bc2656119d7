import { HEADER_BYTES, MAX_FUTURE_BLOCK_SECONDS, TIME_AT } from '@assay/core/bitcoin/header';
import { Fault } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';

/**
 * Headers, 80 bytes each from `height` on, of blocks that have been mined by `now`, Unix seconds. What lies
 * further ahead was made up, or this machine's clock is wrong: throws `refused` at `height N`.
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
