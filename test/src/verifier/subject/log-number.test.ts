import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { AskedNumber } from '@assay/verifier/subject/asked-number';
import type { Finding } from '@assay/verifier/verdict/finding';
import type { Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verdictText } from '@assay/cli/verify/verdict-text';
import { chained, keyOf } from '../fixture/chained-log.ts';
import { CLAIMS_RULE } from '../../node/fixture/round-fixture.ts';
import { silentLog } from '../fixture/flooded-log.ts';
import { numberOf } from '../fixture/recounted-bundle.ts';
import { codesOf, judgeSite, type Published, siteOf } from '../fixture/published.ts';

const log = chained();
const WEEK = '2026-07-18';

function asking(required: number, ...names: readonly string[]): Partial<Policy> {
  const cosigners = names.map((name) => ({ operator: `the house of ${name}`, key: keyOf(name) }));
  return { cosigners, cosigners_required: required };
}

function findingsOf(verdict: Verdict): readonly Finding[] {
  return verdict.outcome === 'findings' ? verdict.findings : [];
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The first lines, of 80 characters, as one. */
function firstLine(verdict: Verdict): string {
  const terminal = {
    out: () => undefined,
    error: () => undefined,
    colour: false,
    columns: 80,
    progress: undefined,
  };
  return verdictText(verdict, terminal, { isPinned: false, isFull: false }).slice(0, 3).join(' ');
}

test('a named number of a whole log: its facts in a yes, or a finding that says why not', async () => {
  const named = (number: AskedNumber, policy: Partial<Policy> = {}): Promise<Verdict> =>
    judgeSite(siteOf(log.published), policy, { number });
  const number = numberOf(await named({ index: 'LAYOFFS', period: WEEK }));
  assert.deepEqual(
    [number.period, number.value, number.settled, number.rests_on, number.quorum.have],
    [WEEK, '216000', true, 'log', 3],
  );
  const relied = numberOf(
    await named({ index: 'LAYOFFS', period: WEEK }, asking(0, 'ada', 'cleo', 'dora')),
  );
  assert.deepEqual(relied.policy, {
    required: 0,
    operators: ['the house of ada', 'the house of cleo'],
  });
  const corrected = await named({ index: 'LAYOFFS', period: '2026-07-25' });
  assert.deepEqual([numberOf(corrected).corrections, numberOf(corrected).value], [1, '197000']);
  assert.match(firstLine(corrected), /corrected since/);
  // Without a period it is the newest that is over.
  assert.equal(numberOf(await named({ index: 'LAYOFFS' })).period, '2026-08-01');
  const rows: readonly (readonly [AskedNumber, RegExp])[] = [
    [{ index: 'LAYOFFS', period: '2026-08-08' }, /2026-08-08: no report/],
    [
      { index: 'layoffs', period: '2026-08-05' },
      /^LAYOFFS is weekly.* 2026-08-05 is a Wednesday; /,
    ],
    [{ index: 'JOBS', period: WEEK }, /no index with this ticker/],
    [{ period: WEEK }, /no index was named/],
    [{ index: 'LAYOFFS', period: 'May' }, /no date/],
  ];
  for (const [asked, words] of rows) {
    const verdict = await named(asked);
    assert.deepEqual(codesOf(verdict), ['number_unsettled']);
    assert.match(String(findingsOf(verdict)[0]?.found), words);
  }
  const silent = chained({ skip: (name) => name === '2026-08-01 final 0 cosign cleo' });
  const short = await judgeSite(
    siteOf(silent.published),
    {},
    { number: { index: 'LAYOFFS', period: '2026-08-01' } },
  );
  assert.match(String(findingsOf(short)[0]?.found), /a final with 2 of 3 co-signatures/);
});

test('the number that was asked about is asked of the server too, however old it is', async () => {
  const path = `/indices/LAYOFFS/report?period=${WEEK}`;
  const number = { index: 'layoffs', period: WEEK };
  const site = siteOf(log.published);
  const served = site.get(path);
  if (served === undefined) return assert.fail('no such report');
  const text = formatUtf8(textOf(served.body).replace('"216000"', '"999000"'));
  assert.notDeepEqual(text, served.body);
  site.set(path, { ...served, body: text });
  // Of a live server older reports are left out, and the verdict says how many.
  const unasked = await judgeSite(site);
  assert.equal(unasked.outcome, 'verified');
  assert.deepEqual(codesOf(await judgeSite(site, {}, { number })), ['api_differs']);
  site.set(path, { ...served, status: 404 });
  assert.deepEqual(codesOf(await judgeSite(site, {}, { number })), ['api_missing']);
  const [honest, other] = [await judgeSite(siteOf(log.published), {}, { number }), unasked];
  assert.equal(honest.outcome, 'verified');
  assert.equal(olderOf(other) - olderOf(honest), 1);
  assert.equal(honest.checked.api_answers - other.checked.api_answers, 1);
});

/** How many older answers of the API a verdict says that it did not ask for. */
function olderOf(verdict: Verdict): number {
  const words = verdict.not_checked.map(({ what }) => /^([0-9]+) older report/.exec(what)?.[1]);
  return Number(words.find((each) => each !== undefined) ?? 0);
}

test('a named number is the newest that is over: an index that has stopped settles on nothing', async () => {
  const published: Published = await silentLog([CLAIMS_RULE]);
  const verdict = await judgeSite(siteOf(published), {}, { number: { index: 'LAYOFFS' } });
  assert.deepEqual(codesOf(verdict), ['number_unsettled']);
  assert.match(String(findingsOf(verdict)[0]?.found), /2026-07-04: a final with 0 of 2/);
});
