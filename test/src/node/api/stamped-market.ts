import { hashHex } from '@assay/core/hash/hash';
import { leafHash, toHash } from '@assay/core/hash/hash';
import { rootOf } from '@assay/core/log/tree';
import { formatTimestamp } from '@assay/core/ots/timestamp';
import { anchorTree } from '@assay/core/proof/anchor-tree';
import { formatTime } from '@assay/core/time/time';
import { type AnchorRow, anchorRow } from '@assay/core/view/anchors';
import { logRow } from '@assay/core/view/log';
import { blockAt, CALENDAR, SALT } from '../../core/fixture/anchor-fixture.ts';
import { sha256 } from '../../core/fixture/fixture.ts';
import type { TerminalWorld } from './terminal-world.ts';

const PENDING = formatTimestamp({
  items: [{ attestation: { kind: 'pending', uri: CALENDAR } }],
});

/** Stamps everything that the log has. */
export async function stampMarket({ log, blobs, now }: TerminalWorld): Promise<void> {
  const made = {
    batch: 0,
    issue: 0,
    from: 0,
    to: log.entries.length,
    root: hashHex(
      rootOf(
        sha256,
        log.entries.map((bytes) => toHash(leafHash(sha256, bytes))),
      ),
    ),
    salt: SALT,
  };
  const origin = logRow(log.views)?.origin ?? '';
  const body = {
    ...made,
    tip: hashHex(anchorTree(log.views, sha256, origin, made).tree.tip),
    stamped_at: formatTime(now),
    proof: await blobs.put(PENDING),
    calendars: [{ uri: CALENDAR, state: 'pending' }],
    bitcoin: [],
  };
  log.append('anchor/1', body, formatTime(now));
}

/** Says that a block holds the batch. */
export function attestMarket({ log, now }: TerminalWorld): void {
  const { seq: _seq, at: _at, ...body } = anchorRow(log.views, 0) as AnchorRow;
  const calendars = [{ uri: CALENDAR, state: 'attested' }];
  const issued = { ...body, issue: 1, calendars, bitcoin: [blockAt(9)] };
  log.append('anchor/1', issued, formatTime(now));
}
