import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boardPayload } from '@assay/node/terminal/answer/board';
import { classStatuses, haltedClasses, isHalted } from '@assay/node/terminal/answer/class-status';
import { scoreEventsPayload } from '@assay/node/terminal/answer/score-events';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { staleAt } from '@assay/node/terminal/answer/freshness';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { ScoreHistory } from '@assay/node/terminal/answer/score-history';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import type { TerminalMoment } from '@assay/node/terminal/answer/terminal-readings';
import { formatTime, parseTime } from '@assay/core/time/time';
import { GENESIS, SampleLog, SOME_HASH } from '../../../core/fixture/fixture.ts';

const FRIDAY = parseTime('2026-11-20T21:00:00Z');

/** A log with an asset of each class, and what is known of them. */
class World {
  readonly log = new SampleLog();
  readonly histories = { crypto: new ScoreHistory(), stock: new ScoreHistory() };

  constructor(...classes: readonly AssetClass[]) {
    this.log.append('genesis/1', GENESIS);
    for (const of of classes) this.list(of, true);
  }

  list(of: AssetClass, listed: boolean): void {
    const symbol = of === 'crypto' ? 'BTC' : 'AAPL';
    const body = { symbol, name: symbol, class: of, decimals: 2, listed, display: true };
    this.log.append('asset/1', body, formatTime(FRIDAY - 86_400));
  }

  /** A tick of the class, and whether it is good. */
  tick(of: AssetClass, ts: number, good = true): void {
    const body = { class: of, ts: formatTime(ts), rule: SOME_HASH, size: 1, root: SOME_HASH };
    this.log.append('tick/1', { ...body, blob: SOME_HASH }, formatTime(ts));
    const symbol = of === 'crypto' ? 'BTC' : 'AAPL';
    this.histories[of].add(ts, [{ symbol, score: good ? 42 : null, good }]);
  }

  moment(now: string | number): TerminalMoment {
    const at = typeof now === 'string' ? parseTime(now) : now;
    const grids = { crypto: utcGrid, stock: xnysGrid };
    return {
      history: (of) => this.histories[of],
      readings: { of: () => undefined },
      isCurrent: (of, ts) => at < staleAt(grids[of], ts),
    };
  }

  /** What the board and the changelog say at a time: they say the same. */
  shown(now: string | number): readonly [halted: boolean, classes: string, symbols: string] {
    const moment = this.moment(now);
    const board = boardPayload(this.log.views, moment);
    const { score_halted } = scoreEventsPayload(this.log.views, moment);
    assert.equal(score_halted, board.halted);
    const symbols = board.assets.map(({ symbol }) => symbol);
    return [board.halted, board.halted_classes.join(' '), symbols.join(' ')];
  }
}

test('class status: a log without assets and ticks has no class that could be halted', () => {
  const world = new World();
  assert.deepEqual(classStatuses(world.log.views, world.moment(FRIDAY)), []);
  assert.equal(isHalted([]), false);
  assert.deepEqual(world.shown(FRIDAY), [false, '', '']);
});

test('class status: a listed class is halted until it has a good tick', () => {
  const world = new World('crypto');
  const of = (now: number): unknown => classStatuses(world.log.views, world.moment(now));
  const none = { class: 'crypto', halted: true, newest_good: null };
  assert.deepEqual(of(FRIDAY), [{ ...none, ticked: false }]);
  assert.deepEqual(world.shown(FRIDAY), [true, 'crypto', '']);
  world.tick('crypto', FRIDAY, false);
  assert.deepEqual(of(FRIDAY), [{ ...none, ticked: true }]);
  world.tick('crypto', FRIDAY + 900);
  assert.deepEqual(world.shown(FRIDAY + 960), [false, '', 'BTC']);
  world.tick('crypto', FRIDAY + 1800, false);
  assert.deepEqual(world.shown(FRIDAY + 2699), [false, '', 'BTC']);
  assert.deepEqual(world.shown(FRIDAY + 2700), [true, 'crypto', '']);
  assert.deepEqual(of(FRIDAY + 2700), [
    { class: 'crypto', halted: true, newest_good: formatTime(FRIDAY + 900), ticked: true },
  ]);
});

test('class status: a class that is halted leaves the board, and the other stays', () => {
  const world = new World('crypto', 'stock');
  for (const of of ['crypto', 'stock'] as const) world.tick(of, FRIDAY);
  const all = [
    ['2026-11-20T21:20:00Z', [false, '', 'AAPL BTC']],
    ['2026-11-20T21:30:00Z', [false, 'crypto', 'AAPL']],
    ['2026-11-22T12:00:00Z', [false, 'crypto', 'AAPL']],
    ['2026-11-23T14:49:59Z', [false, 'crypto', 'AAPL']],
    ['2026-11-23T14:50:00Z', [true, 'crypto stock', '']],
    ['2027-11-20T21:20:00Z', [true, 'crypto stock', '']],
  ] as const;
  for (const [now, shown] of all) assert.deepEqual(world.shown(now), shown, now);
  const late = parseTime('2026-11-23T14:45:00Z');
  world.tick('crypto', late);
  assert.deepEqual(world.shown('2026-11-23T14:50:00Z'), [false, 'stock', 'BTC']);
  const standings = classStatuses(world.log.views, world.moment(late + 300));
  assert.deepEqual(haltedClasses(standings), ['stock']);
});

test('class status: a closing tick that was missed halts no stocks over the week-end, two of them do', () => {
  for (const [missed, shown] of [
    [1, [false, '', 'AAPL']],
    [2, [true, 'stock', '']],
  ] as const) {
    const world = new World('stock');
    world.tick('stock', FRIDAY - missed * 900);
    for (let k = missed - 1; k >= 0; k -= 1) world.tick('stock', FRIDAY - k * 900, false);
    for (const now of ['2026-11-20T21:20:00Z', '2026-11-21T15:00:00Z', '2026-11-23T14:49:59Z']) {
      assert.deepEqual(world.shown(now), shown, `${missed} missed, ${now}`);
    }
    assert.deepEqual(world.shown('2026-11-23T14:50:00Z'), [true, 'stock', '']);
  }
});

test('class status: a class whose assets were all delisted is neither halted nor shown', () => {
  const world = new World('crypto', 'stock');
  for (const of of ['crypto', 'stock'] as const) world.tick(of, FRIDAY);
  assert.deepEqual(world.shown(FRIDAY + 1800), [false, 'crypto', 'AAPL']);
  world.list('crypto', false);
  assert.deepEqual(world.shown(FRIDAY + 60), [false, '', 'AAPL']);
  assert.deepEqual(world.shown(FRIDAY + 1800), [false, '', 'AAPL']);
  world.list('stock', false);
  assert.deepEqual(world.shown(FRIDAY + 1800), [false, '', '']);
  assert.deepEqual(world.shown(FRIDAY + 30 * 86_400), [false, '', '']);
  assert.deepEqual(classStatuses(world.log.views, world.moment(FRIDAY + 60)), []);
  world.list('crypto', true);
  assert.deepEqual(world.shown(FRIDAY + 1800), [true, 'crypto', '']);
});
