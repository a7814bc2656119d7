import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The figures at an address, once each of so many readers shows entries. */
async function figuresOf(address: string, readers: number): Promise<string> {
  for (let i = 0; i < 200; i += 1) {
    const figures = await (await fetch(address)).text();
    const missing = Array.from({ length: readers }, (_, each) => each + 1).filter(
      (each) => !new RegExp(`^assay_reader_entries\\{reader="${each}"\\} [1-9]`, 'm').test(figures),
    );
    if (missing.length === 0) return figures;
    await sleep(50);
  }
  throw new Error('not every reader has said what it shows');
}

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
    const command = ['serve', node.url, '--port', '0', '--metrics-port', '0', ...args];
    const served = await startAssay(t, folder, command, ' has the figures ', QUIET);
    const metrics = /http:\S+\/metrics/.exec(served.out())?.[0] ?? '';
    assert.equal((await fetch(`${served.url}/metrics`)).status, 404, 'not with the API');
    const figures = await figuresOf(metrics, args.includes('--readers') ? 2 : 1);
    assert.match(figures, /^assay_reader_silent_seconds\{reader="1"\} \d/m);
    assert.doesNotMatch(figures, /^assay_reader_behind_entries/m, 'only the publisher knows it');
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
