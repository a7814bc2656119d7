import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureFolder, errorCode, writeDurable } from '../../platform/durable-file.ts';

/** Where the bytes of bought answers are, by the keys of their payments. */
export interface AnswerStore {
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined for what is not there. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Whether or not it is there. */
  remove(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

/**
 * A file for each answer, apart from the records: whoever reads a copy of these needs none of the bytes. A file is on the disk when `write`
 * resolves. They throw errors of the file system.
 */
export class AnswerFiles implements AnswerStore {
  readonly #folder: string;
  readonly #sync: boolean;

  private constructor(folder: string, sync: boolean) {
    this.#folder = folder;
    this.#sync = sync;
  }

  /** Creates the folder if it is missing, for its owner alone, and removes what an earlier process left unfinished. */
  static async open(folder: string, sync: boolean): Promise<AnswerFiles> {
    await ensureFolder(folder, { mode: 0o700 });
    for (const name of await readdir(folder)) {
      if (name.startsWith('.')) await rm(join(folder, name), { force: true });
    }
    return new AnswerFiles(folder, sync);
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    await writeDurable(join(this.#folder, key), bytes, { mode: 0o600, sync: this.#sync });
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.#folder, key));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.#folder, key), { force: true });
  }

  async keys(): Promise<readonly string[]> {
    return (await readdir(this.#folder)).filter((name) => !name.startsWith('.'));
  }
}

/** The same in memory; for a copy of a store, whose answers nobody reads, nothing is in it. */
export class MemoryAnswers implements AnswerStore {
  readonly #answers = new Map<string, Uint8Array>();

  write(key: string, bytes: Uint8Array): Promise<void> {
    this.#answers.set(key, bytes);
    return Promise.resolve();
  }

  read(key: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#answers.get(key));
  }

  remove(key: string): Promise<void> {
    this.#answers.delete(key);
    return Promise.resolve();
  }

  keys(): Promise<readonly string[]> {
    return Promise.resolve([...this.#answers.keys()]);
  }
}
