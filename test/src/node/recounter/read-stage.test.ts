import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import type { Read } from '@assay/core/report/report';
import { toDate } from '@assay/core/time/time';
import type { Ticker } from '@assay/core/rule/ticker';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { FileReadStore } from '@assay/node/recounter/read-store';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { readStage } from '@assay/node/recounter/read-stage';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

const RULE = toHashHex('ab'.repeat(32));
const TICKER = 'LAYOFFS' as Ticker;

function read(snapshot: HashHex): Read {
  return {
    provider: 'dol',
    outcome: 'value',
    value: '1',
    released_on: null,
    snapshot,
    why: null,
  } as unknown as Read;
}

test('read stage: a file of reads that is damaged, and bytes that one names and that are gone', async (t) => {
  const folder = await temporaryFolder(t);
  const reads = await FileReadStore.open(folder, { sync: false });
  const blobs = new MemoryBlobStore();
  const kept = await blobs.put(Buffer.from('no manifest'));
  const gone = toHashHex('cd'.repeat(32));
  const sets = new Map([
    ['2026-07-04', kept],
    ['2026-07-11', gone],
  ]);
  const stored = {
    list: async () => [...sets.keys()].map((day) => [TICKER, toDate(day)] as const),
    of: async (_: Ticker, day: string) => [{ rule: RULE, reads: [read(sets.get(day) as HashHex)] }],
  };
  const damage = new DamageLog(() => NOON);
  const run = async (from: Pick<FileReadStore, 'list' | 'of'>): Promise<readonly string[]> => {
    for await (const { share } of readStage({ reads: from, blobs, damage }).steps('')) {
      assert.ok(share <= 1);
    }
    return damage.openList.map(({ part, name, state }) => `${part} ${name} ${state}`);
  };
  assert.deepEqual(await run(stored), [`blob ${gone} missing`]);
  sets.delete('2026-07-11');
  damage.whole('blob', gone);
  assert.deepEqual(await run(stored), []);
  await reads.keep(TICKER, toDate('2026-07-18'), { rule: RULE, reads: [] });
  assert.deepEqual(await run(reads), []);
  await writeFile(join(folder, TICKER, '2026-07-18.json'), '{');
  assert.deepEqual(await run(reads), ['read LAYOFFS/2026-07-18 damaged']);
});
