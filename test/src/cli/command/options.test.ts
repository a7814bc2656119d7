import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positiveOption, urlOption } from '@assay/cli/command/options';

test('a whole number above 0, or nothing', () => {
  assert.equal(positiveOption(undefined, '--n'), undefined);
  assert.equal(positiveOption('999999999', '--n'), 999_999_999);
  for (const text of ['', '0', '-1', '01', '1.5', '1e3', ' 1', '1000000000']) {
    assert.throws(() => positiveOption(text, '--n'), /--n is a whole number above 0/, text);
  }
});

test('an address without a user, which no error repeats', () => {
  assert.equal(urlOption('http://127.0.0.1:8332', '--rpc'), 'http://127.0.0.1:8332');
  for (const text of ['', 'host', 'ftp://host', 'file:///etc', 'javascript:1']) {
    assert.throws(() => urlOption(text, '--rpc'), /--rpc is an address/, text);
  }
  for (const text of ['http://me:hush@host', 'http://hush@host', 'https://:hush@host']) {
    assert.throws(
      () => urlOption(text, '--rpc'),
      (error: Error) => /names no user/.test(error.message) && !error.message.includes('hush'),
    );
  }
});
