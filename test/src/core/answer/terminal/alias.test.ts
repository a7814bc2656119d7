import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Alias,
  HEAT_ALIASES,
  type Json,
  withAliases,
} from '@assay/core/answer/terminal/alias';
import { isDate } from '@assay/core/time/time';
import fc from 'fast-check';

const KEYS = [
  ...new Set(HEAT_ALIASES.flatMap(({ deprecated, replacement }) => [deprecated, replacement])),
  'ts',
  'kind',
  '__proto__',
];

const payloads: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 71, 'closed', 'open'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('value')), {
        maxLength: 5,
        selector: ([key]) => key,
      })
      .map((entries) => Object.fromEntries(entries) as Json),
  ),
})).value;

/** Calls `look` with each object of `before` and what became of it. */
function walk(before: Json, after: Json, look: (before: object, after: object) => void): void {
  if (typeof before !== 'object' || before === null) {
    assert.deepEqual(after, before);
    return;
  }
  assert.ok(typeof after === 'object' && after !== null);
  assert.equal(Array.isArray(after), Array.isArray(before));
  if (!Array.isArray(before)) look(before, after);
  else assert.equal((after as unknown[]).length, before.length);
  for (const key of Object.keys(before)) {
    walk(
      Object.getOwnPropertyDescriptor(before, key)?.value as Json,
      Object.getOwnPropertyDescriptor(after, key)?.value as Json,
      look,
    );
  }
}

test('alias: what was there stays, in its order, and each alias stands behind its replacement', () => {
  fc.assert(
    fc.property(payloads, (payload) => {
      walk(payload, withAliases(payload, HEAT_ALIASES), (before, after) => {
        const had = Object.keys(before);
        const has = Object.keys(after);
        assert.deepEqual(
          has.filter((key) => had.includes(key)),
          had,
        );
        for (const { deprecated, replacement } of HEAT_ALIASES) {
          const due = had.includes(replacement) || had.includes(deprecated);
          assert.equal(has.includes(deprecated), due, deprecated);
          if (!due || had.includes(deprecated)) continue;
          const between = has.slice(has.indexOf(replacement), has.indexOf(deprecated));
          assert.ok(between.slice(1).every((key) => !had.includes(key)));
        }
      });
    }),
  );
});

test('alias: an alias holds what its replacement holds, unless its shape is older', () => {
  const plain: readonly Alias[] = HEAT_ALIASES.filter(({ value }) => value === undefined);
  assert.equal(plain.length, 5);
  fc.assert(
    fc.property(payloads, (payload) => {
      const after = withAliases(payload, plain);
      walk(payload, after, (before, shown) => {
        for (const { deprecated, replacement } of plain) {
          if (Object.hasOwn(before, deprecated) || !Object.hasOwn(before, replacement)) continue;
          const { [deprecated]: old, [replacement]: now } = shown as Record<string, unknown>;
          assert.deepEqual(old, now);
        }
      });
      assert.deepEqual(withAliases(after, plain), after); // again changes nothing
      assert.deepEqual(withAliases(payload, []), payload);
    }),
  );
});

test('alias: the keys that said heat', () => {
  const payload: Json = {
    score_halted: false,
    assets: [{ symbol: 'BTC', score: 71, score_1h: null, scores_30d: [{ ts: 't', score: 3 }] }],
    score_events: [
      { kind: 'closed', score_at_open: 70, peak_score: 88 },
      { kind: 'open', score_at_open: 72, peak_score: 72 },
    ],
  };
  const text = JSON.stringify(withAliases(payload, HEAT_ALIASES));
  const event = (kind: string, open: number, peak: number): string =>
    `{"kind":"${kind}","score_at_open":${open},"peak_score":${peak},"peak_heat":${peak},"heat_at_open":${peak}}`;
  assert.equal(
    text,
    '{"score_halted":false,"heat_halted":false,"assets":[{"symbol":"BTC","score":71,"heat":71,' +
      '"score_1h":null,"heat_1h":null,"scores_30d":[{"ts":"t","score":3,"heat":3}],' +
      '"heat_7d":[{"ts":"t","heat":3}]}],' +
      `"score_events":[${event('closed', 70, 88)},${event('open', 72, 72)}],` +
      `"heat_events":[${event('resolved', 70, 88)},${event('open', 72, 72)}]}`,
  );
});

test('alias: each key stays until a date at least', () => {
  for (const { deprecated, replacement, until } of HEAT_ALIASES) {
    assert.ok(isDate(until) && until >= '2026-12-31', deprecated);
    assert.notEqual(deprecated, replacement);
  }
  const deprecated = HEAT_ALIASES.map((alias) => alias.deprecated);
  assert.equal(new Set(deprecated).size, 7);
});
