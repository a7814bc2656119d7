import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ROOT } from '../core/fixture/fixture.ts';

const FOLDER = join(ROOT, 'samples', 'compose');
const ENTRY = join(FOLDER, 'entrypoint.sh');
const PASSPHRASE = 'correct horse battery staple';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-compose-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'secrets', 'ASSAY_PASSPHRASE'), `${PASSPHRASE}\n`);
  return folder;
}

/** The entry point as the image runs it, with the secrets of a folder and none of the variables here. */
function started(
  folder: string,
  args: readonly string[],
): {
  readonly command: readonly [string, readonly string[]];
  readonly options: { cwd: string; env: Record<string, string> };
} {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, ASSAY_SECRETS: join(folder, 'secrets') };
  return { command: ['/bin/sh', [ENTRY, ...args]], options: { cwd: ROOT, env } };
}

function ran(folder: string, ...args: readonly string[]): string {
  const { command, options } = started(folder, args);
  const { status, stdout, stderr } = spawnSync(...command, { ...options, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('compose: a mounted secret locks the keys, and the same secret opens them for a node that a signal ends', async (t) => {
  const folder = folderOf(t);
  const data = join(folder, 'data');
  // The folder is there beforehand, as a mount is.
  mkdirSync(data);
  const out = ran(
    folder,
    'init',
    '--origin',
    'development/x',
    '--data',
    data,
    '--contact',
    'a@b.example',
  );
  assert.doesNotMatch(out, /keys are not locked/);
  assert.match(readFileSync(join(data, 'keys', 'report.json'), 'utf8'), /"encrypted"/);
  const { command, options } = started(folder, ['node', '--config', join(data, 'assay.json')]);
  const child = spawn(...command, { ...options, env: { ...options.env, ASSAY_PORT: '0' } });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /^(http:\/\/[0-9.:]+) by /m.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(said)));
  });
  // The check of health in the compose file, as the engine would run it.
  const check = /- "(fetch\(.*\))"$/m.exec(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'))?.[1];
  assert.ok(check !== undefined);
  const health = (at: string): number | null =>
    spawnSync('node', ['-e', check.replace('http://127.0.0.1:8787', at)]).status;
  assert.equal(health(url), 0);
  // The shell is gone, so the signal reaches the node itself.
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.equal(health(url), 1);
});

test('compose: no secret and no data can come into the image', () => {
  const read = (name: string): readonly string[] =>
    readFileSync(join(FOLDER, name), 'utf8').split('\n');
  const out = read('Dockerfile.dockerignore');
  for (const path of ['samples/compose/data', 'samples/compose/secrets', '.git']) {
    assert.ok(out.includes(path), path);
  }
  for (const name of ['data', 'secrets']) assert.ok(read('.gitignore').includes(name), name);
  assert.ok(!read('Dockerfile').some((line) => /^(ARG|ENV) .*(PASS|SECRET|KEY)/.test(line)));
});
