import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { requireFinal } from '@assay/chain/reader';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import fc from 'fast-check';
import type { Party } from '../src/chain/fixture/party.ts';
import { hashOf } from '../src/chain/fixture/party.ts';
import { needsSvm, PERIOD, type World, worldOf } from '../src/chain/fixture/world.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { brokenCases, caseBytes, requestOf, soundCases, type VenueCase } from './venue-cases.ts';

const HERE = join(ROOT, 'test', 'interop');
const SAMPLES = join(ROOT, 'samples', 'venue');

/** A value or `none` for each case. */
type Reader = (cases: readonly VenueCase[]) => readonly string[];

const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const C_FLAGS = ['-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-O1', '-g'];
const RUST_FLAGS = ['--edition=2024', '-O', '-Coverflow-checks=on', '-Dwarnings'];

/** Compilers in the order in which they are tried, each with its arguments. */
const COMPILERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  c: ['cc', 'gcc', 'clang'].flatMap((name) =>
    [SANITIZERS, []].map((extra) => [
      name,
      ...C_FLAGS,
      ...extra,
      `-I${join(SAMPLES, 'c')}`,
      join(HERE, 'venue-reader.c'),
      join(SAMPLES, 'c', 'final_value.c'),
    ]),
  ),
  rust: [['rustc', ...RUST_FLAGS, join(HERE, 'venue-reader.rs')]],
};

/** The reader of a sample, compiled; undefined, and the test skipped with a word, where no compiler is here. */
function readerIn(language: 'c' | 'rust', t: TestContext): Reader | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'assay-venue-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'reader');
  let words = '';
  for (const [compiler = '', ...args] of COMPILERS[language] ?? []) {
    if (spawnSync(compiler, ['--version']).status !== 0) continue;
    const done = spawnSync(compiler, [...args, '-o', program], { encoding: 'utf8' });
    if (done.status !== 0) {
      words ||= done.stderr;
      continue;
    }
    return (cases) => {
      const input = join(folder, 'cases');
      writeFileSync(input, concatBytes(...cases.map(caseBytes)));
      // A file, for a pipe of this size would be written in pieces.
      const ran = spawnSync('sh', ['-c', '"$0" < "$1"', program, input], { encoding: 'utf8' });
      assert.equal(ran.stderr, '');
      assert.equal(ran.status, 0);
      return ran.stdout.trimEnd().split('\n');
    };
  }
  assert.equal(words, '', `${language}: it does not compile`);
  t.skip(language === 'c' ? 'no C compiler is here' : 'rustc is not here');
  return undefined;
}

/** What `requireFinal` says: a value, `none`, or undefined where the program could not have written the bytes. */
function expected(asked: VenueCase): string | undefined {
  try {
    return String(requireFinal(requestOf(asked)).value);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code === 'malformed' ? undefined : 'none';
  }
}

for (const language of ['c', 'rust'] as const) {
  test(`venue ${language}: it reads sound accounts as requireFinal does`, (t) => {
    const read = readerIn(language, t);
    if (read === undefined) return;
    const cases = fc.sample(soundCases, 1000);
    const wanted = cases.map(expected);
    assert.ok(!wanted.includes(undefined), 'the accounts are sound');
    const values = wanted.filter((each) => each !== 'none').length;
    assert.ok(values > 100 && values < 900, `${values} of 1000 have a value`);
    for (const [i, found] of read(cases).entries()) {
      assert.equal(
        found,
        wanted[i],
        `case ${Buffer.from(caseBytes(cases[i] as VenueCase)).toString('base64')}`,
      );
    }
  });

  test(`venue ${language}: no bytes stop it, and what is cut off or not its feed has no value`, (t) => {
    const read = readerIn(language, t);
    if (read === undefined) return;
    const cases = fc.sample(brokenCases, 1000);
    const found = read(cases);
    assert.equal(found.length, cases.length);
    for (const [i, asked] of cases.entries()) {
      const sound = asked.feed.length === 5424 && asked.page.length === 6480;
      const magic =
        Buffer.from(asked.feed.subarray(0, 8)).toString('latin1') === 'assayFD1' &&
        Buffer.from(asked.page.subarray(0, 8)).toString('latin1') === 'assayPG1';
      const its = Buffer.from(asked.feedAt).equals(asked.page.subarray(16, 48));
      if (!sound || !magic || !its) assert.equal(found[i], 'none');
      const wanted = expected(asked);
      if (wanted !== undefined && wanted !== 'none') assert.equal(found[i], wanted);
    }
  });

  test(`venue ${language}: it reads what the program wrote`, needsSvm, async (t) => {
    const read = readerIn(language, t);
    if (read === undefined) return;
    const world = await worldOf();
    const steps = [await caseOf(world)];
    await world.publish(world.print({ status: 'provisional' }), [world.publisher]);
    steps.push(await caseOf(world));
    const [first, second] = world.cosigners as [Party, Party];
    await world.publish(world.print({ value: -218_000n }), [world.publisher, first, second]);
    const final = await caseOf(world);
    steps.push(final, { ...final, required: 3 }, { ...final, own: [first, first].map(keyOf) });
    steps.push({ ...final, rule: parseHex(hashOf('rule 2'), 32) }, { ...final, required: 0 });
    steps.push({ ...final, period: PERIOD - 7 });
    await world.publish(world.print({ status: 'corrected', value: 1n }));
    steps.push(await caseOf(world));
    await world.publish(world.print({ status: 'void', period: PERIOD - 7 }));
    steps.push({ ...(await caseOf(world)), period: PERIOD - 7 });
    const words = 'none none -218000 none none none none none -218000 none';
    assert.equal(read(steps).join(' '), words);
  });
}

function keyOf({ key }: Party): Uint8Array {
  return parseHex(key, 32);
}

async function caseOf(world: World): Promise<VenueCase> {
  const page = await world.page();
  return {
    feedAt: parseHex(page.feed, 32),
    feed: world.bytesOf(world.feed),
    page: world.bytesOf(await world.pageOf(PERIOD)),
    period: PERIOD,
    rule: parseHex(world.parameters.rule, 32),
    own: world.cosigners.map(keyOf),
    required: 2,
  };
}

test('venue rust: the reader needs neither std nor unsafe', (t) => {
  if (spawnSync('rustc', ['--version']).status !== 0) return t.skip('rustc is not here');
  const folder = mkdtempSync(join(tmpdir(), 'assay-venue-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(SAMPLES, 'rust', 'final_value.rs');
  const crate = `#![no_std]\n#![forbid(unsafe_code)]\n#[path = ${JSON.stringify(file)}]\npub mod final_value;\n`;
  writeFileSync(join(folder, 'lib.rs'), crate);
  const args = [...RUST_FLAGS, '--crate-type=rlib', '--emit=metadata', 'lib.rs'];
  const done = spawnSync('rustc', args, { cwd: folder, encoding: 'utf8' });
  assert.equal(done.stderr, '');
});
