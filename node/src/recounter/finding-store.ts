import { appendFile, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import {
  hashHex,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
  time,
} from '@assay/core/wire/schema';
import type { TimeText } from '@assay/core/time/time';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** What a recounter can find against others, or against itself. The meaning of a code (`RECOUNTER_MEANINGS`) never changes. */
export const FINDING_CODES = [
  'fork',
  'omission',
  'index_differs',
  'index_not_due',
  'index_missing',
  'too_many_reports',
  'two_prints',
  'copy_full',
  'log_refused',
  'publisher_silent',
  'publisher_unreachable',
  'report_refused',
  'against_own_reads',
  'unwitnessed',
  'word_refused',
  'receipt_unmet',
  'word_withheld',
  'word_forged',
  'peer_silent',
  'own_word_unknown',
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/** One thing that was found against somebody. */
export interface Finding {
  readonly code: FindingCode;
  /** What it is about. It identifies the finding together with the code. */
  readonly about: string;
  readonly says: string;
  /** When it was found. */
  readonly since: TimeText;
  /** When it ended; null while it holds. */
  readonly ended: TimeText | null;
  /** The SHA-256 of an evidence file; null if there is none. */
  readonly evidence: HashHex | null;
}

export interface FoundNow {
  readonly code: FindingCode;
  readonly about: string;
  readonly says: string;
  readonly evidence?: HashHex | null;
}

/** How many findings that have ended are still stored. */
const MAX_ENDED = 1000;
/**
 * How many findings of one code that hold without evidence are stored. Of the others only the number is known.
 */
const MAX_OPEN = 1000;
/** How many of those others are distinguished. */
const MAX_COUNTED = 100_000;
/** In UTF-16 characters. */
const MAX_ABOUT = 500;
const MAX_SAYS = 2000;

const parseFinding: Parse<Finding> = object<Finding>({
  code: oneOf(FINDING_CODES),
  about: string(0, MAX_ABOUT),
  says: string(0, MAX_SAYS),
  since: time,
  ended: nullable(time),
  evidence: nullable(hashHex),
});

/** Where findings are stored: `add` appends one, `all` replaces everything. Both are durable. */
interface FindingFile {
  readonly add: (finding: Finding) => Promise<void>;
  readonly all: (findings: readonly Finding[]) => Promise<void>;
}

const NO_FILE: FindingFile = { add: () => Promise.resolve(), all: () => Promise.resolve() };

/**
 * What a recounter has found against others, each once, in the order in which it was found. Durable: a file of
 * lines, each with the state of a finding in canonical JSON, which is compacted at the start.
 */
export class FindingStore {
  readonly #file: FindingFile;
  readonly #findings = new Map<string, Finding>();
  readonly #beyond = new Map<FindingCode, Set<string>>();
  readonly #semaphore = new Semaphore(1);
  /** Whether the last line may be incomplete. */
  #torn = false;

  private constructor(findings: readonly Finding[], file: FindingFile) {
    this.#file = file;
    for (const finding of findings) this.#set(finding);
    this.#prune();
  }

  /** In memory, for tests. */
  static memory(): FindingStore {
    return new FindingStore([], NO_FILE);
  }

  /** Throws `ledger_corrupt` for a file that cannot be read, except for a last line that was truncated. */
  static async open(
    path: string,
    { sync = true }: { readonly sync?: boolean } = {},
  ): Promise<FindingStore> {
    await ensureFolder(dirname(path), { mode: 0o700 });
    const store = new FindingStore(await readFindings(path), findingFile(path, sync));
    await store.#file.all(store.list());
    return store;
  }

  list(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** The findings that hold now. */
  open(): readonly Finding[] {
    return this.list().filter(({ ended }) => ended === null);
  }

  /** How many more hold than are stored. */
  more(): number {
    let count = 0;
    for (const each of this.#beyond.values()) count += each.size;
    return count;
  }

  has(code: FindingCode, about: string): boolean {
    const key = keyOf({ code, about });
    return this.#findings.get(key)?.ended === null || this.#beyond.get(code)?.has(key) === true;
  }

  /** Records a finding; durable when it resolves. True if it did not hold before, and is stored. */
  hold(found: FoundNow, at: TimeText): Promise<boolean> {
    return this.#semaphore.run(async () => {
      const { code, evidence = null } = found;
      const key = keyOf(found);
      if (this.#findings.get(key)?.ended === null) return false;
      // What can be proven is stored, however much else there is.
      if (evidence === null && this.#bare(code) >= MAX_OPEN) {
        const beyond = this.#beyond.get(code) ?? new Set<string>();
        if (beyond.size < MAX_COUNTED) beyond.add(key);
        this.#beyond.set(code, beyond);
        return false;
      }
      this.#beyond.get(code)?.delete(key);
      const about = cut(found.about, MAX_ABOUT);
      const says = cut(found.says, MAX_SAYS);
      await this.#keep({ code, about, says, since: at, ended: null, evidence });
      return true;
    });
  }

  /** Records that it has ended; true if it held. */
  end(code: FindingCode, about: string, at: TimeText): Promise<boolean> {
    return this.#semaphore.run(async () => {
      const key = keyOf({ code, about });
      this.#beyond.get(code)?.delete(key);
      const before = this.#findings.get(key);
      if (before === undefined || before.ended !== null) return false;
      await this.#keep({ ...before, ended: at });
      this.#prune();
      return true;
    });
  }

  /** How many findings of a code hold without evidence. */
  #bare(code: FindingCode): number {
    return this.open().filter((each) => each.code === code && each.evidence === null).length;
  }

  /** It is known at once. If it could not be written, everything is written at the next change. */
  async #keep(finding: Finding): Promise<void> {
    this.#set(finding);
    const torn = this.#torn;
    this.#torn = true;
    await (torn ? this.#file.all(this.list()) : this.#file.add(finding));
    this.#torn = false;
  }

  #set(finding: Finding): void {
    const key = keyOf(finding);
    // If it was found again, it comes after the others.
    if (this.#findings.get(key)?.since !== finding.since) this.#findings.delete(key);
    this.#findings.set(key, finding);
  }

  #prune(): void {
    const ended = this.list().filter((each) => each.ended !== null && each.evidence === null);
    for (const each of ended.slice(0, -MAX_ENDED)) this.#findings.delete(keyOf(each));
  }
}

function keyOf({ code, about }: Pick<Finding, 'code' | 'about'>): string {
  return `${code} ${cut(about, MAX_ABOUT)}`;
}

/** At most so many characters, without splitting one. */
function cut(text: string, most: number): string {
  return text.slice(0, most).replaceAll(/\p{Surrogate}/gu, '');
}

function lineOf(finding: Finding): Uint8Array {
  return concatBytes(formatWire(finding), Uint8Array.of(NEWLINE));
}

const NEWLINE = 0x0a;

function findingFile(path: string, sync: boolean): FindingFile {
  return {
    add: async (finding) => {
      await appendFile(path, lineOf(finding), { mode: 0o600 });
      if (!sync) return;
      const file = await open(path, 'r+');
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    },
    all: (findings) =>
      writeDurable(path, concatBytes(...findings.map(lineOf)), { mode: 0o600, sync }),
  };
}

async function readFindings(path: string): Promise<readonly Finding[]> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storageFault(error, 'findings');
  }
  const findings: Finding[] = [];
  let from = 0;
  for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
    try {
      findings.push(parseFinding(parseWire(bytes.subarray(from, to)), 'finding'));
    } catch (cause) {
      const at = `${path}, line ${findings.length + 1}`;
      throw new Fault('ledger_corrupt', 'findings', { at, found: messageOf(cause), cause });
    }
    from = to + 1;
  }
  return findings;
}
