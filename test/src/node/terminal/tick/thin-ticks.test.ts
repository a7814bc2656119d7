import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { judgeTick } from '@assay/core/terminal/score/good';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { HORIZONS } from '@assay/core/kind/horizon';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { priceUnits } from '@assay/core/terminal/tick/price-units';
import { type Scored, ScoreSeries } from '@assay/core/terminal/score/score';
import { MOVED_BP } from '@assay/core/terminal/terminal';
import { parseTickValues, tickSalt } from '@assay/core/terminal/tick/tick-values';
import { scoreRules } from '@assay/core/view/score-rules';
import { tickRow } from '@assay/core/view/ticks';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type ThinParts, thinTicks } from '@assay/node/terminal/tick/thin-ticks';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import {
  LATER_RULE,
  marketSource,
  RULE,
  SEED,
  START,
  SYMBOLS,
  TICK,
  type TickWorld,
  tickWorld,
} from '../tick-world.ts';

const THIRD_RULE: ScoreRule = {
  ...LATER_RULE,
  version: 3,
  sources: RULE.sources,
  returns: { ...LATER_RULE.returns, sample: 4, window: 100, min_samples: 8 },
};
const VERSIONS = [RULE, LATER_RULE, THIRD_RULE];
/** Nine days: receipts of a week are there, those of a month are open. */
const TICKS = 9 * 96;

function partsOf({ openings, ledger, blobs }: TickWorld, rule = RULE): ThinParts {
  return { openings, views: ledger.tip, blobs, rule, grid: utcGrid };
}

/** What the openings that are kept make of each event's own fields, those that its entry states, and all that the score rests on. */
async function eventsRemade({
  openings,
  ledger,
}: TickWorld): Promise<readonly [made: unknown, stated: unknown, whole: unknown][]> {
  const versions = VERSIONS.map((rule) => ({
    hash: scoreRuleHash(nodeSha256, rule),
    series: new Map(SYMBOLS.map((symbol) => [symbol, new ScoreSeries(rule)])),
  }));
  const scored = new Map<string, Scored>();
  for await (const { ts, openings: kept } of openings.since(0)) {
    const { seq = 0 } = tickRow(ledger.tip, 'crypto', formatTime(ts)) ?? {};
    const named = scoreRules(ledger.tip, 'crypto').findLast((row) => row.seq < seq)?.rule ?? RULE;
    for (const { symbol, bytes } of kept) {
      const values = parseTickValues(JSON.parse(Buffer.from(bytes).toString()), 'values');
      const input = { ...values, volume24h: values.volume_24h };
      const reading = judgeTick(named.sources, ts, 2, input);
      const index = utcGrid.indexOf(ts);
      if (reading === undefined || index === undefined) continue;
      for (const { hash, series } of versions) {
        const said = series.get(symbol)?.add(index, reading);
        if (said !== undefined) scored.set(`${hash} ${ts} ${symbol}`, said);
      }
    }
  }
  return [...eventsByOpening(ledger.tip)].map(({ open: { body } }) => {
    const ts = parseTime(body.opened_at);
    const at = (symbol: string): Scored | undefined => scored.get(`${body.rule} ${ts} ${symbol}`);
    const own = at(body.symbol);
    const moves = SYMBOLS.flatMap((each) => at(each)?.move ?? []);
    const breadth = {
      up: moves.filter((move) => move >= MOVED_BP).length,
      down: moves.filter((move) => move <= -MOVED_BP).length,
      of: moves.length,
    };
    const { opened_at, symbol, score, move_24h, vol_mult, breadth: stated } = body;
    const key = { opened_at, symbol };
    return [
      { ...key, score: own?.score, move_24h: own?.move, vol_mult: own?.volMult, breadth },
      { ...key, score, move_24h, vol_mult, breadth: stated },
      own,
    ];
  });
}

/** How many prices that entries commit to are opened by what is kept; each must be. */
async function openedPrices({ ledger, openings }: TickWorld): Promise<number> {
  let count = 0;
  const open = async (symbol: string, time: string, commitment: string): Promise<void> => {
    const ts = parseTime(time);
    const kept = await openings.get(ts, symbol);
    assert.ok(kept !== undefined, `${symbol} of ${time}`);
    const { price } = JSON.parse(Buffer.from(kept.bytes).toString()) as { price: string };
    const salt = tickSalt(nodeSha256, SEED, 'price', symbol, ts);
    const units = BigInt(priceUnits(price, 2) ?? 0);
    assert.equal(commitmentOf(nodeSha256, salt, units), commitment);
    count += 1;
  };
  for (const { open: said, receipts, benchmarks } of eventsByOpening(ledger.tip)) {
    const { symbol, opened_at, price } = said.body;
    await open(symbol, opened_at, price);
    for (const horizon of HORIZONS) {
      const receipt = receipts[horizon]?.body;
      if (receipt?.resolved_at != null) {
        await open(symbol, receipt.resolved_at, receipt.price as string);
      }
      const measured = benchmarks[horizon]?.body;
      if (measured?.from == null || measured.to === null) continue;
      await open('BTC', measured.from, measured.from_price as string);
      await open('BTC', measured.to, measured.to_price as string);
    }
  }
  return count;
}

test('thin ticks: what entries cite stays, and the log goes on as if nothing had gone', async (t) => {
  const world = await tickWorld(t);
  const plain = await tickWorld(t);
  for (const each of [world, plain]) await each.run(new TickRound(each.parts), 0, TICKS);
  const cited = await openedPrices(world);
  assert.ok(cited > 30, `${cited} prices`);
  const thin = (now: number): Promise<number> => thinTicks(partsOf(world), now);
  assert.equal(await thin(START + 45 * DAY_SECONDS), 0);
  assert.equal(await thin(START + 46 * DAY_SECONDS), 1);
  // However late it is: what scores go on from is not thinned.
  assert.equal(await thin(START + 400 * DAY_SECONDS), 6);
  assert.deepEqual((await readdir(world.folder)).map((name) => name.slice(10)).sort(), [
    ...Array<string>(7).fill('.hours'),
    '.ticks',
    '.ticks',
  ]);
  let whole = 0;
  for (let k = 0; k < 96; k += 1) {
    const { length } = await world.openings.at(START + TICK * k);
    assert.ok(k % 4 !== 0 || length === 3);
    if (length === 3) whole += 1;
  }
  assert.ok(whole < 40, `${whole} whole ticks of a thinned day`);
  assert.equal(await openedPrices(world), cited);
  // An asset's receipts of a month, and a restart on the way.
  for (const each of [world, plain]) {
    const round = new TickRound(each.parts);
    await each.run(round, 32 * 96, 32 * 96 + 40);
  }
  assert.deepEqual(await entriesOf(world.place.store), await entriesOf(plain.place.store));
  assert.ok((await openedPrices(world)) > cited);
});

test('thin ticks: every field of an event is made again from what is kept, ticks that were missed or not good among it', async (t) => {
  const isSilent = (symbol: string, k: number): boolean =>
    (symbol === 'SOL' && k % 11 === 4) || (symbol === 'ETH' && k % 13 < 2) || k % 34 === 8;
  const sources = [marketSource('first', isSilent), marketSource('second')];
  const world = await tickWorld(t, { sources });
  const round = new TickRound(world.parts);
  for (let k = 0; k < TICKS; k += 1) {
    if (k % 37 !== 6) await world.run(round, k, k + 1);
  }
  const remade = await eventsRemade(world);
  assert.ok(remade.length > 10, `${remade.length} events`);
  for (const [made, stated] of remade) assert.deepEqual(made, stated);
  assert.ok((await thinTicks(partsOf(world), START + 400 * DAY_SECONDS)) > 5);
  assert.deepEqual(await eventsRemade(world), remade);
  let [kept, all] = [0, 0];
  for (let k = 0; k < 6 * 96; k += 1) {
    kept += (await world.openings.at(START + TICK * k)).length;
    all += SYMBOLS.length;
  }
  assert.ok(kept < all, `${kept} of ${all} readings are kept`);
});

test('thin ticks: over a handover each event is made again by its own version', async (t) => {
  const sources = [
    marketSource('first', (symbol, k) => symbol === 'SOL' && k % 11 === 4),
    marketSource('second', (symbol, k) => symbol === 'ETH' && k % 5 < 2),
  ];
  const world = await tickWorld(t, { sources });
  await world.run(new TickRound(world.parts), 0, 200);
  const { ledger } = world;
  // The third version reaches back to ticks that the second found good and itself would not.
  for (const [rule, from, to] of [
    [LATER_RULE, 200, 370],
    [THIRD_RULE, 370, TICKS],
  ] as const) {
    await ledger.write(() => [{ kind: 'score-rule/1', body: { rule } }]);
    await world.run(new TickRound({ ...world.parts, rule }), from, to);
  }
  const remade = await eventsRemade(world);
  const named = new Set([...eventsByOpening(ledger.tip)].map(({ open }) => open.body.rule));
  assert.equal(named.size, VERSIONS.length);
  for (const [made, stated] of remade) assert.deepEqual(made, stated);
  assert.ok((await thinTicks(partsOf(world, THIRD_RULE), START + 400 * DAY_SECONDS)) > 5);
  assert.deepEqual(await eventsRemade(world), remade);
});

/** The ticks at which somebody enters who saw an event open under `rule`: the first good one of its asset after it. */
async function entryTimes({ ledger, blobs }: TickWorld, rule: ScoreRule): Promise<number[]> {
  const times: number[] = [];
  for (const { open } of eventsByOpening(ledger.tip)) {
    const { symbol, opened_at, rule: named } = open.body;
    if (named !== scoreRuleHash(nodeSha256, rule)) continue;
    for (let k = 1; k <= rule.event.silent; k += 1) {
      const ts = parseTime(opened_at) + TICK * k;
      const row = tickRow(ledger.tip, 'crypto', formatTime(ts));
      const bytes = row === undefined ? undefined : await blobs.get(row.blob);
      const leaves = bytes === undefined ? [] : parseTickLeaves(bytes);
      if (!leaves.some((leaf) => leaf.symbol === symbol && leaf.good)) continue;
      times.push(ts);
      break;
    }
  }
  return times;
}

test('thin ticks: where a study of version 2 lets somebody enter, every opening stays', async (t) => {
  const isSilent = (symbol: string, k: number): boolean =>
    (symbol === 'SOL' && k % 3 === 1) || (symbol === 'ETH' && k % 5 < 2);
  const sources = [marketSource('first', isSilent), marketSource('second')];
  const world = await tickWorld(t, { sources });
  const { ledger, openings } = world;
  await world.run(new TickRound(world.parts), 0, 4 * 96);
  const studied = { ...RULE, type: 'assay-score-rule/2', study: 2, version: 2 } as const;
  await ledger.write(() => [{ kind: 'score-rule/1', body: { rule: studied } }]);
  const round = new TickRound({ ...world.parts, rule: studied });
  for (let k = 4 * 96; k < TICKS; k += 1) {
    if (k % 41 !== 6) await world.run(round, k, k + 1);
  }
  const offHour = (ts: number): boolean => ts % 3600 !== 0;
  const [before, after] = [await entryTimes(world, RULE), await entryTimes(world, studied)];
  assert.ok(after.filter(offHour).length > 3, `${after.length} entries`);
  assert.ok((await thinTicks(partsOf(world, studied), START + 400 * DAY_SECONDS)) > 5);
  const kept = async (ts: number): Promise<number> => (await openings.at(ts)).length;
  for (const ts of after) assert.equal(await kept(ts), SYMBOLS.length, formatTime(ts));
  const dropped = await Promise.all(before.filter(offHour).map(kept));
  assert.ok(
    dropped.some((count) => count < SYMBOLS.length),
    'entries before the handover',
  );
});
