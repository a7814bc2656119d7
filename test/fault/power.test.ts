import assert from 'node:assert/strict';
import { cp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import type { SettlingLimits } from '@assay/node/ledger/guard/settling';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  CHECKPOINTS,
  entriesOf,
  GENESIS_DRAFT,
  note,
  NOON,
  requireSound,
  temporaryFolder,
} from '../src/node/ledger/ledger-fixture.ts';
import { RULE } from '../src/node/ledger/served-ledger.ts';
import { Dice } from './adversary/dice.ts';
import { LONG } from './told.ts';

const FAILURES = LONG ? 400 : 20;
const COMMITS = 300;
const PAGE = 4096;
const NEVER: SettlingLimits = { bytes: Infinity, ms: 1e9, mostBytes: Infinity };

async function openAt(
  folder: string,
  settling: SettlingLimits = NEVER,
): Promise<{ readonly ledger: Ledger; readonly store: LedgerStore }> {
  const store = await openLevelStore(join(folder, 'ledger'), { sync: false });
  const guard = await FileHeadGuard.open(join(folder, 'guard'), { sync: false });
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store,
    guard,
    signer: CHECKPOINTS,
    now: () => NOON,
    askHeads: null,
    settling,
  });
  return { ledger, store };
}

async function logOf(folder: string): Promise<string> {
  const [name] = (await readdir(join(folder, 'ledger'))).filter((each) => each.endsWith('.log'));
  return join(folder, 'ledger', name as string);
}

/** Takes of a file what was not synced, behind its first `synced` bytes. */
type Loss = (dice: Dice, path: string, synced: number, size: number) => Promise<void>;

const LOSSES: readonly Loss[] = [
  (dice, path, synced, size) => truncate(path, synced + dice.int(size - synced)),
  // Pages that were not written in a file that has its length.
  async (dice, path, synced, size) => {
    const file = await open(path, 'r+');
    try {
      for (let pages = dice.between(1, 3); pages > 0; pages -= 1) {
        const at = dice.int(size) & ~(PAGE - 1);
        const start = Math.max(at, synced);
        const length = Math.min(at + PAGE, size) - start;
        if (length > 0) await file.write(new Uint8Array(length), 0, length, start);
      }
    } finally {
      await file.close();
    }
  },
];

test(`power: ${FAILURES} times what was not synced of the database is lost, and every entry is found again`, async (t) => {
  const base = await temporaryFolder(t);
  const place = join(base, 'place');
  const { ledger, store } = await openAt(place);
  await ledger.write(() => [GENESIS_DRAFT]);
  const synced = (await stat(await logOf(place))).size;
  await ledger.write(() => [RULE]);
  for (let i = 0; i < COMMITS; i += 1) {
    await ledger.write(() =>
      Array.from({ length: i % 50 === 0 ? 60 : 1 }, (_, k) =>
        note('x'.repeat(1 + ((i * k) % 900))),
      ),
    );
  }
  const entries = await entriesOf(store);
  const failed = join(base, 'failed');
  await cp(place, failed, { recursive: true });
  await ledger.close();
  const dice = new Dice(`power ${Date.now()}`);
  const counts = { whole: 0, shorter: 0, holes: 0 };
  for (let i = 0; i < FAILURES; i += 1) {
    const at = join(base, `failure-${i}`);
    await cp(failed, at, { recursive: true });
    const path = await logOf(at);
    const lose = LOSSES[i % LOSSES.length] as Loss;
    await lose(dice, path, synced, (await stat(path)).size);
    const bare = await openLevelStore(join(at, 'ledger'), { sync: false });
    const left = (await entriesOf(bare)).length;
    const last = (await bare.entry(entries.length - 1)) !== undefined;
    await bare.close();
    if (left === entries.length) counts.whole += 1;
    else if (last) counts.holes += 1;
    else counts.shorter += 1;
    const again = await openAt(at);
    assert.equal(again.ledger.published?.size, entries.length, `${left} left`);
    assert.deepEqual(await entriesOf(again.store), entries);
    await again.ledger.write(() => [note('on')]);
    await requireSound(again.store, entries.length + 1);
    await again.ledger.close();
    await rm(at, { recursive: true });
  }
  assert.ok(counts.shorter > 0 && counts.holes > 0, JSON.stringify(counts));
  t.diagnostic(`${FAILURES} failures: ${JSON.stringify(counts)}`);
});
