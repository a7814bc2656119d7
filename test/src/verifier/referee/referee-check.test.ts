import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { scoreSums } from '@assay/core/view/referee';
import { Forge, type Loose, type LooseDraft } from '../fixture/forge.ts';
import { judgeSite, publish, siteOf } from '../fixture/published.ts';
import { REFEREED_RULE, refereedLog } from '../fixture/refereed-log.ts';

const log = refereedLog();
const published = publish(log.entries, log.blobs, log.checkpoints);

test('referee check: an honest log is verified, with everything counted', async () => {
  const verdict = await judgeSite(siteOf(published));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  const { questions, answers, outcomes, events } = verdict.checked;
  assert.deepEqual(
    { questions, answers, outcomes },
    { questions: events, answers: 9, outcomes: 4 },
  );
  const sums = scoreSums(published.views);
  assert.deepEqual([sums.resolved, sums.void], [3, 1]);
});

test('referee check: what a log that ends at a tick still owes is named, and no finding', async () => {
  const forge = new Forge(log);
  const { seq } = forge.newest(({ kind }) => kind === 'question/1');
  forge.drafts.length = seq;
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.ok(
    verdict.not_checked.some(({ what }) => what.startsWith('the 1 questions and outcomes')),
  );
});

test('referee check: behind a tick that cannot be read, outcomes are not judged', async () => {
  const forge = new Forge(log);
  const { seq } = forge.newest(({ kind, body }) => kind === 'outcome/1' && body['score'] !== null);
  const tick = forge.drafts.findLast(({ kind }, i) => i < seq && kind === 'tick/1');
  forge.blobs.delete(tick?.body['blob'] as string);
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'findings');
  if (verdict.outcome !== 'findings') return;
  assert.deepEqual(
    [...new Set(verdict.findings.map(({ code }) => code))],
    ['blob_missing'],
    JSON.stringify(verdict.findings),
  );
  assert.ok(
    verdict.not_checked.some(({ what }) => what.startsWith('1 outcomes of questions at ticks')),
  );
});

test('referee check: a log without a rule has no questions, and one that stops asking ends those it has', async () => {
  const none = refereedLog({ ...REFEREED_RULE, referee: null });
  const kinds = none.entries.map((bytes) => parseEntry(bytes).kind);
  assert.equal(kinds.includes('event/1'), true);
  assert.equal(
    kinds.some((kind) => /^(question|answers|outcome)/.test(kind)),
    false,
  );
  const verdict = await judgeSite(siteOf(publish(none.entries, none.blobs, none.checkpoints)));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});

test('referee check: answers that are opened behind the outcome are late, and not missing', async () => {
  const forge = new Forge(log);
  const isClosed = (body: Loose): boolean => body['type'] === 'closed' && body['count'] > 0;
  const { draft, seq } = forge.newest(({ kind, body }) => kind === 'answers/1' && isClosed(body));
  const [closed] = forge.drafts.splice(seq, 1);
  const at = forge.drafts.at(-1)?.at ?? '';
  forge.drafts.push({ ...(closed as LooseDraft), at });
  assert.ok(at > draft.at);
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'findings');
  if (verdict.outcome !== 'findings') return;
  assert.deepEqual(
    verdict.findings.map(({ code }) => code),
    ['answers_late'],
  );
});
