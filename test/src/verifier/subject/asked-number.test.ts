import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskedNumber } from '@assay/verifier/subject/asked-number';
import { wireBytes } from '../fixture/forge.ts';
import { bundleOf } from '../fixture/misdeeds.ts';
import { codesOf, judge, publish, siteOf, siteReader } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';
import { FLOODED_WEEK, silentLog } from '../fixture/flooded-log.ts';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CLAIMS_RULE } from '../../node/fixture/round-fixture.ts';

const log = await sampleLog();
const bundle = await bundleOf(publish(log.entries, log.blobs, log.checkpoints), '2025-04-26');
const bytes = wireBytes(bundle);

test('a bundle is about the number that was asked for, or has a finding', async () => {
  const rows: readonly (readonly [AskedNumber, boolean])[] = [
    [{}, true],
    [{ index: 'LAYOFFS' }, true],
    [{ index: 'layoffs', period: '2025-04-26' }, true],
    [{ index: 'LayOffs' }, true],
    [{ period: '2025-04-19' }, false],
    [{ index: 'LAYOFFS', period: '2025-04-19' }, false],
    [{ index: 'HIDDEN', period: '2025-04-26' }, false],
  ];
  for (const [number, same] of rows) {
    const verdict = await judge({ kind: 'bundle', bytes }, {}, { number });
    assert.deepEqual(codesOf(verdict), same ? [] : ['bundle_other'], JSON.stringify(number));
    assert.equal(verdict.outcome, same ? 'verified' : 'findings');
  }
});

test('a bundle of another index does not answer by a slug that is the ticker asked for', async () => {
  const fake = { ...CLAIMS_RULE, ticker: 'FAKE' as never, display: 'FAKE', slug: 'layoffs' };
  const published = await silentLog([fake]);
  const reader = siteReader(siteOf(published));
  const made = await makeBundle(reader, { index: 'FAKE', period: FLOODED_WEEK }, nodeSha256);
  const ask = async (index: string): Promise<readonly string[]> =>
    codesOf(await judge({ kind: 'bundle', bytes: made }, {}, { number: { index } }));
  // That slug is another index's to have: no rule with it may be recorded.
  assert.deepEqual(await ask('FAKE'), ['rule_not_allowed']);
  assert.deepEqual(await ask('LAYOFFS'), ['bundle_other', 'rule_not_allowed']);
  // Nor is it gathered as that from a server that gives it out under the slug.
  const bySlug = {
    live: true,
    get: (path: string) => reader.get(path.replace('/indices/layoffs/', '/indices/FAKE/')),
  };
  const choice = { index: 'layoffs', period: FLOODED_WEEK };
  await assert.rejects(makeBundle(bySlug, choice, nodeSha256), { code: 'refused' });
});
