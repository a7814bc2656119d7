import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownBody } from '@assay/core/kind/kinds';
import { refereeDues, withRefereeDues } from '@assay/core/referee/referee-dues';
import { parseTime } from '@assay/core/time/time';
import { pendingQuestions } from '@assay/core/view/referee';
import { sha256 } from '../fixture/fixture.ts';
import { arenaRule, eventOf, OPENED, Rows } from './referee-fixture.ts';

const START = parseTime(OPENED);
const NONE = new Map<string, { readonly score: number | null; readonly good: boolean }>();

function ruled(rows: Rows, rule = arenaRule()): Rows {
  rows.add({ kind: 'arena-rule/1', body: { rule } });
  return rows;
}

const words = (dues: readonly KnownBody[]): readonly string[] =>
  dues.map((due) => {
    if (due.kind === 'question/1') return `question ${due.body.symbol}`;
    if (due.kind === 'outcome/1') return due.body.outcome;
    return due.kind;
  });

test('referee dues: a question for each opening, in their order, under the newest rule alone', () => {
  const opens = [eventOf('BBB'), eventOf('AAA')];
  const tick = { class: 'crypto', ts: START, leaves: NONE, opens } as const;
  assert.deepEqual(refereeDues(sha256, new Rows().views, tick), []);
  const rows = ruled(new Rows());
  assert.deepEqual(words(refereeDues(sha256, rows.views, tick)), ['question BBB', 'question AAA']);
  assert.deepEqual(refereeDues(sha256, rows.views, { ...tick, class: 'stock' }), []);
  ruled(rows, arenaRule(null, 2));
  assert.deepEqual(refereeDues(sha256, rows.views, tick), []);
});

test('referee dues: questions come behind what the Terminal makes, and outcomes behind them', () => {
  const rows = ruled(new Rows());
  for (const symbol of ['AAA', 'BBB', 'CCC']) rows.list(symbol);
  const opens = [eventOf('BBB'), eventOf('AAA')];
  const first = refereeDues(sha256, rows.views, {
    class: 'crypto',
    ts: START,
    leaves: NONE,
    opens,
  });
  for (const due of first) rows.add(due);
  const leaves = new Map([
    ['AAA', { score: 39, good: true }],
    ['BBB', { score: 41, good: true }],
  ]);
  const drafts: readonly KnownBody[] = [{ kind: 'event/1', body: eventOf('CCC', 86_400) }];
  const ts = START + 86_400;
  const all = withRefereeDues(sha256, rows.views, drafts, { class: 'crypto', ts, leaves });
  // Outcomes are in the order of their questions in the log, not in that of their symbols.
  assert.deepEqual(words(all), ['event/1', 'question CCC', 'yes', 'no']);
  for (const due of all) rows.add(due);
  assert.equal(pendingQuestions(rows.views).length, 1);
});

test('referee dues: a rule that asks no more does not leave its questions without an outcome', () => {
  const rows = ruled(new Rows());
  rows.list('AAA');
  const opens = [eventOf('AAA')];
  for (const due of refereeDues(sha256, rows.views, {
    class: 'crypto',
    ts: START,
    leaves: NONE,
    opens,
  })) {
    rows.add(due);
  }
  ruled(rows, arenaRule(null, 2));
  const late = { class: 'crypto', ts: START + 86_400 + 4500, leaves: NONE, opens: [] } as const;
  assert.deepEqual(words(refereeDues(sha256, rows.views, late)), ['void']);
});
