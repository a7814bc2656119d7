import assert from 'node:assert/strict';
import { hashHex } from '@assay/core/hash/hash';
import type { Anchor, AnchorBlock } from '@assay/core/kind/anchor';
import { formatTimestamp } from '@assay/core/ots/timestamp';
import { anchorTree } from '@assay/core/proof/anchor-tree';
import { type AnchorRow, anchorRow, newestAnchor } from '@assay/core/view/anchors';
import { logRow } from '@assay/core/view/log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CALENDAR, SALT } from '../../core/fixture/anchor-fixture.ts';
import type { ClosesWorld } from '../fixture/closes-world.ts';

const PENDING = formatTimestamp({ items: [{ attestation: { kind: 'pending', uri: CALENDAR } }] });
const ATTESTED = formatTimestamp({
  items: [
    { attestation: { kind: 'pending', uri: CALENDAR } },
    {
      operation: { op: 'sha256' },
      next: { items: [{ attestation: { kind: 'bitcoin', height: 9 } }] },
    },
  ],
});

/** Stamps what the published log has, with a timestamp that nobody made; its body. */
export async function stamp({ ledger, blobs }: ClosesWorld): Promise<Anchor> {
  const { shown, published } = ledger;
  assert.ok(published !== undefined);
  const before = newestAnchor(shown);
  const made = {
    batch: (before?.batch ?? -1) + 1,
    issue: 0,
    from: before?.to ?? 0,
    to: published.size,
    root: hashHex(published.root),
    salt: SALT,
  };
  const origin = logRow(shown)?.origin ?? '';
  const body: Anchor = {
    ...made,
    tip: hashHex(anchorTree(shown, nodeSha256, origin, made).tree.tip),
    stamped_at: '2026-07-11T00:10:00Z' as Anchor['stamped_at'],
    proof: await blobs.put(PENDING),
    calendars: [{ uri: CALENDAR, state: 'pending' }],
    bitcoin: [],
  };
  await ledger.write(() => [{ kind: 'anchor/1', body: body as never }]);
  return body;
}

/** Writes that a block holds a batch. */
export async function attest(
  { ledger, blobs }: ClosesWorld,
  batch: number,
  block: AnchorBlock,
): Promise<void> {
  const { seq: _seq, at: _at, ...body } = anchorRow(ledger.shown, batch) as AnchorRow;
  const issued: Anchor = {
    ...body,
    issue: body.issue + 1,
    proof: await blobs.put(ATTESTED),
    calendars: [{ uri: CALENDAR, state: 'attested' }],
    bitcoin: [block],
  };
  await ledger.write(() => [{ kind: 'anchor/1', body: issued as never }]);
}
