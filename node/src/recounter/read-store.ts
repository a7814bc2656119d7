import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { parseRead, type Read } from '@assay/core/report/report';
import { array, hashHex, literal, object, type Parse } from '@assay/core/wire/schema';
import { isTicker, type Ticker } from '@assay/core/rule/ticker';
import { type DateText, toDate } from '@assay/core/time/time';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** What all providers of a rule answered for a period when they were asked at one time. */
export interface ReadSet {
  /** The hash of the rule. */
  readonly rule: HashHex;
  /** In the rule's order. */
  readonly reads: readonly Read[];
}

/** A recounter's own reads of the periods that are not settled yet. */
export interface ReadStore {
  /** Oldest first. */
  readonly of: (ticker: Ticker, period: DateText) => Promise<readonly ReadSet[]>;
  /** Durable when it resolves. Its snapshots must be in the blob store before. */
  readonly keep: (ticker: Ticker, period: DateText, set: ReadSet) => Promise<void>;
  readonly forget: (ticker: Ticker, period: DateText) => Promise<void>;
  /** The periods for which something is stored. */
  readonly list: () => Promise<readonly (readonly [Ticker, DateText])[]>;
}

/** How many sets are stored for one period. */
export const MAX_READ_SETS = 16;

/**
 * The sets with one more. Of consecutive sets with the same result, the first and the last are kept, which show
 * how long it held. Above `MAX_READ_SETS` these stay: the first set, the newest, and the first set for each
 * number of providers that answered with a value. Among them is the one that first showed a number with its
 * quorum.
 */
export function withReadSet(sets: readonly ReadSet[], set: ReadSet): readonly ReadSet[] {
  const [before, last] = sets.slice(-2);
  const isRun = before !== undefined && last !== undefined && sameText(before, last, set);
  const grown = [...(isRun ? sets.slice(0, -1) : sets), set];
  if (grown.length <= MAX_READ_SETS) return grown;
  const counts = grown.map(({ reads }) => reads.filter(({ outcome }) => outcome === 'ok').length);
  const isFirst = (i: number): boolean => counts.indexOf(counts[i] as number) === i;
  const oldest = grown.findIndex((_, i) => i > 0 && !isFirst(i));
  const newest = grown.length - 1;
  return grown.toSpliced(oldest > 0 && oldest < newest ? oldest : 1, 1);
}

function sameText(...sets: readonly ReadSet[]): boolean {
  const words = sets.map(({ rule, reads }) =>
    [rule, ...reads.map((read) => `${read.provider} ${read.outcome} ${read.snapshot}`)].join(),
  );
  return words.every((each) => each === words[0]);
}

interface ReadFile {
  readonly type: 'assay-reads/1';
  readonly sets: readonly ReadSet[];
}

const parseReadFile: Parse<ReadFile> = object<ReadFile>({
  type: literal('assay-reads/1'),
  sets: array(object<ReadSet>({ rule: hashHex, reads: array(parseRead, 0, 16) }), 0, MAX_READ_SETS),
});

/** In memory, for tests. */
export class MemoryReadStore implements ReadStore {
  readonly #sets = new Map<string, readonly ReadSet[]>();

  readonly of = async (ticker: Ticker, period: DateText): Promise<readonly ReadSet[]> =>
    this.#sets.get(`${ticker}/${period}`) ?? [];

  readonly keep = async (ticker: Ticker, period: DateText, set: ReadSet): Promise<void> => {
    const key = `${ticker}/${period}`;
    this.#sets.set(key, withReadSet(this.#sets.get(key) ?? [], set));
  };

  readonly forget = async (ticker: Ticker, period: DateText): Promise<void> => {
    this.#sets.delete(`${ticker}/${period}`);
  };

  readonly list = async (): Promise<readonly (readonly [Ticker, DateText])[]> =>
    [...this.#sets.keys()].map((key) => key.split('/') as [Ticker, DateText]);
}

/**
 * One file for each period, `<folder>/<TICKER>/<period>.json` in canonical JSON, each complete from the moment
 * it exists.
 */
export class FileReadStore implements ReadStore {
  readonly #folder: string;
  readonly #sync: boolean;
  readonly #semaphore = new Semaphore(1);
  readonly #made = new Set<Ticker>();

  private constructor(folder: string, sync: boolean) {
    this.#folder = folder;
    this.#sync = sync;
  }

  static async open(
    folder: string,
    { sync = true }: { readonly sync?: boolean } = {},
  ): Promise<FileReadStore> {
    await ensureFolder(folder, { mode: 0o700 });
    return new FileReadStore(folder, sync);
  }

  readonly of = async (ticker: Ticker, period: DateText): Promise<readonly ReadSet[]> => {
    const path = this.#path(ticker, period);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw storageFault(error, 'own reads');
    }
    try {
      return parseReadFile(parseWire(new Uint8Array(bytes)), 'reads').sets;
    } catch (cause) {
      throw new Fault('ledger_corrupt', 'own reads', {
        at: path,
        expected: 'canonical JSON of a set of reads',
        found: messageOf(cause),
        cause,
      });
    }
  };

  readonly keep = (ticker: Ticker, period: DateText, set: ReadSet): Promise<void> =>
    this.#semaphore.run(async () => {
      const file: ReadFile = {
        type: 'assay-reads/1',
        sets: withReadSet(await this.of(ticker, period), set),
      };
      try {
        await this.#makeFolder(ticker);
        const bytes = formatWire(file);
        await writeDurable(this.#path(ticker, period), bytes, { mode: 0o600, sync: this.#sync });
      } catch (error) {
        throw storageFault(error, 'own reads');
      }
    });

  readonly forget = (ticker: Ticker, period: DateText): Promise<void> =>
    this.#semaphore.run(() => rm(this.#path(ticker, period), { force: true }));

  readonly list = async (): Promise<readonly (readonly [Ticker, DateText])[]> => {
    const found: (readonly [Ticker, DateText])[] = [];
    for (const ticker of (await readdir(this.#folder)).filter(isTicker)) {
      for (const name of await readdir(join(this.#folder, ticker))) {
        // What a crash left unfinished is a hidden file, and no period.
        const [, period] = /^([0-9]{4}-[0-9]{2}-[0-9]{2})\.json$/.exec(name) ?? [];
        if (period !== undefined) found.push([ticker, toDate(period)]);
      }
    }
    return found;
  };

  async #makeFolder(ticker: Ticker): Promise<void> {
    if (this.#made.has(ticker)) return;
    const folder = join(this.#folder, ticker);
    if (this.#sync) await ensureFolder(folder, { mode: 0o700 });
    else await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#made.add(ticker);
  }

  #path(ticker: Ticker, period: DateText): string {
    return join(this.#folder, ticker, `${period}.json`);
  }
}
