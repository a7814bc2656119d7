import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatStudyBlob } from '@assay/core/terminal/study/study-blob';
import { localVoucher } from '@assay/cli/mcp/local-voucher';
import { baseRateTool } from '@assay/node/mcp/base-rate-tool';
import type { ToolAnswer } from '@assay/node/mcp/tool';
import { studiedRate } from '@assay/node/terminal/answer/base-rate';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { studyWith } from '../../core/terminal/study-fixture.ts';
import { siteParts } from '../../node/mcp/site-parts.ts';
import { Forge } from '../../verifier/fixture/forge.ts';
import { type Site, siteOf } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { serve } from '../fixture/run.ts';

const log = await sampleLog();
const study = studyWith({ bucket: 'up_5', breadth: 'broad' });
const forge = new Forge(log);
const seq = forge.drafts.length;
const blob = forge.keep(formatStudyBlob(study));
const { class: of, rule, from, to } = study;
const body = { class: of, from, to, rule, blob };
forge.drafts.push({ at: forge.drafts.at(-1)?.at ?? '', kind: 'study/1', body });
const site: Site = siteOf(forge.publish());

const group = study.groups.find((each) => each.withheld.length === 0) ?? assert.fail('no group');
const studied = studiedRate({ row: { ...body, seq }, blob: study }, group, 'BTC');
const TRUE_RATE = { symbol: 'BTC', move_24h: 8.42, ...studied };

test('study proofs: the statistics of a base rate are those of a study of the log, or nothing is shown', async (t) => {
  const served: Site = new Map(site);
  const url = await serve(t, served);
  const ask = async (rate: object): Promise<ToolAnswer> => {
    const answer = { status: 200, body: formatUtf8(JSON.stringify(rate)), logSize: undefined };
    const policy = { ...OPEN_POLICY, checkpoint_keys: [log.checkpoints.vkey] };
    const voucher = await localVoucher(url, policy);
    const parts = siteParts(new Map([['/base-rate/btc', answer]]), {
      vouching: { by: 'verifier', voucher },
    });
    return baseRateTool.run({ symbol: 'btc' }, parts);
  };
  const proven = await ask({
    ...TRUE_RATE,
    official: 99,
    horizons: { ...TRUE_RATE.horizons, '90d': { n: 1 } },
  });
  assert.ok(proven.ok, JSON.stringify(proven));
  const { verification, asOf: _, servedFrom: __, proofs, ...shown } = proven.content;
  assert.deepEqual(shown, TRUE_RATE);
  const { verdict, study: by } = verification as { verdict: string; study: object };
  assert.deepEqual([verdict, by], ['verified', { seq, class: 'crypto', blob }]);
  assert.deepEqual(proofs, [{ of: `study at entry ${seq}`, url: `http://log/v1/blob/${blob}` }]);

  const { horizons } = TRUE_RATE;
  const withheld = study.groups.find((each) => each.withheld.length > 0);
  for (const [lie, text] of [
    [{ n: 65 }, /^differs: .*`n`/],
    [{ edge_7d_pts: 9.9 }, /^differs: .*`edge_7d_pts`/],
    [{ plain: 'It always rises.' }, /^differs: .*`plain`/],
    [{ horizons: { ...horizons, '7d': { ...horizons['7d'], up_share: 0.99 } } }, /`horizons`/],
    [{ breadth: withheld?.breadth, bucket: withheld?.bucket }, /^differs: .*`group`/],
    [{ source: { ...TRUE_RATE.source, rule: 'ab'.repeat(32) } }, /^differs: .*`source`/],
    [{ source: { ...TRUE_RATE.source, seq: 1 } }, /^refused: .*entry 1 is no study/],
    [{ source: { ...TRUE_RATE.source, seq: seq + 1 } }, /was not verified, and nothing/],
    [{ symbol: 'ETH' }, /^other_symbol: /],
  ] as const) {
    const answer = await ask({ ...TRUE_RATE, ...lie });
    assert.ok(!answer.ok, JSON.stringify(lie));
    assert.match(answer.text, text);
  }

  const none = { symbol: 'BTC', base_rate: null, reason: 'not_current', detail: 'Too old.' };
  const answer = await ask(none);
  assert.ok(answer.ok);
  assert.equal((answer.content['verification'] as { verdict: null }).verdict, null);

  // A blob with other bytes, and a log under another key.
  const other = formatStudyBlob(studyWith(group, { symbols: ['BTC'] }));
  served.set(`/blob/${blob}`, { status: 200, body: other, logSize: undefined });
  const swapped = await ask(TRUE_RATE);
  assert.match(swapped.ok ? '' : swapped.text, /^blob_differs: /);
  served.set(`/blob/${blob}`, site.get(`/blob/${blob}`) as never);
  assert.ok((await ask(TRUE_RATE)).ok);
  served.set('/checkpoint', siteOf(new Forge(log, 3).publish()).get('/checkpoint') as never);
  assert.ok(!(await ask(TRUE_RATE)).ok);
});

test('study proofs: a halted class names no symbols, which would be of another class', async () => {
  const failing = (error: string): ReturnType<typeof baseRateTool.run> => {
    const problem = { error, detail: 'No asset of the class.' };
    const answers: Site = new Map([
      ['/base-rate/btc', answerOf(503, problem)],
      ['/board', answerOf(200, { assets: [{ symbol: 'SPY' }] })],
    ]);
    return baseRateTool.run({ symbol: 'btc' }, siteParts(answers));
  };
  const [halted, unknown] = [await failing('halted'), await failing('not_listed')];
  assert.ok(!halted.ok && !unknown.ok);
  assert.match(halted.text, /^halted: The server says "No asset of the class\."\.$/);
  assert.match(unknown.text, /^not_listed: .*Valid symbols: SPY\.$/);
});

function answerOf(
  status: number,
  value: object,
): { status: number; body: Uint8Array; logSize: undefined } {
  return { status, body: formatUtf8(JSON.stringify(value)), logSize: undefined };
}
