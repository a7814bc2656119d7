import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { parseTime } from '@assay/core/time/time';
import { MemoryViews } from '@assay/core/view/state';
import type { RowStore } from '@assay/verifier/verdict/environment';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { DEFAULT_GRACE_S } from '@assay/verifier/watch/cross-check';
import { Watch } from '@assay/verifier/watch/watch';
import { ABOUT, ownSite } from '../fixture/cosigner-log.ts';
import { type LooseDraft, noteDraft } from '../fixture/forge.ts';
import {
  draftsOf,
  ENVIRONMENT,
  genesisLog,
  type Site,
  siteOf,
  siteReader,
} from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const HERE = 'https://publisher.example';
const THERE = 'https://ada.example';

/** Places for rows, whose reads fail once `error` is set and so many more have succeeded. */
class Disk {
  error: Error | undefined;
  left = 0;
  reads = 0;

  readonly rowStore = async (): Promise<RowStore> => {
    const views = new MemoryViews();
    const read = <T>(of: () => T): T => {
      this.reads += 1;
      if (this.error !== undefined && (this.left -= 1) < 0) throw this.error;
      return of();
    };
    return {
      get: (table, key) => read(() => views.get(table, key)),
      list: (table) => read(() => views.list(table)),
      descend: (table, below) => read(() => views.descend(table, below)),
      write: (writes) => views.write(writes),
      flush: () => undefined,
      async *all() {},
      drop: () => Promise.resolve(),
    };
  };
}

function watchOf(world: ReadonlyMap<string, Site>, disk: Disk): Watch {
  return new Watch({
    urls: [...world.keys()],
    readerOf: (url) => siteReader(world.get(url) ?? new Map()),
    policy: OPEN_POLICY,
    kept: () => [],
    keptAddress: () => undefined,
    environment: { ...ENVIRONMENT, rowStore: disk.rowStore },
    limits: { ...DEFAULT_LIMITS, folded_bytes: 0 },
    now: () => parseTime('2026-11-01T00:00:00Z' as never),
    graceS: DEFAULT_GRACE_S,
    within: (work) => work({ aborted: false }),
  });
}

test('rows that cannot be read are told in the poll, and neither end the watch nor are findings', async () => {
  const world = new Map([
    [HERE, siteOf(ABOUT.published)],
    [THERE, ownSite('ada')],
  ]);
  const disk = new Disk();
  const watch = watchOf(world, disk);
  const first = await watch.poll();
  assert.deepEqual([first.missed, first.crossed.length], [[], 1]);
  const before = disk.reads;
  const again = await watch.poll();
  assert.deepEqual(again, { ...first, seen: again.seen });
  const reads = disk.reads - before;
  const known = new Set(first.findings.map((each) => JSON.stringify(each)));
  const errors = [new Error('EIO'), new Fault('storage_failed', 'temporary rows')];
  const step = Math.max(1, Math.floor(reads / 40));
  for (let left = 0; left < reads; left += step) {
    disk.error = errors[(left / step) % 2];
    disk.left = left;
    const poll = await watch.poll();
    assert.notDeepEqual(poll.missed, [], `after ${left} reads`);
    const others = poll.findings.filter((each) => !known.has(JSON.stringify(each)));
    assert.deepEqual(others, [], `after ${left} reads`);
  }
  disk.error = undefined;
  const last = await watch.poll();
  assert.deepEqual(last, { ...first, seen: last.seen });
});

test('who cannot be looked up for what it leaves out is not silent', async () => {
  const log = await sampleLog();
  const drafts = draftsOf(log.entries).map((draft) => structuredClone(draft));
  const rule = drafts.find(({ kind }) => kind === 'rule/1') as LooseDraft;
  rule.body['rule'].network = 'production';
  rule.at = '2026-09-01T00:00:00Z';
  const late = noteDraft('2026-09-02T00:00:00Z');
  const world = new Map([[HERE, siteOf(genesisLog('assay.example/log', {}, [rule, late]))]]);
  const disk = new Disk();
  const watch = watchOf(world, disk);
  const first = await watch.poll();
  assert.equal(first.findings.length > 0, true);
  disk.error = new Fault('no_room', 'temporary rows');
  const poll = await watch.poll();
  assert.deepEqual(poll.findings, []);
  assert.deepEqual(poll.missed, [
    { url: HERE, reason: 'its reports could not be compared: temporary rows' },
  ]);
  disk.error = undefined;
  assert.deepEqual((await watch.poll()).findings, first.findings);
});
