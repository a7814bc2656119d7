import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
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

test('secrets: values that cannot be used everywhere are refused without being shown', () => {
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

const KEY = 'q7Zt+Kx/0mB3vW9yL2nP5s==';

/** Ways in which a page may write one character. */
const WAYS: readonly ((mark: string) => string)[] = [
  (mark) => mark,
  (mark) => mark.toUpperCase(),
  (mark) => `%${hexOf(mark)}`,
  (mark) => `%${hexOf(mark).toUpperCase()}`,
  (mark) => `\\u00${hexOf(mark)}`,
  (mark) => `\\u00${hexOf(mark).toUpperCase()}`,
  (mark) => `\\x${hexOf(mark)}`,
  (mark) => `\\u{${hexOf(mark)}}`,
  (mark) => `&#x${hexOf(mark)};`,
  (mark) => `&#${mark.charCodeAt(0)};`,
  (mark) => `&#0${mark.charCodeAt(0)};`,
  (mark) => ({ '/': '\\/', '&': '&amp;', '+': '&plus;', '=': '&equals;' })[mark] ?? mark,
  (mark) => ({ '/': '&sol;', '&': '&AMP;', '<': '&lt;', '>': '&gt;' })[mark] ?? mark,
];

function hexOf(mark: string): string {
  return mark.charCodeAt(0).toString(16);
}

test('secrets: found again however a page escapes them', () => {
  const held = new Map([['KEY', KEY]]);
  const seen = (text: string): boolean => repeatedSecret(bytes(text), ['KEY'], held) === 'KEY';
  assert.ok(seen(`{"key":"${KEY.replaceAll('/', '\\/')}"}`));
  assert.ok(seen(`{"key":"${KEY.replaceAll('+', '\\u002B')}"}`));
  assert.ok(seen(`<p>${KEY.replaceAll('/', '&#x2F;').replaceAll('=', '&#61;')}</p>`));
  assert.ok(seen(`<p>${KEY.replaceAll('/', '&sol;').replaceAll('+', '&plus;')}</p>`));
  assert.ok(seen(encodeURIComponent(KEY).toLowerCase()));
  assert.ok(seen(encodeURIComponent(encodeURIComponent(KEY))));
  assert.ok(seen(KEY.toUpperCase()));
  for (const user of ['', 'm', 'me', 'joe']) {
    assert.ok(seen(Buffer.from(`${user}:${KEY}`).toString('base64')), user);
    assert.ok(seen(Buffer.from(`${user}:${KEY}!`).toString('base64url')), user);
  }
  assert.ok(seen(Buffer.from(KEY).toString('base64').replaceAll('=', '%3D')));
  for (const other of [KEY.slice(0, -2), `${KEY.slice(0, 8)} ${KEY.slice(8)}`, '%%%&&;&#;\\u']) {
    assert.ok(!seen(other), other);
  }
});

const visible = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 8, maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
  .filter((each) => !/["\\]/.test(each));

/** What writes a whole text once more. */
const LAYERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => encodeURIComponent(text),
  (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  (text) => text.replaceAll(/[&<>'/=+]/g, (mark) => `&#${mark.charCodeAt(0)};`),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  (text) => text.replaceAll(/[^A-Za-z0-9]/g, (mark) => `\\u00${hexOf(mark)}`),
];

test('secrets: found again in any mixture of escapes, and in escapes that are escaped', () => {
  const ways = fc.array(fc.constantFrom(...WAYS), { minLength: 1, maxLength: 40 });
  const layers = fc.array(fc.constantFrom(...LAYERS), { maxLength: 2 });
  fc.assert(
    fc.property(visible, ways, layers, (secret, picks, over) => {
      // What reads as an escape before it is one is looked for in whole forms only.
      fc.pre(!/&[a-z#]|%[0-9a-fu]/i.test(secret));
      const mixed = Array.from(secret, (mark, i) => picks[i % picks.length]?.(mark)).join('');
      const text = over.reduce((inner, layer) => layer(inner), mixed);
      const found = repeatedSecret(bytes(`"${text}"`), ['S'], new Map([['S', secret]]));
      assert.equal(found, 'S', text);
    }),
    { numRuns: 300 },
  );
});

test('secrets: as they are and wholly percent-encoded, found whatever they hold', () => {
  fc.assert(
    fc.property(visible, fc.string(), fc.string(), (secret, before, after) => {
      const held = new Map([['S', secret]]);
      const all = Array.from(secret, (mark) => `%${hexOf(mark)}`).join('');
      for (const form of [secret, all, Buffer.from(`a:${secret}`).toString('base64')]) {
        assert.equal(repeatedSecret(bytes(`${before} ${form} ${after}`), ['S'], held), 'S', form);
      }
    }),
  );
});
