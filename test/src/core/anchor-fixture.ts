import { anchorTree, type AnchorTree } from '@assay/core/anchor';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { hashHex, type HashHex, leafHash } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import type { Anchor, AnchorBlock } from '@assay/core/kind/anchor';
import { rootOf } from '@assay/core/tree';
import { anchorRow, newestAnchor } from '@assay/core/view/anchors';
import { logRow } from '@assay/core/view/log';
import { type SampleLog, sha256, SOME_HASH, vectors } from './fixture.ts';

export interface AnchorVector {
  readonly name: string;
  readonly body: Anchor;
  /** What each leaf stamps, its digest, its nonce, and the operations from it to the tip, hex. */
  readonly leaves: readonly {
    readonly of: string;
    readonly seq: number;
    readonly digest: HashHex;
    readonly nonce: string;
    readonly path: string;
  }[];
}

/** Made by another program over the entry vectors, from what the spec says. */
export const ANCHORS: readonly AnchorVector[] = vectors<readonly AnchorVector[]>('anchor/anchors');

export const SALT: string = '5a'.repeat(32);
export const CALENDAR = 'http://127.0.0.1:4620';
/** The header of the development chain at height 0, hex. */
export const HEADER: string = formatHex(DEVELOPMENT.genesis);

/** Root of the log's tree at a size. */
export function rootAt(log: SampleLog, size: number): HashHex {
  const leaves = log.entries.slice(0, size).map((bytes) => leafHash(sha256, bytes));
  return hashHex(rootOf(sha256, leaves));
}

/** The tree of a batch that the log has. */
export function treeOf(log: SampleLog, batch: number): AnchorTree {
  const row = anchorRow(log.views, batch);
  if (row === undefined) throw new TypeError(`no batch ${batch}`);
  return anchorTree(log.views, sha256, logRow(log.views)?.origin ?? '', row);
}

/** The next batch as the log demands it, up to `to` (all entries that there are, where not given). */
export function nextBatch(log: SampleLog, to: number = log.entries.length): Anchor {
  const before = newestAnchor(log.views);
  const made = {
    batch: (before?.batch ?? -1) + 1,
    issue: 0,
    from: before?.to ?? 0,
    to,
    root: rootAt(log, to),
    salt: SALT,
  };
  const origin = logRow(log.views)?.origin ?? '';
  return {
    ...made,
    tip: hashHex(anchorTree(log.views, sha256, origin, made).tree.tip),
    stamped_at: '2026-08-22T00:10:00Z' as Anchor['stamped_at'],
    proof: SOME_HASH,
    calendars: [{ uri: CALENDAR, state: 'pending' }],
    bitcoin: [],
  };
}

/** Appends the next batch; its body. */
export function appendBatch(log: SampleLog, to?: number, change: Partial<Anchor> = {}): Anchor {
  const body = { ...nextBatch(log, to), ...change };
  log.append('anchor/1', body, '2026-08-22T00:10:05Z');
  return body;
}

/** Appends what became known of a batch: the blocks that hold it. */
export function appendAttested(
  log: SampleLog,
  batch: number,
  bitcoin: readonly AnchorBlock[],
): Anchor {
  const row = anchorRow(log.views, batch);
  if (row === undefined) throw new TypeError(`no batch ${batch}`);
  const { seq: _seq, at: _at, ...body } = row;
  const issued: Anchor = {
    ...body,
    issue: body.issue + 1,
    calendars: body.calendars.map(({ uri }) => ({ uri, state: 'attested' as const })),
    bitcoin,
  };
  log.append('anchor/1', issued, '2026-08-22T03:00:00Z');
  return issued;
}

/** A block at a height, its header always the same. */
export function blockAt(height: number): AnchorBlock {
  return { height, header: HEADER, following: SOME_HASH };
}

export function appendBeacon(log: SampleLog, height: number, header: string = HEADER): void {
  log.append('beacon/1', { height, header }, '2026-08-22T00:00:10Z');
}
