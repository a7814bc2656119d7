import { equalBytes } from '@assay/core/bytes/bytes';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { messageOf } from '@assay/core/fault';
import { contentHash, type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { parseNote } from '@assay/core/log/note';
import { answerTo, type FoldedAnswer } from '@assay/core/answer/answer';
import { formatTilePath, parseEntryBundle, parseTilePath } from '@assay/core/log/tile';
import { rootOf } from '@assay/core/log/tree';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { mirrorPath } from '@assay/node/recounter/mirror-routes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { StorageStatus } from '@assay/node/scrub/storage-status';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { allTiles, firstDifference, tileOf, type Truth } from './truth.ts';

/**
 * What is wrong with a damaged folder's node:
 *
 * - `served`: an answer that the entries do not give
 * - `signed`: something new that the verifier refuses, or that an undamaged node does not sign
 * - `bytes`: a blob, a tile, an entry or a settlement file with other bytes than it should have
 * - `lost`: acknowledged entries are gone, and the log goes on
 * - `crash`: an error that is no Fault, or none that anybody caught
 * - `hang`: no end of a start, a request or a stop
 * - `wordless`: an internal error, or a refusal without words
 * - `silent`: something was not served or not done, and /status says nothing
 */
export type Ill = 'served' | 'signed' | 'bytes' | 'lost' | 'crash' | 'hang' | 'wordless' | 'silent';

export interface Problem {
  readonly ill: Ill;
  readonly detail: string;
}

const REQUEST_MS = 20_000;
const CONCURRENCY = 8;

/** What a node answered; status 0 where the connection broke. */
interface Got {
  readonly status: number;
  readonly body: Uint8Array;
  readonly size: number | undefined;
  readonly source: string | null;
}

/** One answer; a connection that broke is tried once more, for the one that was kept open may be of an earlier node. */
async function get(base: string, path: string): Promise<Got> {
  const got = await getOnce(base, path);
  return got.status === 0 ? getOnce(base, path) : got;
}

async function getOnce(base: string, path: string): Promise<Got> {
  try {
    const response = await fetch(base + path, { signal: AbortSignal.timeout(REQUEST_MS) });
    const body = new Uint8Array(await response.arrayBuffer());
    const size = response.headers.get('assay-log-size');
    return {
      status: response.status,
      body,
      size: size === null ? undefined : Number(size),
      source: response.headers.get('x-assay-source'),
    };
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError';
    return {
      status: late ? -1 : 0,
      body: new TextEncoder().encode(messageOf(error)),
      size: undefined,
      source: null,
    };
  }
}

async function inTurns<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < all.length; i = next++) results[i] = await work(all[i] as T);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

/** What is read of a log, and of the files beside it, which have to be what they were. */
export interface Beside {
  /** Whether there is an API of numbers. */
  readonly api: boolean;
  /** Blobs by hash. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Of them, those that are asked for. */
  readonly asked: readonly string[];
  /** Settlement files by path that are asked for. */
  readonly settlements: ReadonlyMap<string, Uint8Array>;
}

/** What is compared as a whole with what an undamaged node says at the same time. */
export const LIVE_PATHS: readonly string[] = [
  '/board',
  '/asset/BTC',
  '/indices/LAYOFFS/listing.json',
  '/indices/TRENCHES/listing.json',
];

export interface Examined {
  readonly problems: readonly Problem[];
  /** What was not served, and ought to be. */
  readonly withheld: readonly string[];
  /** Every entry that was served, those that the truth has filled in where they were not. */
  readonly entries: readonly Uint8Array[];
  readonly reasons: readonly string[];
  readonly state: string;
  /** Bodies of `LIVE_PATHS` that were served. */
  readonly live: ReadonlyMap<string, string>;
}

/** Reads everything that a node serves at `port`, and compares it with what the entries give. */
export async function examine(port: number, truth: Truth, beside: Beside): Promise<Examined> {
  const base = `http://127.0.0.1:${port}`;
  const problems: Problem[] = [];
  const withheld: string[] = [];
  const add = (ill: Ill, detail: string): void => void problems.push({ ill, detail });
  /** Whether an answer is one to compare; if it is none, why is noted. */
  const isAnswer = (path: string, { status, body }: Got): boolean => {
    if (status === 200) return true;
    if (status === -1) add('hang', path);
    else if (status === 500 || (status >= 400 && !isProblem(body))) {
      // Whether it is excused is for /status to say.
      withheld.push(`${path} ${status} internal`);
    } else withheld.push(`${path} ${status}`);
    return false;
  };
  // Answers first: what they stand for is read after them.
  const answers = await inTurns(beside.api ? truth.paths : [], async (path) => ({
    path,
    got: await get(base, path),
  }));
  const live = new Map<string, string>();
  for (const path of beside.api ? LIVE_PATHS : []) {
    const got = await get(base, path);
    const text = new TextDecoder().decode(got.body);
    if (got.status === 200) live.set(got.source === null ? path : `${path} ${got.source}`, text);
    else if (got.status === -1) add('hang', path);
    else if (got.status === 500) withheld.push(`${path} 500 internal`);
  }
  const checkpoint = await get(base, '/checkpoint');
  let entries: readonly Uint8Array[] = [];
  if (isAnswer('/checkpoint', checkpoint)) {
    const { size, root } = parseCheckpoint(parseNote(checkpoint.body).text);
    if (size < truth.acknowledged) {
      add('lost', `${size} entries are shown, and ${truth.acknowledged} were`);
    }
    const read = await readEntries(base, size, truth, isAnswer);
    entries = read.entries;
    const at = firstDifference(truth, entries, Math.min(size, truth.acknowledged));
    if (at !== undefined) add('bytes', `entry ${at} is another one`);
    const leaves = entries.map((bytes) => leafHash(nodeSha256, bytes));
    if (!equalBytes(rootOf(nodeSha256, leaves), root)) add('bytes', `root of ${size}`);
    await compareTiles(base, entries, leaves, size, { isAnswer, add });
    compareAnswers(answers, truth, entries, { isAnswer, add });
  } else {
    for (const { path, got } of answers) {
      if (isAnswer(path, got)) add('served', `${path} without a checkpoint`);
    }
  }
  await inTurns(beside.asked, async (hash) => {
    const got = await get(base, `/blob/${hash}`);
    if (!isAnswer(`/blob/${hash}`, got)) return;
    if (hashHex(contentHash(nodeSha256, got.body)) !== hash) add('bytes', `/blob/${hash}`);
  });
  await inTurns([...beside.settlements], async ([path, bytes]) => {
    const got = await get(base, `/settlement/${path}`);
    if (!isAnswer(`/settlement/${path}`, got)) return;
    if (!equalBytes(got.body, bytes)) add('bytes', `/settlement/${path}`);
  });
  const status = await get(base, '/status');
  const said = readStatus(status);
  if (said === undefined) add('wordless', `/status ${status.status}`);
  const { reasons = [], state = 'none' } = said ?? {};
  return { problems, withheld, entries, reasons, state, live };
}

function isProblem(body: Uint8Array): boolean {
  try {
    const { error, title } = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
    return typeof error === 'string' && typeof title === 'string';
  } catch {
    return false;
  }
}

/** Rounds of the scrub after which whatever there was at the start has been gone over: the first may be half of one. */
const ROUNDS = 2;
const SCRUB_MS = 60_000;

/** Waits until what a service has stored was gone over; does not where nothing goes over it. Throws where it takes too long. */
export async function scrubbed(port: number): Promise<void> {
  const until = performance.now() + SCRUB_MS;
  for (;;) {
    const status = readStatus(await get(`http://127.0.0.1:${port}`, '/status'));
    if (status?.rounds === undefined || status.rounds >= ROUNDS) return;
    if (performance.now() > until) throw new Error('the scrub ends no round');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function readStatus({
  body,
}: Got): { reasons: readonly string[]; state: string; rounds: number | undefined } | undefined {
  try {
    const found = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
    const { reasons, storage } = found;
    if (!Array.isArray(reasons)) return undefined;
    const stored = storage as StorageStatus | undefined;
    // What was repaired is no reason, and is told all the same.
    const repaired = (stored?.found ?? [])
      .filter((each) => each.state === 'repaired')
      .map(({ part, name }) => `repaired: ${part} ${name}`);
    return {
      reasons: [...(reasons as readonly string[]), ...repaired],
      state: String(found['state'] ?? found['error']),
      rounds: stored?.scrub?.rounds,
    };
  } catch {
    return undefined;
  }
}

type IsAnswer = (path: string, got: Got) => boolean;

/** Reads the copy of a log that a recounter serves, as far as it goes, and compares it with the entries. */
export async function examineCopy(
  port: number,
  origin: string,
  truth: Truth,
): Promise<Pick<Examined, 'problems' | 'withheld'>> {
  const base = `http://127.0.0.1:${port}${mirrorPath(nodeSha256, origin)}`;
  const problems: Problem[] = [];
  const withheld: string[] = [];
  const add = (ill: Ill, detail: string): void => void problems.push({ ill, detail });
  const isAnswer = (path: string, { status }: Got): boolean => {
    if (status !== 200) withheld.push(`copy ${path} ${status}`);
    return status === 200;
  };
  const checkpoint = await get(base, '/checkpoint');
  if (!isAnswer('/checkpoint', checkpoint)) return { problems, withheld };
  const { size, root } = parseCheckpoint(parseNote(checkpoint.body).text);
  const { entries } = await readEntries(base, size, truth, isAnswer);
  const at = firstDifference(truth, entries, Math.min(size, truth.acknowledged));
  if (at !== undefined) add('bytes', `copy of entry ${at}`);
  const leaves = entries.map((bytes) => leafHash(nodeSha256, bytes));
  if (entries.length === size) {
    if (!equalBytes(rootOf(nodeSha256, leaves), root)) add('bytes', `copy: root of ${size}`);
    await compareTiles(base, entries, leaves, size, { isAnswer, add });
  }
  return { problems, withheld };
}

async function readEntries(
  base: string,
  size: number,
  truth: Truth,
  isAnswer: IsAnswer,
): Promise<{ readonly entries: readonly Uint8Array[] }> {
  const entries: Uint8Array[] = [];
  for (const tile of allTiles(size)) {
    if (tile.level !== 'entries') continue;
    const path = `/${formatTilePath(tile)}`;
    const got = await get(base, path);
    let found: readonly Uint8Array[] = [];
    try {
      if (isAnswer(path, got)) found = parseEntryBundle(got.body, tile.width);
    } catch {
      // Compared with the truth below, where it is missing.
    }
    const start = entries.length;
    for (let i = 0; i < tile.width; i += 1) {
      const bytes = found[i] ?? truth.entries[start + i];
      if (bytes !== undefined) entries.push(bytes);
    }
  }
  return { entries };
}

interface Notes {
  readonly isAnswer: IsAnswer;
  readonly add: (ill: Ill, detail: string) => void;
}

async function compareTiles(
  base: string,
  entries: readonly Uint8Array[],
  leaves: readonly Hash[],
  size: number,
  { isAnswer, add }: Notes,
): Promise<void> {
  await inTurns(
    allTiles(size).filter(({ level }) => level !== 'entries'),
    async (tile) => {
      const path = `/${formatTilePath(tile)}`;
      const got = await get(base, path);
      if (!isAnswer(path, got)) return;
      if (!equalBytes(got.body, tileOf(entries, leaves, tile))) add('bytes', path);
    },
  );
}

/** Each answer against what the entries give at the size that it names. */
function compareAnswers(
  answers: readonly { readonly path: string; readonly got: Got }[],
  truth: Truth,
  entries: readonly Uint8Array[],
  { isAnswer, add }: Notes,
): void {
  const bySize = new Map<number, { path: string; got: Got }[]>();
  for (const each of answers) {
    const { path, got } = each;
    // A void period is answered with 404 and the void report inside.
    if (got.status !== 404 && !isAnswer(path, got)) continue;
    if (got.status === 404 && got.size === undefined) {
      add('served', `${path}: 404 ${new TextDecoder().decode(got.body).slice(0, 200)}`);
      continue;
    }
    if (got.size === undefined) {
      add('served', `${path} names no size`);
      continue;
    }
    bySize.set(got.size, [...(bySize.get(got.size) ?? []), each]);
  }
  for (const { size, state } of truth.sizes(entries.slice(truth.acknowledged))) {
    for (const { path, got } of bySize.get(size) ?? []) {
      const expected = answerTo(state, nodeSha256, path);
      if (!isSame(expected, got)) add('served', `${path} at ${size}: ${difference(expected, got)}`);
    }
    bySize.delete(size);
  }
  for (const [size, rest] of bySize) {
    for (const { path } of rest)
      add('served', `${path} stands for ${size} entries, which is no size`);
  }
}

function isSame(expected: FoldedAnswer | undefined, got: Got): boolean {
  return (
    expected !== undefined && expected.status === got.status && equalBytes(expected.body, got.body)
  );
}

function difference(expected: FoldedAnswer | undefined, got: Got): string {
  if (expected === undefined) return `nothing is expected, found ${got.status}`;
  const [a, b] = [expected.body, got.body].map((bytes) => new TextDecoder().decode(bytes));
  return `${expected.status} and ${got.status}, ${differenceOf(a ?? '', b ?? '')}`;
}

/** The first place at which two texts differ, in words. */
export function differenceOf(expected: string, found: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const cut = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 40));
  return `expected ${cut(expected)}, found ${cut(found)}`;
}

/**
 * Has the verifier look at a log as its node serves it. What the truth has of old blobs and entries fills in what
 * the node does not serve, as a mirror would: it is about what was signed since.
 */
export async function verifyServed(
  port: number,
  truth: Truth,
  { entries }: Examined,
  { blobs }: Beside,
): Promise<readonly string[]> {
  const base = `http://127.0.0.1:${port}`;
  const leaves = entries.map((bytes) => leafHash(nodeSha256, bytes));
  let last: { readonly size: number; readonly state: Parameters<typeof answerTo>[0] } | undefined;
  for (const each of truth.sizes(entries.slice(truth.acknowledged))) last = each;
  const reader: LogReader = {
    live: true,
    async get(path): Promise<Answer> {
      const of = (body: Uint8Array): Answer => ({ status: 200, body, logSize: undefined });
      if (path.startsWith('/tile/'))
        return of(tileOf(entries, leaves, parseTilePath(path.slice(1))));
      const blob = /^\/blob\/([0-9a-f]{64})$/.exec(path)?.[1];
      const kept = blob === undefined ? undefined : blobs.get(blob);
      if (kept !== undefined) return of(kept);
      const folded = last && answerTo(last.state, nodeSha256, path);
      if (folded !== undefined) {
        return { status: folded.status, body: folded.body, logSize: last?.size };
      }
      const { status, body, size } = await get(base, path);
      return { status: status === 200 ? 200 : 404, body, logSize: size };
    },
  };
  const verdict = await verify({ kind: 'log', reader }, OPEN_POLICY, {
    environment: nodeEnvironment(),
  });
  if (verdict.outcome === 'verified') return [];
  if (verdict.outcome === 'findings') {
    return verdict.findings.map(({ code, place, expected, found }) =>
      [code, place, expected, found].join(' | '),
    );
  }
  return [`${verdict.outcome} ${JSON.stringify(verdict).slice(0, 300)}`];
}
