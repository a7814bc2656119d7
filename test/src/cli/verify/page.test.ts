import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../verifier/fixture/sample-log.ts';
import { assay, scratch } from '../fixture/run.ts';

const BROWSER = join(ROOT, 'node', 'dist', 'browser');

test('page --hash: what sha256sum says of the files of the package', async (t) => {
  const { code, out } = await assay(await scratch(t), ['page', '--hash']);
  assert.equal(code, 0);
  const sums = spawnSync('sha256sum', ['-c', '-'], { cwd: BROWSER, input: out, encoding: 'utf8' });
  assert.equal(sums.status, 0, sums.stdout + sums.stderr);
  assert.match(sums.stdout, /^verify-worker\.js: OK$/m);
  // A file that shows a verdict could show another one.
  for (const name of ['page', 'verify-page', 'verify-box', 'verdict-view']) {
    assert.match(sums.stdout, new RegExp(`^${name}\\.js: OK$`, 'm'));
  }
});

test('page: what is no address or no port is exit 2', async (t) => {
  const folder = await scratch(t);
  for (const args of [['number.json'], ['--port', '70000'], ['https://a.example/?x=1']]) {
    assert.equal((await assay(folder, ['page', ...args])).code, 2, args.join(' '));
  }
});

test('page: it serves until it is stopped', async (t) => {
  const program = join(ROOT, 'cli', 'bin', 'assay.js');
  const args = [program, 'page', 'http://127.0.0.1:9', '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  let said = '';
  for await (const part of child.stdout) {
    said += String(part);
    if (said.includes('Stop with')) break;
  }
  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/verify)/.exec(said) ?? [];
  const answer = await fetch(url);
  assert.match(await answer.text(), /Your own machine serves this page/);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
});
