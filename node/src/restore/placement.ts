import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault, faultCode } from '@assay/core/fault';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { array, literal, nullable, object, type Parse, string } from '@assay/core/wire/schema';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { ensureFolder, syncFolder, writeDurable } from '../platform/durable-file.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { readBounded } from './bounded-file.ts';

/**
 * Where a restore is made inside the data folder, because the folder may be a volume whose parent cannot be
 * written.
 */
export const STAGE = '.restore';
const READY = 'ready.json';
/** The result of the restore as JSON: it lists every blob that is lacking, however many those are. */
const RESULT = 'result.json';
const MAX_READY_BYTES = 65_536;
/** The parts that are moved into place, in this order: a folder without its ledger does not start. */
const PARTS = ['guard', 'head', 'ledger'] as const;

/** What was recorded when everything was staged and verified: from then on only moves are left. */
interface Ready {
  readonly type: 'assay-restore/2';
  /** The folder inside the data folder for what was there before. */
  readonly aside: string;
  /** Paths in the data folder that go there: what was there and is not replaced. */
  readonly gone: readonly string[];
  /** The SHA-256 of the earlier head guard's file; null if there was none. */
  readonly guard: string | null;
  /** The SHA-256 of the head in the earlier ledger; null if there was none, or none that can be read. */
  readonly ledger: string | null;
  /** The SHA-256 of the file with the result of the restore, for the run that completes it. */
  readonly result: string;
}

const parseReady: Parse<Ready> = object<Ready>({
  type: literal('assay-restore/2'),
  aside: string(1, 64, /^set-aside-[0-9TZ]+(?:-[0-9]+)?$/),
  gone: array(string(1, 64, /^[a-z][a-z0-9-]*(?:\.json)?$/), 0, 16),
  guard: nullable(string(64, 64)),
  ledger: nullable(string(64, 64)),
  result: string(64, 64),
});

/** A run that was staged and verified, and not yet moved into place. */
export interface Staged {
  readonly aside: string;
  readonly result: string;
}

/**
 * What a data folder contained when a restore began. Whoever continues with it meanwhile changes one of these.
 */
export interface Seen {
  /** The SHA-256 of the head guard's file; null if there is none. */
  readonly guard: string | null;
  /** The SHA-256 of the head in the ledger; null if there is none, or none that can be read. */
  readonly ledger: string | null;
}

/** What a data folder contains now. Throws `refused` if another process has its ledger open. */
export async function see(root: string): Promise<Seen> {
  return { guard: await guardHash(root), ledger: await ledgerHash(join(root, 'ledger')) };
}

/**
 * Records that the stage is complete, so that a run that is interrupted from here on is completed by the next.
 * `gone` are names in the data folder that must not stay, such as a note of a head that the log does not reach;
 * `seen` is what the folder contained when the restore began.
 */
export async function markReady(
  root: string,
  { aside, gone, result, seen }: Staged & { readonly gone: readonly string[]; readonly seen: Seen },
): Promise<void> {
  const text = formatUtf8(result);
  const sha256 = hashHex(contentHash(nodeSha256, text));
  const ready: Ready = { type: 'assay-restore/2', aside, gone, ...seen, result: sha256 };
  const bytes = formatWire(ready);
  await writeDurable(join(root, STAGE, RESULT), text, { mode: 0o600 });
  await syncFolder(join(root, STAGE));
  await writeDurable(join(root, STAGE, READY), bytes, { mode: 0o600 });
}

/**
 * The run that an earlier process staged and did not complete; undefined if there is none. One that was staged
 * when the folder had another head guard does not count, because somebody has continued with what was there.
 */
export async function findStaged(root: string): Promise<Staged | undefined> {
  const ready = await readReady(root);
  if (ready === undefined) return undefined;
  const isMoved = !(await exists(join(root, STAGE, 'head')));
  if (!isMoved && (await guardHash(root)) !== ready.guard && (await exists(join(root, 'head')))) {
    return undefined;
  }
  return { aside: ready.aside, result: ready.text };
}

/** The mark of a complete stage, with its result; undefined if there is none, or if either is damaged. */
async function readReady(root: string): Promise<(Ready & { readonly text: string }) | undefined> {
  const bytes = await readBounded(join(root, STAGE, READY), MAX_READY_BYTES);
  if (bytes === undefined) return undefined;
  const result = await readBounded(join(root, STAGE, RESULT), Number.MAX_SAFE_INTEGER);
  try {
    const ready = parseReady(parseWire(bytes), 'ready');
    if (result === undefined) return undefined;
    if (hashHex(contentHash(nodeSha256, result)) !== ready.result) return undefined;
    return { ...ready, text: parseUtf8(result) };
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/**
 * Moves what is staged into place, and what was there aside: the old ledger first, so that nothing starts on a
 * half of each, and the new one last. Each move is one rename, and is skipped if it was made before: a run that
 * was interrupted is completed by calling this again. Throws `refused`, with everything in its place, if a
 * process has the ledger open, or has continued with it since the restore began.
 */
export async function place(root: string): Promise<Staged> {
  const stage = join(root, STAGE);
  const ready = await readReady(root);
  if (ready === undefined) throw new TypeError('place: nothing is staged');
  await requireUnchanged(root, ready);
  const aside = join(root, ready.aside);
  const away = async (name: string): Promise<void> => {
    if (!(await exists(join(root, name)))) return;
    await ensureFolder(aside, { mode: 0o700 });
    await rename(join(root, name), join(aside, name));
  };
  // What is no longer staged is in its place already.
  if (await exists(join(stage, 'ledger'))) await setLedgerAside(root, ready.aside);
  for (const name of ['guard', 'head']) {
    if (await exists(join(stage, name))) await away(name);
  }
  for (const name of ready.gone) await away(name);
  await syncFolder(root);
  for (const name of PARTS) {
    if (await exists(join(stage, name))) await rename(join(stage, name), join(root, name));
    await syncFolder(root);
  }
  await rm(stage, { recursive: true, force: true });
  await syncFolder(root);
  return { aside: ready.aside, result: ready.text };
}

/** Throws `refused` if what is to be moved aside is in use, or is no longer what the restore has seen. */
async function requireUnchanged(root: string, ready: Ready): Promise<void> {
  const isThere = async (name: string): Promise<boolean> =>
    (await exists(join(root, name))) && (await exists(join(root, STAGE, name)));
  // Without its ledger, which goes first, nobody can have continued.
  if (!(await isThere('ledger'))) return;
  const now = await see(root);
  const isSame = now.ledger === ready.ledger && (now.guard === ready.guard || now.guard === null);
  if (isSame) return;
  // Nothing has been moved yet: the next run begins anew, with what is there now as one of its sources.
  await rm(join(root, STAGE, READY), { force: true });
  throw new Fault('refused', 'restore', {
    at: root,
    expected: 'the ledger and the head guard that were there when the restore began',
    found: 'others: a process has gone on with them meanwhile. Stop it, and run this again',
  });
}

/**
 * Moves the ledger of a data folder aside, if it has one. A process that opened it at the last moment holds its
 * lock in the new place too: then it is moved back, and this throws `refused`. Later, nobody finds a ledger to
 * open.
 */
export async function setLedgerAside(root: string, aside: string): Promise<void> {
  const [from, to] = [join(root, 'ledger'), join(root, aside, 'ledger')];
  if (!(await exists(from))) return;
  await ensureFolder(join(root, aside), { mode: 0o700 });
  await rename(from, to);
  try {
    await ledgerHash(to);
  } catch (error) {
    await rename(to, from);
    await rmdir(join(root, aside)).catch(() => undefined);
    throw error;
  }
}

/**
 * The SHA-256 of a ledger's head; null if there is none that can be read. Throws `refused` if a process has it
 * open.
 */
async function ledgerHash(folder: string): Promise<string | null> {
  if (!(await exists(folder))) return null;
  try {
    const store = await openLevelStore(folder);
    try {
      const head = await store.head();
      return head === undefined ? null : hashHex(contentHash(nodeSha256, head));
    } finally {
      // Nothing was settled: what opening it changed is undone.
      await store.close();
    }
  } catch (error) {
    if (faultCode(error) === 'refused') {
      throw new Fault('refused', 'restore', {
        at: folder,
        expected: 'a ledger that no process has open: stop the node',
        found: 'a process has the folder open',
        cause: error,
      });
    }
    // Damaged, which is why it is restored.
    return null;
  }
}

/** An unused name in the data folder for what is moved aside. */
export async function asideName(root: string, time: string): Promise<string> {
  const stem = `set-aside-${time.replaceAll(/[-:]/g, '')}`;
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? stem : `${stem}-${i}`;
    if (!(await exists(join(root, name)))) return name;
  }
}

/** Moves one file aside that will be replaced, such as a damaged blob. */
export async function setAside(root: string, aside: string, path: string): Promise<void> {
  const to = join(root, aside, path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(join(root, path), to);
}

/** An empty stage. */
export async function beginStage(root: string): Promise<string> {
  const stage = join(root, STAGE);
  await rm(stage, { recursive: true, force: true });
  await mkdir(stage, { mode: 0o700 });
  return stage;
}

async function guardHash(root: string): Promise<string | null> {
  const bytes = await readBounded(join(root, 'head'), 1_048_576);
  return bytes === undefined ? null : hashHex(contentHash(nodeSha256, bytes));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
