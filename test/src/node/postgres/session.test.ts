import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressText, parseAddress } from '@assay/node/postgres/session';

test('session: addresses of servers', () => {
  for (const [text, host, port, again = text] of [
    ['db1.example:5433', 'db1.example', 5433],
    ['db1', 'db1', 5432, 'db1:5432'],
    ['10.0.0.1:6000', '10.0.0.1', 6000],
    ['[::1]:5432', '::1', 5432],
    ['/run/postgresql', '/run/postgresql', 5432, '/run/postgresql:5432'],
    ['/run/postgresql:5433', '/run/postgresql', 5433],
  ] as const) {
    const address = parseAddress(text);
    assert.deepEqual(address, { host, port });
    assert.equal(addressText({ host, port }), again);
  }
  for (const text of [
    '',
    ':5432',
    'db:0',
    'db:70000',
    'db:x',
    'user@db',
    'postgres://db',
    'a b',
    '::1',
  ]) {
    assert.equal(parseAddress(text), undefined, text);
  }
});
