import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { scratch } from '../src/cli/fixture/run.ts';
import { ROOT, sha256, sharedPath } from '../src/core/fixture/fixture.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'terminal-twin', 'twin.py');

/** Everything there is, instead of some months of some assets. */
export const LONG = (process.env['ASSAY_TERMINAL_LONG'] ?? '') !== '';

/** The seed of random cases. */
export const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

/** What the twin prints, a line each; throws what it says where it fails. */
export async function twin(args: readonly string[], input = ''): Promise<readonly string[]> {
  const child = spawn('python3', ['-E', '-s', '-B', PROGRAM, ...args]);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.stderr.on('data', (piece: Buffer) => err.push(piece));
  // One that stops before it has read everything says why by its code and its words.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  assert.equal(code, 0, Buffer.concat(err).toString());
  return Buffer.concat(out).toString().trimEnd().split('\n');
}

/** Whether python3 is here; skips the test with a word where it is not. */
export function hasPython(t: TestContext): boolean {
  if (spawnSync('python3', ['--version']).status === 0) return true;
  t.skip('python3 is not here');
  return false;
}

/** The recorded markets, where python3 is too; skips the test with a word where one is not. */
export function markets(t: TestContext): string | undefined {
  if (!hasPython(t)) return undefined;
  const path = sharedPath('data/market');
  if (path === undefined) t.skip('no recorded markets: data/market under ASSAY_SHARED');
  return path;
}

/** A folder with the rows of some assets that `keeps` says, by the row's time, each as `change` writes it. */
export async function part(
  t: TestContext,
  from: string,
  symbols: readonly string[],
  keeps: (time: string, symbol: string) => boolean,
  change: (row: string, symbol: string) => string = (row) => row,
): Promise<string> {
  const folder = await scratch(t);
  for (const symbol of symbols) {
    const name = `${symbol}USDT.15m.csv.gz`;
    const [header = '', ...rows] = gunzipSync(await readFile(join(from, name)))
      .toString()
      .trimEnd()
      .split('\n');
    const kept = rows
      .filter((row) => keeps(row.slice(0, 20), symbol))
      .map((row) => change(row, symbol));
    await writeFile(join(folder, name), gzipSync(`${[header, ...kept].join('\n')}\n`));
  }
  return folder;
}

/** A number below `n` that depends on a text alone. */
export function chance(text: string, n: number): number {
  const digest = sha256(Buffer.from(text));
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0) % n;
}
