import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyRefused, METHODS, methodOf } from '@assay/node/http/request';

void test('request: a method is known in both spellings of the transports', () => {
  for (const method of METHODS) {
    assert.equal(methodOf(method), method);
    assert.equal(methodOf(method.toLowerCase()), method);
  }
  for (const text of ['', 'TRACE', 'Get', 'OTHER', '__proto__'])
    assert.equal(methodOf(text), 'OTHER');
});

void test('request: a refused body says why', () => {
  const error = new BodyRefused('request_timeout');
  assert.equal(error.code, 'request_timeout');
  assert.match(error.message, /request_timeout/);
});
