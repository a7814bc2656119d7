import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatBundle } from '@assay/core/proof/bundle';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { assertFound, flip, LONG, places, runs } from './fixture/flip.ts';
import type { Loose } from './fixture/forge.ts';
import { bundleOf, judgeBundle } from './fixture/misdeeds.ts';
import { judge, publish, youngLog } from './fixture/published.ts';
import { sampleLog } from './fixture/sample-log.ts';

const log = await sampleLog();
const whole = publish(log.entries, log.blobs, log.checkpoints);
const bundle = await bundleOf(whole);
const bytes = formatBundle(bundle);
const young = formatBundle(await bundleOf(youngLog(log)));

const judgeBytes = (changed: Uint8Array): ReturnType<typeof judge> =>
  judge({ kind: 'bundle', bytes: changed });

test('a bundle of a large and of a young log is verified, and names its number', async () => {
  const verdict = await judgeBytes(bytes);
  assert.equal(verdict.outcome, 'verified');
  if (verdict.outcome !== 'verified') return;
  assert.equal(verdict.pin, null);
  assert.deepEqual(verdict.number, {
    ticker: 'LAYOFFS',
    period: '2027-04-03',
    status: 'final',
    reason: null,
    value: '222000',
    unit: 'claims',
    settleable: true,
    settled: true,
    versions: null,
    governs: 'not_shown',
    first_print: 'not_shown',
    clocks: 'scheduled',
    rests_on: 'publisher',
    policy: { required: 0, operators: [] },
    report_hash: bundle.report,
    rule_hash: verdict.number?.rule_hash,
    published_at: '2027-04-08T14:30:00Z',
    quorum: { required: 0, have: 0, cosigners: [], dissents: 0 },
    account: null,
    index: null,
    corrections: null,
  });
  assert.equal((await judgeBytes(young)).outcome, 'verified');
});

test('a bundle of a provisional or a void says so and does not settle', async () => {
  const reports = whole.entries.flatMap((entry, seq) => {
    const text = parseUtf8(entry);
    return text.includes('"kind":"report/1"') ? [{ text, seq }] : [];
  });
  const { number: empty } = (await judgeBundle(await bundleOf(whole, '2026-09-05'))) as Loose;
  assert.deepEqual(
    [empty.status, empty.reason, empty.value, empty.settleable],
    ['void', 'no_source', null, false],
  );
  // The newest provisional, as it was served before its final came.
  const last = reports.findLast(({ text }) => text.includes('"status":"provisional"'));
  const then = publish(log.entries.slice(0, (last?.seq ?? 0) + 1), log.blobs, log.checkpoints);
  const { number: early } = (await judgeBundle(await bundleOf(then))) as Loose;
  assert.deepEqual(
    [early.status, early.reason, early.value, early.settleable],
    ['provisional', 'freeze_window', '222000', false],
  );
});

test('bits all over a bundle: found', { timeout: 3_600_000 }, async () => {
  for (const { at, bit } of places(young.length, 3)) {
    assertFound(await judgeBytes(flip(young, at, bit)), `byte ${at} bit ${bit}`);
  }
});

test('one bit of a large bundle: found', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
      assertFound(await judgeBytes(flip(bytes, at, bit)), `byte ${at} bit ${bit}`);
    }),
    runs(300, 20_000),
  );
});

test('a bundle cut short or gone on: found', async () => {
  for (let length = 0; length < young.length; length += LONG ? 1 : 97) {
    assertFound(await judgeBytes(young.subarray(0, length)), `${length} bytes`);
  }
  assertFound(await judgeBytes(Uint8Array.of(...young, 0x0a)), 'a byte more');
  assertFound(await judgeBytes(Uint8Array.of(0x20, ...young)), 'a byte before');
});

/** Every value in a bundle that can be replaced, by its path. */
function* leaves(
  value: unknown,
  path: readonly (string | number)[],
): Generator<readonly (string | number)[]> {
  if (typeof value !== 'object' || value === null) {
    yield path;
    return;
  }
  if (path.length > 0) yield path;
  for (const [key, each] of Object.entries(value)) {
    yield* leaves(each, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

/** What holds the value at a path, and the name that it holds it under. */
function holderOf(root: Loose, path: readonly (string | number)[]): [Loose, string | number] {
  let holder = root;
  for (const key of path.slice(0, -1)) holder = holder[key] as Loose;
  return [holder, path.at(-1) as string | number];
}

test('any value of a bundle in place of any other, or gone: found', async () => {
  const paths = [...leaves(bundle, [])];
  const pick = fc.constantFrom(...paths);
  await fc.assert(
    fc.asyncProperty(pick, fc.option(pick), async (to, from) => {
      const changed = structuredClone(bundle) as Loose;
      const [holder, key] = holderOf(changed, to);
      const before = JSON.stringify(bundle);
      if (from === null) {
        if (Array.isArray(holder)) holder.splice(Number(key), 1);
        else delete holder[key];
      } else {
        const [source, name] = holderOf(bundle as Loose, from);
        holder[key] = structuredClone(source[name]);
      }
      fc.pre(JSON.stringify(changed) !== before);
      assertFound(await judgeBundle(changed), `${to.join('/')} from ${from?.join('/')}`);
    }),
    runs(400, 20_000),
  );
});

test('any bytes at all: found, never a throw', async () => {
  const start = formatUtf8('{"account":null,"blobs":[');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (rest, plausible) => {
      assertFound(
        await judgeBytes(plausible ? Uint8Array.of(...start, ...rest) : rest),
        Buffer.from(rest).toString('hex'),
      );
    }),
    runs(300, 20_000),
  );
});
