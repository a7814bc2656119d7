import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hubSite } from '@assay/node/dev/site/hub-site';
import { NOT_FOUND } from '@assay/node/dev/site/site';
import { readAt, ruleOf, said } from '../network.ts';

test('hub site: the same for the same day, always', async () => {
  // Written down once: a demo that is started again must not change its past.
  assert.deepEqual(await said('MODELS', 1, '2026-07-30', '2026-07-31T01:00:00Z'), [
    'hub-api ok 11',
  ]);
  assert.deepEqual(await said('MODELS', 1, '2026-07-29', '2026-07-31T01:00:00Z'), ['hub-api ok 7']);
});

test('hub site: pages by link, newest first, ids that begin with the second of creation', async () => {
  const [read] = await readAt(ruleOf('MODELS', 1), '2026-07-28', '2026-07-31T01:00:00Z');
  assert.ok((read?.pages.length ?? 0) > 2);
  const rows = (read?.pages ?? []).flatMap(
    ({ bytes }) =>
      JSON.parse(Buffer.from(bytes).toString()) as { _id: string; createdAt: string }[],
  );
  const times = rows.map(({ createdAt }) => Date.parse(createdAt) / 1000);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.equal(new Set(rows.map(({ _id: id }) => id)).size, rows.length);
  for (const [i, { _id: id }] of rows.entries()) {
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.equal(Number.parseInt(id.slice(0, 8), 16), times[i]);
  }
});

test('hub site: another page is not there', () => {
  assert.equal(hubSite({ url: 'https://a.invalid/api/spaces' } as never, 0), NOT_FOUND);
});
