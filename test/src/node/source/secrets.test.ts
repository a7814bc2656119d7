import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  fillSecrets,
  type FilledRequest,
  repeatedSecret,
  requireSecrets,
} from '@assay/node/source/secrets';
import { request } from './source-suite.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const secrets = new Map([
  ['BLS_KEY', 'k-1234&5=6/7+8%'],
  ['OTHER', '{secret:BLS_KEY}$&'],
]);

test('secrets: filled in as each place needs them', () => {
  const asked = request('https://a.example/{secret:BLS_KEY}?k={secret:BLS_KEY}', {
    method: 'POST',
    headers: [
      { name: 'x-key', value: 'Bearer {secret:BLS_KEY}' },
      { name: 'accept', value: '*/*' },
    ],
    body: '{"key":"{secret:BLS_KEY}"}',
  });
  const encoded = 'k-1234%265%3D6%2F7%2B8%25';
  const filled = fillSecrets(asked, secrets) as FilledRequest;
  assert.equal(filled.url, `https://a.example/${encoded}?k=${encoded}`);
  assert.deepEqual(filled.headers, [
    { name: 'x-key', value: 'Bearer k-1234&5=6/7+8%', secret: true },
    { name: 'accept', value: '*/*', secret: false },
  ]);
  assert.equal(filled.body, '{"key":"k-1234&5=6/7+8%"}');
  assert.equal(filled.secretBody, true);
  assert.deepEqual(filled.used, ['BLS_KEY']);
  const form = { name: 'content-type', value: 'application/x-www-form-urlencoded; charset=utf-8' };
  const posted = fillSecrets({ ...asked, headers: [form] }, secrets) as FilledRequest;
  assert.equal(posted.body, `{"key":"${encoded}"}`);
});

test('secrets: filled in once, whatever they hold', () => {
  const filled = fillSecrets(request('https://a.example/', { body: '{secret:OTHER}' }), secrets);
  assert.equal((filled as FilledRequest).body, '{secret:BLS_KEY}$&');
});

test('secrets: a request without any is the same request', () => {
  const asked = request('https://a.example/{period}', { body: '{}' });
  const filled = fillSecrets(asked, secrets) as FilledRequest;
  assert.deepEqual([filled.url, filled.body, filled.secretBody], [asked.url, asked.body, false]);
  assert.deepEqual(filled.used, []);
});

test('secrets: one that is not set is named', () => {
  for (const name of ['NONE', '', 'bls_key', 'A B']) {
    assert.deepEqual(fillSecrets(request(`https://a.example/{secret:${name}}`), secrets), {
      missing: name,
    });
  }
});

test('secrets: found again in an answer, as they are or percent-encoded', () => {
  const names = ['BLS_KEY', 'OTHER'];
  assert.equal(repeatedSecret(bytes('the key k-1234&5=6/7+8% is bad'), names, secrets), 'BLS_KEY');
  assert.equal(repeatedSecret(bytes('?k=k-1234%265%3D6%2F7%2B8%25'), names, secrets), 'BLS_KEY');
  assert.equal(repeatedSecret(bytes('the key k-1234 is bad'), names, secrets), undefined);
  assert.equal(repeatedSecret(bytes('k-1234&5=6/7+8%'), [], secrets), undefined);
});

test('secrets: values that could not stand everywhere are refused without being shown', () => {
  const bad = [
    'short',
    '',
    'with a space',
    'with"quote',
    'with\\backslash',
    'naïve-secret',
    'two\nlines1',
  ];
  for (const value of bad) {
    assert.throws(
      () => requireSecrets(new Map([['NAME', value]])),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'bad_config');
        assert.ok(value === '' || !inspect(error).includes(value));
        return error.message.includes('NAME');
      },
    );
  }
  requireSecrets(secrets);
});
