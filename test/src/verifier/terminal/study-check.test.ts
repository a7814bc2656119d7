import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import type { HashHex } from '@assay/core/hash/hash';
import type { Study } from '@assay/core/kind/study';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NO_LIMIT } from '@assay/core/work-budget';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { Findings } from '@assay/verifier/verdict/finding';
import { checkStudy, type StudyRange } from '@assay/verifier/terminal/study-check';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { ENVIRONMENT, publish } from '../fixture/published.ts';
import { tickedLog } from '../fixture/ticked-log.ts';

const LOG = tickedLog();
const { views } = publish(LOG.entries, LOG.blobs, LOG.checkpoints);
const SEQ = LOG.entries.length - 1;
const STUDY = parseEntry(LOG.entries[SEQ] as Uint8Array).body as unknown as Study;
const BLOB = parseStudyBlob(LOG.blobs.get(STUDY.blob) as Uint8Array);
const { '1d': DAY } = BLOB.ordinary.horizons;
const NONE = { n: 0, excess: 0 };
const RANGE: StudyRange = {
  to: SEQ,
  rule: STUDY.rule,
  // Those of BTC alone: an event of each other asset is near all of its own.
  counts: { '1d': { n: DAY.n, excess: 0 }, '7d': NONE, '30d': NONE },
};

async function found(
  change: Partial<StudyRange> = {},
  blobs: ReadonlyMap<string, Uint8Array> = LOG.blobs,
  pause?: () => Promise<void>,
) {
  const [findings, notChecked, tally] = [new Findings(), new NotCheckedList(), emptyTally()];
  const read = (hash: string) => Promise.resolve(blobs.get(hash));
  const evidence = new EvidenceReader(read, ENVIRONMENT, findings, tally, NO_LIMIT);
  const context = {
    evidence,
    findings,
    notChecked,
    work: NO_LIMIT,
    tally,
    ...(pause === undefined ? {} : { pause }),
  };
  await checkStudy(STUDY, 'entry 9', { ...RANGE, ...change }, views, nodeSha256, context);
  return { codes: findings.list.map(({ code, place }) => `${code} ${place}`), notChecked };
}

test('study check: a study is made again from events and leaves, and what rests on prices is named', async () => {
  const { codes, notChecked } = await found();
  assert.deepEqual(codes, []);
  assert.deepEqual(
    notChecked.list.map(({ what }) => what),
    ['what became of the ordinary moments of a study, and the moves and returns of its events'],
  );
  assert.deepEqual(BLOB.symbols, ['ADA', 'ETH']);
  assert.ok(DAY.n > 20, `${DAY.n} ordinary moments`);
});

test('study check: another rule and other counts are another study, and a lost blob is none', async () => {
  const { codes: rule } = await found({ rule: 'ab'.repeat(32) as HashHex });
  assert.deepEqual(rule, ['study_differs entry 9/rule']);
  const counts = { '1d': { n: DAY.n + 1, excess: 0 }, '7d': NONE, '30d': NONE };
  const { codes: more } = await found({ counts });
  assert.equal(more[0], 'study_differs entry 9, blob/ordinary/horizons/1d/n');
  const { codes: gone } = await found({}, new Map());
  assert.deepEqual(gone, ['blob_missing entry 9']);
});

test('study check: without a tick that could be read the counts are not checked, and that is reported', async () => {
  const { codes, notChecked } = await found({ counts: undefined });
  assert.deepEqual(codes, []);
  assert.ok(notChecked.list.some(({ what }) => what.includes('how many ordinary moments')));
});

test('study check: others have their turn between its groups, and may end it', async () => {
  let turns = 0;
  await found({}, LOG.blobs, () => Promise.resolve(void (turns += 1)));
  assert.ok(turns >= 18, `${turns} turns`);
  await assert.rejects(
    found({}, LOG.blobs, () => Promise.reject(new Error('enough'))),
    /enough/,
  );
});
