import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { releaseTime } from '@assay/core/rule/release';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { readClaimsSample } from '@assay/node/dev/site/claims-sample';
import { ClaimsSource } from './fixture/claims-source.ts';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { readRuleFile } from '@assay/node/rule/rule-file';
import { CLAIMS_RULE, MIRROR, RECORD, SAMPLES } from './fixture/round-fixture.ts';

const SYNTHETIC = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.2.json'));
const VINTAGES = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));
const [NEW_RECORD, NEW_MIRROR] = SYNTHETIC.providers as readonly [Provider, Provider];

/** The weeks that a provider shows at a time, from either way to write them. */
async function shown(provider: Provider, time: string): Promise<ReadonlyMap<string, number>> {
  const source = new ClaimsSource(VINTAGES, SYNTHETIC, () => parseTime(time));
  const answer = await source.read(provider.request);
  assert.ok(answer.kind === 'pages');
  const [page] = answer.pages;
  assert.equal(page?.status, 200);
  const text = Buffer.from(page.bytes).toString();
  const weeks = text.matchAll(
    /(\d{4}-\d\d-\d\d),(\d+)|(\d\d)\/(\d\d)\/(\d{4})","initial_claims_sa":"([\d,]+)"/g,
  );
  return new Map(
    [...weeks].map(([, day, claims, month, date, year, grouped]) => [
      day ?? `${year}-${month}-${date}`,
      Number((claims ?? grouped ?? '').replaceAll(',', '')),
    ]),
  );
}

test('claims source: the vintage that was out at the time, the same from both', async () => {
  for (const [time, count, newest] of [
    ['2025-04-30T23:59:59Z', 0, undefined],
    ['2025-05-01T00:00:00Z', 17, '2025-04-26'],
    ['2025-12-30T00:00:00Z', 38, '2025-09-20'],
    ['2025-12-31T13:30:00Z', 52, '2025-12-27'],
    ['2026-07-09T12:30:00Z', 79, '2026-07-04'],
    ['2030-01-01T00:00:00Z', 82, '2026-07-25'],
  ] as const) {
    const weeks = await shown(RECORD, time);
    assert.equal(weeks.size, count, time);
    assert.equal([...weeks.keys()].at(-1), newest);
    assert.deepEqual(await shown(MIRROR, time), weeks);
  }
  assert.equal((await shown(RECORD, '2026-07-09T00:00:00Z')).get('2025-12-27'), 203_000);
});

test('claims source: invented weeks come at their release, after the typed-in ones', async () => {
  const first = parseDate(SYNTHETIC.applies_from);
  for (const weeks of [0, 1, 2, 30]) {
    const release = releaseTime(SYNTHETIC.release, SYNTHETIC.period, first + 7 * (weeks - 1));
    for (const [offset, count] of [
      [-1, Math.max(0, weeks - 1)],
      [0, weeks],
    ] as const) {
      const time = new Date((release + offset) * 1000).toISOString().replace('.000', '');
      const found = await shown(NEW_RECORD, time);
      const typed = release + offset >= parseTime('2026-07-30T00:00:00Z') ? 82 : found.size - count;
      assert.equal(found.size, typed + count, `${weeks} weeks ${offset}`);
      if (count > 0) {
        assert.equal([...found.keys()].at(-1), formatDate(first + 7 * (count - 1)));
      }
      assert.deepEqual(await shown(NEW_MIRROR, time), found);
    }
  }
});

const hosts = (rule: Rule): readonly string[] =>
  rule.providers.map(({ request }) => new URL(request.url).host);

test('claims source: sample and invented figures have hosts of their own, and nobody else one', async () => {
  for (const host of hosts(CLAIMS_RULE)) {
    assert.ok(!hosts(SYNTHETIC).includes(host) && host.endsWith('.sample.invalid'));
  }
  for (const host of hosts(SYNTHETIC)) assert.ok(host.endsWith('.synthetic.invalid'));
  const source = new ClaimsSource(VINTAGES, SYNTHETIC, () => 0);
  const answer = await source.read({ ...RECORD.request, url: 'https://example.invalid/' });
  assert.deepEqual(
    [answer.kind, answer.kind === 'failed' && answer.reason],
    ['failed', 'unreachable'],
  );
});
