// The notebook of samples/notebook, run cell by cell in a Jupyter kernel, before the demo and before a server that lies.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { assayProcess, listen, scratch, startAssay } from '../src/cli/fixture/run.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const FOLDER = join(ROOT, 'samples', 'notebook');
const NOTEBOOK = join(FOLDER, 'history.ipynb');

interface Cell {
  readonly text: string;
  readonly shown: readonly string[];
}

/** A Python with a kernel; skips the test with the reason where there is none. */
async function kernelPython(t: TestContext): Promise<string | undefined> {
  if (spawnSync('python3', ['--version']).status !== 0) {
    t.skip('python3 is not here');
    return undefined;
  }
  const folder = peersFolder('notebook');
  const done = await installed(folder, "PyPI's Jupyter kernel", async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const list = join(FOLDER, 'requirements.txt');
    const args = ['-m', 'pip', 'install', '--quiet', '-r', list];
    await run(join(into, 'bin', 'python'), args, { timeout: 2 * INSTALL_MS });
    // The kernel was told of the folder in which it was made.
    const spec = join(into, 'share', 'jupyter', 'kernels', 'python3', 'kernel.json');
    writeFileSync(spec, readFileSync(spec, 'utf8').replaceAll(into, folder));
  });
  if (done) return join(folder, 'bin', 'python');
  t.skip("PyPI's nbclient, ipykernel and matplotlib could not be installed");
  return undefined;
}

/** A server that says of one period what is not so, and hands on the rest. */
function liar(t: TestContext, url: string, period: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    void (async () => {
      const answer = await fetch(url + path);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get('content-type') ?? 'text/plain';
      response.writeHead(answer.status, { 'content-type': type });
      const lie = (text: string): string =>
        text.replace(new RegExp(`^LAYOFFS,${period},\\d+,\\d+`, 'm'), `LAYOFFS,${period},1,1`);
      response.end(path.endsWith('.csv') ? lie(bytes.toString('ascii')) : bytes);
    })().catch(() => response.destroy());
  });
  return listen(t, server);
}

/** Waits for so many finals of LAYOFFS. */
async function finals(url: string, count: number): Promise<void> {
  for (let i = 0; i < 240; i += 1) {
    const text = await (await fetch(`${url}/v1/indices/LAYOFFS/history.csv`)).text();
    if ((text.match(/^LAYOFFS,[0-9-]+,\d+,\d+/gm) ?? []).length >= count) return;
    await sleep(1000);
  }
  assert.fail(`no ${count} finals within four minutes`);
}

test('notebook: it is kept without outputs', () => {
  const { cells } = JSON.parse(readFileSync(NOTEBOOK, 'utf8')) as {
    cells: { cell_type: string; outputs?: unknown[]; execution_count?: unknown }[];
  };
  for (const cell of cells.filter(({ cell_type: type }) => type === 'code')) {
    assert.deepEqual([cell.outputs, cell.execution_count], [[], null]);
  }
});

test('notebook: every cell runs, and what is wrong is refused', { timeout: 900_000 }, async (t) => {
  const python = await kernelPython(t);
  if (python === undefined) return;
  const folder = await scratch(t);
  const demo = ['demo', '--week-seconds', '10'];
  const { url } = await startAssay(t, folder, demo, 'Assay serves the development network');
  await finals(url, 3);
  const bundle = join(folder, 'number.json');
  const args = ['bundle', url, '--index', 'LAYOFFS', '--wait', '0', '-o', bundle];
  assert.equal((await assayProcess(folder, args)).code, 0);
  const signer = (await (await fetch(`${url}/.well-known/assay-signer.json`)).json()) as {
    checkpoint_vkey: string;
  };
  const cells = async (variables: Readonly<Record<string, string>>): Promise<readonly Cell[]> => {
    const { ASSAY_KEY: _, ...rest } = process.env;
    const env = {
      ...rest,
      HOME: folder,
      PYTHONPATH: join(ROOT, 'samples', 'python'),
      ASSAY_URL: url,
      ASSAY_BUNDLE: bundle,
      ...variables,
    };
    const program = join(ROOT, 'test', 'interop', 'notebook.py');
    const { stdout } = await run(python, [program, NOTEBOOK], { env, timeout: 300_000 });
    return JSON.parse(stdout) as readonly Cell[];
  };

  const [key, history, proof, newest, plot] = await cells({ ASSAY_KEY: signer.checkpoint_vkey });
  assert.equal(key?.text, 'key vouched for\n');
  assert.match(history?.text ?? '', /^\d+ rows, 2025-01-04 to /);
  assert.match(proof?.text ?? '', /^LAYOFFS [0-9-]+ is \d+ claims, (provisional|final)\n/);
  const lines = (newest?.text ?? '').trim().split('\n');
  assert.ok(lines.length >= 3 && lines.length <= 6, newest?.text);
  for (const line of lines) assert.match(line, /^[0-9-]+ +\d+ {2}proven, final, recounted by 2$/);
  assert.ok(plot?.shown.includes('image/png'));

  const period = lines.at(-2)?.slice(0, 10) ?? '';
  const text = readFileSync(bundle, 'utf8');
  const tampered = join(folder, 'tampered.json');
  writeFileSync(
    tampered,
    text.replace(/"bytes":"(.)/, (_, first: string) => `"bytes":"${first === 'R' ? 'S' : 'R'}`),
  );
  const lied = await cells({
    ASSAY_URL: await liar(t, url, period),
    ASSAY_BUNDLE: tampered,
  });
  assert.match(lied[0]?.text ?? '', /^key NOT vouched for/);
  assert.match(lied[2]?.text ?? '', /^REFUSED \[/);
  assert.match(lied[3]?.text ?? '', new RegExp(`^${period} {2}REFUSED \\[csv_differs\\]`, 'm'));
  assert.match(lied[3]?.text ?? '', / proven, final, /);
});
