import assert from 'node:assert/strict';
import { test } from 'node:test';
import { date, entryCount, originName, positive, serverUrl } from '@assay/cli/command/options';
import { parseGiven } from '@assay/cli/command/parse';

test('a whole number above 0, or nothing', () => {
  const options = { n: { value: 'N', about: 'A number.', parse: positive } } as const;
  assert.equal(parseGiven({ options, operands: {} }, []).n, undefined);
  assert.equal(positive('999999999', '--n'), 999_999_999);
  for (const text of ['', '0', '-1', '01', '1.5', '1e3', ' 1', '1000000000']) {
    assert.throws(() => positive(text, '--n'), /--n is a whole number above 0/, text);
  }
});

test('a number of entries, 0 too', () => {
  assert.deepEqual(
    ['0', '007', '9'.repeat(15)].map((text) => entryCount(text, '--drop')),
    [0, 7, 1e15 - 1],
  );
  for (const text of ['', '-1', '1.5', '9'.repeat(16), 'all']) {
    assert.throws(() => entryCount(text, '--drop'), /--drop is a number of entries/, text);
  }
});

test('a date, and the name of a log', () => {
  assert.equal(date('2024-02-29', '--period'), '2024-02-29');
  for (const text of ['', '2023-02-29', '2024-2-9', 'May']) {
    assert.throws(() => date(text, '--period'), /--period is a date YYYY-MM-DD/, text);
  }
  assert.throws(() => date('2026-02-30', '--period'), {
    message: '--period is a date YYYY-MM-DD, unlike "2026-02-30"',
  });
  assert.throws(() => date('http://u:hush@h', '--day'), { message: '--day is a date YYYY-MM-DD' });
  assert.equal(originName('example.org/assay'), 'example.org/assay');
  for (const text of ['', '/x', 'A.org', 'a b', 'a'.repeat(129)]) {
    assert.throws(() => originName(text), /an origin consists of lower-case letters/, text);
  }
});

test('an address without a user, which no error repeats', () => {
  assert.equal(serverUrl('http://127.0.0.1:8332', '--rpc'), 'http://127.0.0.1:8332');
  for (const text of ['', 'host', 'ftp://host', 'file:///etc', 'javascript:1']) {
    assert.throws(() => serverUrl(text, '--rpc'), /--rpc is an address/, text);
  }
  for (const text of ['http://me:hush@host', 'http://hush@host', 'https://:hush@host']) {
    assert.throws(
      () => serverUrl(text, '--rpc'),
      (error: Error) =>
        /must not contain a user/.test(error.message) && !error.message.includes('hush'),
    );
  }
});
