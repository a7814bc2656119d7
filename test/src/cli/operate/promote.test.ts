import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { assay, scratch } from '../fixture/run.ts';

const INIT = ['init', '--origin', 'development/node', '--data', 'data', '--contact', 'a@b.example'];

test('promote: what is missing is said before anything is asked', async (t) => {
  const folder = await scratch(t);
  for (const [args, words] of [
    [[], /the option --config FILE is missing/],
    [['--config', 'none.json'], /none\.json/],
    [['--config', 'none.json', '--fenced', ' '], /says? how the old writer was shut out/],
  ] as const) {
    const { code, err } = await assay(folder, ['promote', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, words);
  }
});

test('promote: a folder without a copy of a log, and a guard that no other machine reaches', async (t) => {
  const folder = await scratch(t);
  const config = { data: 'nowhere', contact: 'a@b.example' };
  await writeFile(join(folder, 'empty.json'), JSON.stringify(config));
  const empty = await assay(folder, ['promote', '--config', 'empty.json']);
  assert.equal(empty.code, 2);
  assert.match(empty.err, /nowhere has no copy of a log/);
  assert.equal((await assay(folder, INIT)).code, 0);
  const file = await assay(folder, ['promote', '--config', 'data/assay.json']);
  assert.equal(file.code, 2, file.err);
  assert.match(file.err, /head_guard.*\[bad_config\]\n$/);
});

test('promote: a database that does not answer changes nothing, and the password is not told', async (t) => {
  const folder = await scratch(t);
  assert.equal((await assay(folder, INIT)).code, 0);
  const config = {
    data: 'data',
    contact: 'a@b.example',
    head_guard: { kind: 'postgres', addresses: ['127.0.0.1:1'], tls: 'off' },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const variables = { ASSAY_GUARD_PASSWORD: 'hush-hush' };
  for (const command of [
    ['promote', '--config', 'config.json', '--fenced', 'it is off'],
    ['node', '--config', 'config.json'],
  ]) {
    const { code, err } = await assay(folder, command, { ASSAY_PORT: '0', ...variables });
    assert.equal(code, 3, err);
    assert.match(err, /127\.0\.0\.1:1: .*ECONNREFUSED.*\[unreachable\]\n$/);
    assert.doesNotMatch(err, /hush/);
  }
  // The files of a change that was cut short are said before the database is asked.
  const keys = join(folder, 'data/keys');
  await rename(join(keys, 'checkpoint.json'), join(keys, 'next-checkpoint.json'));
  const args = ['promote', '--config', 'config.json', '--fenced', 'it is off'];
  const { code, err } = await assay(folder, args, variables);
  assert.equal(code, 3, err);
  assert.match(err, /which next-checkpoint\.json has: assay keys settle .*\[key_missing\]\n$/);
  await rename(join(keys, 'next-checkpoint.json'), join(keys, 'checkpoint.json'));
  const standby = await assay(folder, ['node', '--standby', '--config', 'config.json']);
  assert.equal(standby.code, 2);
  assert.match(standby.err, /standby.*what is followed.*\[bad_config\]\n$/);
});
