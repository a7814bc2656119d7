import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PDF_EXTRACTOR, pdfText } from '@assay/node/source/pdf-text';
import { ROOT } from '../../core/fixture/fixture.ts';
import { pressRelease, smallPdf, textStream } from './small-pdf.ts';

const PDF = pressRelease('196,000', '206,000');

test('pdf text: UTF-8, the same each time, and the PDF stays as it was', async () => {
  const copy = PDF.slice();
  const [first, second] = await Promise.all([pdfText(PDF), pdfText(PDF)]);
  assert.deepEqual(first, second);
  assert.match(new TextDecoder().decode(first), /was 196,000, a decrease/);
  assert.deepEqual(PDF, copy);
});

test('pdf text: the version named in snapshots is the library that runs', () => {
  const { version } = JSON.parse(
    readFileSync(`${ROOT}/node_modules/unpdf/package.json`, 'utf8'),
  ) as { version: string };
  assert.equal(PDF_EXTRACTOR.version, `${version}+lines.1`);
});

test('pdf text: a broken PDF, one without letters, and one that costs too much have none', async () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  assert.equal(await pdfText(bytes('<html>Please wait</html>')), undefined);
  assert.equal(await pdfText(PDF.slice(0, 300)), undefined);
  assert.equal(await pdfText(new Uint8Array(0)), undefined);
  assert.equal(await pdfText(smallPdf('0 0 10 10 re f')), undefined);
  assert.equal(await pdfText(PDF, { maxBytes: 100 }), undefined);
  const endless = smallPdf(textStream(Array.from({ length: 40_000 }, () => [[72, 'and again']])));
  const started = performance.now();
  assert.equal(await pdfText(endless, { ms: 50 }), undefined);
  assert.ok(performance.now() - started < 5000);
});

test('pdf text: the same bytes again cost nothing, and other limits are another question', async () => {
  const pdf = pressRelease('201,000', '206,000');
  const before = await pdfText(pdf);
  const started = performance.now();
  assert.equal(await pdfText(pdf.slice()), before);
  assert.ok(performance.now() - started < 20);
  assert.equal(await pdfText(pdf, { maxBytes: 10 }), undefined);
});
