import assert from 'node:assert/strict';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { keysOf } from '@assay/core/view/key/keys';
import { dataFolder } from '@assay/node/platform/data-folder';
import { initData } from '@assay/node/data/init';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { ownData } from '../fixture/data-folder.ts';
import { chainWorld, feedData } from '../fixture/chain-world.ts';
import { assay, scratch } from '../fixture/run.ts';

test('keys: shown, rotated, recovered after a theft; and what was meant otherwise is refused', async (t) => {
  const folder = await ownData(t);
  const shown = await assay(folder, ['keys', 'show', 'data']);
  assert.deepEqual([shown.code, shown.err], [0, '']);
  assert.match(
    shown.out,
    /key 0 {2}[0-9a-f]{64} {2}keys\/report\.json\n.*genesis, from entry 0 on; in force/,
  );
  assert.match(shown.out, /next {3}sha256 [0-9a-f]{64} {2}keys\/next-report\.json/);
  assert.match(shown.out, /\n {2}checkpoint key, for readers {2}\S+\+[0-9a-f]{8}\+\S{44}\n/);
  const asked = await assay(folder, ['keys', 'rotate', 'data']);
  assert.equal(asked.code, 0, asked.err);
  assert.match(asked.out, /Nothing was written/);
  assert.equal((await assay(folder, ['keys', 'show', 'data'])).out, shown.out);
  const rotated = await assay(folder, ['keys', 'rotate', 'data', '--yes']);
  assert.equal(rotated.code, 0, rotated.err);
  assert.match(rotated.out, /^Key 1 is in force: /);
  const safe = join(folder, 'safe.json');
  await rename(join(folder, 'data/keys/recovery.json'), safe);
  const missing = await assay(folder, ['keys', 'recover', 'data', '--stolen', '--fresh', '--yes']);
  assert.equal(missing.code, 3);
  assert.match(missing.err, /\[key_missing\]/);
  const args = ['keys', 'recover', 'data', '--stolen', '--fresh', '--recovery', safe, '--yes'];
  const recovered = await assay(folder, args);
  assert.equal(recovered.code, 0, recovered.err);
  const after = await assay(folder, ['keys', 'show', 'data']);
  assert.match(after.out, /key 1 .*report-1\.json\n.*rotation.*ended by entry \d+, stolen/);
  assert.match(after.out, /key 2 .*keys\/report\.json\n.*recovery.*in force/);
  const verdict = await assay(folder, ['verify', 'data']);
  assert.equal(verdict.code, 0, verdict.out);
  for (const wrong of [
    ['keys'],
    ['keys', 'show'],
    ['keys', 'mint', 'data'],
    ['keys', 'rotate', 'data', '--fresh'],
    ['keys', 'recover', 'data', '--fresh', '--next', safe],
    ['keys', 'show', 'nowhere'],
  ]) {
    assert.equal((await assay(folder, wrong)).code, 2, wrong.join(' '));
  }
});

test('keys: of a log with feeds the chain comes first, and a week later the log', async (t) => {
  const world = await chainWorld(t);
  const { folder } = world;
  await feedData(world);
  const payer = join(folder, 'payer.json');
  const on = { ASSAY_SOLANA_RPC: world.url };
  const run = (...args: readonly string[]) => assay(folder, args, on);
  await rename(payer, join(folder, 'data/keys/payer.json'));
  const made = await run('chain', 'init-feed', '--data', 'data', '--index', 'LAYOFFS', '--yes');
  assert.equal(made.code, 0, made.err);
  const early = await run('keys', 'rotate', 'data', '--yes');
  assert.equal(early.code, 3);
  assert.match(early.err, /is still to be asked for: assay chain rotate \[refused\]/);
  const told = await run('chain', 'rotate', '--data', 'data');
  assert.match(told.out, /from +[0-9a-f]{64}\n +to +[0-9a-f]{64}\nNothing was sent/);
  const asked = await run('chain', 'rotate', '--data', 'data', '--yes');
  assert.equal(asked.code, 0, asked.err);
  assert.match(asked.out, /WAITS waits until/);
  assert.match((await run('keys', 'rotate', 'data', '--yes')).err, /it waits on chain/);
  // A thief's change is taken back, and the publisher's own made again.
  const recovery = join(folder, 'data/keys/recovery.json');
  const cancel = ['chain', 'cancel', '--data', 'data', '--index', 'LAYOFFS'];
  const back = await run(...cancel, '--recovery', recovery, '--yes');
  assert.equal(back.code, 0, back.err);
  assert.match((await run('keys', 'rotate', 'data', '--yes')).err, /still to be asked for/);
  assert.equal((await run('chain', 'rotate', '--data', 'data', '--yes')).code, 0);
  world.pass(7 * 86_400);
  const rotated = await run('keys', 'rotate', 'data', '--yes');
  assert.equal(rotated.code, 0, rotated.err);
  const keys = join(folder, 'data/keys');
  await rename(join(keys, 'next-report.json'), join(keys, 'later-report.json'));
  const again = await run('keys', 'rotate', 'data', '--yes');
  assert.equal(again.code, 0, again.err);
  assert.match(again.out, /^A change that was cut short is finished: .* and report key 1\./);
  const verdict = await run('verify', 'data', '--chain-rpc', world.url);
  assert.equal(verdict.code, 0, verdict.out);
  // After a theft the log goes first, and its feeds follow.
  const recovered = await run('keys', 'recover', 'data', '--stolen', '--yes');
  assert.equal(recovered.code, 0, recovered.err);
  const behind = await run('verify', 'data', '--chain-rpc', world.url);
  assert.equal(behind.code, 0, behind.out);
  const follow = await run('chain', 'rotate', '--data', 'data', '--yes');
  assert.equal(follow.code, 0, follow.err);
  assert.match(follow.out, /WAITS/);
  assert.equal((await run('verify', 'data', '--chain-rpc', world.url)).code, 0);
});

test('keys: of a log whose witnesses are required the entry is committed, and shown once it is witnessed', async (t) => {
  const folder = await scratch(t);
  const place = dataFolder(join(folder, 'data'));
  const policies = { cosigners_required: 0, witnesses_required: 1, witness_max_age_s: 0 };
  const options = { origin: 'development/witnessed', passphrase: undefined, policies };
  await initData(place, nodeSha256, () => 1_790_000_000, options);
  const rotated = await assay(folder, ['keys', 'rotate', 'data', '--yes']);
  assert.equal(rotated.code, 0, rotated.err);
  assert.match(rotated.out, /requires the lines of 1 witnesses: the entry is committed/);
  const recovered = await assay(folder, ['keys', 'recover', 'data', '--stolen', '--yes']);
  assert.equal(recovered.code, 0, recovered.err);
  const data = await openData(place, nodeSha256, { passphrase: undefined });
  let cosign = (): void => {};
  const cosigned = new Promise<void>((resolve) => (cosign = resolve));
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: data.store,
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now: () => 1_800_000_000,
    askHeads: null,
    witness: { required: 1, gather: (note) => cosigned.then(() => note) },
  });
  t.after(() => ledger.close());
  assert.equal(keysOf(ledger.tip).at(-1)?.cause, 'recovery');
  assert.equal(keysOf(ledger.tip).length, 3);
  assert.equal(ledger.published, undefined);
  assert.deepEqual(keysOf(ledger.shown), []);
  cosign();
  await ledger.whenPublished(3);
  assert.equal(keysOf(ledger.shown).length, 3);
});

test('keys: a checkpoint key is promised, rotated and recovered, and the log is exported with its closing heads', async (t) => {
  const folder = await ownData(t);
  const away = (name: string): string => join(folder, `${name}.json`);
  const take = (name: string): Promise<void> =>
    rename(join(folder, 'data/keys', `${name}.json`), away(name));
  const run = (...args: readonly string[]) => assay(folder, ['keys', ...args]);
  const early = await run('rotate-checkpoint', 'data', '--yes');
  assert.equal(early.code, 3);
  assert.match(early.err, /assay keys promise-checkpoint/);
  const asked = await run('promise-checkpoint', 'data');
  assert.equal(asked.code, 0, asked.err);
  assert.match(asked.out, /next {3}not promised.*\n[^]*Nothing was written/);
  await take('recovery');
  const promised = await run('promise-checkpoint', 'data', '--recovery', away('recovery'), '--yes');
  assert.equal(promised.code, 0, promised.err);
  assert.match(promised.out, /^Checkpoint key 1 is promised: the key of [0-9a-f]{64}\n/);
  await rename(away('recovery'), away('old-recovery'));
  await take('recovery');
  await take('next-checkpoint');
  const missing = await run('rotate-checkpoint', 'data', '--yes');
  assert.match(missing.err, /\[key_missing\]/);
  const rotated = await run(
    'rotate-checkpoint',
    'data',
    '--next',
    away('next-checkpoint'),
    '--yes',
  );
  assert.equal(rotated.code, 0, rotated.err);
  assert.match(rotated.out, /^Checkpoint key 1 is in force: development\/folder\+/);
  const shown = await run('show', 'data');
  assert.match(
    shown.out,
    /key 0 .*keys\/checkpoint-0\.json\n.*genesis, signs heads above 0 entries up to \d+\n.*closing-head\/0\n/,
  );
  assert.match(
    shown.out,
    /key 1 .*keys\/checkpoint\.json\n.*rotation by entry \d+, .*in force\n {2}next {3}sha256 .*keys\/next-checkpoint\.json/,
  );
  await take('checkpoint');
  const lost = await run('rotate-checkpoint', 'data', '--yes');
  assert.equal(lost.code, 3);
  assert.match(lost.err, /\[key_missing\]/);
  const recover = ['recover-checkpoint', 'data', '--recovery', away('recovery')];
  const head = join(folder, 'data/closing-head/0');
  const recovered = await run(...recover, '--closing-head', head, '--yes');
  assert.equal(recovered.code, 0, recovered.err);
  assert.match(recovered.out, /^Checkpoint key 2 is in force: [^]*recovery\.json to another place/);
  const settled = await run('settle', 'data');
  assert.equal(settled.code, 0, settled.err);
  assert.match(settled.out, /key 2 .*keys\/checkpoint\.json\n.*recovery by entry/);
  const written = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.equal(written.code, 0, written.err);
  for (const number of [0, 1]) {
    assert.deepEqual(
      await readFile(join(folder, `files/closing-head/${number}`)),
      await readFile(join(folder, `data/closing-head/${number}`)),
    );
  }
  const none = await readFile(join(folder, 'files/closing-head/2')).catch(() => undefined);
  assert.equal(none, undefined);
});

test('keys: files that cannot be read are shown with the reason', async (t) => {
  const folder = await ownData(t);
  await writeFile(join(folder, 'data/keys/checkpoint.json'), '');
  await chmod(join(folder, 'data/keys/recovery.json'), 0o644);
  const { code, out, err } = await assay(folder, ['keys', 'show', 'data']);
  assert.equal(code, 0, err);
  assert.match(out, /key 0 .*keys\/report\.json\n/);
  assert.match(
    out,
    /move them away\n {2}keys\/checkpoint\.json {2}.* \[malformed\]\n {2}keys\/recovery\.json {2}.*0644 \[key_exposed\]\n/,
  );
});

test('keys: a second run of a change that was cut short finishes it, and changes no more', async (t) => {
  const folder = await ownData(t);
  const keys = (name: string): string => join(folder, 'data/keys', `${name}.json`);
  const run = (...args: readonly string[]) => assay(folder, ['keys', ...args, '--yes']);
  assert.equal((await run('promise-checkpoint', 'data')).code, 0);
  const gone = await run('recover-checkpoint', 'data', '--closing-head', 'nowhere');
  assert.match(gone.err, /nowhere.*\[not_found\]\n$/);
  assert.equal((await run('rotate-checkpoint', 'data')).code, 0);
  // As they were before the last of the files got its name.
  await rename(keys('next-checkpoint'), keys('later-checkpoint'));
  for (const [action, words] of [
    ['rotate-checkpoint', /^A change that was cut short is finished: checkpoint key 1 is in force/],
    ['recover-checkpoint', /^Checkpoint key 2 is in force/],
  ] as const) {
    const { code, out, err } = await run(action, 'data');
    assert.equal(code, 0, err);
    assert.match(out, words);
  }
  await rename(keys('recovery'), keys('later-recovery'));
  const again = await run('recover-checkpoint', 'data');
  assert.match(again.out, /^A change that was cut short is finished: checkpoint key 2 is in force/);
  assert.equal((await run('rotate', 'data')).code, 0);
  await rename(keys('next-report'), keys('later-report'));
  const rotated = await run('rotate', 'data');
  assert.equal(rotated.code, 0, rotated.err);
  assert.match(rotated.out, /^A change that was cut short is finished: .* and report key 1\./);
});

test('keys: a ceremony commits through the guard that the config names, and changes nothing where that is away', async (t) => {
  const folder = await ownData(t);
  const config = {
    data: 'data',
    contact: 'a@b.example',
    head_guard: { kind: 'postgres', addresses: ['127.0.0.1:1'], tls: 'off' },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const on = { ASSAY_GUARD_PASSWORD: 'hush-hush' };
  for (const action of ['promise-checkpoint', 'rotate', 'settle']) {
    const yes = action === 'settle' ? [] : ['--yes'];
    const args = ['keys', action, 'data', '--config', 'config.json', ...yes];
    const { code, err } = await assay(folder, args, on);
    assert.equal(code, 3, err);
    assert.match(err, /127\.0\.0\.1:1: .*ECONNREFUSED.*\[unreachable\]\n$/);
  }
  const shown = await assay(folder, ['keys', 'show', 'data']);
  assert.match(shown.out, /not promised/);
  assert.doesNotMatch(shown.out, /key 1/);
});
