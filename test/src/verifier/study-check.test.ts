import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/entry';
import type { Study } from '@assay/core/kind/study';
import { parseStudyBlob } from '@assay/core/terminal/study-blob';
import { nodeSha256 } from '@assay/node/node-sha256';
import { EvidenceReader } from '@assay/verifier/blobs';
import { Findings } from '@assay/verifier/finding';
import { checkStudy } from '@assay/verifier/study-check';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict';
import { ENVIRONMENT, publish } from './published.ts';
import { tickedLog } from './ticked-log.ts';

const LOG = tickedLog();
const { views } = publish(LOG.entries, LOG.blobs, LOG.checkpoints);
const SEQ = LOG.entries.length - 1;
const STUDY = parseEntry(LOG.entries[SEQ] as Uint8Array).body as unknown as Study;

async function found(change: Partial<Study>, blobs: ReadonlyMap<string, Uint8Array> = LOG.blobs) {
  const [findings, notChecked, tally] = [new Findings(), new NotCheckedList(), emptyTally()];
  const read = (hash: string) => Promise.resolve(blobs.get(hash));
  const evidence = new EvidenceReader(read, ENVIRONMENT, findings, tally);
  const context = { evidence, findings, notChecked, tally };
  const at = { seq: SEQ, place: `entry ${SEQ}` };
  await checkStudy({ ...STUDY, ...change }, at, views, nodeSha256, context);
  return { codes: findings.list.map(({ code, place }) => `${code} ${place}`), notChecked };
}

test('study check: a study is made again from the events of its range, and ordinary moments are named', async () => {
  const { codes, notChecked } = await found({});
  assert.deepEqual(codes, []);
  assert.deepEqual(
    notChecked.list.map(({ what }) => what),
    ['what became of the ordinary moments of a study'],
  );
  const blob = parseStudyBlob(LOG.blobs.get(STUDY.blob) as Uint8Array);
  assert.deepEqual(blob.symbols, ['ADA', 'ETH']);
});

test('study check: another range, rule or class is another study', async () => {
  const place = `entry ${SEQ}`;
  const { codes: later } = await found({ from: STUDY.from + 1 });
  assert.deepEqual(later, [`study_differs ${place}, blob/from`]);
  const { codes: ahead } = await found({ to: SEQ + 1 });
  assert.equal(ahead[0], `study_differs ${place}/to`);
  const { codes: stocks } = await found({ class: 'stock' });
  assert.equal(stocks[0], `study_differs ${place}/rule`);
  const { codes: gone } = await found({}, new Map());
  assert.deepEqual(gone, [`blob_missing ${place}`]);
});
