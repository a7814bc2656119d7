import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventOpen } from '@assay/core/kind/event';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EdgeStudyMaker } from '@assay/core/terminal/edge/edge-study-maker';
import { monthOf } from '@assay/core/terminal/edge/study-spending';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import type { BoardRow } from '@assay/core/terminal/terminal';
import { parseTime } from '@assay/core/time/time';
import { sha256 } from '../../fixture/fixture.ts';
import { openedEvent, STUDIED_RULE } from './edge-fixture.ts';

const START = parseTime('2025-01-01T00:00:00Z');
const SYMBOLS = Array.from({ length: 14 }, (_, i) => `A${i}`);

function row(price: number | null, score: number | null): BoardRow {
  return { good: price !== null, price, volume: 1, score } as unknown as BoardRow;
}

interface Step {
  readonly ts: number;
  readonly board: ReadonlyMap<string, BoardRow>;
  readonly opened: readonly EventOpen[];
}

/** Forty days of quarter hours: prices that rise by a unit each tick, A1 not good, A2 without a score, A3 at the mark that keeps events open. */
function steps(): readonly Step[] {
  const { close } = STUDIED_RULE.event;
  return Array.from({ length: 40 * 96 }, (_, i) => {
    const ts = START + 900 * i;
    const price = 10_000 + i;
    const board = new Map(
      SYMBOLS.map((symbol) => {
        if (symbol === 'A1') return [symbol, row(null, null)] as const;
        const score = symbol === 'A2' ? null : symbol === 'A3' ? close : close - 1;
        return [symbol, row(price, score)] as const;
      }),
    );
    const breadth = { up: 9, down: 0, of: 13 };
    return { ts, board, opened: i === 10 ? [openedEvent('A0', ts, 700, breadth)] : [] };
  });
}

test('maker: a study as an engine feeds it, and as a log does', () => {
  const [engine, log] = [0, 1].map(() => new EdgeStudyMaker(sha256, STUDIED_RULE));
  assert.ok(engine !== undefined && log !== undefined);
  let unwanted = 0;
  for (const { ts, board, opened } of steps()) {
    const drafts = opened.map((body) => ({ kind: 'event/1' as const, body }));
    engine.step(ts, ts / 900, { board, drafts });
    const good = new Map(
      [...board].flatMap(([symbol, { price }]) =>
        price === null ? [] : [[symbol, price] as const],
      ),
    );
    if (!log.wants(ts)) unwanted += 1;
    log.tick({ ts, index: ts / 900, good: () => good, price: (symbol) => good.get(symbol) ?? 0 });
    for (const event of opened) log.open(event, SYMBOLS.slice(4));
  }
  const made = engine.make(0, 77);
  assert.deepEqual(log.make(0, 77), made);
  assert.ok(unwanted > 2000, 'quarters between hours are not read');
  const study = parseEdgeStudy(made.blob);
  assert.deepEqual(
    { rule: study.rule, from: study.from, to: study.to, number: study.number },
    { rule: scoreRuleHash(sha256, STUDIED_RULE), from: 0, to: 77, number: 1 },
  );
  // Who is not good, has no score or is loud is no control: ten of fourteen are left.
  const [moment] = study.moments;
  assert.equal(moment?.controls, 10);
  assert.equal(moment.entered_at, START + 900 * 11);
  const bought = 10_011;
  const sold = 10_000 + 4 * Math.ceil((11 + 7 * 96) / 4);
  assert.equal(moment.returns['7d']?.ret, Math.round((10_000 * (sold - bought)) / bought));
  assert.equal(moment.returns['7d'].base, moment.returns['7d'].ret);
});

test('maker: an event of another class makes no moment', () => {
  const maker = new EdgeStudyMaker(sha256, STUDIED_RULE);
  for (const { ts, board, opened } of steps()) {
    const drafts = opened.map((body) => ({
      kind: 'event/1' as const,
      body: { ...body, class: 'stock' as const },
    }));
    maker.step(ts, ts / 900, { board, drafts });
  }
  assert.deepEqual(parseEdgeStudy(maker.make(0, 1).blob).moments, []);
});

test('maker: the number is of the month that is asked for', () => {
  const maker = new EdgeStudyMaker(sha256, STUDIED_RULE);
  for (const { ts, board } of steps()) maker.step(ts, ts / 900, { board, drafts: [] });
  const month = monthOf(parseTime('2025-07-01T00:00:00Z'));
  assert.equal(parseEdgeStudy(maker.make(0, 1, month).blob).number, 4);
});
