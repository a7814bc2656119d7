import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestAnchor } from '@assay/core/view/anchors';
import { uncoveredOf, wantsStamp } from '@assay/verifier/uncovered';
import type { Verdict } from '@assay/verifier/verdict';
import { anchoredLog } from './anchored-log.ts';
import { Forge, noteDraft } from './forge.ts';
import { judgeSite, publish, siteOf } from './published.ts';

const log = await anchoredLog();
const FROM = newestAnchor(log.ledger.tip)?.to;

function uncoveredIn(verdict: Verdict): unknown {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  return verdict.outcome === 'verified' ? verdict.bitcoin?.uncovered : undefined;
}

test('the entries after the newest batch; those that speak of stamps are not late', async () => {
  const verdict = await judgeSite(siteOf(publish(log.entries, log.blobs, log.checkpoints)));
  assert.deepEqual(uncoveredIn(verdict), { from: FROM, to: log.entries.length, late: false });
  assert.deepEqual(['anchor/1', 'beacon/1', 'note/1'].map(wantsStamp), [false, false, true]);
});

test('records that no batch comes for: late after two hours', async () => {
  for (const [at, late] of [
    ['2026-07-24T02:20:00Z', false],
    ['2026-07-24T02:20:01Z', true],
  ] as const) {
    const forge = new Forge(log);
    const before = forge.drafts.length;
    forge.drafts.push(noteDraft(at, 'one'), noteDraft(at, 'another'));
    const verdict = await judgeSite(siteOf(forge.publish()));
    assert.deepEqual(uncoveredIn(verdict), { from: FROM, to: before + 2, late }, at);
  }
});

test('a log without a batch has all of it uncovered', () => {
  const empty = { get: () => undefined, descend: () => [] } as never;
  assert.deepEqual(uncoveredOf(empty, { size: 3, at: '' }), { from: 0, to: 3, late: true });
  assert.equal(uncoveredOf(empty, { size: 0, at: '' }), null);
});
