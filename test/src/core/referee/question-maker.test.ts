import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import { parseQuestion, type Question } from '@assay/core/kind/question';
import type { OutcomeName } from '@assay/core/kind/outcome';
import { questionOf } from '@assay/core/referee/question-maker';
import { wire } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';
import { arenaRule, eventOf, REFEREE, Rows } from './referee-fixture.ts';

const NAMED = { rule: REFEREE, hash: arenaRuleHash(sha256, arenaRule()) };

function ask(rows: Rows, question: ReturnType<typeof eventOf>): Question {
  const body = questionOf(sha256, question, NAMED, rows.views);
  assert.deepEqual(parseQuestion(wire(body), 'body'), body);
  rows.add({ kind: 'question/1', body });
  return body;
}

function end(rows: Rows, { id, resolves_at }: Question, outcome: OutcomeName): void {
  const isVoid = outcome === 'void';
  const score = isVoid ? null : outcome === 'yes' ? 40 : 39;
  const resolved_at = isVoid ? null : resolves_at;
  rows.add({ kind: 'outcome/1', body: { question: id, outcome, score, resolved_at } });
}

test('question: of an event before any outcome', () => {
  const event = eventOf('SOL');
  assert.deepEqual(ask(new Rows(), event), {
    // UUIDv8 of sha256("assay/question/v1" 0x00 || the 16 bytes of the event's id), by Python's hashlib.
    id: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
    event: 'bf9dc03e-b9a2-8161-bff0-a42826f82d01',
    symbol: 'SOL',
    opened_at: '2026-03-01T00:00:00Z',
    closes_at: '2026-03-01T04:00:00Z',
    resolves_at: '2026-03-02T00:00:00Z',
    threshold: 40,
    tolerance_s: 3600,
    rule: NAMED.hash,
    score_rule: event.rule,
    nulls: { persistence: 100, always_under: 0, climatology: 50 },
    service: { p: 50, basis: 'none', group: { bucket: 'up_5', breadth: 'alone' }, yes: 0, of: 0 },
  });
});

test('question: the share of its group where that has enough outcomes, else of all', () => {
  const rows = new Rows();
  const group = { bucket: 'up_5', breadth: 'alone' } as const;
  const other = { move_24h: -2000, breadth: { up: 0, down: 1, of: 20 } };
  const asked = [
    ask(rows, eventOf('AAA')),
    ask(rows, eventOf('BBB', 900, other)),
    ask(rows, eventOf('CCC', 1800, other)),
    ask(rows, eventOf('DDD', 2700)),
  ] as const;
  end(rows, asked[0], 'yes');
  end(rows, asked[1], 'no');
  end(rows, asked[2], 'no');
  const all = ask(rows, eventOf('EEE', 3600));
  assert.deepEqual(all.service, { p: 33, basis: 'all', group, yes: 1, of: 3 });
  assert.equal(all.nulls.climatology, 33);
  end(rows, asked[3], 'yes');
  const own = ask(rows, eventOf('FFF', 4500));
  assert.deepEqual(own.service, { p: 100, basis: 'group', group, yes: 2, of: 2 });
  assert.equal(own.nulls.climatology, 50);
  const theirs = ask(rows, eventOf('GGG', 5400, other));
  assert.deepEqual(theirs.service, {
    p: 0,
    basis: 'group',
    group: { bucket: 'down_15', breadth: 'alone' },
    yes: 0,
    of: 2,
  });
});

test('question: a void outcome counts nowhere, and an event without a move has no group', () => {
  const rows = new Rows();
  const first = ask(rows, eventOf('AAA'));
  end(rows, first, 'void');
  const next = ask(
    rows,
    eventOf('BBB', 900, { move_24h: null, breadth: { up: 0, down: 0, of: 0 } }),
  );
  assert.deepEqual(next.service, { p: 50, basis: 'none', group: null, yes: 0, of: 0 });
  end(rows, next, 'no');
  const third = ask(rows, eventOf('CCC', 1800));
  assert.deepEqual([third.service.basis, third.service.p, third.service.of], ['all', 0, 1]);
});

test('question: a half rounds away from zero', () => {
  const rows = new Rows();
  const ids = Array.from({ length: 8 }, (_, i) => ask(rows, eventOf(`A${i}`, 900 * i)));
  for (const [i, each] of ids.entries()) end(rows, each, i < 1 ? 'yes' : 'no');
  // 1 of 8 is 12.5 %.
  assert.equal(ask(rows, eventOf('LAST', 9000)).nulls.climatology, 13);
});
