import { readdirSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type Contestant, rateFor } from './contest.ts';

interface Hypercore {
  ready(): Promise<void>;
  append(blocks: readonly Uint8Array[]): Promise<unknown>;
  close(): Promise<void>;
}

const PACKAGE: string = 'hypercore'; // an optional dependency, which brings no typings

/**
 * A hypercore whose every append is followed by an fdatasync of its write-ahead log: it has no way to
 * ask its store (RocksDB) for that. Words for why there is none, where there is none.
 */
export async function hypercorePeer(
  folder: string,
  takeValues: () => readonly Uint8Array[],
  batch: number,
): Promise<Contestant | string> {
  let make: new (folder: string) => Hypercore;
  try {
    ({ default: make } = (await import(PACKAGE)) as { default: new (folder: string) => Hypercore });
  } catch {
    return 'not installed';
  }
  const core = new make(folder);
  await core.ready();
  const logs = new Map<string, FileHandle>();
  const append = async (): Promise<void> => {
    await core.append(takeValues());
    await syncLogs(join(folder, 'db'), logs);
  };
  return {
    name: 'hypercore',
    run: (ms) => rateFor(ms, batch, append),
    async close() {
      for (const handle of logs.values()) await handle.close();
      await core.close();
    },
  };
}

/** Syncs the logs that are there; one that has just come takes over from the one before it. */
async function syncLogs(folder: string, open_: Map<string, FileHandle>): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
  for (const [name, handle] of open_) {
    if (names.includes(name)) continue;
    open_.delete(name);
    await handle.close();
  }
  for (const name of names) {
    let handle = open_.get(name);
    if (handle === undefined) {
      handle = await open(join(folder, name), 'r+');
      open_.set(name, handle);
    }
    await handle.datasync();
  }
}
