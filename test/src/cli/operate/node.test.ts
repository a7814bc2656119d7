import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { assay, scratch, startAssay } from '../fixture/run.ts';

const INIT = ['init', '--origin', 'development/node', '--data', 'data', '--contact', 'a@b.example'];

test('node: serves a log that was begun, is verified, and stops with exit 0', async (t) => {
  const folder = await scratch(t);
  const begun = await assay(folder, INIT);
  assert.equal(begun.code, 0, begun.err);
  const config = join('data', 'assay.json');
  const quiet = { ASSAY_LOG_LEVEL: 'silent' };
  const node = await startAssay(t, folder, ['node', '--config', config], ' by ', quiet);
  assert.match(node.out(), /^http:\/\/127\.0\.0\.1:\d+ by (uWebSockets\.js|node:http)\n$/);
  const key = /checkpoint key {2}(\S+)/.exec(begun.out)?.[1] ?? '';
  const verdict = await assay(folder, ['verify', node.url, '--key', key, '--strict']);
  assert.equal(verdict.code, 0, verdict.out);
  assert.match(verdict.out, /^VERIFIED \(DEVELOPMENT\): no fault was found in /);
  // One writer: a second node on the same folder is refused, and says why.
  const second = await assay(folder, ['node', '--config', config], { ASSAY_PORT: '0', ...quiet });
  assert.equal(second.code, 3);
  assert.match(second.err, /\[refused\]\n$/);
  const ended = await node.stop();
  assert.deepEqual([ended.code, ended.err], [0, 'stopping\n']);
  assert.equal((await assay(folder, ['verify', 'data', '--key', key])).code, 0);
});

test('node: what is wrong with a config is reported, exit 2', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'typo.json'), '{"data":"data","contact":"a@b.example","prot":1}');
  await writeFile(join(folder, 'broken.json'), '{');
  for (const [args, words] of [
    [[], /node: the option --config FILE is missing\n/],
    [['--config', 'none.json'], /none\.json/],
    [['--config', 'broken.json'], /broken\.json/],
    [['--config', 'typo.json'], /prot/],
  ] as const) {
    const { code, out, err } = await assay(folder, ['node', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
  await writeFile(join(folder, 'empty.json'), '{"data":"nowhere","contact":"a@b.example"}');
  const empty = await assay(folder, ['node', '--config', 'empty.json']);
  assert.equal(empty.code, 3);
  assert.match(empty.err, /assay init makes it.*\[not_found\]\n$/);
});
