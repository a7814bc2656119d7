// The second verifier of the Terminal and the Arena (`test/interop/go-verifier`), which was written from docs/spec and vectors alone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { goVerifierPeer } from './go-peers.ts';

/** What the program says of one log. Times are unix seconds where they are numbers. */
export interface GoVerdict {
  readonly outcome: 'verified' | 'findings';
  readonly finding: { readonly seq: number; readonly why: string } | null;
  readonly size: number;
  readonly ticks: number;
  readonly questions: number;
  readonly outcomes: number;
  readonly events: readonly GoEvent[];
  readonly rounds: readonly GoRound[];
  readonly standings: readonly unknown[];
  readonly not_checked: readonly string[];
}

export interface GoEvent {
  readonly id: string;
  readonly symbol: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly reason: string;
  readonly score: number;
  readonly peak_score: number;
  readonly receipts: Readonly<Record<string, GoReceipt>>;
}

export interface GoReceipt {
  readonly status: string;
  readonly resolved_at: number | null;
  readonly ret: number | null;
  readonly reason: string | null;
  readonly benchmark: { readonly ret: number | null; readonly reason: string | null } | null;
}

export interface GoRound {
  readonly id: string;
  readonly forecasts: number;
  readonly closes_at: string;
  readonly state: string;
  readonly void_reason?: string;
  readonly arena?: { readonly value: string | null; readonly n: number };
  readonly results: readonly object[] | null;
}

/** A program that ended: its exit code and all that it said. */
interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface GoVerifier {
  /** Recomputes the vectors. */
  readonly vectors: () => Promise<Ended>;
  /** Checks the log at an address or in a folder. */
  readonly log: (target: string) => Promise<GoVerdict>;
  /** Checks what each of these sites serves, in one run. */
  readonly logs: (sites: readonly ReadonlyMap<string, Answer>[]) => Promise<readonly GoVerdict[]>;
}

/** The program; undefined, with the test skipped, where it cannot be had. */
export async function goVerifier(t: TestContext): Promise<GoVerifier | undefined> {
  const found = await goVerifierPeer();
  if ('missing' in found) {
    t.skip(found.missing);
    return undefined;
  }
  const verdicts = ({ out, err }: Ended): readonly GoVerdict[] => {
    assert.equal(err, '');
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as GoVerdict);
  };
  return {
    vectors: () => run(found.command, ['vectors', join(ROOT, 'vectors')]),
    log: async (target) => verdicts(await run(found.command, ['log', target]))[0] as GoVerdict,
    logs: async (sites) => {
      const said = verdicts(await run(found.command, ['logs'], sites.map(filesOf)));
      assert.equal(said.length, sites.length);
      return said;
    },
  };
}

/** What the program reads of a site, as a line of JSON. */
function filesOf(site: ReadonlyMap<string, Answer>): string {
  const files = [...site].flatMap(([path, { body }]) =>
    /^\/(?:checkpoint$|tile\/entries\/|blob\/)/.test(path)
      ? [[path.slice(1), Buffer.from(body).toString('base64')] as const]
      : [],
  );
  return JSON.stringify(Object.fromEntries(files));
}

async function run(
  command: string,
  args: readonly string[],
  lines: readonly string[] = [],
): Promise<Ended> {
  const child = spawn(command, args);
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  // One that ends early does not read; what it said on the way is compared.
  child.stdin.on('error', () => undefined);
  for (const line of lines) child.stdin.write(`${line}\n`);
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
