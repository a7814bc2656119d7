import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FAULT_CODES } from '@assay/core/fault';
import { type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { rootOf } from '@assay/core/log/tree';
import { openDataFolder } from '@assay/cli/reader/data-reader';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { dataFolder } from '@assay/node/platform/data-folder';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';

export const WORKER: string = fileURLToPath(new URL('./worker.js', import.meta.url));

/** Whether the long form was asked for. */
export const LONG: boolean = process.env['ASSAY_FAULT_LONG'] === '1';

/** What a worker said before its end. */
export interface Told {
  /** Leaf of every acknowledged entry, by number. */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** Root of every head that was shown, by size. */
  readonly heads: ReadonlyMap<number, string>;
  readonly refused: string | undefined;
  readonly done: boolean;
  readonly lines: readonly string[];
}

export function readTold(text: string): Told {
  // What a worker was about to say when it was killed may be cut off.
  const lines = text.split('\n').slice(0, -1);
  const acknowledged = new Map<number, string>();
  const heads = new Map<number, string>();
  let refused: string | undefined;
  for (const line of lines) {
    const [word, first = '', second = ''] = line.split(' ');
    if (word === 'ack') acknowledged.set(Number(first), second);
    if (word === 'head') heads.set(Number(first), second);
    if (word === 'refused') refused = first;
  }
  return { acknowledged, heads, refused, done: lines.includes('done'), lines };
}

export interface Ended {
  readonly told: Told;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

/** Runs a command to its end; `onTold` sees the process at each piece of its output. */
export function run(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  watch: (child: ChildProcess, text: string) => void = () => undefined,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let text = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      watch(child, text);
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      errors += part;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ told: readTold(text), code, signal, errors }));
    watch(child, text);
  });
}

/** Demands that a worker ended well, or with a reason that has a code, and served nothing torn. */
export function requireReason({ told, errors }: Ended): void {
  const torn = told.lines.filter((line) => line.startsWith('torn'));
  assert.deepEqual(torn, []);
  if (told.refused === undefined) return;
  const codes: readonly string[] = FAULT_CODES;
  assert.ok(codes.includes(told.refused), `${told.lines.at(-1)}\n${errors}`);
}

/**
 * Opens a folder again without any fault: everything that was acknowledged must be there with its
 * leaf, every head that was shown must be one of its sizes, the log must go on, and the verifier
 * must say "verified". The log's size.
 */
export async function requireKept(root: string, ...tolds: readonly Told[]): Promise<number> {
  const data = await openData(dataFolder(root), nodeSha256, { passphrase: undefined });
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: data.store,
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now: () => 0,
    askHeads: null,
  }).catch(async (error: unknown) => {
    await Promise.all([data.store.close(), data.guard.close()]);
    throw error;
  });
  const size = ledger.published?.size ?? 0;
  const leaves: Hash[] = [];
  for await (const bytes of data.store.entries(0, size)) leaves.push(leafHash(nodeSha256, bytes));
  for (const { acknowledged, heads } of tolds) {
    for (const [seq, leaf] of acknowledged) {
      const found = leaves[seq];
      assert.equal(found === undefined ? 'no entry' : hashHex(found), leaf, `entry ${seq}`);
    }
    for (const [each, head] of newest(heads)) {
      assert.ok(each <= size, `a head of ${each} was shown, and there are ${size}`);
      assert.equal(hashHex(rootOf(nodeSha256, leaves.slice(0, each))), head, `head ${each}`);
    }
  }
  const note = { kind: 'note/1', body: { text: 'and on' } } as const;
  const [receipt] = await ledger.write(() => [note]);
  assert.equal(receipt?.seq, size);
  await ledger.close();
  const { folder, close } = await openDataFolder(root);
  try {
    const verdict = await verify({ kind: 'folder', folder }, OPEN_POLICY, {
      environment: nodeEnvironment(),
    });
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.equal(verdict.checked.entries, size + 1);
  } finally {
    await close();
  }
  return size + 1;
}

/** The last few heads: each root costs a pass over the entries. */
function newest(heads: ReadonlyMap<number, string>): readonly (readonly [number, string])[] {
  return [...heads].sort(([a], [b]) => a - b).slice(-4);
}
