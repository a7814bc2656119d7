import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostField } from '@assay/node/source/host-field';

test('host field: hosts as in an address, and nothing that only looks like one', () => {
  for (const host of ['example.org', 'example.org:8443', 'http://10.0.0.1:8080', 'localhost']) {
    assert.ok(hostField.safeParse(host).success, host);
  }
  for (const host of [
    '',
    'Example.org',
    'https://example.org',
    'example.org/a',
    'a:99999',
    '1.2.3.400',
  ]) {
    assert.ok(!hostField.safeParse(host).success, host);
  }
});
