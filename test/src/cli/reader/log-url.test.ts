import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logUrl, meantUrl } from '@assay/cli/reader/log-url';

test('an address without its scheme, or with a mistyped one, is understood as what was meant', () => {
  for (const [target, meant] of [
    ['127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['localhost:8787', 'http://localhost:8787'],
    ['[::1]:8787', 'http://[::1]:8787'],
    ['192.168.1.5', 'http://192.168.1.5'],
    ['index.example.org', 'https://index.example.org'],
    ['index.example.org/assay', 'https://index.example.org/assay'],
    ['http:/index.example.org', 'https://index.example.org'],
    ['htps://index.example.org', 'https://index.example.org'],
    ['https:index.example.org', 'https://index.example.org'],
  ] as const) {
    assert.equal(meantUrl(target), `; did you mean ${meant}?`, target);
    assert.notEqual(logUrl(meant), undefined);
  }
  for (const target of ['number.json', 'number', 'data/log', './a.b', 'a.txt', '', 'x.ots', '..']) {
    assert.equal(meantUrl(target), '', target);
  }
});
