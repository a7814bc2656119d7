import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import {
  formatEntryBundle,
  formatHashTile,
  type Tile,
  TILE_WIDTH,
  tilesOf,
} from '@assay/core/log/tile';
import type { EntryDraft, Ledger } from '@assay/node/ledger/ledger';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import {
  CHECKPOINTS,
  type Failure,
  naiveLevels,
  naiveRoot,
  note,
  plainSha256,
} from './ledger-fixture.ts';

export const RULE: EntryDraft = { kind: 'rule/1', body: { rule: layoffsRule() } };
export const fault = (code: string): { name: string; code: string } => ({ name: 'Fault', code });

/** Closes a ledger at the end of its test: what waits there must not outlive it. */
export function closing(t: TestContext, ledger: Ledger): Ledger {
  t.after(() => ledger.close().catch(() => undefined));
  return ledger;
}

/** What becomes of a promise, without waiting for it. */
export function watch<T>(promise: Promise<T>): {
  state: 'pending' | 'kept' | 'broken';
  code?: unknown;
} {
  const watched: { state: 'pending' | 'kept' | 'broken'; code?: unknown } = { state: 'pending' };
  promise.then(
    () => {
      watched.state = 'kept';
    },
    (error: unknown) => {
      watched.state = 'broken';
      watched.code = faultCode(error);
    },
  );
  return watched;
}

/** Demands that a ledger serves exactly the tree of the first `size` leaves and nothing beyond. */
export async function requireServed(
  ledger: Ledger,
  entries: readonly Uint8Array[],
  size: number,
): Promise<void> {
  const leaves = entries.slice(0, size).map((bytes) => leafHash(plainSha256, bytes));
  const levels = naiveLevels(leaves);
  assert.equal(ledger.published?.size, size);
  assert.deepEqual(Buffer.from(ledger.published.root), Buffer.from(naiveRoot(leaves)));
  const opened = CHECKPOINTS.open(ledger.published.note);
  assert.equal(opened.size, size);
  assert.deepEqual(Buffer.from(opened.root), Buffer.from(naiveRoot(leaves)));
  for (const { level, index, width } of tilesOf(size)) {
    for (const part of new Set([1, Math.ceil(width / 2), width - 1, width])) {
      if (part === 0) continue;
      await requireTile(ledger, { level, index, width: part }, levels, entries);
    }
    const wider = { level, index, width: width + 1 };
    if (width < TILE_WIDTH) assert.equal(await ledger.tile(wider), undefined);
  }
  assert.equal(await ledger.entry(size), undefined);
}

export async function requireTile(
  ledger: Ledger,
  { level, index, width }: Tile,
  levels: readonly (readonly Hash[])[],
  entries: readonly Uint8Array[],
): Promise<void> {
  const start = index * TILE_WIDTH;
  const expected =
    level === 'entries'
      ? formatEntryBundle(entries.slice(start, start + width))
      : formatHashTile((levels[level] ?? []).slice(start, start + width));
  const found = await ledger.tile({ level, index, width });
  assert.ok(found !== undefined, `tile ${level}/${index} of width ${width}`);
  assert.ok(Buffer.from(expected).equals(found), `tile ${level}/${index} of width ${width}`);
}

export const notes = (count: number): readonly EntryDraft[] =>
  Array.from({ length: count }, (_, i) => note(`${i}`));

export const STEPS = ['commit', 'swap'] as const;
export const FAILURES: readonly Failure[] = ['failed', 'failed, but on disk'];
