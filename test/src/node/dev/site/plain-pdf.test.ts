import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPdf } from '@assay/node/dev/site/plain-pdf';
import { pdfText } from '@assay/node/source/pdf-text';

test('plain pdf: a library for PDFs reads its lines and columns', async () => {
  const pdf = plainPdf([
    [
      [[72, 'Claims (SA) \\ were']],
      [
        [72, 'one'],
        [300, '196,000'],
      ],
    ],
    [[[72, 'page two']]],
  ]);
  const text = new TextDecoder().decode(await pdfText(pdf));
  assert.match(text, /^Claims \(SA\) \\ were\none\t196,000\n[^]*page two/);
});

test('plain pdf: the same bytes for the same text, ASCII alone', () => {
  const pages = [[[[72, 'a'] as const]]];
  assert.deepEqual(plainPdf(pages), plainPdf(pages));
  assert.throws(() => plainPdf([[[[72, 'é']]]]), TypeError);
});
