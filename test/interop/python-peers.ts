// The module in samples/python, asked line by line, in a Python that has the one package which it needs.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const PROGRAM = join(ROOT, 'test', 'interop', 'python-client.py');
const PYPI = 'cryptography==48.0.0';

/** What the module answers: one of its two shapes. */
export type PythonAnswer =
  | {
      readonly ok: true;
      readonly ticker: string;
      readonly period: string;
      readonly value: string | null;
      readonly unit: string;
      readonly decimals: number;
      readonly status: string;
      readonly settleable: boolean;
      readonly lacks: readonly string[];
      readonly report_hash: string;
      readonly cosigners: readonly string[];
      readonly cosigners_required: number;
      readonly dissents: number;
      readonly governs: string;
      readonly clocks: string;
      readonly first_print: string;
      readonly index_day: string | null;
    }
  | { readonly ok: false; readonly code: string; readonly why: string };

/** A Python that has the package; skips the test with the reason where there is none. */
export async function pythonOf(t: TestContext): Promise<string | undefined> {
  if (spawnSync('python3', ['--version']).status !== 0) {
    t.skip('python3 is not here');
    return undefined;
  }
  const version = 'import cryptography; print("cryptography==" + cryptography.__version__)';
  if (spawnSync('python3', ['-c', version], { encoding: 'utf8' }).stdout.trim() === PYPI) {
    return 'python3';
  }
  const folder = peersFolder('python-client');
  const done = await installed(folder, PYPI, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const python = join(into, 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '--quiet', PYPI], { timeout: INSTALL_MS });
  });
  if (done) return join(folder, 'bin', 'python');
  t.skip(`PyPI's ${PYPI} could not be installed`);
  return undefined;
}

/** One process of the module, which keeps the heads of served logs from question to question. */
export class PythonClient {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(python: string, t: TestContext) {
    this.#child = spawn(python, ['-I', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
    assert.ok(this.#child.stdout !== null);
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    t.after(() => this.#child.kill());
  }

  /** The answer to a case, as test/interop/python-client.py describes it. */
  async ask(given: object): Promise<PythonAnswer> {
    this.#child.stdin?.write(`${JSON.stringify(given)}\n`);
    const { value, done } = await this.#lines.next();
    assert.ok(done !== true, 'the module has ended');
    return JSON.parse(value) as PythonAnswer;
  }
}

/** The answers of the module to these cases, in their order. */
export async function answersOf(
  python: string,
  lines: readonly string[],
): Promise<readonly PythonAnswer[]> {
  const child = spawn(python, ['-I', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const out: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => out.push(data));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdin.end(`${lines.join('\n')}\n`);
  assert.equal(await ended, 0);
  const text = Buffer.concat(out).toString().trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as PythonAnswer);
}
