import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Forge, type Loose } from '../fixture/forge.ts';
import { codesOf, judgeSite, siteOf } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();

test('a block that no beacon named is in no report', async () => {
  const forge = new Forge(log);
  const { draft, seq } = forge.report('final');
  draft.body['report'].after = { height: 900_000, hash: 'ab'.repeat(32) };
  forge.sign(draft);
  const verdict = await judgeSite(siteOf(forge.publish()));
  const [found] = (verdict as Loose)['findings'];
  assert.equal(found.code, 'report_not_reproduced');
  assert.equal(found.place, `entry ${seq}/after`);
  assert.equal(found.expected, 'null');
});

test('of several differences the telling one is reported', async () => {
  const forge = new Forge(log);
  const { draft, seq } = forge.report('final');
  Object.assign(draft.body['report'], { value: '1', dispersion: '5', z: '9.9' });
  forge.sign(draft);
  const verdict = await judgeSite(siteOf(forge.publish()));
  const found = (verdict as Loose)['findings'].find(
    ({ code }: Loose) => code === 'report_not_reproduced',
  );
  assert.deepEqual(found, {
    code: 'report_not_reproduced',
    place: `entry ${seq}/value`,
    expected: '"222000"',
    found: '"1"',
  });
});

test('a correction that follows no final accuses nobody of more than that', async () => {
  const forge = new Forge(log);
  const { draft } = forge.report('final');
  Object.assign(draft.body['report'], { status: 'corrected', issue: 1, settleable: false });
  forge.sign(draft);
  const codes = codesOf(await judgeSite(siteOf(forge.publish())));
  assert.deepEqual(codes, ['report_not_due']);
});
