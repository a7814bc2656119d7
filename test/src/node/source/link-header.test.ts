import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextLink } from '@assay/node/source/link-header';

test('link header: the next page', () => {
  const next = 'https://huggingface.co/api/models?limit=1000&cursor=eyJ%3D';
  for (const header of [
    `<${next}>; rel="next"`,
    `<${next}>; rel=next`,
    `<${next}>;rel="next"`,
    `<${next}>; REL="NEXT"`,
    `<${next}> ; title="a, \\"b\\"; <c>" ; rel="last next"`,
    `<https://a.example/1>; rel="prev", <${next}>; rel="next", <https://a.example/9>; rel="last"`,
    `<https://a.example/1>; rel="prev",<${next}>; rel="next"`,
    `, <https://a.example/x>, <${next}>; type="text/html"; rel=next`,
    `<${next}>; rel="next", <https://a.example/second>; rel="next"`,
  ]) {
    assert.equal(nextLink(header), next, header);
  }
  assert.equal(nextLink('</models?cursor=a,b>; rel="next"'), '/models?cursor=a,b');
});

test('link header: none', () => {
  for (const header of [
    null,
    '',
    '<https://a.example/1>; rel="prev"',
    '<https://a.example/1>; rel="nextish"',
    '<https://a.example/1>',
    'https://a.example/1; rel="next"',
    '<https://a.example/1; rel="next"',
    '<https://a.example/1>; title="; rel=next"x',
    '<https://a.example/1>; anchor="#rel=next"',
  ]) {
    assert.equal(nextLink(header), undefined, String(header));
  }
  const started = performance.now();
  nextLink(`<a>${';a=b '.repeat(4000)}"`);
  nextLink(`<a>${' '.repeat(16_000)}x`);
  assert.ok(performance.now() - started < 1000);
});
