import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestAnchor } from '@assay/core/view/anchors';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { uncoveredOf, Unstamped, wantsStamp } from '@assay/verifier/bitcoin/uncovered';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { anchoredLog } from '../fixture/anchored-log.ts';
import { Forge, noteDraft } from '../fixture/forge.ts';
import { judgeSite, publish, siteOf } from '../fixture/published.ts';

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
    forge.drafts.push(noteDraft('2026-07-24T00:20:00Z', 'one'), noteDraft(at, 'another'));
    const verdict = await judgeSite(siteOf(forge.publish()));
    assert.deepEqual(uncoveredIn(verdict), { from: FROM, to: before + 2, late }, at);
  }
});

test('an entry that was just written after a quiet week is not late', async () => {
  const forge = new Forge(log);
  forge.drafts.push(noteDraft('2026-08-24T00:20:00Z', 'one'));
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.deepEqual(uncoveredIn(verdict), { from: FROM, to: forge.drafts.length, late: false });
});

test('what waits: the oldest that no batch covers', () => {
  const unstamped = new Unstamped();
  const at = (hour: number): TimeText => formatTime(3600 * hour);
  unstamped.entry('beacon/1', 0, at(0));
  assert.equal(unstamped.since, undefined);
  unstamped.entry('note/1', 1, at(1));
  unstamped.entry('note/1', 2, at(2));
  assert.equal(unstamped.since, at(1));
  unstamped.batch(1);
  assert.equal(unstamped.since, at(1));
  unstamped.batch(2);
  assert.equal(unstamped.since, at(2));
  unstamped.batch(3);
  assert.equal(unstamped.since, undefined);
});

test('a log without a batch has all of it uncovered', () => {
  const empty = { get: () => undefined, descend: () => [] } as never;
  assert.deepEqual(uncoveredOf(empty, { size: 3, at: '', since: undefined }), {
    from: 0,
    to: 3,
    late: true,
  });
  assert.equal(uncoveredOf(empty, { size: 0, at: '', since: undefined }), null);
});

test('what waits for a batch is the same for one that goes on from what was kept', () => {
  const at = (seq: number): TimeText => formatTime(1_800_000_000 + 60 * seq);
  for (let cut = 0; cut <= 5; cut += 1) {
    const whole = new Unstamped();
    let cutOne = new Unstamped();
    for (let seq = 0; seq < 6; seq += 1) {
      if (seq === cut) {
        const kept = structuredClone(cutOne.kept);
        cutOne = new Unstamped();
        cutOne.resume(kept);
      }
      for (const each of [whole, cutOne]) {
        if (seq === 3) each.batch(3);
        else each.entry('note/1', seq, at(seq));
      }
      assert.equal(cutOne.since, whole.since, `cut at ${cut}, entry ${seq}`);
    }
  }
});
