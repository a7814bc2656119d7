import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { assay, scratch, startAssay } from '../fixture/run.ts';

const INIT = [
  'init',
  '--origin',
  'development/serve',
  '--data',
  'data',
  '--contact',
  'a@b.example',
];
const QUIET = { ASSAY_LOG_LEVEL: 'silent' };

test('serve: a log that somebody publishes is served from another process, and verified there', async (t) => {
  const folder = await scratch(t);
  const begun = await assay(folder, INIT);
  assert.equal(begun.code, 0, begun.err);
  const config = join('data', 'assay.json');
  const key = /checkpoint key {2}(\S+)/.exec(begun.out)?.[1] ?? '';
  const readers = { ...QUIET, ASSAY_READERS: '2' };
  const node = await startAssay(t, folder, ['node', '--config', config], ' by ', readers);
  for (const args of [
    ['--data', 'copy'],
    ['--readers', '2', '--key', key],
  ]) {
    const command = ['serve', node.url, '--port', '0', ...args];
    const served = await startAssay(t, folder, command, ' serves ', QUIET);
    const verdict = await assay(folder, ['verify', served.url, '--key', key, '--strict']);
    assert.equal(verdict.code, 0, verdict.out);
    const ended = await served.stop();
    assert.deepEqual([ended.code, ended.err], [0, 'stopping\n']);
  }
  assert.deepEqual((await node.stop()).code, 0);
});

test('serve: a mistake in the command is reported, exit 2, and so is a key of another log', async (t) => {
  const folder = await scratch(t);
  for (const [args, words] of [
    [['example'], /example is no URL/],
    [['http://127.0.0.1:1', '--key', 'no key'], /--key is no verifier key/],
    [['http://127.0.0.1:1', '--readers', '0'], /--readers is a number from 1 to 64/],
    [['http://127.0.0.1:1', '--port', 'http'], /--port is a port/],
  ] as const) {
    const { code, err } = await assay(folder, ['serve', ...args], QUIET);
    assert.equal(code, 2, err);
    assert.match(err, words);
  }
  const away = await assay(folder, ['serve', 'http://127.0.0.1:1'], QUIET);
  assert.equal(away.code, 3, away.err);
  assert.match(away.err, /\[unreachable\]/);
});
