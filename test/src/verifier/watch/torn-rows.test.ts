import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { MemoryViews } from '@assay/core/view/state';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { RowStore } from '@assay/verifier/verdict/environment';
import { openSession } from '@assay/verifier/subject/session';
import { openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { WatchedLog } from '@assay/verifier/watch/watched-log';
import { makeGround } from '../fixture/misdeeds.ts';
import { ENVIRONMENT, judgeSite, siteOf, siteReader } from '../fixture/published.ts';

/** How many reads or flushes are made to fail, one in each run. */
const FAILURES = 30;

const { published } = await makeGround();
const site = siteOf(published);
const head = parseCheckpoint(parseNote(published.checkpoint).text);

/** Places for rows, of which the read or the flush with a number fails, as on a disk that has an error once. */
class Disk {
  readonly #failing: { readonly read?: number; readonly flush?: number };
  reads = 0;
  flushes = 0;

  constructor(failing: { readonly read?: number; readonly flush?: number } = {}) {
    this.#failing = failing;
  }

  readonly rowStore = async (): Promise<RowStore> => {
    const views = new MemoryViews();
    const read = <T>(of: () => T): T => {
      this.reads += 1;
      if (this.reads === this.#failing.read) throw new Error('a read failed');
      return of();
    };
    return {
      get: (table, key) => read(() => views.get(table, key)),
      list: (table) => read(() => views.list(table)),
      descend: (table, below) => read(() => views.descend(table, below)),
      write: (writes) => views.write(writes),
      flush: () => {
        this.flushes += 1;
        const fails = this.flushes === this.#failing.flush;
        return fails ? Promise.reject(new Error('a write failed')) : undefined;
      },
      async *all() {},
      drop: () => Promise.resolve(),
    };
  };
}

async function begun(disk: Disk, reader: LogReader): Promise<WatchedLog> {
  const session = openSession(
    'log',
    OPEN_POLICY,
    () => Promise.resolve(undefined),
    { ...ENVIRONMENT, rowStore: disk.rowStore },
    { ...DEFAULT_LIMITS, folded_bytes: 0 },
    undefined,
    [],
  );
  const open = openCheckpoint(published.checkpoint, new Findings());
  assert.ok(open !== undefined);
  const watched = await WatchedLog.begin(session, reader, open, () => undefined);
  assert.ok(watched !== undefined);
  const now = 1_800_000_000;
  const shown = await watched.take(published.checkpoint, open, reader, now);
  assert.equal(shown.outcome, 'accepted');
  return watched;
}

/** Follows the log in two polls; the errors of each. */
async function followed(disk: Disk): Promise<readonly string[]> {
  const reader = siteReader(site);
  const watched = await begun(disk, reader);
  const errors: string[] = [];
  for (let poll = 0; poll < 2; poll += 1) {
    await watched.follow(head, reader).catch((error: Error) => errors.push(error.message));
    assert.deepEqual(watched.findings, [], 'the log is an honest one');
  }
  assert.equal(watched.walk.size, head.size);
  assert.equal(watched.pinOf(head)?.size, head.size);
  return errors;
}

/** Some of the numbers up to `count`, the last one among them. */
function* some(count: number): Generator<number> {
  const step = Math.max(1, Math.floor(count / FAILURES));
  for (let number = count; number > 0; number -= step) yield number;
}

test('torn rows: one row that cannot be read is no finding about the log, which is followed anew', async () => {
  const whole = new Disk();
  assert.deepEqual(await followed(whole), []);
  assert.ok(whole.reads > FAILURES);
  for (const read of some(whole.reads)) {
    assert.deepEqual(await followed(new Disk({ read })), ['a read failed'], `read ${read}`);
  }
});

test('torn rows: rows that cannot be written once are no finding about the log either', async () => {
  const whole = new Disk();
  await followed(whole);
  assert.ok(whole.flushes > FAILURES);
  for (const flush of some(whole.flushes)) {
    assert.deepEqual(await followed(new Disk({ flush })), ['a write failed'], `flush ${flush}`);
  }
});

test('torn rows: a walk that only waits for entries goes on from where it was', async () => {
  let isThere = false;
  const whole = siteReader(site);
  const reader: LogReader = {
    live: true,
    get: async (path) => {
      // The second bundle of entries, and the tile that they fill.
      if (!isThere && /^\/tile\/(entries|0)\/001/.test(path)) throw new Error('nobody answers');
      return await whole.get(path);
    },
  };
  const watched = await begun(new Disk(), reader);
  await assert.rejects(watched.follow(head, reader), /nobody answers/);
  const { walk } = watched;
  assert.equal(walk.size, 256);
  isThere = true;
  await watched.follow(head, reader);
  assert.equal(watched.walk, walk);
  assert.deepEqual([walk.size, watched.findings], [head.size, []]);
});

test('torn rows: a walk whose tiles were not compared with its entries begins anew', async () => {
  let isThere = false;
  const whole = siteReader(site);
  const reader: LogReader = {
    live: true,
    get: async (path) => {
      if (!isThere && path === '/tile/0/000') throw new Error('nobody answers');
      return await whole.get(path);
    },
  };
  const watched = await begun(new Disk(), reader);
  await assert.rejects(watched.follow(head, reader), /nobody answers/);
  const { walk } = watched;
  assert.equal(walk.size, 256);
  isThere = true;
  await watched.follow(head, reader);
  assert.notEqual(watched.walk, walk);
  assert.deepEqual([watched.walk.size, watched.findings], [head.size, []]);
});

test('torn rows: a verification that cannot read one of its rows finds nothing about the log', async () => {
  const judged = async (disk: Disk): Promise<string> => {
    const environment = { ...ENVIRONMENT, rowStore: disk.rowStore };
    return (await judgeSite(site, {}, { environment, limits: { folded_bytes: 0 } })).outcome;
  };
  const whole = new Disk();
  await judged(whole);
  for (const read of some(whole.reads)) {
    assert.notEqual(await judged(new Disk({ read })), 'findings', `read ${read}`);
  }
});
