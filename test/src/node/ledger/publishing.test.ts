import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { type Hash, toHash } from '@assay/core/hash/hash';
import { verifyConsistency } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { tickers } from '@assay/core/view/rules';
import type { ChangedTables } from '@assay/node/ledger/record';
import type { EntryDraft, Ledger, LedgerOptions } from '@assay/node/ledger/ledger';
import { shownAtStart } from '@assay/node/ledger/found-ledger';
import { type Published, Publishing } from '@assay/node/ledger/publishing';
import { type CommittedRows, NO_ROWS } from '@assay/node/ledger/store/layered-views';
import type { ProveConsistency, ShownNote, WitnessStage } from '@assay/node/ledger/witness-stage';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import {
  CHECKPOINTS,
  contents,
  filledLedger,
  Gate,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  type Place,
  turns,
} from './ledger-fixture.ts';

const RULE: EntryDraft = { kind: 'rule/1', body: { rule: layoffsRule() } };
const LINE = '— witness.example/w1 AAAAAAAA\n';
const LINE_BYTES = formatUtf8(LINE);

/** Witnesses of a test: silent or not, and slow while their gate is shut. */
class Stage implements WitnessStage {
  readonly required: number;
  readonly gate = new Gate();
  silent = false;
  /** Size of each head that was asked about. */
  readonly asked: number[] = [];
  readonly proofs: ProveConsistency[] = [];
  readonly kept: ShownNote;
  held: Uint8Array | undefined;
  keeping: Error | undefined;

  constructor(required: number) {
    this.required = required;
    this.kept = {
      read: () => Promise.resolve(this.held),
      write: (shown) => {
        if (this.keeping !== undefined) return Promise.reject(this.keeping);
        this.held = shown;
        return Promise.resolve();
      },
    };
  }

  readonly gather = async (
    own: Uint8Array,
    size: number,
    root: Hash,
    consistency: ProveConsistency,
  ): Promise<Uint8Array> => {
    this.asked.push(size);
    this.proofs.push(consistency);
    const head = CHECKPOINTS.open(own);
    assert.equal(head.size, size);
    assert.ok(equalBytes(head.root, root));
    await this.gate.pass();
    if (this.silent) throw new Fault('unreachable', 'witnesses');
    return Buffer.concat([own, LINE_BYTES]);
  };
}

async function open(
  t: TestContext,
  place: Place,
  stage: WitnessStage,
  change: Partial<LedgerOptions> = {},
): Promise<Ledger> {
  const ledger = await openAt(place, { witness: stage, ...change });
  t.after(() => ledger.close().catch(() => undefined));
  return ledger;
}

/** Entries that readers are shown; 0 for none. */
const shownSize = (ledger: Ledger): number => ledger.published?.size ?? 0;

const isWitnessed = (shown: Published | undefined): boolean =>
  shown !== undefined && Buffer.from(shown.note).toString().endsWith(LINE);

test('publishing: with witnesses required, readers are shown nothing before their lines', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(2);
  const published: Published[] = [];
  const ledger = await open(t, place, stage, { onPublish: (each) => published.push(each) });
  stage.gate.shut();
  const [receipt] = await ledger.write(() => [GENESIS_DRAFT]);
  assert.equal(receipt?.seq, 0, 'who appends is told when the guard holds it');
  assert.equal(shownSize(ledger), 0);
  assert.equal(ledger.newest?.size, 1);
  assert.equal(await ledger.entry(0), undefined);
  assert.equal(await ledger.tile({ level: 0, index: 0, width: 1 }), undefined);
  assert.deepEqual(published, []);
  stage.gate.open();
  await ledger.whenPublished(1);
  assert.equal(shownSize(ledger), 1);
  assert.ok(isWitnessed(ledger.published));
  assert.deepEqual(published, [ledger.published]);
  stage.gate.shut();
  await ledger.write(() => [RULE]);
  assert.deepEqual(tickers(ledger.tip), ['LAYOFFS']);
  assert.deepEqual(tickers(ledger.shown), []);
  assert.equal(shownSize(ledger), 1);
  assert.equal(await ledger.tile({ level: 0, index: 0, width: 2 }), undefined);
  stage.gate.open();
  await ledger.whenPublished(2);
  assert.deepEqual(tickers(ledger.shown), ['LAYOFFS']);
  assert.equal(published.length, 2);
});

test('publishing: nobody learns of an entry before the guard holds its head', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  place.guard.gate.shut();
  let told = false;
  const appended = ledger
    .write(() => [note('x')])
    .then(() => {
      told = true;
    });
  await turns();
  assert.equal(place.guard.gate.arrived, 1);
  assert.deepEqual([told, stage.asked], [false, [1]], 'no witness is asked before the guard');
  place.guard.gate.open();
  await appended;
  await ledger.whenPublished(2);
  assert.deepEqual(stage.asked, [1, 2]);
});

test('publishing: appends go on while witnesses are silent, and then the newest head is shown', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const seen: [number, ChangedTables][] = [];
  const ledger = await open(t, place, stage, {
    onPublish: ({ size }, tables) => seen.push([size, tables]),
  });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  stage.silent = true;
  await ledger.write(() => [RULE]);
  for (let i = 2; i < 300; i += 1) await ledger.write(() => [note(`${i}`)]);
  await ledger.askWitnesses();
  assert.equal(shownSize(ledger), 1);
  assert.equal(ledger.newest?.size, 300);
  assert.equal(stage.asked.at(-1), 300);
  stage.silent = false;
  await ledger.askWitnesses();
  assert.equal(shownSize(ledger), 300);
  assert.deepEqual(tickers(ledger.shown), ['LAYOFFS']);
  assert.deepEqual(
    seen.map(([size]) => size),
    [1, 300],
  );
  const tables = seen[1]?.[1];
  assert.ok(tables instanceof Set && tables.has('tickers'));
});

test('publishing: what is committed while one head is asked about is shown with the next', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  stage.gate.shut();
  await ledger.write(() => [note('asked about')]);
  await turns();
  await ledger.write(() => [RULE]);
  await ledger.write(() => [note('x')]);
  stage.gate.open();
  await ledger.whenPublished(2);
  assert.equal(shownSize(ledger), 2);
  assert.deepEqual(tickers(ledger.shown), [], 'only what that head has');
  await ledger.whenPublished(4);
  assert.deepEqual(stage.asked, [1, 2, 4]);
  assert.deepEqual(tickers(ledger.shown), ['LAYOFFS']);
});

test('publishing: what a head that was given up held is shown with a later one', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  stage.gate.shut();
  stage.silent = true;
  await ledger.write(() => [RULE]);
  await turns();
  await ledger.write(() => [note('x')]);
  stage.gate.open();
  await ledger.askWitnesses();
  assert.deepEqual(stage.asked, [1, 2, 3]);
  stage.silent = false;
  await ledger.write(() => [note('y')]);
  await ledger.whenPublished(4);
  assert.deepEqual(tickers(ledger.shown), ['LAYOFFS']);
});

test('publishing: a stage gets proofs for heads that are not shown, over tiles that fill', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  stage.silent = true;
  const heads = new Map<number, Hash>([[1, (ledger.published as Published).root]]);
  for (const count of [3, 252, 1, 200, 100]) {
    await ledger.write(() => Array.from({ length: count }, (_, i) => note(`${i}`)));
    heads.set(ledger.nextSeq, (ledger.newest as Published).root);
  }
  const prove = stage.proofs.at(-1) as ProveConsistency;
  const sizes = [...heads.keys()];
  assert.deepEqual(sizes, [1, 4, 256, 257, 457, 557]);
  for (const old of sizes) {
    for (const size of sizes.filter((each) => each >= old)) {
      const proof = await prove(old, size);
      verifyConsistency(
        nodeSha256,
        old,
        size,
        proof,
        heads.get(old) as Hash,
        heads.get(size) as Hash,
      );
    }
  }
});

test('publishing: with none required a head is shown at once and gains lines later', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(0);
  const published: number[] = [];
  const ledger = await open(t, place, stage, { onPublish: ({ size }) => published.push(size) });
  stage.gate.shut();
  await ledger.write(() => [GENESIS_DRAFT]);
  assert.equal(shownSize(ledger), 1);
  assert.ok(!isWitnessed(ledger.published));
  stage.gate.open();
  await ledger.askWitnesses();
  assert.ok(isWitnessed(ledger.published));
  stage.silent = true;
  await ledger.write(() => [note('x')]);
  assert.equal(shownSize(ledger), 2);
  await ledger.askWitnesses();
  assert.ok(!isWitnessed(ledger.published), 'the lines of another head are not its own');
  assert.deepEqual(published, [1, 2], 'lines alone are no publication');
});

test('publishing: lines of a head that is no longer the newest are not put on another', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(0);
  const ledger = await open(t, place, stage);
  stage.gate.shut();
  await ledger.write(() => [GENESIS_DRAFT]);
  await turns();
  await ledger.write(() => [note('x')]);
  const first = ledger.askWitnesses();
  stage.silent = false;
  stage.gate.open();
  await first;
  assert.ok(isWitnessed(ledger.published));
  const own = (ledger.published as Published).note.subarray(0, -LINE_BYTES.length);
  assert.equal(CHECKPOINTS.open(own).size, 2);
  assert.deepEqual(stage.asked, [1, 2]);
});

test('publishing: a stage that changes the note is not believed', async (t) => {
  const place = await memoryPlace();
  const other = await filledLedger(await memoryPlace(), 4);
  const stage: WitnessStage = {
    required: 1,
    gather: () => Promise.resolve((other.newest as Published).note),
  };
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.askWitnesses();
  assert.equal(shownSize(ledger), 0);
  assert.equal(ledger.blocked, undefined);
});

test('publishing: a restart shows what was shown before, and no more until the witnesses speak', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [note('seen')]);
  await ledger.whenPublished(2);
  stage.silent = true;
  await ledger.write(() => [RULE, note('unseen')]);
  await ledger.askWitnesses();
  await ledger.idle();
  const again = await open(t, place, stage);
  assert.equal(shownSize(again), 2);
  assert.ok(isWitnessed(again.published));
  assert.deepEqual(tickers(again.shown), []);
  assert.deepEqual(tickers(again.tip), ['LAYOFFS']);
  assert.equal(again.nextSeq, 4);
  assert.equal(await again.entry(2), undefined);
  await again.askWitnesses();
  assert.equal(shownSize(again), 2);
  stage.silent = false;
  await again.askWitnesses();
  assert.equal(shownSize(again), 4);
  assert.deepEqual(tickers(again.shown), ['LAYOFFS']);
  const third = await open(t, place, stage);
  assert.equal(shownSize(third), 4);
  assert.deepEqual(tickers(third.shown), ['LAYOFFS']);
});

test('publishing: a restart without what was shown shows nothing, and asks', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  await filledLedger(place, 2);
  stage.silent = true;
  const ledger = await open(t, place, stage);
  await ledger.askWitnesses();
  assert.deepEqual(stage.asked, [3]);
  assert.equal(shownSize(ledger), 0);
  stage.silent = false;
  await ledger.askWitnesses();
  assert.equal(shownSize(ledger), 3);
});

test('publishing: a note that is damaged is none; one ahead of the database refuses the start', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ahead = await filledLedger(await memoryPlace(), 5);
  await filledLedger(place, 2);
  stage.silent = true;
  stage.held = formatUtf8('no note');
  const ledger = await open(t, place, stage);
  assert.equal(shownSize(ledger), 0);
  stage.held = (ahead.newest as Published).note;
  const before = await contents(place.store);
  await assert.rejects(openAt(place, { witness: stage }), { name: 'Fault', code: 'ledger_behind' });
  assert.deepEqual(await contents(place.store), before);
});

test('publishing: what cannot be kept is not shown; it is tried again', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  stage.keeping = new Error('disk: ENOSPC');
  const ledger = await open(t, place, stage);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.askWitnesses();
  assert.equal(shownSize(ledger), 0);
  stage.keeping = undefined;
  await ledger.askWitnesses();
  assert.equal(shownSize(ledger), 1);
});

test('publishing: a closed ledger shows nothing more, and says so to who waits', async (t) => {
  const place = await memoryPlace();
  const stage = new Stage(1);
  const ledger = await open(t, place, stage);
  stage.gate.shut();
  await ledger.write(() => [GENESIS_DRAFT]);
  const waiting = ledger.whenPublished(1);
  const refused = assert.rejects(waiting, { name: 'Fault', code: 'read_only' });
  await turns();
  await ledger.close();
  await refused;
  stage.gate.open();
  await turns();
  assert.equal(shownSize(ledger), 0);
  assert.equal(stage.held, undefined);
  await assert.rejects(ledger.whenPublished(1), { name: 'Fault', code: 'read_only' });
});

test('publishing: rows of heads that are never shown by themselves are given up', async () => {
  const dropped: string[] = [];
  const rows = (name: string): CommittedRows => ({
    ...NO_ROWS,
    drop: () => {
      dropped.push(name);
      return Promise.resolve();
    },
  });
  const head = (size: number): Published => ({
    size,
    root: toHash(new Uint8Array(32)),
    note: Uint8Array.of(size),
  });
  const publishing = new Publishing(
    {
      witness: { required: 1, gather: (own) => Promise.resolve(own) } as WitnessStage,
      prove: () => Promise.resolve([]),
      onPublish: undefined,
    },
    rows('committed before'),
  );
  publishing.restore(head(5), { head: head(3), rows: rows('shown before') }, rows('signed'));
  publishing.takeUp(rows('committed'), head(7));
  assert.deepEqual(dropped, ['signed'], 'a newer head has taken its place');
  await publishing.ask();
  assert.equal(publishing.published?.size, 7);
  assert.deepEqual(dropped, ['signed', 'shown before']);
});

test('publishing: at a start the rows of an older head are derived only where witnesses are required', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 9);
  let reads = 0;
  const store = {
    ...place.store,
    entries: (start: number, end: number) => {
      reads += 1;
      return place.store.entries(start, end);
    },
  };
  const kept = { size: 4, root: toHash(new Uint8Array(32)), note: Uint8Array.of(4) };
  const shown = (required: number): ReturnType<typeof shownAtStart> => {
    const options = { sha256: nodeSha256, store, witness: new Stage(required) };
    return shownAtStart(options as unknown as LedgerOptions, kept as never, 10);
  };
  assert.equal(await shown(0), undefined);
  assert.equal(reads, 0);
  const found = await shown(1);
  assert.deepEqual([...(found?.rows?.keys('log') ?? [])], ['genesis']);
  assert.equal(reads, 1);
});
