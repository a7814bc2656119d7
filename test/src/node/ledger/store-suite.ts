import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LedgerStore, SealedRow, StoreBatch, TileRow } from '@assay/node/ledger/store/store';
import { rowsOf, sealed } from './ledger-fixture.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function batch(parts: {
  readonly entries?: readonly (readonly [number, string])[];
  readonly tiles?: readonly (readonly [number, number, string])[];
  readonly views?: readonly (readonly [string, string, string])[];
  readonly head: string;
}): StoreBatch {
  return {
    entries: (parts.entries ?? []).map(([seq, text]) => ({ seq, bytes: bytes(text) })),
    tiles: (parts.tiles ?? []).map(([level, index, text]) => tile(level, index, text)),
    views: (parts.views ?? []).map(([table, key, text]) => view(table, key, text)),
    head: bytes(parts.head),
  };
}

function tile(level: number, index: number, text: string): TileRow {
  return { level, index, bytes: bytes(text) };
}

function view(table: string, key: string, text: string): SealedRow {
  return sealed({ table, key, value: bytes(text) });
}

function textOf(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString();
}

async function range(store: LedgerStore, start: number, end: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entry of store.entries(start, end)) found.push(textOf(entry) as string);
  return found;
}

async function viewsOf(store: LedgerStore): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for await (const { table, key, value } of store.views()) {
    found.push([table, key, textOf(value) as string]);
  }
  return found;
}

/** Every row in words, in the order in which `rows` gives them. */
async function told(store: LedgerStore): Promise<readonly string[]> {
  return (await rowsOf(store)).map((row) => {
    switch (row.part) {
      case 'entry':
        return `entry ${row.seq} ${textOf(row.bytes)}`;
      case 'tile':
        return `tile ${row.level}/${row.index} ${textOf(row.bytes)}`;
      case 'view':
        return `view ${row.table} ${row.key} ${textOf(row.value)}`;
      case 'head':
        return `head ${textOf(row.bytes)}`;
      case 'unknown':
        return `unknown ${Buffer.from(row.key).toString('hex')}`;
    }
  });
}

/** What every ledger store does. `make` gives an empty one. */
export function storeSuite(name: string, make: (t: TestContext) => Promise<LedgerStore>): void {
  const open = async (t: TestContext): Promise<LedgerStore> => {
    const store = await make(t);
    t.after(() => store.close());
    return store;
  };

  test(`${name}: an empty store has nothing`, async (t) => {
    const store = await open(t);
    assert.equal(await store.head(), undefined);
    assert.equal(await store.entry(0), undefined);
    assert.equal(await store.tile(0, 0), undefined);
    assert.deepEqual(await range(store, 0, 10), []);
    assert.deepEqual(await viewsOf(store), []);
    assert.deepEqual(await told(store), []);
  });

  test(`${name}: what a commit wrote is there, each part by its own key`, async (t) => {
    const store = await open(t);
    await store.commit(
      batch({
        entries: [
          [0, 'zero'],
          [1, ''],
        ],
        tiles: [
          [0, 0, 'tile'],
          [1, 0, 'above'],
        ],
        views: [
          ['log', 'genesis', '{}'],
          ['periods/A', '2026-07-25', '{"a":1}'],
        ],
        head: 'first',
      }),
    );
    assert.equal(textOf(await store.head()), 'first');
    assert.equal(textOf(await store.entry(0)), 'zero');
    assert.equal(textOf(await store.entry(1)), '');
    assert.equal(await store.entry(2), undefined);
    assert.equal(textOf(await store.tile(0, 0)), 'tile');
    assert.equal(textOf(await store.tile(1, 0)), 'above');
    assert.equal(await store.tile(0, 1), undefined);
    assert.deepEqual(await viewsOf(store), [
      ['log', 'genesis', '{}'],
      ['periods/A', '2026-07-25', '{"a":1}'],
    ]);
    assert.deepEqual(await told(store), [
      'entry 0 zero',
      'entry 1 ',
      'head first',
      'tile 0/0 tile',
      'tile 1/0 above',
      'view log genesis {}',
      'view periods/A 2026-07-25 {"a":1}',
    ]);
  });

  test(`${name}: opened anew it has what was committed, and takes more; reads wait meanwhile`, async (t) => {
    const store = await open(t);
    await store.commit(batch({ entries: [[0, 'a']], head: 'one' }));
    const reopened = store.reopen();
    const [head, entry] = await Promise.all([store.head(), store.entry(0), reopened]);
    assert.deepEqual([textOf(head), textOf(entry)], ['one', 'a']);
    assert.equal(store.readOnly, undefined);
    await store.settle();
    await store.commit(batch({ entries: [[1, 'b']], head: 'two' }));
    assert.deepEqual(await range(store, 0, 9), ['a', 'b']);
  });

  test(`${name}: a commit without a sync is there as well, and a sync after it changes nothing`, async (t) => {
    const store = await open(t);
    await store.commit(batch({ entries: [[0, 'a']], head: 'one' }), { sync: false });
    await store.sync();
    await store.commit(batch({ entries: [[1, 'b']], head: 'two' }), { sync: false });
    assert.deepEqual(await range(store, 0, 9), ['a', 'b']);
    assert.equal(textOf(await store.head()), 'two');
    await store.sync();
  });

  test(`${name}: the newest head and view rows count`, async (t) => {
    const store = await open(t);
    await store.commit(batch({ entries: [[0, 'a']], views: [['t', 'k', '1']], head: 'one' }));
    await store.commit(
      batch({
        entries: [[1, 'b']],
        views: [
          ['t', 'k', '2'],
          ['t', 'l', '3'],
        ],
        head: 'two',
      }),
    );
    assert.deepEqual(await told(store), [
      'entry 0 a',
      'entry 1 b',
      'head two',
      'view t k 2',
      'view t l 3',
    ]);
  });

  test(`${name}: entries come by number, also past one, two and four bytes of it`, async (t) => {
    const store = await open(t);
    const seqs = [0, 1, 9, 10, 255, 256, 257, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
    const shuffled = [...seqs].sort((a, b) => (a % 7) - (b % 7) || a - b);
    await store.commit(batch({ entries: shuffled.map((seq) => [seq, `${seq}`]), head: 'h' }));
    assert.deepEqual(await range(store, 0, 2 ** 53 - 1), seqs.slice(0, -1).map(String));
    assert.deepEqual(await range(store, 255, 257), ['255', '256']);
    assert.deepEqual(await range(store, 2 ** 32 - 1, 2 ** 32 + 1), [
      `${2 ** 32 - 1}`,
      `${2 ** 32}`,
    ]);
    for (const seq of seqs) assert.equal(textOf(await store.entry(seq)), `${seq}`);
    const listed = (await told(store)).filter((row) => row.startsWith('entry'));
    assert.deepEqual(
      listed,
      seqs.map((seq) => `entry ${seq} ${seq}`),
    );
  });

  test(`${name}: a range ends where the store ends, and may be empty`, async (t) => {
    const store = await open(t);
    const entries = Array.from({ length: 5 }, (_, i) => [i, `e${i}`] as const);
    await store.commit(batch({ entries, head: 'h' }));
    assert.deepEqual(await range(store, 0, 5), ['e0', 'e1', 'e2', 'e3', 'e4']);
    assert.deepEqual(await range(store, 3, 100), ['e3', 'e4']);
    assert.deepEqual(await range(store, 2, 3), ['e2']);
    for (const [start, end] of [
      [5, 6],
      [2, 2],
      [3, 2],
      [0, 0],
    ] as const) {
      assert.deepEqual(await range(store, start, end), []);
    }
  });

  test(`${name}: tiles by level and number, in that order`, async (t) => {
    const store = await open(t);
    await store.commit(
      batch({
        tiles: [
          [1, 0, 'a'],
          [0, 256, 'b'],
          [0, 2, 'c'],
          [5, 65_536, 'd'],
          [0, 2 ** 33, 'e'],
        ],
        head: 'h',
      }),
    );
    assert.equal(textOf(await store.tile(0, 2)), 'c');
    assert.equal(textOf(await store.tile(5, 65_536)), 'd');
    assert.equal(await store.tile(5, 0), undefined);
    assert.deepEqual(await told(store), [
      'head h',
      'tile 0/2 c',
      'tile 0/256 b',
      `tile 0/${2 ** 33} e`,
      'tile 1/0 a',
      'tile 5/65536 d',
    ]);
  });

  test(`${name}: view rows by table and key; neighbours do not run into each other`, async (t) => {
    const store = await open(t);
    await store.commit(
      batch({
        views: [
          ['ab', 'c', '1'],
          ['a', 'bc', '2'],
          ['a', '', '3'],
          ['a/b', '2026-07-25', '4'],
          ['é', 'ü', '5'],
        ],
        head: 'h',
      }),
    );
    assert.deepEqual(await viewsOf(store), [
      ['a', '', '3'],
      ['a', 'bc', '2'],
      ['a/b', '2026-07-25', '4'],
      ['ab', 'c', '1'],
      ['é', 'ü', '5'],
    ]);
  });

  test(`${name}: a commit that cannot be written writes nothing of itself`, async (t) => {
    const store = await open(t);
    await store.commit(batch({ entries: [[0, 'a']], views: [['t', 'k', '1']], head: 'one' }));
    const before = await told(store);
    const bad = batch({ entries: [[1, 'b']], views: [['t', 'k', '2']], head: 'two' });
    await assert.rejects(store.commit({ ...bad, head: undefined as never }));
    assert.deepEqual(await told(store), before);
  });

  test(`${name}: a reader sees a commit whole or not at all`, async (t) => {
    const store = await open(t);
    let done = false;
    const writer = (async () => {
      for (let size = 1; size <= 60; size += 1) {
        const views = [['sizes', 'now', `${size}`]] as const;
        await store.commit(batch({ entries: [[size - 1, 'e']], views, head: `${size}` }));
      }
      done = true;
    })();
    let reads = 0;
    const writing = (): boolean => !done;
    while (writing()) {
      const rows = await told(store);
      const entries = rows.filter((row) => row.startsWith('entry')).length;
      if (entries > 0) {
        assert.ok(rows.includes(`head ${entries}`), `${entries} entries, ${rows.at(-2)}`);
        assert.ok(rows.includes(`view sizes now ${entries}`));
      }
      reads += 1;
    }
    await writer;
    assert.ok(reads > 0);
  });

  test(`${name}: a rewrite drops entries from a size on, and all other tiles and views`, async (t) => {
    const store = await open(t);
    await store.commit(
      batch({
        entries: Array.from({ length: 300 }, (_, i) => [i, `e${i}`] as const),
        tiles: [
          [0, 0, 'old'],
          [0, 1, 'gone'],
        ],
        views: [
          ['t', 'gone', '1'],
          ['t', 'stays', '2'],
        ],
        head: 'old',
      }),
    );
    await store.rewrite(2, {
      tiles: [tile(0, 0, 'new')],
      views: [view('t', 'stays', '2'), view('u', 'new', '3')],
      head: bytes('new'),
    });
    const after = [
      'entry 0 e0',
      'entry 1 e1',
      'head new',
      'tile 0/0 new',
      'view t stays 2',
      'view u new 3',
    ];
    assert.deepEqual(await told(store), after);
    await store.rewrite(2, {
      tiles: [tile(0, 0, 'new')],
      views: [view('t', 'stays', '2'), view('u', 'new', '3')],
      head: bytes('new'),
    });
    assert.deepEqual(await told(store), after, 'again, the same');
    await store.commit(batch({ entries: [[2, 'next']], head: 'next' }));
    assert.equal(textOf(await store.entry(2)), 'next');
    await store.rewrite(0, { tiles: [], views: [], head: bytes('none') });
    assert.deepEqual(await told(store), ['head none']);
  });

  test(`${name}: during a rewrite every row that is among both can be read`, async (t) => {
    const store = await open(t);
    // More than what is written at once, so that a reader sees the middle of it.
    const large = 'x'.repeat(500_000);
    const names = Array.from({ length: 30 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    const old = names.map((key) => ['t', key, `old ${large}`] as const);
    await store.commit(
      batch({ entries: [[0, 'a']], views: [...old, ['t', 'k05x', 'gone']], head: 'h' }),
    );
    const made = async function* (): AsyncGenerator<SealedRow> {
      for (const [i, key] of names.entries()) {
        yield view('t', key, `new ${large}`);
        const found = names.map((each) => textOf(store.view('t', each)?.value));
        assert.ok(
          found.every((text) => text?.endsWith(large) === true),
          `after ${i} rows`,
        );
      }
    };
    await store.rewrite(1, { views: made(), head: bytes('h2') });
    for (const key of names) assert.equal(textOf(store.view('t', key)?.value), `new ${large}`);
    assert.equal(store.view('t', 'k05x'), undefined);
  });

  test(`${name}: a rewrite takes rows in the order of their keys alone`, async (t) => {
    const store = await open(t);
    await store.commit(batch({ entries: [[0, 'a']], views: [['t', 'k', '1']], head: 'h' }));
    for (const views of [
      [view('u', 'a', '1'), view('t', 'a', '1')],
      [view('t', 'a', '1'), view('t', 'a', '1')],
      // By their UTF-8, not by their UTF-16.
      [view('t', '\u{1f600}', '1'), view('t', '\uffee', '1')],
    ]) {
      await assert.rejects(store.rewrite(1, { views, head: bytes('h') }), TypeError);
    }
    const views = [view('t', '\uffee', '1'), view('t', '\u{1f600}', '1')];
    await store.rewrite(1, { views, head: bytes('h') });
    assert.equal(textOf(store.view('t', '\u{1f600}')?.value), '1');
  });

  test(`${name}: a rewrite that cannot be written changes nothing`, async (t) => {
    const store = await open(t);
    await store.commit(
      batch({ entries: [[0, 'a']], tiles: [[0, 0, 't']], views: [['t', 'k', '1']], head: 'h' }),
    );
    const before = await told(store);
    await assert.rejects(store.rewrite(0, { tiles: [], views: [], head: undefined as never }));
    assert.deepEqual(await told(store), before);
  });

  test(`${name}: entries of the largest size, thousands at once`, async (t) => {
    const store = await open(t);
    const largest = new Uint8Array(65_535).fill(7);
    const entries = Array.from({ length: 2000 }, (_, seq) => ({
      seq,
      bytes: seq % 100 === 0 ? largest : bytes(`${seq}`),
    }));
    await store.commit({ entries, tiles: [], views: [], head: bytes('h') });
    let seq = 0;
    for await (const entry of store.entries(0, 2000)) {
      assert.equal(entry.length, entries[seq]?.bytes.length);
      seq += 1;
    }
    assert.equal(seq, 2000);
    const got = (await store.entry(100)) as Uint8Array;
    assert.ok(largest.every((byte, i) => got[i] === byte));
  });

  test(`${name}: once closed it takes and gives nothing; a second close does nothing`, async (t) => {
    const store = await make(t);
    await store.commit(batch({ entries: [[0, 'a']], head: 'h' }));
    await store.close();
    await store.close();
    await assert.rejects(store.commit(batch({ head: 'i' })));
    await assert.rejects(store.head());
    await assert.rejects(store.entry(0));
    await assert.rejects(range(store, 0, 1));
  });
}
