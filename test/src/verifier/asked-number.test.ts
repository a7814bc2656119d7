import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskedNumber } from '@assay/verifier/asked-number';
import { wireBytes } from './forge.ts';
import { bundleOf } from './misdeeds.ts';
import { codesOf, judge, publish } from './published.ts';
import { sampleLog } from './sample-log.ts';

const log = await sampleLog();
const bundle = await bundleOf(publish(log.entries, log.blobs, log.checkpoints), '2025-04-26');
const bytes = wireBytes(bundle);

test('a bundle is about the number that was asked for, or has a finding', async () => {
  const rows: readonly (readonly [AskedNumber, boolean])[] = [
    [{}, true],
    [{ index: 'LAYOFFS' }, true],
    [{ index: 'layoffs', period: '2025-04-26' }, true],
    [{ index: log.rules.sample.slug.toUpperCase() }, true],
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
