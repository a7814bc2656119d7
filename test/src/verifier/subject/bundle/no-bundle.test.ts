import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBundle } from '@assay/core/proof/bundle';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { bundleOf } from '../../fixture/misdeeds.ts';
import { judge, youngLog } from '../../fixture/published.ts';
import { sampleLog } from '../../fixture/sample-log.ts';

const bytes = formatBundle(await bundleOf(youngLog(await sampleLog())));
const value = JSON.parse(parseUtf8(bytes)) as object;

const judgeBytes = (file: Uint8Array, steps = DEFAULT_LIMITS.steps): Promise<Verdict> =>
  judge({ kind: 'bundle', bytes: file }, {}, { limits: { steps } });

async function causeOf(file: Uint8Array | string): Promise<string> {
  const verdict = await judgeBytes(typeof file === 'string' ? formatUtf8(file) : file);
  if (verdict.outcome === 'findings') return verdict.findings.map(({ code }) => code).join();
  return verdict.outcome === 'incomplete' ? verdict.cause : verdict.outcome;
}

test('no bundle: what another program has laid out anew is called that, and is not verified', async () => {
  for (const [name, text] of [
    ['jq .', `${JSON.stringify(value, null, 2)}\n`],
    ['tabs', JSON.stringify(value, null, '\t')],
    ['a line end', `${JSON.stringify(value)}\n`],
    ['a byte order mark', `\ufeff${JSON.stringify(value)}`],
    ['carriage returns', JSON.stringify(value, null, 1).replaceAll('\n', '\r\n')],
  ] as const) {
    assert.equal(await causeOf(text), 'reformatted', name);
  }
  assert.equal(await causeOf(bytes), 'verified');
});

test('no bundle: other files and damaged ones say nothing about a publisher', async () => {
  for (const [name, file] of [
    ['nothing', ''],
    ['text', 'VERIFIED'],
    ['a page', '<!doctype html>'],
    ['an object', '{}'],
    ['an array', '[]'],
    ['a number', '1'],
    ['another type', '{"type":"assay-evidence/1"}'],
    ['a later bundle', '{"type":"assay-bundle/2"}'],
    ['half of one', bytes.subarray(0, bytes.length / 2)],
    ['an open string', '{"a":"\\'],
    ['no text', Uint8Array.of(0xff, 0xfe, 0)],
  ] as const) {
    assert.equal(await causeOf(file), 'not_a_bundle', name);
  }
  const later = await judgeBytes(formatUtf8('{"type":"assay-bundle/2"}'));
  assert.match(later.outcome === 'incomplete' ? later.reason : '', /use a newer one/);
});

test('no bundle: one that somebody spelled as a bundle, and that breaks its format, is a finding', async () => {
  assert.equal(await causeOf('{"type":"assay-bundle/1"}'), 'bundle_malformed');
});

test('no bundle: white space within texts is content, and not layout', async () => {
  const text = JSON.stringify(value).replace('"checkpoint":"', '"checkpoint":" ');
  assert.notEqual(await causeOf(`${text}\n`), 'verified');
});

test('no bundle: the work on it is counted', async () => {
  const file = formatUtf8(`{"a":${' '.repeat(1_000_000)}`);
  const verdict = await judgeBytes(file, 100_000);
  assert.equal(verdict.outcome, 'incomplete');
  assert.equal(verdict.outcome === 'incomplete' && verdict.cause, 'interrupted');
});
