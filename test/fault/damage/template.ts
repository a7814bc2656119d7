import { formatHex } from '@assay/core/bytes/hex';
import { RECORD_HEADER_BYTES, scanPack } from '@assay/node/blob/blob-pack';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { FileNoteSlot } from '@assay/node/ledger/guard/file-note-slot';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import type { RunningNode } from '@assay/node/node';
import { filesBelow, type Older, olderCopy } from './damager.ts';
import { Truth } from './truth.ts';
import { live, MADE, World } from './world.ts';

/** How a folder was left before it was damaged. */
export const TEMPLATES = ['closed', 'killed', 'pair'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

/** When the one that is killed was: between two ticks. */
const KILLED = MADE + 1700;

/** What is made once, beside a folder. */
interface Made {
  readonly ports: readonly number[];
}

/** A recounter's own log in a pair, and the bytes that it keeps of its own reads. */
export interface RecounterTemplate {
  readonly truth: Truth;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** A folder that the real node made, and what is true of it. */
export interface Template {
  readonly name: TemplateName;
  readonly root: string;
  readonly ports: readonly number[];
  /** Unix seconds at which it was left. */
  readonly at: number;
  readonly truth: Truth;
  readonly older: Older;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly settlements: ReadonlyMap<string, Uint8Array>;
  /** Undefined but in a pair. */
  readonly recounter: RecounterTemplate | undefined;
}

/** Makes a template that is closed in order, and beside it the same some days before: a publisher alone, or a pair. */
export async function makeClosed(base: string, name: 'closed' | 'pair'): Promise<void> {
  const root = join(base, name);
  mkdirSync(root, { recursive: true });
  const world = new World(root, name === 'pair');
  const ports = await world.open();
  await world.make();
  await live(world, async () => {
    const older = join(base, olderOf(name));
    rmSync(older, { recursive: true, force: true });
    await sleep(0);
    cpSync(root, older, { recursive: true });
  });
  await world.close();
  const made: Made = { ports };
  writeFileSync(join(base, `${name}.json`), JSON.stringify(made));
}

/**
 * Goes on with a copy of the closed template until a batch of stamps is out with calendars that do not answer, and an
 * entry is durable that the guard's head does not cover; then ends the process as a power cut would.
 */
export async function makeKilled(base: string): Promise<never> {
  const root = join(base, 'killed');
  copyWorld(join(base, 'closed'), root);
  const world = new World(root, false);
  world.now = MADE;
  const { ports } = readMade(base, 'closed');
  await world.open(ports);
  const node = (await world.start()) as RunningNode;
  await world.settle(node, 10);
  await world.close();
  const note = (text: string) => ({ kind: 'note/1', body: { text } }) as const;
  await node.ledger.write(() => [note('shown')]);
  world.now = KILLED;
  for (let i = 0; i < 500 && (await readdir(join(root, 'data', 'stamps'))).length === 0; i += 1) {
    await sleep(20);
  }
  if ((await readdir(join(root, 'data', 'stamps'))).length === 0) {
    throw new TypeError('makeKilled: no batch is out');
  }
  const guard = join(root, 'data', 'head');
  const before = readFileSync(guard);
  await node.ledger.write(() => [note('shown to nobody')]);
  writeFileSync(guard, before);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

/** The killed one goes on from the closed one. */
function beginningOf(name: TemplateName): TemplateName {
  return name === 'killed' ? 'closed' : name;
}

function olderOf(name: TemplateName): string {
  return `older-${beginningOf(name)}`;
}

function readMade(base: string, name: TemplateName): Made {
  return JSON.parse(readFileSync(join(base, `${beginningOf(name)}.json`), 'utf8')) as Made;
}

/** What the entries of a log give, read from a copy that is changed by that. */
async function readTruth(ledger: string, head: string): Promise<Truth> {
  const held = await FileNoteSlot.peek(head);
  if (held === undefined) throw new TypeError('readTruth: no head');
  const { size } = parseCheckpoint(parseNote(held.note).text);
  const store = await openLevelStore(ledger);
  const entries: Uint8Array[] = [];
  for await (const bytes of store.entries(0, Number.MAX_SAFE_INTEGER)) {
    entries.push(Uint8Array.from(bytes));
  }
  await store.close();
  return new Truth(entries, size);
}

/** The blobs below a folder of a world. */
async function readBlobs(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const blobs = new Map<string, Uint8Array>();
  for (const path of await filesBelow(folder)) {
    const hash = /^..\/([0-9a-f]{64})$/.exec(path)?.[1];
    if (hash !== undefined) blobs.set(hash, await readFile(join(folder, path)));
    if (!/^packs\/[0-9a-f]{16}\.pack$/.test(path)) continue;
    const pack = await readFile(join(folder, path));
    for (const each of (await scanPack(join(folder, path))).blobs) {
      const start = each.at + RECORD_HEADER_BYTES;
      blobs.set(formatHex(each.hash), pack.subarray(start, start + each.length));
    }
  }
  return blobs;
}

/** A template with everything that follows from it, read from copies: what is opened is changed by that. */
export async function readTemplate(base: string, name: TemplateName): Promise<Template> {
  const root = join(base, name);
  const scratch = join(base, `scratch-${process.pid}`);
  copyWorld(root, scratch);
  const truth = await readTruth(join(scratch, 'data', 'ledger'), join(scratch, 'data', 'head'));
  const recounter: RecounterTemplate | undefined =
    name === 'pair'
      ? {
          truth: await readTruth(
            join(scratch, 'recounter', 'ledger'),
            join(scratch, 'recounter', 'head'),
          ),
          blobs: await readBlobs(join(scratch, 'recounter', 'blobs')),
        }
      : undefined;
  rmSync(scratch, { recursive: true });
  copyWorld(join(base, olderOf(name)), scratch);
  const older = { ...(await olderCopy(scratch)), root: join(base, olderOf(name)) };
  rmSync(scratch, { recursive: true });
  const mirror = join(root, 'data', 'mirror');
  const settlements = new Map<string, Uint8Array>();
  for (const path of await filesBelow(mirror)) {
    if (path.includes('/')) settlements.set(path, await readFile(join(mirror, path)));
  }
  return {
    name,
    root,
    ports: readMade(base, name).ports,
    at: name === 'killed' ? KILLED : MADE,
    truth,
    older,
    blobs: await readBlobs(join(root, 'data', 'blobs')),
    settlements,
    recounter,
  };
}

/**
 * What is written under a new name or not at all: a link to it does. A table of LevelDB is no such file: where the list of tables was
 * damaged, LevelDB takes a number that is in use and writes over the table.
 */
const NEVER_IN_PLACE = /\/(blobs|openings|mirror)\//;

/** Copies a world fast. */
export function copyWorld(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  chmodSync(to, statSync(from).mode & 0o777);
  for (const each of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, each.name), join(to, each.name)];
    if (each.isDirectory()) copyWorld(source, target);
    else if (NEVER_IN_PLACE.test(source)) linkSync(source, target);
    else copyFileSync(source, target);
  }
}

/** A digest of every file of a template, to show that no case has changed it. */
export async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of await filesBelow(root)) {
    hash.update(path).update(await readFile(join(root, path)));
  }
  return hash.digest('hex');
}
