import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/commitment';
import { DAY_SECONDS, parseTime } from '@assay/core/time';
import { utcGrid } from '@assay/core/terminal/grid';
import { HORIZONS } from '@assay/core/terminal/horizon';
import { priceUnits } from '@assay/core/terminal/price-units';
import { tickSalt } from '@assay/core/terminal/tick-values';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import { nodeSha256 } from '@assay/node/node-sha256';
import { thinTicks } from '@assay/node/terminal/thin-ticks';
import { TickRound } from '@assay/node/terminal/tick-round';
import { entriesOf } from '../ledger/ledger-fixture.ts';
import { RULE, SEED, START, TICK, type TickWorld, tickWorld } from './tick-world.ts';

/** Nine days: receipts of a week are there, those of a month are open. */
const TICKS = 9 * 96;

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
  const thin = (now: number): Promise<number> =>
    thinTicks(world.openings, world.ledger.tip, RULE, utcGrid, now);
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
