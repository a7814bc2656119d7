import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@assay/core/rule/rule';
import { ruleHash } from '@assay/core/rule/rule';
import { reportHash } from '@assay/core/report/report';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { Forge, type Loose } from '../fixture/forge.ts';
import { bundleOf, judgeBundle } from '../fixture/misdeeds.ts';
import { codesOf, judgeSite, siteOf } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();
/** Up to the first final and the history beside it. */
const SIZE = 8;

/**
 * The young log of a publisher with one provider more, to compare with, whose terms let the log keep
 * only a hash of what it gave: made as it would have made it, links and signatures included.
 */
function withHashes(): Forge {
  const forge = new Forge(log, SIZE);
  const { rule } = forge.newest(({ kind }) => kind === 'rule/1').draft.body as { rule: Loose };
  const check = { id: 'sample-claims-check', role: 'check', retain: 'hash' };
  rule['providers'].push({ ...rule['providers'][1], ...check });
  const hash = ruleHash(nodeSha256, rule as Rule);
  let before: string | null = null;
  for (const draft of forge.drafts) {
    if (draft.kind === 'revision/1') draft.body['rule'] = hash;
    if (draft.kind !== 'report/1') continue;
    const { report } = draft.body as { report: Loose };
    const mirror = report['reads'][1] as Loose;
    const change = { provider: check.id, retain: check.retain };
    const snapshot = forge.keepManifest(mirror['snapshot'], change);
    report['reads'].push({ ...mirror, ...change, role: check.role, snapshot });
    report['rule'].hash = hash;
    report['supersedes'] = before;
    before = reportHash(nodeSha256, report as never);
    forge.sign(draft);
  }
  return forge;
}

function notChecked(verdict: Verdict): readonly string[] {
  return verdict.not_checked.map(({ what }) => what);
}

test('reads whose bytes were not kept are not run again, and are named once with their count', async () => {
  const published = withHashes().publish();
  const verdict = await judgeSite(siteOf(published));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.checked.reads_reexecuted, 4);
  assert.equal(notChecked(verdict).includes('reads of sample-claims-check (2 times)'), true);
  const bundle = await judgeBundle(await bundleOf(published));
  assert.equal(bundle.outcome, 'verified', JSON.stringify(bundle, null, 1));
  assert.equal(notChecked(bundle).includes('reads of sample-claims-check'), true);
});

test('a failed read has nothing to run, and is named', async () => {
  const forge = new Forge(log);
  const late = forge.newest(({ body }) => body['report']?.reason === 'no_quorum').draft;
  assert.equal(late.body['report'].reads[1].outcome, 'timeout');
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'verified');
  assert.equal(
    notChecked(verdict).includes('failed reads (timeout) of synthetic-claims-json'),
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
