import { mkdir, open, rename, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { Fault, messageOf } from '@assay/core/fault';
import { type Evidence, formatEvidence } from '@assay/core/proof/evidence';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { formatPin, parsePin, type Pin } from '@assay/verifier/verdict/policy';
import type { KeptAddress, Owed } from '@assay/verifier/watch/vantage';
import type { KeptHead, SeenHead } from '@assay/verifier/watch/watch';
import { linesOf } from '../text/lines.ts';

/** One line of `checkpoints.jsonl`: what an address showed, and which log it was attributed to. */
interface KeptLine {
  readonly at: string;
  readonly url: string;
  readonly accepted: boolean;
  readonly pin: string | null;
  /** Missing in lines of earlier releases; then the key may have been pinned at first use. */
  readonly named?: boolean;
  /** Missing or false: what an earlier line has of this checkpoint stands. */
  readonly withdrawn?: boolean;
  /** Missing or null: the address shows as much as the others. */
  readonly behind?: Owed | null;
  readonly note: string;
}

/** What a watch stores in its folder: every checkpoint that it has seen, and evidence files. */
export interface WatchState {
  /** The newest accepted head of each log with a name, the log that was seen first in front. */
  readonly kept: (origin: string) => readonly KeptHead[];
  /** What was accepted at an address. */
  readonly keptAddress: (url: string) => KeptAddress | undefined;
  /** Adds what is new or is attributed differently than before. It is on disk before it resolves. */
  readonly keep: (seen: readonly SeenHead[], at: string) => Promise<void>;
  /** Writes a file once, by its hash, and returns its path. */
  readonly file: (evidence: Evidence) => Promise<string>;
}

const LINES = 'checkpoints.jsonl';

/** `$XDG_STATE_HOME/assay/watch`, or the same under `~/.local/state`. */
export function defaultWatchFolder(
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const state = environment['XDG_STATE_HOME'];
  const base = state === undefined || state === '' ? join(homedir(), '.local', 'state') : state;
  return join(base, 'assay', 'watch');
}

/**
 * Opens the folder, which is created if it is missing. Lines are only ever added. Throws `malformed` for a line
 * that cannot be read, because what was seen before must not be treated as "never seen". An incomplete last
 * line was never relied on.
 */
export async function openWatchState(folder: string): Promise<WatchState> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, LINES);
  const heads = new Map<string, HeldHead[]>();
  const addresses = new Map<string, HeldAddress>();
  const known = new Map<string, string>();
  const written = new WeakMap<Evidence, string>();
  const note = (line: KeptLine): void => {
    known.set(keyOf(line), takenFor(line));
    if (line.withdrawn === true) withdraw(heads, addresses, line);
    if (line.pin === null) return;
    const pin = parsePin(formatUtf8(line.pin));
    take(heads, { pin, named: line.named === true, note: formatUtf8(line.note) });
    takeAddress(addresses, line, pin);
  };
  let whole = 0;
  let number = 0;
  for await (const { bytes, end } of linesOf(path)) {
    number += 1;
    whole = end;
    if (bytes.length > 0) note(parseLine(bytes, `${path}, line ${number}`));
  }
  const length = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  if (whole < length) {
    const file = await open(path, 'r+');
    try {
      await file.truncate(whole);
    } finally {
      await file.close();
    }
  }
  return {
    kept: (origin) => heads.get(origin) ?? [],
    keptAddress: (url) => addresses.get(url),
    async keep(seen, at) {
      // Anybody can make as much as they like of what the log's key has not signed.
      const fresh = seen
        .filter(({ signed }) => signed)
        .map((head): KeptLine => {
          const { url, accepted, pin, named, withdrawn, behind } = head;
          const text = pin === null ? null : parseUtf8(formatPin(pin));
          const body = parseUtf8(head.note);
          return { at, url, accepted, pin: text, named, withdrawn, behind, note: body };
        })
        .filter((line) => known.get(keyOf(line)) !== takenFor(line));
      if (fresh.length === 0) return;
      const lines = fresh.map((line) => `${JSON.stringify(line)}\n`);
      const file = await open(path, 'a');
      try {
        await file.writeFile(lines.join(''));
        await file.sync();
      } finally {
        await file.close();
      }
      for (const line of fresh) note(line);
    },
    async file(evidence) {
      const before = written.get(evidence);
      if (before !== undefined) return before;
      const bytes = formatEvidence(evidence);
      const at = join(folder, 'evidence');
      await mkdir(at, { recursive: true });
      const target = join(at, `${hashHex(contentHash(nodeSha256, bytes))}.json`);
      const temporary = `${target}.${process.pid}.tmp`;
      const file = await open(temporary, 'w');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, target);
      written.set(evidence, target);
      return target;
    },
  };
}

/** An address and a note, in few bytes however long the note is. */
function keyOf({ url, note }: KeptLine): string {
  return hashHex(contentHash(nodeSha256, formatUtf8(`${url}\0${note}`)));
}

function takenFor({ accepted, pin, named, withdrawn, behind }: KeptLine): string {
  const { size, since } = behind ?? {};
  return JSON.stringify([accepted, pin, named === true, withdrawn === true, size, since]);
}

/** The size in a checkpoint's second line. */
function sizeOf(note: string): number {
  return Number(note.split('\n', 2)[1]);
}

/** The newest head of a log, and the one that it took the place of. */
interface HeldHead extends KeptHead {
  readonly before?: HeldHead | undefined;
}

/** What an address has shown, and what it had shown before the newest head. */
interface HeldAddress extends KeptAddress {
  readonly before?: HeldAddress | undefined;
}

/** Keeps the larger head of each log. Its pin and its note must have the same size. */
function take(heads: Map<string, HeldHead[]>, head: KeptHead): void {
  const { pin, named } = head;
  if (sizeOf(parseUtf8(head.note)) !== pin.size) return;
  const logs = heads.get(pin.origin) ?? [];
  heads.set(pin.origin, logs);
  // The same log, whichever of its keys was in force.
  const at = logs.findIndex((each) => each.pin.log_id === pin.log_id);
  const known = logs[at];
  if (known === undefined) logs.push(head);
  else if (known.pin.size >= pin.size) logs[at] = { ...known, named: named || known.named };
  else {
    const { before: _, ...rest } = known;
    logs[at] = { ...head, named: named || known.named, before: rest };
  }
}

/** Goes back to what was kept before a head that the walk of its entries has shown to be none of the log. */
function withdraw(
  heads: Map<string, HeldHead[]>,
  addresses: Map<string, HeldAddress>,
  { url, note }: KeptLine,
): void {
  for (const [origin, logs] of heads) {
    const left = logs.map((each) => (parseUtf8(each.note) === note ? each.before : each));
    heads.set(
      origin,
      left.filter((each) => each !== undefined),
    );
  }
  const known = addresses.get(url);
  if (known?.size !== sizeOf(note)) return;
  if (known.before === undefined) addresses.delete(url);
  else addresses.set(url, known.before);
}

/** An address belongs to the log that was first seen there. */
function takeAddress(
  addresses: Map<string, HeldAddress>,
  { url, note, behind = null }: KeptLine,
  { origin, log_id: log }: Pin,
): void {
  const known = addresses.get(url);
  if (known !== undefined && known.log_id !== log) return;
  const size = sizeOf(note);
  const next = { origin, log_id: log, size: Math.max(known?.size ?? 0, size), behind };
  if (known === undefined || known.size >= size) {
    addresses.set(url, { ...next, before: known?.before });
    return;
  }
  const { before: _, ...rest } = known;
  addresses.set(url, { ...next, before: rest });
}

function parseLine(bytes: Uint8Array, at: string): KeptLine {
  try {
    const value = JSON.parse(parseUtf8(bytes)) as Partial<Record<keyof KeptLine, unknown>>;
    const { url, note, pin, named } = value;
    if (typeof url !== 'string' || typeof note !== 'string') throw new TypeError('url and note');
    if (pin !== null && typeof pin !== 'string') throw new TypeError('pin');
    if (named !== undefined && typeof named !== 'boolean') throw new TypeError('named');
    const { withdrawn } = value;
    if (withdrawn !== undefined && typeof withdrawn !== 'boolean') throw new TypeError('withdrawn');
    const { size, since } = (value.behind ?? { size: 1, since: 0 }) as Partial<Owed>;
    if (!Number.isSafeInteger(size) || !Number.isSafeInteger(since)) throw new TypeError('behind');
    if (pin !== null) parsePin(formatUtf8(pin));
    return value as KeptLine;
  } catch (cause) {
    throw new Fault('malformed', 'watch state', { at, found: messageOf(cause), cause });
  }
}
