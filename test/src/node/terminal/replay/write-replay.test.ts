import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import { groupOf } from '@assay/core/kind/event-group';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import { formatTime, parseTime } from '@assay/core/time/time';
import { HeldEntries } from '@assay/node/terminal/replay/held-entries';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { ReplayStep } from '@assay/node/terminal/replay/replay-steps';
import type { ReplayPlace } from '@assay/node/terminal/replay/write-replay';
import {
  ALL,
  FROM,
  market,
  MemoryPlace,
  over,
  RULE,
  SECOND_RULE,
  stepsOf,
  THIRTEEN,
} from '../replay-world.ts';

const TICKS = 160;

test('write replay: twice gives the same root, with every kind of entry in its order', async (t) => {
  const root = await market(t, 34 * 96);
  const steps = await stepsOf(root);
  const place = await MemoryPlace.make();
  const end = await place.write(steps);
  const again = await (await MemoryPlace.make()).write(await stepsOf(root));
  assert.deepEqual(again, end);
  assert.equal(end.appended, end.size);
  assert.equal(end.entries, end.size);
  const kinds = await place.kinds();
  assert.deepEqual(kinds.slice(0, 3), ['genesis/1', 'score-rule/1', 'asset/1']);
  assert.equal(kinds.filter((kind) => kind === 'asset/1').length, 4);
  for (const kind of ['tick/1', 'event/1', 'event-close/1', 'receipt/1', 'benchmark/1']) {
    assert.ok(kinds.includes(kind), kind);
  }
  for (const step of steps) {
    const named = namedBlobs(step);
    assert.deepEqual(
      step.blobs.map((blob) => hashHex(contentHash(nodeSha256, blob))),
      named,
    );
    for (const hash of named) assert.ok(await place.blobs.has(hash));
  }
});

function namedBlobs({ drafts }: ReplayStep): readonly HashHex[] {
  return drafts.flatMap(({ kind, body }) =>
    kind === 'tick/1' || kind === 'study/1' || kind === 'study/2' ? [body.blob] : [],
  );
}

test('write replay: to the end of the files the last entry is the study of all before it', async (t) => {
  const root = await market(t, 34 * 96);
  const steps = await stepsOf(root);
  const last = steps.at(-1);
  const [draft] = last?.drafts ?? [];
  const [bytes] = last?.blobs ?? [];
  assert.ok(draft?.kind === 'study/1' && bytes !== undefined);
  assert.equal(last?.at, steps.at(-2)?.at);
  const before = steps.slice(0, -1).flatMap(({ drafts }) => drafts);
  const { from, to, rule, class: of } = draft.body;
  assert.deepEqual([of, rule], ['crypto', scoreRuleHash(nodeSha256, RULE)]);
  assert.deepEqual([from, to], [0, before.length]);
  const study = parseStudyBlob(bytes);
  assert.deepEqual([study.class, study.rule, study.from, study.to], [of, rule, from, to]);
  // What it says of events is what the entries say; 34 days have ordinary moments with each return.
  const members = before.filter(
    ({ kind, body }) => kind === 'benchmark/1' && body.horizon === '7d' && body.ret !== null,
  );
  const counted = study.groups.reduce((sum, { n }) => sum + n, 0);
  assert.ok(counted > 10 && counted <= members.length, `${counted} of ${members.length}`);
  for (const horizon of ['1d', '7d', '30d'] as const) {
    assert.ok(study.ordinary.horizons[horizon].n > 0, horizon);
  }
  assert.equal((await (await MemoryPlace.make()).write(steps)).size, to + 1);

  // One that ends before the files do has none: it can be carried on.
  const span = { from: 0, to: FROM + 900 * 34 * 96 };
  const shorter = await stepsOf(root, span);
  assert.deepEqual(shorter, steps.slice(0, -1));
});

test('write replay: under a rule that names studies of version 2 the last entry is one', async (t) => {
  const root = await market(t, 12 * 96, { symbols: THIRTEEN });
  const steps = await stepsOf(root, ALL, SECOND_RULE);
  const last = steps.at(-1);
  const [draft] = last?.drafts ?? [];
  assert.ok(draft?.kind === 'study/2');
  const before = steps.slice(0, -1).flatMap(({ drafts }) => drafts);
  const { from, to, rule, class: of } = draft.body;
  assert.deepEqual([of, rule], ['crypto', scoreRuleHash(nodeSha256, SECOND_RULE)]);
  assert.deepEqual([from, to], [0, before.length]);
  const study = parseEdgeStudy(last?.blobs[0] as Uint8Array);
  assert.deepEqual([study.class, study.rule, study.from, study.to], [of, rule, from, to]);
  // Each event that is of a group is a moment or left out.
  const events = before.flatMap(({ kind, body }) => (kind === 'event/1' ? [body] : []));
  const grouped = events.filter(({ move_24h, breadth }) => groupOf(move_24h, breadth));
  const { few_controls, no_entry, not_over } = study.left_out;
  assert.equal(study.moments.length + few_controls + no_entry + not_over, grouped.length);
  assert.ok(study.moments.length > 10 && not_over > 0, `${study.moments.length} moments`);
  const ids = new Set(events.map(({ id }) => id));
  assert.ok(study.moments.every(({ id }) => ids.has(id)));
  const span = { from: 0, to: FROM + 900 * 12 * 96 };
  assert.deepEqual(await stepsOf(root, span, SECOND_RULE), steps.slice(0, -1));
});

/** The first `count` entries of `steps`. */
function prefix(steps: readonly ReplayStep[], count: number): readonly ReplayStep[] {
  let left = count;
  return steps.flatMap((step) => {
    const drafts = step.drafts.slice(0, left);
    left -= drafts.length;
    return drafts.length === 0 ? [] : [{ ...step, drafts }];
  });
}

test('write replay: what holds a first part of the log is carried on to the same root', async (t) => {
  const steps = await stepsOf(await market(t, TICKS));
  const whole = await (await MemoryPlace.make()).write(steps);
  for (let count = 1; count <= whole.size; count += count < 12 ? 1 : 17) {
    const place = await MemoryPlace.make();
    assert.equal((await place.write(prefix(steps, count))).size, count);
    const end = await place.write(steps);
    assert.deepEqual(end, { ...whole, appended: whole.size - count }, `from ${count} entries`);
  }
});

test('write replay: what a ledger has beyond a shorter replay is left alone', async (t) => {
  const root = await market(t, TICKS);
  const place = await MemoryPlace.make();
  const whole = await place.write(await stepsOf(root));
  const shorter = await stepsOf(root, { from: 0, to: FROM + 900 * 100 });
  const end = await place.write(shorter);
  assert.equal(end.size, whole.size);
  assert.equal(end.root, whole.root);
  assert.equal(end.appended, 0);
  assert.ok(end.entries < whole.size);
  const alone = await (await MemoryPlace.make()).write(shorter);
  assert.deepEqual([end.entries, end.entriesRoot], [alone.size, alone.root]);
  assert.equal(whole.entriesRoot, whole.root);
});

test('write replay: another entry in the ledger is found, and nothing is written', async (t) => {
  const root = await market(t, TICKS);
  const place = await MemoryPlace.make();
  const steps = await stepsOf(root);
  const before = await place.write(prefix(steps, 120));
  const path = join(root, 'ADAUSDT.15m.csv');
  const lines = (await readFile(path, 'utf8')).split('\n');
  // One digit of one close.
  const line = lines[40] as string;
  const changed = line.replace(/\d,/, (digit) => `${(Number(digit[0]) + 1) % 10},`);
  await writeFile(path, [...lines.slice(0, 40), changed, ...lines.slice(41)].join('\n'));
  await assert.rejects(place.write(await stepsOf(root)), (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'replay_differs');
    assert.match(`${error.at}`, /^entry \d+$/);
    const of = `tick/1 of ${formatTime(parseTime(line.slice(0, 20)) + 60)}`;
    assert.equal(error.expected, `${of} as these files give it`);
    assert.equal(error.found, `another entry, ${of}`);
    return true;
  });
  assert.equal((await place.kinds()).length, before.size);
  // Another span is another log from its first entry on.
  const later = await stepsOf(root, { from: FROM + 900, to: Number.POSITIVE_INFINITY });
  await assert.rejects(place.write(later), { code: 'replay_differs', at: 'entry 0' });
});

test('write replay: a blob that was lost comes back', async (t) => {
  const steps = await stepsOf(await market(t, TICKS));
  const place = await MemoryPlace.make();
  await place.write(steps);
  const fresh = await MemoryPlace.make();
  await place.write(steps, (each) => ({ ...each, blobs: fresh.blobs }));
  for (const { blobs } of steps) {
    for (const blob of blobs) {
      assert.ok(await fresh.blobs.has(hashHex(contentHash(nodeSha256, blob))));
    }
  }
});

class Killed extends Error {}

/** Has the write number `at` fail, and all that come after it: before it is done, or once it was. */
function killAt(
  at: number,
  done: boolean,
): { change: (place: ReplayPlace) => ReplayPlace; count: () => number } {
  let count = 0;
  const guarded =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      count += 1;
      if (count > at || (count === at && !done)) throw new Killed();
      const result = await work(...args);
      if (count === at) throw new Killed();
      return result;
    };
  return {
    count: () => count,
    change: ({ store, guard, blobs, signer }) => ({
      store: over(store, { commit: guarded((batch) => store.commit(batch)) }),
      guard: over(guard, { move: guarded((batch) => guard.move(batch)) }),
      blobs: { put: guarded((bytes) => blobs.put(bytes)) },
      signer,
    }),
  };
}

for (const [version, rule] of [RULE, SECOND_RULE].entries()) {
  test(`write replay: ended at any of its writes, before it or after, it is carried on to the same root, with studies of version ${version + 1}`, (t) =>
    endedAnywhere(t, rule));
}

async function endedAnywhere(t: TestContext, rule: ScoreRule): Promise<void> {
  const steps = await stepsOf(await market(t, TICKS), ALL, rule);
  const probe = killAt(Number.POSITIVE_INFINITY, false);
  const whole = await (await MemoryPlace.make()).write(steps, probe.change);
  assert.ok(probe.count() > TICKS);
  for (let at = 1; at <= probe.count(); at += at < 12 || at > probe.count() - 8 ? 1 : 9) {
    for (const done of [false, true]) {
      const place = await MemoryPlace.make();
      await assert.rejects(place.write(steps, killAt(at, done).change));
      // What an entry names is there.
      const kinds = await place.kinds();
      const named = prefix(steps, kinds.length).flatMap(namedBlobs);
      for (const hash of named) assert.ok(await place.blobs.has(hash));
      // The guard may have what the database lacks: it gives that back, and it is not appended again.
      const guarded = (await place.guard.look())?.head?.size ?? 0;
      const held = Math.max(kinds.length, guarded);
      const end = await place.write(steps);
      assert.deepEqual(end, { ...whole, appended: whole.size - held }, `write ${at}`);
    }
  }
}

test('held entries: bytes that are no entry are distinguished from what should be there', async (t) => {
  const steps = await stepsOf(await market(t, 20));
  const place = await MemoryPlace.make();
  await place.store.commit({
    entries: [{ seq: 0, bytes: Uint8Array.of(1) }],
    tiles: [],
    views: [],
    head: null,
  });
  const held = new HeldEntries(nodeSha256, place.store, 2);
  const [first] = steps as [ReplayStep];
  await assert.rejects(held.match(first.drafts, first.at), {
    code: 'replay_differs',
    at: 'entry 0',
  });
  await held.close();
});

test('write replay: a disk that is full is reported with a code, and the log goes on from there', async (t) => {
  const steps = await stepsOf(await market(t, 20));
  const place = await MemoryPlace.make();
  let left = 10;
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const put: ReplayPlace['blobs']['put'] = (bytes) => {
    left -= 1;
    return left < 0 ? Promise.reject(full) : place.blobs.put(bytes);
  };
  const blobs = over(place.blobs, { put });
  await assert.rejects(
    place.write(steps, (each) => ({ ...each, blobs })),
    { code: 'no_room' },
  );
  const whole = await (await MemoryPlace.make()).write(steps);
  assert.equal((await place.write(steps)).root, whole.root);
});
