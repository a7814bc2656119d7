import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { keysOf } from '@assay/core/view/key/keys';
import { MemoryViews } from '@assay/core/view/state';
import type { RowStore } from '@assay/verifier/verdict/environment';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { openSession } from '@assay/verifier/subject/session';
import { openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { WatchedLog } from '@assay/verifier/watch/watched-log';
import { ENVIRONMENT, publish, siteOf, siteReader } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();
const published = publish(log.entries, log.blobs, log.checkpoints);
const head = parseCheckpoint(parseNote(published.checkpoint).text);

/** How an address answers a question about a blob. */
type Blobs = 'there' | 'missing' | 'unreachable';

interface World {
  readonly watched: WatchedLog;
  readonly reader: LogReader;
  /** The places for rows that are there. */
  readonly open: Set<RowStore>;
  /** Each may be changed. */
  readonly set: { blobs: Blobs; drop: () => Promise<void> };
}

async function world(blobs: Blobs): Promise<World> {
  const open = new Set<RowStore>();
  const set = { blobs, drop: (): Promise<void> => Promise.resolve() };
  const rowStore = async (): Promise<RowStore> => {
    const views = new MemoryViews();
    const read = <T>(of: () => T): T => {
      if (!open.has(place)) throw new Error('the place is closed');
      return of();
    };
    const place: RowStore = {
      get: (table, key) => read(() => views.get(table, key)),
      list: (table) => read(() => views.list(table)),
      descend: (table, below) => read(() => views.descend(table, below)),
      write: (writes) => views.write(writes),
      flush: () => undefined,
      async *all() {},
      async drop() {
        open.delete(place);
        await set.drop();
      },
    };
    open.add(place);
    return place;
  };
  const whole = siteReader(siteOf(published));
  const reader: LogReader = {
    live: true,
    get: async (path) => {
      if (path.startsWith('/blob/') && set.blobs === 'unreachable') {
        throw new Error('nobody answers');
      }
      return await whole.get(path.startsWith('/blob/') && set.blobs === 'missing' ? '/' : path);
    },
  };
  const session = openSession(
    'log',
    OPEN_POLICY,
    () => Promise.resolve(undefined),
    { ...ENVIRONMENT, rowStore },
    { ...DEFAULT_LIMITS, folded_bytes: 0 },
    undefined,
    [],
  );
  const shown = openCheckpoint(published.checkpoint, new Findings());
  assert.ok(shown !== undefined);
  const watched = await WatchedLog.begin(session, reader, shown, () => undefined);
  assert.ok(watched !== undefined);
  return { watched, reader, open, set };
}

test('dropped rows: walks that were torn leave no place behind', async () => {
  const { watched, reader, open, set } = await world('unreachable');
  for (let poll = 0; poll < 4; poll += 1) {
    await assert.rejects(watched.follow(head, reader), /nobody answers/);
    assert.equal(open.size, 1);
  }
  set.blobs = 'there';
  await watched.follow(head, reader);
  assert.deepEqual([watched.walk.size, open.size], [head.size, 1]);
});

test('dropped rows: a place that cannot be removed keeps no log from being followed', async () => {
  for (const blobs of ['unreachable', 'missing'] as const) {
    const { watched, reader, set } = await world(blobs);
    await watched.follow(head, reader).catch(() => undefined);
    set.blobs = 'there';
    set.drop = () => Promise.reject(new Error('the folder is busy'));
    await watched.follow(head, reader);
    assert.deepEqual([watched.walk.size, watched.findings], [head.size, []], blobs);
  }
});

test('dropped rows: while a place is removed, the rows of the log can be read', async () => {
  for (const blobs of ['unreachable', 'missing'] as const) {
    const { watched, reader, set } = await world(blobs);
    await watched.follow(head, reader).catch(() => undefined);
    set.blobs = 'there';
    let readable = 0;
    set.drop = async () => {
      keysOf(watched.walk.views);
      readable += 1;
    };
    await watched.follow(head, reader);
    assert.equal(readable, 1, blobs);
  }
});
