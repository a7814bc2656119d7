import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersHtml } from '@assay/node/page/negotiation';

const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

for (const [accept, expected] of [
  [BROWSER, true],
  ['text/html', true],
  ['TEXT/HTML; charset=utf-8', true],
  ['application/json;q=0.5, text/html;q=0.6', true],
  ['text/html;q=0.5, application/*;q=0.4', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['application/json, text/html', false],
  ['text/html;q=0', false],
  ['text/html;q=0.5, */*', false],
  ['text/html;q=nonsense', false],
  ['application/json;q=0.6, text/html;q=0.5', false],
] as const) {
  test(`negotiation: ${accept ?? 'no header'} prefers ${expected ? 'HTML' : 'JSON'}`, () => {
    assert.equal(prefersHtml(accept), expected);
  });
}
