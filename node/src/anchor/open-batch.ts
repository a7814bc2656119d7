import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  array,
  hashHex,
  hex,
  integer,
  object,
  type Parse,
  string,
  time,
} from '@assay/core/wire/schema';
import type { TimeText } from '@assay/core/time/time';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';

/** A batch that no entry records yet: what was submitted, and who has answered. */
export interface OpenBatch {
  readonly from: number;
  readonly to: number;
  readonly root: HashHex;
  /** 32 bytes in hex. */
  readonly salt: string;
  readonly tip: HashHex;
  /** When it was made, before any calendar saw it. No block that holds its tip is older. */
  readonly made_at: TimeText;
  readonly answers: readonly OpenAnswer[];
}

export interface OpenAnswer {
  /** The address in the pool that it was submitted to. */
  readonly calendar: string;
  /** The timestamp over the tip, in hex. */
  readonly timestamp: string;
}

/** Stores the open batch, of which there is at most one, across a restart. */
export interface OpenBatchStore {
  /** Throws if what is stored cannot be read. */
  readonly get: () => Promise<OpenBatch | undefined>;
  /** Durable when it resolves. `undefined` removes it. */
  readonly set: (batch: OpenBatch | undefined) => Promise<void>;
}

export class MemoryOpenBatch implements OpenBatchStore {
  #batch: OpenBatch | undefined;

  readonly get = (): Promise<OpenBatch | undefined> => Promise.resolve(this.#batch);

  readonly set = (batch: OpenBatch | undefined): Promise<void> => {
    this.#batch = batch;
    return Promise.resolve();
  };
}

const FILE = 'open-batch.json';
const MAX_ANSWER_BYTES = 10_000;

const answerHex: Parse<string> = string(2, 2 * MAX_ANSWER_BYTES, /^(?:[0-9a-f]{2})+$/);

const parseOpenBatch: Parse<OpenBatch> = object<OpenBatch>({
  from: integer(0, Number.MAX_SAFE_INTEGER),
  to: integer(1, Number.MAX_SAFE_INTEGER),
  root: hashHex,
  salt: hex(32),
  tip: hashHex,
  made_at: time,
  answers: array(object<OpenAnswer>({ calendar: string(1, 1000), timestamp: answerHex }), 0, 64),
});

/** Stores the batch in one file in its own folder. */
export class FileOpenBatch implements OpenBatchStore {
  readonly #folder: string;
  readonly #onUnreadable: (reason: string) => void;

  constructor(folder: string, onUnreadable: (reason: string) => void) {
    this.#folder = folder;
    this.#onUnreadable = onUnreadable;
  }

  /** If it cannot be read, that is reported and it is given up: its records go into the next batch. */
  readonly get = async (): Promise<OpenBatch | undefined> => {
    let bytes: Uint8Array;
    try {
      bytes = await readFile(join(this.#folder, FILE));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return parseOpenBatch(parseWire(bytes), 'batch');
    } catch (error) {
      this.#onUnreadable(messageOf(error));
      return undefined;
    }
  };

  readonly set = async (batch: OpenBatch | undefined): Promise<void> => {
    await ensureFolder(this.#folder, { mode: 0o700 });
    if (batch === undefined) {
      await rm(join(this.#folder, FILE), { force: true });
      await syncFolder(this.#folder);
      return;
    }
    await writeDurable(join(this.#folder, FILE), formatWire(batch));
  };
}

/** The bytes of an answer. */
export function answerBytes({ timestamp }: OpenAnswer): Uint8Array {
  return parseHex(timestamp, timestamp.length / 2);
}

export function openAnswer(calendar: string, bytes: Uint8Array): OpenAnswer {
  return { calendar, timestamp: formatHex(bytes) };
}
