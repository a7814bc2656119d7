import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { VerifyThreads } from '@assay/cli/process/verify-threads';
import { FILES_AT_ONCE, httpReader } from '@assay/cli/reader/http-reader';
import { KeptAnswers } from '@assay/cli/verify/kept-answers';
import { resumedVerdict } from '@assay/cli/verify/resumed-verdict';
import { VisitStore } from '@assay/cli/verify/visit-store';
import { answerTo, foldedPaths } from '@assay/core/answer/answer';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { Packs } from '@assay/node/blob/packs';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { benchLedger, noteDraft } from './bench-ledger.ts';
import { claimsLog, type ClaimsLog } from './claims-log.ts';
import { manyClaimsLog } from './many-claims-log.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

/** Milliseconds of each way over the link. */
const ONE_WAY_MS = 25;
const NOTES = 100_000;
const BATCH = 1000;
const WEEKS = 300;
/** Indexes, and weeks of each, that make about 100,000 entries and 140,000 blobs. */
const INDEXES = 250;
const MANY_WEEKS = 145;
const GOAL = 0.05;
/** A static copy has the answers about so many newest periods of each index. */
const REPORTS = 60;

/** A file of a log that is served, by its path. */
export type Files = ReadonlyMap<string, { readonly status: number; readonly body: Uint8Array }>;

/** What the thread of the server is given. */
export interface LinkTask {
  readonly files: Files;
  /** Milliseconds of each way. */
  readonly oneWayMs: number;
}

interface Visit {
  readonly what: string;
  readonly entries: number;
  readonly requests: number;
  readonly seconds: number;
}

/** What a verification asks for over a link of 50 ms, and how long it takes: once, and again with `--resume`. */
export async function linkSection(short: boolean): Promise<string> {
  const claims = await filesOf(await claimsLog(short ? 30 : WEEKS));
  const alone: Files = new Map([...claims].filter(([path]) => !path.startsWith('/pack/')));
  const packed = (files: Files): Files =>
    new Map([...files].filter(([path]) => !path.startsWith('/blob/')));
  const visits = [
    ...(await visitsTo('reports and revisions, blobs one by one', alone)),
    ...(await visitsTo('reports and revisions, blobs in packs', claims)),
    ...(await visitsTo(
      `reports and revisions of ${INDEXES} indexes, blobs in packs`,
      packed(await filesOf(await manyClaimsLog(INDEXES, short ? 4 : MANY_WEEKS))),
    )),
    ...(await visitsTo('notes', await notes(short ? NOTES / 10 : NOTES))),
  ];
  const rows = visits.map(({ what, entries, requests, seconds }) => {
    const each = requests / entries;
    return `| ${what} | ${entries.toLocaleString('en-US')} | ${requests.toLocaleString('en-US')} | ${each.toFixed(4)} | ${seconds.toFixed(1)} s |`;
  });
  return `## Verification over a link of ${2 * ONE_WAY_MS} ms

The server and the link are a thread beside the verifier. The goal at 100,000 entries is below ${GOAL} requests an entry, 60 s, and 5 s a day later. Each log is visited twice with one resume file. A
visit asks for the answers about each index and its newest periods, as of a copy on a host.

| log | entries | requests | for each entry | time |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

async function notes(count: number): Promise<Files> {
  const ledger = await benchLedger({
    store: await openMemoryStore(),
    guard: new MemoryHeadGuard(),
  });
  for (let done = 0; done < count; done += BATCH) {
    await ledger.write(() => Array.from({ length: BATCH }, noteDraft));
  }
  return filesOf({ ledger, blobs: new MemoryBlobStore() });
}

async function filesOf({
  ledger,
  blobs,
}: {
  readonly ledger: Ledger;
  readonly blobs: ClaimsLog['blobs'];
}): Promise<Files> {
  const files = new Map<string, { status: number; body: Uint8Array }>();
  const { published } = ledger;
  if (published === undefined) throw new Error('nothing is published');
  files.set('/checkpoint', { status: 200, body: published.note });
  for (const tile of tilesOf(published.size)) {
    const body = (await ledger.tile(tile)) as Uint8Array;
    files.set(`/${formatTilePath(tile)}`, { status: 200, body });
  }
  for (const path of foldedPaths(ledger.shown, nodeSha256, REPORTS)) {
    const answer = answerTo(ledger.shown, nodeSha256, path);
    if (answer !== undefined) files.set(path, answer);
  }
  for await (const hash of blobs.list()) {
    files.set(`/blob/${hash}`, { status: 200, body: (await blobs.get(hash)) as Uint8Array });
  }
  const packs = new Packs(nodeSha256, { tile: (each) => ledger.tile(each), blobs });
  for await (const { name, chunks } of packs.all(published.size)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of chunks()) pieces.push(piece);
    files.set(`/${name}`, { status: 200, body: Buffer.concat(pieces) });
  }
  return files;
}

/** Two visits to a log with one resume file. */
async function visitsTo(what: string, files: Files): Promise<readonly Visit[]> {
  const task: LinkTask = { files, oneWayMs: ONE_WAY_MS };
  const server = new Worker(new URL('link-server.js', import.meta.url), { workerData: task });
  const next = async (): Promise<number> => (await once(server, 'message'))[0] as number;
  const folder = await temporaryFolder('link');
  try {
    const url = `http://127.0.0.1:${await next()}`;
    const visits: Visit[] = [];
    for (const name of [what, `${what}, again`]) {
      const start = performance.now();
      const verdict = await visit(url, join(folder, 'resume'));
      const seconds = (performance.now() - start) / 1000;
      if (verdict.outcome !== 'verified') throw new Error(JSON.stringify(verdict).slice(0, 500));
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      server.postMessage('count');
      visits.push({ what: name, entries: verdict.log.size, requests: await next(), seconds });
    }
    return visits;
  } finally {
    await server.terminate();
    await removeFolder(folder);
  }
}

/** A visit as `assay verify --resume` makes it to a host of files. */
async function visit(url: string, resume: string): Promise<Verdict> {
  const threads = new VerifyThreads();
  const answers = await KeptAnswers.open(resume, url);
  try {
    return await resumedVerdict(
      { answers, visit: new VisitStore(`${resume}.visit`) },
      {
        log: { ...httpReader(url, undefined, FILES_AT_ONCE), live: false },
        chain: undefined,
      },
      ({ log: reader, memory }) =>
        verify({ kind: 'log', reader }, OPEN_POLICY, {
          environment: nodeEnvironment(undefined, false, threads),
          ...(memory === undefined ? {} : { memory }),
        }),
      { aborted: false },
    );
  } finally {
    await answers.close();
    await threads.close();
  }
}
