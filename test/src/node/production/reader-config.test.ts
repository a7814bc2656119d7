import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '@assay/node/production/config';
import { nodeReaders, READERS_TOKEN } from '@assay/node/production/reader-config';

const TOKEN = 'x'.repeat(32);

function readersOf(fields: object, environment: Record<string, string> = {}) {
  const config = parseConfig({ data: 'data', contact: 'a@b.example', ...fields }, environment, '/');
  return nodeReaders(config, environment, { checkpoints: { vkey: 'vkey' } });
}

test('reader config: none by default, some of this machine with a token of their own', () => {
  assert.equal(readersOf({}), undefined);
  const first = readersOf({ readers: 2 });
  assert.deepEqual([first?.count, first?.at], [2, { host: '127.0.0.1', port: 0 }]);
  assert.ok((first?.token.length ?? 0) >= 43);
  assert.notEqual(readersOf({ readers: 2 })?.token, first?.token);
  assert.equal(readersOf({}, { ASSAY_READERS: '3' })?.count, 3);
});

test('reader config: readers on other machines need a token that cannot be guessed', () => {
  const fields = { readers_port: 8800, readers_host: '10.0.0.5' };
  const found = readersOf(fields, { [READERS_TOKEN]: TOKEN });
  assert.deepEqual(
    [found?.count, found?.at, found?.token],
    [0, { host: '10.0.0.5', port: 8800 }, TOKEN],
  );
  for (const token of ['', 'short', `${TOKEN} `, 'y'.repeat(257)]) {
    assert.throws(() => readersOf(fields, { [READERS_TOKEN]: token }), { code: 'bad_config' });
  }
});
