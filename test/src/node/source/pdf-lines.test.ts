import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pdfLines } from '@assay/node/source/pdf-lines';
import { pressRelease, smallPdf, textStream } from './small-pdf.ts';

test('pdf lines: a sentence over two lines, and a table whose columns stay apart', async () => {
  const text = await pdfLines(pressRelease('196,000', '206,000'));
  assert.deepEqual(text.split('\n'), [
    'TRANSMISSION OF MATERIALS IN THIS RELEASE IS EMBARGOED UNTIL',
    '8:30 A.M. (Eastern) Thursday, September 17, 2026',
    'In the week ending September 12, the advance figure for seasonally adju sted initia l cla ims',
    "was 196,000, a decrease of 10,000 from the previous week's unrevised level of 206,000.",
    'The 4-week moving average was 203,250, a decrease of 1,750.',
    '',
    'WEEK ENDING\tSeptember 12\tSeptember 5\tChange',
    'Initia l Cla ims (SA)\t196,000\t206,000\t-10,000',
    'Initia l Cla ims (NSA)\t178,123\t171,004\t7,119',
    '',
  ]);
  assert.ok(
    text
      .replaceAll(/\s/g, '')
      .includes(
        'IntheweekendingSeptember12,theadvancefigureforseasonallyadjustedinitialclaimswas196,000,',
      ),
  );
});

test('pdf lines: runs that touch are one word, a number over two runs too', async () => {
  const text = await pdfLines(
    smallPdf(
      textStream([
        [
          [72, '196,'],
          [91.5, '000 claims'],
        ],
        [[72, ' \u0000']],
        [[72, 'last']],
      ]),
    ),
  );
  assert.equal(text, '196,000 claims\nlast\n');
});

test('pdf lines: what is no PDF', async () => {
  for (const bytes of [new Uint8Array(0), new TextEncoder().encode('<!doctype html>')]) {
    await assert.rejects(pdfLines(bytes));
  }
});
