import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { toHash } from '@assay/core/hash/hash';
import { formatHead, parseHead } from '@assay/core/view/head';
import { CheckedTiles } from '@assay/node/ledger/checked-tiles';
import {
  type ProofProgress,
  type ProofParts,
  proveRows,
  rowsAfter,
} from '@assay/node/ledger/derived/proof';
import { sumOf } from '@assay/node/ledger/store/sealed-row';
import { edgeOf } from '@assay/node/ledger/start';
import type { SealedRow } from '@assay/node/ledger/store/store';
import { loadTree } from '@assay/node/ledger/tree-reader';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { layoffsRule } from '../../../core/fixture/fixture.ts';
import {
  bound,
  contents,
  filledLedger,
  memoryPlace,
  type Place,
  sealed,
} from '../ledger-fixture.ts';

const SIZE = 602;

async function ruledLog(): Promise<Place> {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 600);
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  return place;
}

/** The parts of a proof of what is stored. */
async function partsOf({ store }: Place): Promise<ProofParts> {
  const tree = await loadTree(nodeSha256, store, SIZE);
  return {
    sha256: nodeSha256,
    store,
    tiles: new CheckedTiles(nodeSha256, store, edgeOf(tree)).read,
    head: { size: SIZE, root: tree.root() },
    sum: parseHead(nodeSha256, (await store.head()) as Uint8Array),
  };
}

async function viewsOf({ store }: Place): Promise<readonly SealedRow[]> {
  const rows: SealedRow[] = [];
  for await (const row of store.views()) rows.push(row);
  return rows;
}

test('proof: rows that the entries give are left alone', async () => {
  const place = await ruledLog();
  const before = await contents(place.store);
  const seen: ProofProgress[] = [];
  const found = await proveRows({
    ...(await partsOf(place)),
    onProgress: (progress) => {
      seen.push(progress);
      return Promise.resolve();
    },
  });
  assert.equal(found.rows, undefined);
  assert.equal(found.sum.rows, 3);
  assert.deepEqual(seen.at(-1), { done: SIZE - 1, size: SIZE });
  assert.equal(seen.length, SIZE);
  assert.deepEqual(await contents(place.store), before);
});

test('proof: rows that the entries do not give are replaced, with those beside them as they were', async () => {
  const place = await ruledLog();
  const own = sealed({ table: 'mirror', key: 'held', value: Buffer.from('1') });
  const rows = await viewsOf(place);
  const [log, ...others] = rows as [SealedRow, ...SealedRow[]];
  const sound = [log, own, ...others];
  const made = [own, ...others, sealed({ table: 'z', key: 'k', value: Buffer.from('1') })];
  const head = parseHead(nodeSha256, (await place.store.head()) as Uint8Array);
  const of = (all: readonly SealedRow[]): Uint8Array =>
    formatHead(nodeSha256, { ...head, ...sumOf(all) });
  await place.store.rewrite(SIZE, { views: sound, head: of(sound) });
  const expected = await contents(place.store);
  for (const most of [SIZE, SIZE - 1]) {
    await place.store.rewrite(SIZE, { views: made, head: of(made) });
    const parts = { ...(await partsOf(place)), beside: [own], most };
    const found = await proveRows(parts);
    assert.deepEqual([found.differs, found.rows], [true, undefined]);
    assert.deepEqual(found.sum, sumOf(sound));
    assert.deepEqual(await contents(place.store), expected);
    const again = await proveRows({ ...parts, sum: found.sum, checksStored: true });
    assert.deepEqual([again.differs, again.sum], [false, found.sum]);
  }
});

test('proof: rows that cannot be written are read where they were derived', async () => {
  const place = await ruledLog();
  const before = await contents(place.store);
  const readOnly = new Fault('no_room', 'ledger database');
  for (const most of [SIZE, SIZE - 1]) {
    const store = { ...bound(place.store), readOnly };
    const parts = { ...(await partsOf(place)), store, sum: undefined, most };
    const found = await proveRows(parts);
    assert.equal(found.differs, true);
    const rows = await rowsAfter(nodeSha256, store, found);
    assert.deepEqual([...rows.keys('rules/LAYOFFS')].length, 1);
    assert.deepEqual(
      [...rows.keys('tickers')].map((key) => rows.get('tickers', key)),
      (await viewsOf(place))
        .filter(({ table }) => table === 'tickers')
        .map(({ value }) => JSON.parse(Buffer.from(value).toString()) as unknown),
    );
    await rows.drop?.();
    assert.deepEqual(await contents(place.store), before);
  }
});

test('proof: a row whose key is not among the kept ones is in no list, and all are written again', async () => {
  const place = await ruledLog();
  const before = await contents(place.store);
  const parts = { ...(await partsOf(place)), checksStored: true };
  assert.equal((await proveRows(parts)).differs, false);
  const store = { ...place.store, hasKey: (table: string) => table !== 'tickers' };
  assert.equal((await proveRows({ ...parts, store })).differs, true);
  assert.deepEqual(await contents(place.store), before);
});

test('proof: a damaged or missing entry is named, and nothing is written', async () => {
  for (const seq of [0, 1, 255, 256, 600, 601]) {
    const place = await ruledLog();
    const parts = await partsOf(place);
    const bytes = Uint8Array.from((await place.store.entry(seq)) as Uint8Array);
    bytes[40] = (bytes[40] as number) ^ 1;
    await place.store.commit({ entries: [{ seq, bytes }], tiles: [], views: [], head: null });
    const before = await contents(place.store);
    const named = { name: 'Fault', code: 'ledger_corrupt', message: new RegExp(`entry ${seq}\\b`) };
    await assert.rejects(proveRows(parts), named);
    const gap = {
      ...place.store,
      async *entries(start: number, end: number) {
        let at = start;
        for await (const each of place.store.entries(start, end)) {
          if (at !== seq) yield each;
          at += 1;
        }
      },
    };
    await assert.rejects(proveRows({ ...parts, store: gap }), named);
    assert.deepEqual(await contents(place.store), before);
  }
});

test('proof: another root than the head’s is corrupt', async () => {
  const parts = await partsOf(await ruledLog());
  const head = { size: SIZE, root: toHash(new Uint8Array(32)) };
  await assert.rejects(proveRows({ ...parts, head }), { code: 'ledger_corrupt', message: /root/ });
});

test('proof: it ends with what its progress throws', async () => {
  const parts = await partsOf(await ruledLog());
  const onProgress = ({ done }: ProofProgress): undefined => {
    if (done === 300) throw new TypeError('enough');
  };
  await assert.rejects(proveRows({ ...parts, onProgress }), { name: 'TypeError' });
});
