import { VerifyThreads } from '@assay/cli/process/verify-threads';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { answerTo, foldedPaths } from '@assay/core/answer/answer';
import { formatTilePath, parseEntryBundle, tilesOf, TILE_WIDTH } from '@assay/core/log/tile';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { benchLedger, noteDraft } from './bench-ledger.ts';
import { claimsLog, type ClaimsLog } from './claims-log.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  rateFor,
  rateOf,
  ratioOf,
} from './contest.ts';
import type { Row } from './row.ts';

const OURS = 'verify';
const LIMIT = 'sha256';
const NOTES = 30_000;
/** Notes in one append. */
const BATCH = 1000;
const WEEKS = 300;

/** A log in memory, as its server would give it. */
type Served = ReadonlyMap<string, Answer>;

export async function verifyRows(options: ContestOptions): Promise<readonly Row[]> {
  return [
    await verifyRow(`whole-log verification, ${NOTES} notes of 1 KB`, await notes(), 0.6, options),
    await verifyRow(
      'whole-log verification, reports and revisions, signatures, rules run again',
      await served(await claimsLog(WEEKS)),
      null,
      options,
    ),
  ];
}

async function notes(): Promise<Served> {
  const ledger = await benchLedger({
    store: await openMemoryStore(),
    guard: new MemoryHeadGuard(),
  });
  for (let done = 0; done < NOTES; done += BATCH) {
    await ledger.write(() => Array.from({ length: BATCH }, noteDraft));
  }
  return served({ ledger, blobs: undefined });
}

async function served({
  ledger,
  blobs,
}: {
  readonly ledger: Ledger;
  readonly blobs: ClaimsLog['blobs'] | undefined;
}): Promise<Served> {
  const answers = new Map<string, Answer>();
  const put = (path: string, body: Uint8Array, status = 200): void => {
    answers.set(path, { status, body, logSize: undefined });
  };
  const { published } = ledger;
  if (published === undefined) throw new Error('nothing is published');
  put('/checkpoint', published.note);
  for (const tile of tilesOf(published.size)) {
    put(`/${formatTilePath(tile)}`, (await ledger.tile(tile)) as Uint8Array);
  }
  for (const path of foldedPaths(ledger.shown, nodeSha256, Number.POSITIVE_INFINITY)) {
    const answer = answerTo(ledger.shown, nodeSha256, path);
    if (answer !== undefined) put(path, answer.body, answer.status);
  }
  if (blobs !== undefined) {
    for await (const hash of blobs.list()) {
      put(`/blob/${hash}`, (await blobs.get(hash)) as Uint8Array);
    }
  }
  return answers;
}

async function verifyRow(
  what: string,
  log: Served,
  goal: number | null,
  options: ContestOptions,
): Promise<Row> {
  const entries = entriesOf(log);
  const results = await contest([verifier(log, entries.length), hasher(entries)], options);
  return {
    what,
    unit: 'entries/s',
    ours: rateOf(results, OURS),
    peer: 'sha256 of its leaves and nodes alone, same hasher',
    theirs: rateOf(results, LIMIT),
    ratio: ratioOf(results, OURS, LIMIT),
    goal,
  };
}

function entriesOf(log: Served): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (const [path, { body }] of log) {
    const match = /^\/tile\/entries\/.*?(?:\.p\/(\d+))?$/.exec(path);
    if (match !== null) entries.push(...parseEntryBundle(body, Number(match[1] ?? TILE_WIDTH)));
  }
  return entries;
}

function verifier(log: Served, size: number): Contestant {
  const missing: Answer = { status: 404, body: new Uint8Array(0), logSize: undefined };
  const reader: LogReader = {
    live: false,
    get: (path) => Promise.resolve(log.get(path) ?? missing),
  };
  const threads = new VerifyThreads();
  const environment = nodeEnvironment(undefined, false, threads);
  const once = async (): Promise<void> => {
    const verdict = await verify({ kind: 'log', reader }, OPEN_POLICY, { environment });
    if (verdict.outcome !== 'verified' || verdict.log?.size !== size) {
      throw new Error(
        `the log does not verify: ${JSON.stringify(verdict, undefined, 1).slice(0, 500)}`,
      );
    }
  };
  return { name: OURS, run: (ms) => rateFor(ms, size, once), close: () => threads.close() };
}

/** One hash of every leaf, and one node hash less than there are leaves: what a tree cannot do without. */
function hasher(entries: readonly Uint8Array[]): Contestant {
  const inputs = entries.map((entry) => {
    const input = new Uint8Array(entry.length + 1);
    input.set(entry, 1);
    return input;
  });
  const node = new Uint8Array(65).fill(1);
  const once = (): Promise<void> => {
    for (const input of inputs) nodeSha256(input);
    for (let i = 1; i < inputs.length; i += 1) nodeSha256(node);
    return Promise.resolve();
  };
  return {
    name: LIMIT,
    run: (ms) => rateFor(ms, entries.length, once),
    close: () => Promise.resolve(),
  };
}
