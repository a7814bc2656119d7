import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FINDING_CODES } from '@assay/verifier/verdict/finding';
import { makeGround, MISDEEDS } from './fixture/misdeeds.ts';
import { folderOf, judgeFolder, judgeSite, siteOf } from './fixture/published.ts';
import { judgeBundle } from './fixture/misdeeds.ts';

const ground = await makeGround();

test('the ground that every misdeed starts from is verified in every form', async () => {
  const verdicts = [
    await judgeSite(siteOf(ground.published)),
    await judgeFolder(folderOf(ground.published)),
    await judgeBundle(ground.bundle),
  ];
  for (const verdict of verdicts) {
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  }
});

for (const { name, code, place, verdict: judged } of MISDEEDS) {
  test(`${code}: ${name}`, async () => {
    const verdict = await judged(ground);
    assert.equal(verdict.outcome, 'findings', JSON.stringify(verdict, null, 1));
    if (verdict.outcome !== 'findings') return;
    const found = verdict.findings.filter((finding) => finding.code === code);
    assert.notEqual(found.length, 0, JSON.stringify(verdict.findings, null, 1));
    const places = found.map((finding) => finding.place);
    if (place !== undefined)
      assert.equal(
        places.some((each) => each.includes(place)),
        true,
        places.join('\n'),
      );
  });
}

test('every code is the finding of some misdeed', () => {
  // A text is taken again where the environment can alone: text-check.test.ts does. For a void to be refuted two rounds have
  // to close together: unseal-check.test.ts does. A checkpoint can go missing in the course of one verification alone:
  // verify-log.test.ts does. Whether a block is required, the caller says: recheck.test.ts does.
  const seen = new Set<string>([
    ...MISDEEDS.map(({ code }) => code),
    'text_differs',
    'checkpoint_missing',
    'block_missing',
    'unseal_void_refuted',
  ]);
  assert.deepEqual(
    FINDING_CODES.filter((code) => !seen.has(code)),
    [],
  );
});
