import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Level } from 'level';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { benchLedger, ENTRY_BYTES, noteDraft } from './bench-ledger.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  rateFor,
  rateOf,
  ratioOf,
} from './contest.ts';
import { hypercorePeer } from './hypercore-peer.ts';
import { POSTGRES, postgresPeer, type PostgresPeer, type PostgresWay } from './postgres-peer.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const OURS = 'Assay ledger';
const ARRAY = 'level, an array';
const CHAIN = 'level, row by row';
const TRANSACTION: PostgresWay = 'transaction';
const STATEMENT: PostgresWay = 'statement';
const BATCHES = [1, 100, 1000] as const;
/** What share of raw `level` a batch of each size is to reach: given as an array, and row by row. */
const GOALS: Readonly<Record<(typeof BATCHES)[number], readonly [number | null, number | null]>> = {
  1: [null, null],
  100: [0.7, 0.5],
  1000: [0.85, 0.5],
};
/** Values in turn, so that nobody writes the same one again and again. */
const VALUES = 4000;

/** Who commits entries of 1 KB durably, a batch at a time, the next one when the one before is durable. */
export async function appendRows(options: ContestOptions): Promise<readonly Row[]> {
  const folder = await temporaryFolder('append');
  const postgres = await postgresPeer();
  try {
    const rows: Row[] = [];
    for (const batch of BATCHES) {
      const at = join(folder, String(batch));
      rows.push(...(await appendAtBatch(batch, at, postgres, options)));
    }
    return rows;
  } finally {
    if (typeof postgres !== 'string') await postgres.close();
    await removeFolder(folder);
  }
}

async function appendAtBatch(
  batch: (typeof BATCHES)[number],
  folder: string,
  postgres: PostgresPeer | string,
  options: ContestOptions,
): Promise<readonly Row[]> {
  const values = randomValues();
  const takeValues = inTurn(values, batch);
  const hypercore = await hypercorePeer(`${folder}-hypercore`, takeValues, batch);
  const contestants: Contestant[] = [
    await ours(`${folder}-ledger`, batch),
    await rawLevel(ARRAY, `${folder}-array`, takeValues, batch),
    await rawLevel(CHAIN, `${folder}-chain`, takeValues, batch),
  ];
  if (typeof hypercore !== 'string') contestants.push(hypercore);
  if (typeof postgres !== 'string') {
    for (const way of [TRANSACTION, STATEMENT] as const) {
      contestants.push(await postgres.log(way, takeValues, batch));
    }
  }
  const results = await contest(contestants, options);
  const [array, chain] = GOALS[batch];
  const what = `durable append, 1 KB entries, batches of ${batch}`;
  const row = (peer: string, name: string, goal: number | null): Row => ({
    what,
    unit: 'entries/s',
    ours: rateOf(results, OURS),
    peer,
    theirs: rateOf(results, name),
    ratio: ratioOf(results, OURS, name),
    goal,
  });
  const skipped = (peer: string, why: string): Row => ({ what, peer, skipped: why });
  return [
    row('raw `level`, `batch([...])` with `sync: true`', ARRAY, array),
    row('raw `level`, `batch().put()...write()` with `sync: true`', CHAIN, chain),
    typeof hypercore === 'string'
      ? skipped('hypercore 11', hypercore)
      : row('hypercore 11 and an fdatasync of its log', hypercore.name, null),
    ...(typeof postgres === 'string'
      ? [skipped(POSTGRES, postgres)]
      : [
          row(`${postgres.name}, BEGIN, UPDATE, INSERT, COMMIT`, TRANSACTION, 1),
          row(`${postgres.name}, all in one prepared statement`, STATEMENT, 1),
        ]),
  ];
}

/** Values of 1 KB, another one each. */
export function randomValues(): readonly Uint8Array[] {
  return Array.from({ length: VALUES }, () =>
    Buffer.from(randomBytes(ENTRY_BYTES).toString('base64').slice(0, ENTRY_BYTES)),
  );
}

/** Gives the next `count` of `values`, over and over. */
export function inTurn<T>(values: readonly T[], count: number): () => readonly T[] {
  let at = 0;
  return () => {
    const start = at;
    at = at + count >= values.length ? 0 : at + count;
    return values.slice(start, start + count);
  };
}

/** The whole pipeline: chain, tree, views, fsynced batch, signed checkpoint, fsynced head guard. */
async function ours(folder: string, batch: number): Promise<Contestant> {
  const store = await openLevelStore(folder);
  const guard = await FileHeadGuard.open(`${folder}.guard`);
  const ledger = await benchLedger({ store, guard });
  const takeDrafts = inTurn(Array.from({ length: VALUES }, noteDraft), batch);
  return {
    name: OURS,
    run: (ms) => rateFor(ms, batch, () => ledger.write(() => takeDrafts())),
    async close() {
      await ledger.close();
      await guard.close();
    },
  };
}

/** The same database with the same options, and nothing but the values. */
export async function rawLevel(
  name: string,
  folder: string,
  takeValues: () => readonly Uint8Array[],
  batch: number,
): Promise<Contestant> {
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    compression: false,
    writeBufferSize: 16 * 1024 * 1024,
  });
  await database.open();
  let seq = 0;
  const nextKey = (): Uint8Array => {
    const key = new Uint8Array(8);
    new DataView(key.buffer).setUint32(4, (seq += 1));
    return key;
  };
  const write = (): Promise<void> => {
    if (name === ARRAY) {
      const puts = takeValues().map((value) => ({ type: 'put' as const, key: nextKey(), value }));
      return database.batch(puts, { sync: true });
    }
    const writing = database.batch();
    for (const value of takeValues()) writing.put(nextKey(), value);
    return writing.write({ sync: true } as object);
  };
  return { name, run: (ms) => rateFor(ms, batch, write), close: () => database.close() };
}
