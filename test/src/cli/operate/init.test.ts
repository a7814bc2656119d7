import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { anchorWorld } from '@assay/node/production/anchor-config';
import { openDataFolder } from '@assay/cli/reader/data-reader';
import { parseEntry } from '@assay/core/log/entry';
import { parseGenesis } from '@assay/core/kind/genesis';
import {
  PUBLIC_ATTESTORS,
  PUBLIC_EXPLORERS,
  PUBLIC_HOLDERS,
  PUBLIC_POOL,
} from '@assay/node/anchor/public-network';
import { type Config, parseConfig } from '@assay/node/production/config';
import { assay, scratch } from '../fixture/run.ts';

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

test('init: keys for their owner alone, a config, and what to do next', async (t) => {
  const folder = await scratch(t);
  const { code, out, err } = await assay(folder, [
    'init',
    '--origin',
    'example.org/assay',
    '--data',
    'data',
    '--contact',
    'data@example.org',
  ]);
  assert.equal(code, 0);
  assert.match(err, /^(Chosen for good, by default: .*\n){3}$/);
  assert.match(out, /^A new log: example\.org\/assay\n {2}log id {10}[0-9a-f]{64}\n/);
  assert.match(out, /\n {2}checkpoint key {2}example\.org\/assay\+[0-9a-f]{8}\+\S+\n/);
  assert.match(out, /\nThe keys are not locked, but only you can read them/);
  assert.match(out, /\nNext: assay node --config \S+assay\.json\n$/);
  const data = join(folder, 'data');
  assert.equal(await modeOf(data), '700');
  assert.equal(await modeOf(join(data, 'keys')), '700');
  const keys = await readdir(join(data, 'keys'));
  assert.deepEqual(keys.sort(), [
    'checkpoint.json',
    'next-report.json',
    'recovery.json',
    'report.json',
  ]);
  for (const key of keys) assert.equal(await modeOf(join(data, 'keys', key)), '600', key);
  const config = JSON.parse(await readFile(join(data, 'assay.json'), 'utf8')) as Partial<Config>;
  assert.equal('data' in config, true);
  // Whom the node asks stands in the config and in what is said, and is what it would ask without.
  const { calendars, calendar_attestors: attestors, bitcoin_explorers: explorers } = config;
  assert.deepEqual(
    [calendars, attestors, explorers],
    [PUBLIC_POOL, PUBLIC_ATTESTORS, PUBLIC_EXPLORERS],
  );
  for (const address of [...PUBLIC_POOL, ...PUBLIC_EXPLORERS]) {
    assert.ok(out.includes(new URL(address).host), address);
  }
  const world = anchorWorld(parseConfig(config, {}, data), {}, 'production');
  for (const [address, uri] of PUBLIC_HOLDERS) assert.ok(world.calendars?.isHolder(address, uri));
  assert.ok(world.headers !== undefined);
  // A log of one entry can be verified at once.
  const verdict = await assay(folder, ['verify', 'data']);
  assert.equal(verdict.code, 0);
  assert.match(verdict.out, /log {10}example\.org\/assay, 1 entry\n/);
  assert.doesNotMatch(verdict.out, /development/);
  const key = /checkpoint key {2}(\S+)/.exec(out)?.[1] ?? '';
  const named = await assay(folder, ['verify', 'data', '--key', key]);
  assert.match(named.out, /^VERIFIED: no fault was found in /);
});

test('init: what the log promises of co-signers and witnesses is in its first entry', async (t) => {
  const folder = await scratch(t);
  const init = (data: string, ...options: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, [
      'init',
      '--origin',
      'development/x',
      '--data',
      data,
      '--contact',
      'a@b.example',
      ...options,
    ]);
  const policies = async (data: string): Promise<unknown> => {
    const { folder: reader, close } = await openDataFolder(join(folder, data));
    try {
      for await (const row of reader.rows()) {
        if (row.part === 'entry') return parseGenesis(parseEntry(row.bytes).body, 'body').policies;
      }
      return undefined;
    } finally {
      await close();
    }
  };
  const plain = await init('plain');
  assert.doesNotMatch(plain.out, /witness/);
  assert.deepEqual(await policies('plain'), {
    cosigners_required: 0,
    witnesses_required: 0,
    witness_max_age_s: 0,
  });
  const { out } = await init('two', '--cosigners', '2', '--witnesses', '2');
  assert.match(out, /\nName at least 2 of the log's witnesses in the config/);
  assert.deepEqual(await policies('two'), {
    cosigners_required: 2,
    witnesses_required: 2,
    witness_max_age_s: 86_400,
  });
  await init('aged', '--witnesses', '1', '--witness-max-age', '600');
  assert.deepEqual(await policies('aged'), {
    cosigners_required: 0,
    witnesses_required: 1,
    witness_max_age_s: 600,
  });
  for (const options of [
    ['--witnesses', '65'],
    ['--witnesses', '-1'],
    ['--witnesses', '01'],
    ['--cosigners', 'two'],
    ['--cosigners', '6'],
    ['--witness-max-age', '600'],
    ['--witnesses', '1', '--witness-max-age', '59'],
  ]) {
    assert.equal((await init('none', ...options)).code, 2, options.join(' '));
  }
});

test('init never begins a log over another, or over anything at all', async (t) => {
  const folder = await scratch(t);
  const args = ['init', '--origin', 'development/x', '--data', 'data', '--contact', 'a@b.example'];
  const { code, out } = await assay(folder, args);
  assert.equal(code, 0);
  assert.doesNotMatch(out, /alendars|xplorers/);
  const config = await readFile(join(folder, 'data', 'assay.json'), 'utf8');
  assert.doesNotMatch(config, /calendar|bitcoin/);
  const key = await readFile(join(folder, 'data', 'keys', 'report.json'));
  const again = await assay(folder, args);
  assert.deepEqual([again.code, again.out], [3, '']);
  assert.match(
    again.err,
    /^assay init: data folder at .*expected an empty folder\b.* \[not_empty\]\n$/,
  );
  assert.deepEqual(await readFile(join(folder, 'data', 'keys', 'report.json')), key);
  await writeFile(join(folder, 'file'), 'mine');
  const over = await assay(folder, args.with(4, '.'));
  assert.equal(over.code, 3);
  assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'mine');
});

test('init with a passphrase locks the keys', async (t) => {
  const folder = await scratch(t);
  const args = ['init', '--origin', 'development/x', '--data', 'data', '--contact', 'a@b.example'];
  const { code, out } = await assay(folder, args, { ASSAY_PASSPHRASE: 'correct horse' });
  assert.equal(code, 0);
  assert.doesNotMatch(out, /unlocked/);
  assert.doesNotMatch(out, /correct horse/);
  const text = await readFile(join(folder, 'data', 'keys', 'report.json'), 'utf8');
  assert.match(text, /"encrypted"/);
  assert.doesNotMatch(text, /private_key/);
  // Verifying asks for no key at all; what writes does.
  assert.equal((await assay(folder, ['verify', 'data'])).code, 0);
  const locked = await assay(folder, ['recover', 'data']);
  assert.equal(locked.code, 3);
  assert.match(locked.err, /\[key_locked\]/);
  const wrong = await assay(folder, ['recover', 'data'], { ASSAY_PASSPHRASE: 'wrong' });
  assert.match(wrong.err, /\[key_locked\]/);
  const right = await assay(folder, ['recover', 'data'], { ASSAY_PASSPHRASE: 'correct horse' });
  assert.equal(right.code, 0);
});

test('init asks for what it needs', async (t) => {
  const folder = await scratch(t);
  for (const args of [
    [],
    ['--origin', 'x'],
    ['--data', 'x'],
    ['--origin', 'Not An Origin', '--data', 'x', '--contact', 'a@b.example'],
    ['--origin', 'a'.repeat(200), '--data', 'x', '--contact', 'a@b.example'],
  ]) {
    const { code, out } = await assay(folder, ['init', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
  }
  assert.deepEqual(await readdir(folder), []);
});

test('init: a chain and its program, both or neither, with a key that pays', async (t) => {
  const folder = await scratch(t);
  const begin = [
    'init',
    '--origin',
    'development/x',
    '--data',
    'data',
    '--contact',
    'a@example.org',
  ];
  const chain = ['--chain', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'];
  const program = ['--program', 'AssayFeed1111111111111111111111111111111111'];
  for (const [more, words] of [
    [chain, /takes both --chain and --program/],
    [program, /takes both --chain and --program/],
    [['--chain', 'ethereum:1', ...program], /a chain is solana:/],
    [[...chain, '--program', '0OIl'], /a program is an address/],
  ] as const) {
    const refused = await assay(folder, [...begin, ...more]);
    assert.equal(refused.code, 2, refused.err);
    assert.match(refused.err, words);
  }
  const { code, out } = await assay(folder, [...begin, ...chain, ...program]);
  assert.equal(code, 0);
  assert.match(out, /\nOn chain [1-9A-HJ-NP-Za-km-z]{32,44} pays: send it lamports/);
  const keys = await readdir(join(folder, 'data', 'keys'));
  assert.ok(keys.includes('payer.json'));
  assert.equal(await modeOf(join(folder, 'data', 'keys', 'payer.json')), '600');
});
