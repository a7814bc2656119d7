import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { BUNDLE_REQUESTS } from '@assay/node/mcp/bundle-desk';
import { bundleOf, getBundleTool } from '@assay/node/mcp/bundle-tool';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { publish, siteOf } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { siteParts } from './site-parts.ts';

const log = await sampleLog();
const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));
const VOID = { ticker: 'LAYOFFS', period: '2026-09-05' };

test('bundle tool: a void has a bundle like any number', async () => {
  const answer = await getBundleTool.run(VOID, siteParts(site));
  assert.ok(answer.ok, JSON.stringify(answer));
  const { status, value, period } = answer.content;
  assert.deepEqual([status, value, period], ['void', null, VOID.period]);
});

test('bundle tool: the file is the one that the answer names, and no tile or blob is asked for twice', async () => {
  const asked: string[] = [];
  const parts = siteParts(site, {}, ({ target }) => void asked.push(target));
  const answer = await getBundleTool.run({ ticker: 'LAYOFFS' }, parts);
  assert.ok(answer.ok, JSON.stringify(answer));
  const files = asked.filter((target) => /^\/(tile|blob)\//.test(target));
  assert.ok(files.length > 3);
  assert.deepEqual(files, [...new Set(files)]);
  const gathered = asked.length;
  // The log grows: the file that was named stays what it was.
  const more = publish(log.entries.slice(0, -1), log.blobs, log.checkpoints);
  site.set('/checkpoint', { ...siteOf(more).get('/checkpoint') } as never);
  const { file } = answer.content as { file: { bytes: number; sha256: string } };
  const made = await bundleOf({ ticker: 'LAYOFFS' }, parts);
  assert.ok('bytes' in made);
  assert.equal(formatHex(nodeSha256(made.bytes)), file.sha256);
  assert.equal(made.bytes.length, file.bytes);
  assert.equal(asked.length, gathered + 1, 'only its report was asked for again');
});

test('bundle tool: it ends when its client leaves, and counts as many requests', async () => {
  const leave = new AbortController();
  let calls = 0;
  const charged: number[] = [];
  const parts = siteParts(
    siteOf(publish(log.entries, log.blobs, log.checkpoints)),
    { signal: leave.signal, charge: (requests) => void charged.push(requests) },
    ({ signal }) => {
      calls += 1;
      if (calls === 6) leave.abort();
      if (calls > 6) assert.equal(signal?.aborted, true);
    },
  );
  const answer = await getBundleTool.run(VOID, parts);
  assert.deepEqual([answer.ok, answer.ok ? '' : answer.code], [false, 'unreachable']);
  assert.deepEqual(charged, [BUNDLE_REQUESTS]);
  await new Promise(setImmediate);
  assert.ok(calls <= 7, `${calls} calls`);

  const spent = await getBundleTool.run(VOID, { ...siteParts(site), charge: () => 17 });
  assert.ok(!spent.ok);
  assert.match(spent.text, /^rate_limited: .*counts as 10 requests.*Try again after 17 s\.$/);
});
