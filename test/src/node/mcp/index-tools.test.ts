import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexPayload } from '@assay/core/answer/index';
import { listIndicesTool } from '@assay/node/mcp/index-tools';
import { publish, siteOf } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { siteParts } from './site-parts.ts';

const log = await sampleLog();
const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));

test('index tools: every number of the list has the address of its proof, and loaded history has none', async () => {
  const answer = await listIndicesTool.run({}, siteParts(site));
  assert.ok(answer.ok, JSON.stringify(answer));
  const { indices, proofs } = answer.content as {
    indices: readonly IndexPayload[];
    proofs: readonly { readonly of: string; readonly url: string }[];
  };
  const shown = indices.flatMap(({ ticker, periods, newest_reading: reading }) =>
    [reading, ...periods].flatMap((each) =>
      each?.report_hash == null ? [] : [`${ticker} ${each.period}`],
    ),
  );
  assert.ok(new Set(shown).size > 20);
  assert.deepEqual(proofs.map(({ of }) => of).sort(), [...new Set(shown)].sort());
  for (const { of, url } of proofs) {
    const [ticker, period] = of.split(' ');
    assert.equal(url, `http://log/v1/indices/${ticker}/report?period=${period}`);
    const { status } = site.get(url.slice('http://log/v1'.length)) ?? assert.fail(url);
    // A signed void is in the body of a 404.
    assert.equal(status, period === '2026-09-05' ? 404 : 200, url);
  }
});
