import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHash } from '@assay/core/hash/hash';
import { type Anchor, MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import { parseEntry } from '@assay/core/log/entry';
import { toTime } from '@assay/core/time/time';
import { MemoryViews } from '@assay/core/view/state';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type LogBeforeAnchor, checkAnchor } from '@assay/verifier/bitcoin/anchor-check';
import { NO_LIMIT } from '@assay/core/work-budget';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { Findings } from '@assay/verifier/verdict/finding';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { anchoredLog } from '../fixture/anchored-log.ts';
import { ENVIRONMENT } from '../fixture/published.ts';

const { entries } = await anchoredLog();
const AT = toTime('2027-01-01T00:00:00Z');
const anchor = entries.map((bytes) => parseEntry(bytes)).find(({ kind }) => kind === 'anchor/1')
  ?.body as unknown as Anchor;

/** What is found of a first batch in a log of `seq` entries that has nothing stamped. */
function found(change: Partial<Anchor>, seq: number): readonly string[] {
  const findings = new Findings();
  const tally = emptyTally();
  const evidence = new EvidenceReader(
    () => Promise.resolve(undefined),
    ENVIRONMENT,
    findings,
    tally,
    NO_LIMIT,
  );
  const standing: LogBeforeAnchor = {
    origin: 'development/none',
    state: new MemoryViews(),
    rootAt: (size) => (size > seq ? undefined : toHash(new Uint8Array(32).fill(1))),
    beaconHeight: () => undefined,
    timeOf: () => undefined,
  };
  const context = { findings, tally, evidence, notChecked: new NotCheckedList(), work: NO_LIMIT };
  const body = { ...anchor, root: '01'.repeat(32), ...change } as Anchor;
  checkAnchor(body, seq, AT, 'entry', standing, nodeSha256, context);
  assert.equal(tally.anchors, 1);
  return findings.list.map(({ expected }) => expected.replaceAll(/[0-9a-f]{64}/g, 'hash'));
}

const TIP = 'tip hash of its leaves';

test('a batch may lag behind its entry by so many entries, and by no more', () => {
  assert.deepEqual(found({ to: 4 }, 4), [TIP]);
  assert.deepEqual(found({ to: 4 }, 4 + MAX_ANCHOR_LAG), [TIP]);
  const most = `a batch up to entry ${5 + MAX_ANCHOR_LAG}, at most ${MAX_ANCHOR_LAG} before it`;
  assert.deepEqual(found({ to: 4 }, 5 + MAX_ANCHOR_LAG), [most]);
});

test('a batch does not cover the entry that records it', () => {
  assert.deepEqual(found({ to: 9 }, 8), ['a batch up to entry 8, at most 65536 before it']);
});

test('the first batch begins at the first entry', () => {
  assert.deepEqual(found({ from: 1 }, 8), ['/from 0']);
  assert.deepEqual(found({ batch: 1 }, 8), ['/batch 0']);
});
