import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { MomentSample } from '@assay/core/terminal/edge/moment-sample';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatTime } from '@assay/core/time/time';
import { eventId } from '@assay/core/kind/event-id';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type Openings, openingsOf } from '../../calibration/placebo/openings.ts';
import { panelData } from '../../calibration/placebo/panel-data.ts';
import { panelMoments, timeOf } from '../../calibration/placebo/panel-moments.ts';
import { makePanel, type Market, type Panel } from '../../calibration/placebo/panel.ts';
import { REGIMES } from '../../calibration/placebo/regimes.ts';

const CALM: Market = { betas: 0.35, drift: 0, failing: 0 };

test('panel: the same seed makes the same market, and another one another', () => {
  const market: Market = { betas: 0.8, drift: 0.02, failing: 0.5 };
  assert.deepEqual(makePanel(3, 12, 60, market), makePanel(3, 12, 60, market));
  assert.notDeepEqual(makePanel(3, 12, 60, market).price, makePanel(4, 12, 60, market).price);
});

test('panel: as many events as in the recorded year, in crowds, of every breadth', () => {
  for (const market of REGIMES) {
    let [events, crowd] = [0, 0];
    const breadths = new Map<string, number>();
    for (let seed = 0; seed < 6; seed += 1) {
      const panel = makePanel(seed, 80, 365, market);
      const found = openingsOf(panel);
      events += found.openings.length / 6;
      const days = new Map<number, number>();
      for (const { step } of found.openings) {
        const day = Math.floor(step / 4);
        days.set(day, (days.get(day) ?? 0) + 1);
      }
      crowd = Math.max(crowd, ...days.values());
      for (const { breadth } of panelMoments(panel, found)) {
        breadths.set(breadth, (breadths.get(breadth) ?? 0) + 1);
      }
    }
    assert.ok(events > 500 && events < 800, `${market.name}: ${events}`);
    assert.ok(crowd > 30, `${market.name}: ${crowd}`);
    for (const each of ['alone', 'some', 'broad']) {
      assert.ok((breadths.get(each) ?? 0) > 6 * 100, `${market.name}: ${each}`);
    }
  }
});

/** The mean excess of each panel's moments, and its standard error over the panels. */
function meanExcess(
  market: Market,
  excessOf: (panel: Panel, moment: StudyMoment) => number,
): {
  readonly mean: number;
  readonly error: number;
} {
  const means: number[] = [];
  for (let seed = 0; seed < 80; seed += 1) {
    const panel = makePanel(seed, 40, 250, market);
    const moments = panelMoments(panel, openingsOf(panel));
    const sum = moments.reduce((before, moment) => before + excessOf(panel, moment), 0);
    means.push(sum / moments.length);
  }
  const mean = means.reduce((sum, each) => sum + each, 0) / means.length;
  const squares = means.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares) / means.length };
}

function week(moment: StudyMoment): NonNullable<StudyMoment['returns']['7d']> {
  const after = moment.returns['7d'];
  assert.ok(after !== null);
  return after;
}

test('panel: nothing follows from an event, with and without an own drift', () => {
  for (const drift of [0, 0.02]) {
    const { mean, error } = meanExcess({ ...CALM, drift }, (_, moment) => {
      const { ret, base } = week(moment);
      return ret - base;
    });
    assert.ok(error < 60, `drift ${drift}: ${error}`);
    assert.ok(Math.abs(mean) < 3 * error, `drift ${drift}: ${mean} +- ${error}`);
  }
});

test('panel: assets are delisted, the truth is 0, and lies between the bounds', () => {
  const failing: Market = { ...CALM, failing: 2 };
  const panel = makePanel(1, 200, 365, failing);
  const ended = [...panel.last].filter((last) => last < panel.steps).length;
  assert.ok(ended > 100 && ended < 190, `${ended}`);
  assert.equal(panel.last[0], panel.steps, 'the benchmark is there to the end');
  // What every asset was worth a week after its first tick, with what its holders were paid.
  const weekly: number[] = [];
  for (let seed = 0; seed < 40; seed += 1) {
    const { price, last, payoff } = makePanel(seed, 60, 90, failing);
    for (const [asset, prices] of price.entries()) {
      const end = Math.min(last[asset] as number, 360);
      const paid = end < 360 ? (payoff[asset] as number) : 1;
      weekly.push(((prices[end] as number) * paid) / (prices[0] as number) - 1);
    }
  }
  const mean = weekly.reduce((sum, each) => sum + each, 0) / weekly.length;
  assert.ok(Math.abs(mean) < 0.1, `${mean}`);
  const last = meanExcess(failing, (_, moment) => week(moment).ret - week(moment).base);
  const lost = meanExcess(failing, (_, moment) => {
    const { ret, gone, base_lost } = week(moment);
    return (gone ? -10_000 : ret) - base_lost;
  });
  assert.ok(last.mean > 0 && lost.mean < 0, `${lost.mean} to ${last.mean}`);
});

/** The moments that core's own sample has of a panel, with the returns of 7 days alone. */
function sampled(panel: Panel, { openings, isQuiet }: Openings): readonly StudyMoment[] {
  const rule: ScoreRule = { ...CRYPTO_REPLAY_RULE, type: 'assay-score-rule/2', study: 2 };
  const sample = new MomentSample(rule);
  for (let step = 0; step <= panel.steps; step += 1) {
    const good = new Set(panel.symbols.filter((_, asset) => (panel.last[asset] as number) >= step));
    const ts = timeOf(step);
    sample.step({
      ts,
      index: ts / GRID_SECONDS,
      good: () => good,
      price: (symbol) => panel.price[panel.symbols.indexOf(symbol)]?.[step] as number,
    });
    for (const { asset, move, breadth } of openings.filter((each) => each.step === step)) {
      const symbol = panel.symbols[asset] as string;
      const event = {
        id: eventId(nodeSha256, symbol, ts),
        symbol,
        class: 'crypto' as const,
        opened_at: formatTime(ts),
        score: 70,
        move_24h: move,
        vol_mult: null,
        breadth,
        price: ZERO_HASH_HEX,
        rule: ZERO_HASH_HEX,
      };
      const quiet = [...good].filter((other) => isQuiet(panel.symbols.indexOf(other), step));
      sample.open(event, quiet);
    }
  }
  return sample.moments.moments.map((moment) => ({
    ...moment,
    returns: { '1d': null, '7d': moment.returns['7d'], '30d': null },
  }));
}

test("panel: its moments are those of core's sample, delisted assets included", () => {
  const panel = makePanel(5, 40, 365, { betas: 0.8, drift: 0.02, failing: 2 });
  const openings = openingsOf(panel);
  const bySymbol = (a: StudyMoment, b: StudyMoment): number =>
    a.opened_at - b.opened_at || (a.symbol < b.symbol ? -1 : 1);
  const moments = panelMoments(panel, openings).toSorted(bySymbol);
  assert.ok(moments.length > 50);
  assert.ok(moments.some((moment) => week(moment).gone));
  assert.deepEqual(moments, sampled(panel, openings));
});

test('panel: version 1 has no return of an asset that was delisted', () => {
  const panel = makePanel(5, 40, 180, { betas: 0.8, drift: 0, failing: 2 });
  const { openings } = openingsOf(panel);
  const { events, ordinary } = panelData(panel, openings, panel.steps);
  assert.equal(events.length, openings.length);
  for (const [i, { asset, step }] of openings.entries()) {
    const isThere = step + 28 <= (panel.last[asset] as number);
    assert.equal(events[i]?.returns['7d'].ret !== null, isThere);
  }
  assert.ok(ordinary.excess_7d.n > 1000);
  // A study in the middle knows nothing of what comes later.
  const early = panelData(panel, openings, 400);
  assert.ok(early.events.every(({ opened_at }) => opened_at <= timeOf(400)));
  assert.ok(early.events.some(({ returns }) => returns['7d'].ret === null));
});
