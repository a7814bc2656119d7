import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../src/core/fixture/fixture.ts';
import type { Reading } from './ots-reading.ts';
import { framed } from './ots-world.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'ots-python.py');
const MAX_BUFFER = 1024 * 1024 * 1024;

/** The lines that a program writes. Throws unless it ends well. */
export function linesOf(
  command: string,
  args: readonly string[],
  input: Uint8Array | string,
): string[] {
  const { status, stdout, stderr } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: MAX_BUFFER,
    timeout: 900_000,
  });
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split('\n');
}

/** What `ots-python.py` writes under a command of its. */
export function byPython(python: string, command: string, input: Uint8Array | string): string[] {
  return linesOf(python, ['-I', PROGRAM, command], input);
}

/** What the library for Python makes of each proof. */
export function readByPython(python: string, proofs: readonly Uint8Array[]): readonly Reading[] {
  const out = byPython(python, 'read', framed(proofs));
  assert.equal(out.length, proofs.length);
  return out.map((line) => JSON.parse(line) as Reading);
}
