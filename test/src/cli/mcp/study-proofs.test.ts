import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { type EdgeStudy, formatEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { localVoucher } from '@assay/cli/mcp/local-voucher';
import { baseRateTool } from '@assay/node/mcp/base-rate-tool';
import type { ToolAnswer } from '@assay/node/mcp/tool';
import { studiedRate, studiedReasons } from '@assay/node/terminal/answer/base-rate';
import { withheldText } from '@assay/node/terminal/answer/base-rate-text';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { edgeStudyWith } from '../../core/terminal/edge/edge-study.ts';
import { siteParts } from '../../node/mcp/site-parts.ts';
import { Forge } from '../../verifier/fixture/forge.ts';
import { type Site, siteOf } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { serve } from '../fixture/run.ts';

const log = await sampleLog();
const study = edgeStudyWith({ bucket: 'up_5', breadth: 'broad' });
const forge = new Forge(log);
const at = forge.drafts.at(-1)?.at ?? '';

/** Adds an entry for the bytes of a study, and returns its number. */
function entered(of: EdgeStudy, change: object = {}, kind = 'study/2'): number {
  const { class: own, rule, from, to } = of;
  const blob = forge.keep(formatEdgeStudy(of));
  const body = { class: own, from, to, rule, blob, ...change };
  return forge.drafts.push({ at, kind, body }) - 1;
}

const seq = entered(study);
const { blob } = (forge.drafts[seq] ?? assert.fail('no study')).body as { blob: HashHex };
const [held, ...others] = study.groups.toSorted((a, b) => a.withheld.length - b.withheld.length);
assert.ok(held !== undefined && held.withheld.length === 0);
const [withheld] = others.filter(({ whole }) => whole.n > 0);
assert.ok(withheld !== undefined && withheld.withheld.length > 0);
// Groups that do not follow from the openings: the withheld one is said to hold.
const groups = study.groups.map((each) => (each === withheld ? { ...each, withheld: [] } : each));
const lying = entered({ ...study, groups });
const otherRange = entered(study, { to: study.to + 1 });
const firstVersion = entered(study, {}, 'study/1');
const site: Site = siteOf(forge.publish());

const row = { seq, blob, rule: study.rule, from: study.from, to: study.to };
const STOOD = {
  score_now: 72,
  threshold: 70,
  ts: '2026-09-21T14:15:00Z',
  opened_at: '2026-09-21T14:15:00Z',
};
const TRUE_RATE = {
  symbol: 'BTC',
  ...STOOD,
  move_24h: 8.42,
  ...studiedRate({ row, blob: study }, held, 'BTC'),
};
const NO_RATE = {
  symbol: 'BTC',
  base_rate: null,
  reason: 'group_withheld',
  detail: withheldText(withheld, study.number),
  numbers: { ...STOOD, ...studiedReasons({ row, blob: study }, withheld) },
};

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

  const { horizons, parts, source } = TRUE_RATE;
  const { bucket, breadth } = withheld;
  for (const [lie, text] of [
    [{ n: 65 }, /^differs: .*`n`/],
    [{ edge_7d_pts: 9.9 }, /^differs: .*`edge_7d_pts`/],
    [{ edge_7d_ci: [1, 2] }, /^differs: .*`edge_7d_ci`/],
    [{ parts: { ...parts, later: { ...parts.later, edge_7d_low_t: 9 } } }, /^differs: .*`parts`/],
    [{ plain: 'It always rises.' }, /^differs: .*`plain`/],
    [{ caveats: [] }, /^differs: .*`caveats`/],
    [{ horizons: { ...horizons, '7d': { ...horizons['7d'], up_share: 0.99 } } }, /`horizons`/],
    [{ breadth, bucket }, /^differs: .*`group`/],
    [{ source: { ...source, rule: 'ab'.repeat(32) } }, /^differs: .*`source`/],
    [{ source: { ...source, number: 2 } }, /^differs: .*`source`/],
    [{ source: { ...source, seq: 1 } }, /^refused: .*entry 1 is no study/],
    [{ source: { ...source, seq: firstVersion } }, /^refused: .* is no study of version 2/],
    [{ source: { ...source, seq: lying } }, /^differs: .*groups do not follow/],
    [{ source: { ...source, seq: otherRange } }, /^differs: .*no study of its entry/],
    [{ source: { ...source, seq: firstVersion + 1 } }, /was not verified, and nothing/],
    [{ symbol: 'ETH' }, /^other_symbol: /],
  ] as const) {
    const answer = await ask({ ...TRUE_RATE, ...lie });
    assert.ok(!answer.ok, JSON.stringify(lie));
    assert.match(answer.text, text);
  }

  // An answer without a rate is proven as far as it rests on a study.
  const { numbers } = NO_RATE;
  const like = { bucket: held.bucket, breadth: held.breadth };
  const none = await ask({ ...NO_RATE, numbers: { ...numbers, added: 1 } });
  assert.ok(none.ok, JSON.stringify(none));
  assert.deepEqual(none.content['numbers'], numbers);
  assert.deepEqual(none.content['proofs'], proofs);
  assert.equal((none.content['verification'] as { verdict: string }).verdict, 'verified');
  for (const [lie, text] of [
    [{ detail: 'Nobody knows.' }, /^differs: .*`detail`/],
    [{ reason: 'stock_study' }, /^differs: .*`reason`/],
    [{ numbers: { ...numbers, group: { ...numbers.group, ...like } } }, /^differs: .*`reason`/],
    [{ numbers: { ...numbers, group: { ...numbers.group, n: 999 } } }, /^differs: .*`group`/],
    [{ numbers: { ...numbers, study: { ...numbers.study, number: 9 } } }, /^differs: .*`study`/],
  ] as const) {
    const answer = await ask({ ...NO_RATE, ...lie });
    assert.ok(!answer.ok, JSON.stringify(lie));
    assert.match(answer.text, text);
  }
  const stated = await ask({
    ...NO_RATE,
    reason: 'not_current',
    numbers: { ...numbers, group: null },
  });
  assert.ok(stated.ok);
  assert.equal((stated.content['verification'] as { verdict: null }).verdict, null);

  // A blob with other bytes, and a log under another key.
  const other = formatEdgeStudy(edgeStudyWith(held, { number: 2 }));
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
