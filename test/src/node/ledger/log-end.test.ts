import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEntry } from '@assay/core/log/entry';
import { parseTime } from '@assay/core/time/time';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { EntryDraft } from '@assay/node/ledger/ledger';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import {
  entriesOf,
  filledLedger,
  GENESIS_DRAFT,
  genesisBody,
  memoryPlace,
  note,
  openAt,
  requireSound,
} from './ledger-fixture.ts';

import { closing, fault, requireServed, RULE } from './served-ledger.ts';

test('ledger: entries say the time that their drafts are made of', async () => {
  let now = parseTime('2026-07-01T00:00:00Z');
  const ledger = await openAt(await memoryPlace(), { now: () => now });
  await ledger.write(() => [GENESIS_DRAFT]);
  now += 5;
  await ledger.write(function* ({ at }) {
    now += 5;
    yield note(at);
    yield note(at);
  });
  for (const seq of [1, 2]) {
    const { at, body } = parseEntry((await ledger.entry(seq)) as Uint8Array);
    assert.deepEqual([at, body], ['2026-07-01T00:00:05Z', { text: at }]);
  }
  now -= 8;
  await ledger.write(({ at }) => [note(at)]);
  assert.equal(parseEntry((await ledger.entry(3)) as Uint8Array).at, '2026-07-01T00:00:05Z');
  assert.equal(ledger.nextSeq, 4);
});

test('ledger: drafts are made of all that was written before, and of those before them', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 2));
  const versions = (views: ViewState): number => ruleVersions(views, layoffsRule().ticker).length;
  const seen: number[] = [];
  const first = ledger.write(function* (tip) {
    seen.push(tip.seq, versions(tip.views));
    yield RULE;
    seen.push(tip.seq, versions(tip.views));
  });
  const second = ledger.write((tip) => {
    seen.push(tip.seq, versions(tip.views));
    return [note('second')];
  });
  assert.deepEqual(seen, [3, 0, 3, 1, 4, 1], 'at once, and in the order of the calls');
  assert.deepEqual([(await first)[0]?.seq, (await second)[0]?.seq], [3, 4]);
  assert.deepEqual(await ledger.write(() => []), []);
  assert.equal(ledger.nextSeq, 5);
  await requireSound(place.store, 5);
});

test('ledger: drafts that end in a throw leave no trace', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 2));
  const rows = (): unknown =>
    ['log', 'rules', 'rules/LAYOFFS'].map((table) => [...ledger.tip.list(table)]);
  const before = [rows(), ledger.nextSeq];
  const reason = new TypeError('no more drafts');
  for (const wrong of [
    function* () {
      yield RULE;
      throw reason;
    },
    () => {
      throw reason;
    },
  ]) {
    await assert.rejects(ledger.write(wrong), reason);
    assert.deepEqual([rows(), ledger.nextSeq], before);
  }
  let within: Promise<unknown> | undefined;
  await ledger.write(() => {
    within = assert.rejects(
      ledger.write(() => [note('within')]),
      TypeError,
    );
    return [note('around'), RULE];
  });
  await within;
  assert.equal(ledger.nextSeq, 5);
  await requireSound(place.store, 5);
});

const BAD_DRAFTS: readonly (readonly [string, EntryDraft, string])[] = [
  ['an unknown kind', { kind: 'question/2' as never, body: { text: 'x' } }, 'malformed'],
  ['a second genesis', GENESIS_DRAFT, 'malformed'],
  ['a body of another kind', { kind: 'rule/1', body: { text: 'x' } as never }, 'malformed'],
  ['a member too many', { kind: 'note/1', body: { text: 'x', more: 1 } as never }, 'malformed'],
  ['an empty text', note(''), 'malformed'],
  ['a body over the limit', note('€'.repeat(32_768)), 'too_large'],
  ['half a character', note('\ud800'), 'not_representable'],
];

for (const [name, bad, code] of BAD_DRAFTS) {
  test(`ledger: ${name} is refused with its neighbours, and leaves no trace`, async (t) => {
    const place = await memoryPlace();
    const ledger = closing(t, await filledLedger(place, 1));
    const before = await entriesOf(place.store);
    const commits = [...place.store.commits];
    await assert.rejects(
      ledger.write(() => [RULE, note('good'), bad, note('later')]),
      fault(code),
    );
    await ledger.idle();
    assert.equal(ledger.nextSeq, 2);
    assert.equal(ledger.blocked, undefined);
    assert.deepEqual(tickers(ledger.tip), []);
    assert.deepEqual(place.store.commits, commits);
    await requireServed(ledger, before, 2);
    await ledger.write(() => [RULE]);
    await requireSound(place.store, 3);
  });
}

test('ledger: genesis comes first and nothing else does', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await openAt(place));
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('malformed'),
  );
  await assert.rejects(
    ledger.write(() => [note('x'), GENESIS_DRAFT]),
    fault('malformed'),
  );
  await assert.rejects(
    ledger.write(() => [GENESIS_DRAFT, GENESIS_DRAFT]),
    fault('malformed'),
  );
  const wrong = genesisBody({ network: 'production' });
  await assert.rejects(
    ledger.write(() => [{ kind: 'genesis/1', body: wrong }]),
    fault('malformed'),
  );
  assert.equal(ledger.nextSeq, 0);
  assert.equal(ledger.log, undefined);
  assert.deepEqual(place.store.commits, []);
  await ledger.write(() => [GENESIS_DRAFT, note('x')]);
  await requireSound(place.store, 2);
});

test('ledger: a body that its caller changes later is not the log’s', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  const body = { rule: structuredClone(layoffsRule()) };
  const appended = ledger.write(() => [{ kind: 'rule/1', body }]);
  Reflect.set(body.rule, 'title', 'changed');
  await appended;
  Reflect.set(body.rule, 'title', 'changed again');
  await requireSound(place.store, 2);
  const again = await openAt(place);
  assert.deepEqual([...again.shown.list('rules/LAYOFFS')], [...ledger.shown.list('rules/LAYOFFS')]);
});

test('ledger: at never goes back, whatever the clock does', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 4_000_000_000 }), { minLength: 1, maxLength: 20 }),
      fc.nat(19),
      async (times, restart) => {
        const place = await memoryPlace();
        let now = times[0] as number;
        const clock = { now: () => now };
        let ledger = await openAt(place, clock);
        await ledger.write(() => [GENESIS_DRAFT]);
        for (const [i, time] of times.entries()) {
          now = time;
          if (i === restart) ledger = await openAt(place, clock);
          await ledger.write(() => [note('a'), note('b')]);
        }
        let highest = 0;
        for (const [i, bytes] of (await entriesOf(place.store)).entries()) {
          const at = parseTime(parseEntry(bytes).at);
          highest = Math.max(highest, times[Math.max(0, Math.floor((i - 1) / 2))] as number);
          assert.equal(at, highest, `entry ${i}`);
        }
      },
    ),
    { numRuns: 40 },
  );
  const place = await memoryPlace();
  const ledger = closing(t, await openAt(place, { now: () => Number.NaN }));
  await assert.rejects(ledger.write(() => [GENESIS_DRAFT]));
  assert.equal(ledger.nextSeq, 0);
});
