import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultLines, isAgreed, termLines, type Terms } from '@assay/cli/operate/init-terms';
import { ROOT } from '../../verifier/fixture/sample-log.ts';
import { assay, scratch } from '../fixture/run.ts';

const BARE: Terms = {
  origin: 'development/x',
  policies: { cosigners_required: 0, witnesses_required: 0, witness_max_age_s: 0 },
  onchain: undefined,
  omitted: new Set(['cosigners', 'witnesses', 'chain']),
};
const FULL: Terms = {
  origin: 'example.org/assay',
  policies: { cosigners_required: 2, witnesses_required: 1, witness_max_age_s: 86_400 },
  onchain: { chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', program: 'Prog' },
  omitted: new Set(),
};
const ARGS = ['init', '--origin', 'development/x', '--data', 'data', '--contact', 'a@b.example'];

test('the terms of a log are told with what they come to', () => {
  assert.deepEqual(termLines(BARE), [
    'These choices are written into the first entry of the log and hold for good:',
    '  name            development/x',
    '                  a log for trials: nothing may ever settle on it',
    '  co-signers      0: your word alone settles',
    '  witnesses       0: two histories of the log are possible',
    '  chain           none: the log never has feeds on a chain',
    '  checkpoint key  made now. Promise the next one early: assay keys promise-checkpoint',
  ]);
  assert.deepEqual(termLines(FULL).slice(1), [
    '  name            example.org/assay',
    '  co-signers      2 for a settlement',
    '  witnesses       1 for each head; the line of one is stale after 86400 s',
    '  chain           solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    '  program         Prog',
    '  checkpoint key  made now. Promise the next one early: assay keys promise-checkpoint',
  ]);
});

test('nothing but yes agrees', async () => {
  for (const [answer, agreed] of [
    ['yes', true],
    [' yes ', true],
    ['y', false],
    ['YES', false],
    ['', false],
  ] as const) {
    const out: string[] = [];
    const ask = (question: string): Promise<string> => {
      out.push(question);
      return Promise.resolve(answer);
    };
    assert.equal(await isAgreed(BARE, ask, (line) => void out.push(line)), agreed, answer);
    assert.deepEqual(out, [...termLines(BARE), 'Type yes to begin the log: ']);
  }
});

test('what was left out is named on standard error where nobody is asked', async (t) => {
  assert.deepEqual(defaultLines(BARE), [
    'Chosen for good, by default: --cosigners 0: your word alone settles.',
    'Chosen for good, by default: --witnesses 0: two histories of the log are possible.',
    'Chosen for good, by default: no --chain: the log never has feeds on a chain.',
  ]);
  assert.deepEqual(defaultLines(FULL), []);
  const folder = await scratch(t);
  const said = [...ARGS, '--cosigners', '0', '--witnesses', '0', '--yes'];
  const { code, err } = await assay(folder, said);
  assert.deepEqual([code, err], [0, `${defaultLines(BARE).at(-1)}\n`]);
});

test('on a terminal init asks, and makes nothing before the answer', async (t) => {
  const program = ['/usr/bin/script', '/bin/script'].find(isThere);
  if (program === undefined) {
    t.skip('script (util-linux) is not installed');
    return;
  }
  const folder = await scratch(t);
  const line = [process.execPath, join(ROOT, 'cli', 'bin', 'assay.js'), ...ARGS].join(' ');
  const typed = (input: string): string => {
    try {
      return execFileSync(program, ['-qec', line, '/dev/null'], {
        cwd: folder,
        input,
        encoding: 'utf8',
        timeout: 60_000,
      });
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return `${stdout}exit code ${status}`;
    }
  };
  const refused = typed('no\n');
  assert.match(refused, /hold for good:[\s\S]*Type yes to begin the log: /);
  assert.match(refused, /Nothing was made\.\s+exit code 3$/);
  assert.match(typed('\u0004'), /Nothing was made\.\s+exit code 3$/);
  assert.deepEqual(await readdir(folder), []);
  assert.match(typed('yes\n'), /A new log: development\/x/);
  assert.ok((await readdir(folder)).includes('data'));
});

function isThere(path: string): boolean {
  try {
    execFileSync(path, ['--version']);
    return true;
  } catch {
    return false;
  }
}
