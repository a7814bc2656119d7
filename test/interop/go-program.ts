import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { TestContext } from 'node:test';
import { goPeer } from './go-peers.ts';

/** What one run of the program said: its lines of JSON, or why it failed. */
export type GoAnswer = { readonly said: readonly unknown[] } | { readonly failed: string };

/** The program over libraries of others in Go (`test/interop/go`). */
export interface GoProgram {
  /** Runs a subcommand to its end. */
  readonly run: (args: readonly string[], input?: string | Uint8Array) => Promise<GoAnswer>;
  /** Starts a subcommand that goes on until its input ends; it is ended with the test. */
  readonly start: (args: readonly string[]) => GoProcess;
}

/** One that goes on: a line to it, and the next line of JSON from it. */
export interface GoProcess {
  readonly tell: (line: string) => void;
  readonly next: () => Promise<unknown>;
}

/** The program; undefined, with the test skipped, where it cannot be had. */
export async function goProgram(t: TestContext): Promise<GoProgram | undefined> {
  const found = await goPeer();
  if ('missing' in found) {
    t.skip(found.missing);
    return undefined;
  }
  return {
    run: (args, input = '') => toEnd(spawn(found.command, args), input),
    start: (args) => {
      const child = spawn(found.command, args);
      t.after(async () => {
        child.stdin.end();
        if (child.exitCode === null) await once(child, 'close');
      });
      return goingOn(child);
    },
  };
}

async function toEnd(
  child: ChildProcessWithoutNullStreams,
  input: string | Uint8Array,
): Promise<GoAnswer> {
  let out = '';
  let err = '';
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  // One that refuses its arguments does not read.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) return { failed: err.trim() };
  return {
    said: out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  };
}

function goingOn(child: ChildProcessWithoutNullStreams): GoProcess {
  let err = '';
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  const lines: Interface = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    tell: (line) => child.stdin.write(`${line}\n`),
    async next() {
      const { value, done } = await iterator.next();
      assert.ok(done !== true, `the program ended: ${err}`);
      return JSON.parse(value) as unknown;
    },
  };
}
