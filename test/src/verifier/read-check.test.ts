import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@assay/core/rule/rule';
import { ruleHash } from '@assay/core/rule/rule';
import { reportHash } from '@assay/core/report';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { Verdict } from '@assay/verifier/verdict';
import { Forge, type Loose } from './forge.ts';
import { bundleOf, judgeBundle } from './misdeeds.ts';
import { codesOf, judgeSite, siteOf } from './published.ts';
import { sampleLog } from './sample-log.ts';

const log = await sampleLog();
/** Up to the first final and the history beside it. */
const SIZE = 8;

/**
 * The young log of a publisher whose rule lets it keep only hashes of what some providers gave: made
 * as it would have made it, rule hash, manifests, links between reports and signatures included.
 */
function keepingHashes(providers: readonly number[]): Forge {
  const forge = new Forge(log, SIZE);
  const { rule } = forge.newest(({ kind }) => kind === 'rule/1').draft.body as { rule: Loose };
  for (const i of providers) rule['providers'][i].retain = 'hash';
  const hash = ruleHash(nodeSha256, rule as Rule);
  let before: string | null = null;
  for (const draft of forge.drafts) {
    if (draft.kind === 'revision/1') {
      draft.body['rule'] = hash;
      if (providers.includes(0)) {
        draft.body['retain'] = 'hash';
        draft.body['snapshot'] = forge.keepManifest(draft.body['snapshot'], { retain: 'hash' });
      }
    }
    if (draft.kind !== 'report/1') continue;
    const { report } = draft.body as { report: Loose };
    report['rule'].hash = hash;
    report['supersedes'] = before;
    for (const i of providers) {
      const read = report['reads'][i] as Loose;
      read['retain'] = 'hash';
      read['snapshot'] = forge.keepManifest(read['snapshot'], { retain: 'hash' });
    }
    before = reportHash(nodeSha256, report as never);
    forge.sign(draft);
  }
  return forge;
}

function notChecked(verdict: Verdict): readonly string[] {
  return verdict.not_checked.map(({ what }) => what);
}

test('reads whose bytes were not kept are not run again, and are named once with their count', async () => {
  const published = keepingHashes([1]).publish();
  const verdict = await judgeSite(siteOf(published));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.checked.reads_reexecuted, 2);
  assert.equal(notChecked(verdict).includes('reads of sample-claims-json (2 times)'), true);
  const bundle = await judgeBundle(await bundleOf(published));
  assert.equal(bundle.outcome, 'verified', JSON.stringify(bundle, null, 1));
  assert.equal(notChecked(bundle).includes('reads of sample-claims-json'), true);
});

test('revisions whose bytes were not kept are named too', async () => {
  const verdict = await judgeSite(siteOf(keepingHashes([0, 1]).publish()));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.checked.reads_reexecuted, 0);
  assert.equal(verdict.checked.revisions, 0);
  assert.equal(
    notChecked(verdict).some((what) => what.startsWith('revisions of LAYOFFS')),
    true,
  );
});

test('a failed read has nothing to run, and is named', async () => {
  const forge = new Forge(log);
  const late = forge.newest(({ body }) => body['report']?.reason === 'no_quorum').draft;
  assert.equal(late.body['report'].reads[1].outcome, 'timeout');
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'verified');
  assert.equal(
    notChecked(verdict).includes('a failed read of synthetic-claims-json (timeout)'),
    true,
  );
});

test('a failed read cannot hide bytes that say otherwise', async () => {
  const forge = new Forge(log);
  const { draft } = forge.report('provisional');
  Object.assign(draft.body['report'].reads[1], { outcome: 'timeout', value: null });
  Object.assign(draft.body['report'], { reason: 'no_quorum' });
  forge.sign(draft);
  assert.equal(codesOf(await judgeSite(siteOf(forge.publish()))).includes('read_differs'), true);
});
