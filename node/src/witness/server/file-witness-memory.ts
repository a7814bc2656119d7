import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { ensureFolder, errorCode, writeDurable } from '../../platform/durable-file.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import {
  requireSame,
  type WitnessHead,
  witnessHead,
  type WitnessMemory,
} from './witness-memory.ts';

/** The name under which a witness stores a log: hex sha256 of its origin (C2SP tlog-witness). */
export function originHex(origin: string): string {
  return hashHex(contentHash(nodeSha256, formatUtf8(origin)));
}

const NAME = /^[0-9a-f]{64}$/;

/**
 * A witness's memory in a folder: a file for each log, `<hex sha256(origin)>`, which holds the note. Only one
 * process at a time may have the folder: whoever opens it holds a lock elsewhere.
 *
 * A missing file looks like a log of which nothing was cosigned, and an old one like the newest. So each log
 * has a mark, separate from the folder: a file `<hex sha256(origin)>` with the origin and a newline, durable
 * before anybody has the first line. A mark without its file means that the memory was lost. And the process
 * itself knows what it wrote or read last: another file in its place is refused.
 *
 * After a write that failed the file may hold either head, so nothing more is signed until a restart reads it
 * again.
 */
export class FileWitnessMemory implements WitnessMemory {
  readonly #folder: string;
  readonly #marks: string;
  readonly #semaphore = new Semaphore(1);
  /** The head of each origin that this process has last read or written. */
  readonly #known = new Map<string, WitnessHead>();
  /** The names of logs that have their mark. */
  readonly #marked: Set<string>;
  readonly #sync: boolean;
  #failed: Fault | undefined;

  private constructor(folder: string, marks: string, marked: Set<string>, sync: boolean) {
    this.#sync = sync;
    this.#folder = folder;
    this.#marks = marks;
    this.#marked = marked;
  }

  /**
   * `marks` is a separate folder, which is not lost together with the first. Creates both if they are missing.
   * Without `sync`, on a development network, a power failure may undo the last writes. Throws `ledger_corrupt` if a log
   * has its mark but no file, and `storage_failed`.
   */
  static async open(
    folder: string,
    marks: string,
    { sync = true }: { readonly sync?: boolean } = {},
  ): Promise<FileWitnessMemory> {
    try {
      for (const each of [folder, marks]) await ensureFolder(each, { mode: 0o700 });
      const marked = new Set((await readdir(marks)).filter((name) => NAME.test(name)));
      const held = new Set(await readdir(folder));
      for (const name of marked) if (!held.has(name)) throw lost(join(folder, name));
      return new FileWitnessMemory(folder, marks, marked, sync);
    } catch (error) {
      throw storageFault(error, 'witness memory');
    }
  }

  /**
   * Throws `ledger_corrupt` for a file that is no checkpoint of that log, is missing, or is another than this
   * process has last read or written; `stopped`, `storage_failed`.
   */
  readonly read = (origin: string): Promise<WitnessHead | undefined> =>
    this.#semaphore.run(() => this.#load(origin));

  readonly swap = (
    origin: string,
    expected: WitnessHead | undefined,
    next: WitnessHead,
  ): Promise<void> =>
    this.#semaphore.run(async () => {
      requireSame(await this.#load(origin), expected);
      try {
        await writeDurable(this.#path(origin), next.note, { mode: 0o600, sync: this.#sync });
        // After it, because a crash between the two leaves a head that nobody has, and not a mark without a
        // head.
        await this.#mark(origin);
        this.#known.set(origin, next);
      } catch (cause) {
        this.#failed = new Fault('stopped', 'witness memory', {
          expected: 'a restart, which reads it again',
          found: messageOf(cause),
          cause,
        });
        throw this.#failed;
      }
    });

  async #load(origin: string): Promise<WitnessHead | undefined> {
    if (this.#failed !== undefined) throw this.#failed;
    const path = this.#path(origin);
    let note: Uint8Array;
    try {
      note = new Uint8Array(await readFile(path));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw storageFault(error, 'witness memory');
      if (this.#marked.has(originHex(origin))) throw lost(path);
      return undefined;
    }
    const known = this.#known.get(origin);
    if (known !== undefined && !equalBytes(known.note, note)) {
      throw new Fault('ledger_corrupt', 'witness memory', {
        at: path,
        expected: `the checkpoint of ${known.size} that was stored last`,
        found: 'another in its place',
      });
    }
    let found = 'another origin';
    try {
      const head = witnessHead(note);
      if (head.origin === origin) {
        this.#known.set(origin, head);
        return head;
      }
    } catch (error) {
      found = messageOf(error);
    }
    throw new Fault('ledger_corrupt', 'witness memory', {
      at: path,
      expected: `a checkpoint of ${origin}`,
      found,
    });
  }

  async #mark(origin: string): Promise<void> {
    const name = originHex(origin);
    if (this.#marked.has(name)) return;
    await writeDurable(join(this.#marks, name), formatUtf8(`${origin}\n`), { mode: 0o600 });
    this.#marked.add(name);
  }

  #path(origin: string): string {
    return join(this.#folder, originHex(origin));
  }
}

function lost(path: string): Fault {
  return new Fault('ledger_corrupt', 'witness memory', {
    at: path,
    expected: 'the checkpoint that was cosigned last',
    found: 'none: what was signed is not known, so nothing may be signed',
  });
}
