import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Loose } from '../fixture/forge.ts';
import { closedLog } from '../fixture/closed-log.ts';
import { type Bend, indexedForge, newestIndexDraft } from '../fixture/indexed-log.ts';
import { codesOf, folderOf, judgeFolder, judgeSite, siteOf } from '../fixture/published.ts';

const log = await closedLog();
const ZEROS = '00'.repeat(32);

test('index check: an honest log is verified from its server and from its folder', async () => {
  const forge = indexedForge(log);
  const entries = forge.drafts.filter(({ kind }) => kind === 'index/1');
  const last = entries.at(-1)?.body as Loose;
  assert.ok(last['prints'].count > entries[1]?.body['prints'].count, 'prints in several days');
  assert.deepEqual([last['rules'].count, last['keys'].count, last['events'].count], [2, 4, 0]);
  const published = forge.publish();
  for (const verdict of [
    await judgeSite(siteOf(published)),
    await judgeFolder(folderOf(published)),
  ]) {
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.equal(verdict.checked.indexes, entries.length);
    const named = verdict.not_checked.map(({ what }) => what);
    assert.ok(
      named.some((what) => /^the index entry of 2026-07-0\d, .* more, which the log/.test(what)),
      named.join('\n'),
    );
  }
});

const DIFFERS: readonly (readonly [string, Bend, RegExp])[] = [
  ['another root of the prints', ({ body }) => (body['prints'].root = ZEROS), /prints\/root$/],
  ['a print fewer', ({ body }) => (body['prints'].count -= 1), /prints\/count$/],
  ['a key more', ({ body }) => (body['keys'].count += 1), /keys\/count$/],
  ['another rule', ({ body }) => (body['rules'].root = ZEROS), /rules\/root$/],
  ['an event', ({ body }) => (body['events'].count = 1), /events\/count$/],
  ['another size', ({ body }) => (body['size'] -= 1), /size$/],
];

for (const [name, bend, place] of DIFFERS) {
  test(`index check: ${name} is found, where it is`, async () => {
    const forge = indexedForge(log, { bend });
    const { seq } = newestIndexDraft(forge);
    const verdict = await judgeSite(siteOf(forge.publish()));
    assert.deepEqual(codesOf(verdict), ['index_differs'], JSON.stringify(verdict, null, 1));
    assert.ok(verdict.outcome === 'findings');
    assert.match(verdict.findings[0]?.place ?? '', place);
    assert.match(verdict.findings[0]?.place ?? '', new RegExp(`^entry ${seq}`));
  });
}

test('index check: a print that came and is left out of the index is found', async () => {
  // The lists of a day before, once more: as if nothing had been printed since.
  let before: Loose = {};
  const forge = indexedForge(log);
  const all = forge.drafts.filter(({ kind }) => kind === 'index/1');
  const last = all.at(-1)?.body as Loose;
  for (const { body } of all) if (body['prints'].count < last['prints'].count) before = body;
  last['prints'] = before['prints'];
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.deepEqual(codesOf(verdict), ['index_differs']);
});

test('index check: a day that is not over, or that had its entry, is not due', async () => {
  for (const bend of [
    (draft) => (draft.body['day'] = draft.at.slice(0, 10)),
    (draft) => (draft.body['day'] = '2026-07-01'),
    (draft) => (draft.body['day'] = '2030-01-01'),
  ] satisfies Bend[]) {
    const verdict = await judgeSite(siteOf(indexedForge(log, { bend }).publish()));
    assert.deepEqual(codesOf(verdict), ['index_not_due']);
  }
});
