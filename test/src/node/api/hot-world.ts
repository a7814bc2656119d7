import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventId } from '@assay/core/kind/event-id';
import { type EdgeStudy, formatEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { formatTickLeaves, parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { formatTime } from '@assay/core/time/time';
import { sha256, SOME_HASH } from '../../core/fixture/fixture.ts';
import { CRYPTO_RULE_HASH, TerminalMarket } from '../../core/terminal/terminal-log.ts';
import { type TerminalWorld, terminalWorld } from './terminal-world.ts';

/** A market whose BTC opened an event at its newest tick: its score is 90. */
export async function hotWorld(t: TestContext): Promise<TerminalWorld> {
  const world = await terminalWorld(t, 'node', 2);
  const ts = world.market.newest + 900;
  await hotTick(world, ts);
  const opened = {
    id: eventId(sha256, 'BTC', ts),
    symbol: 'BTC',
    class: 'crypto',
    opened_at: formatTime(ts),
    score: 90,
    move_24h: 900,
    vol_mult: 400,
    breadth: { up: 1, down: 0, of: 3 },
    price: SOME_HASH,
    rule: CRYPTO_RULE_HASH,
  };
  world.log.append('event/1', opened, formatTime(ts + 60));
  world.now = ts + 60;
  for (const [symbol, move] of [
    ['BTC', 900],
    ['ETH', -20],
    ['HID', null],
    ['SOL', 30],
  ] as const) {
    world.readings.set(symbol, { ts, move, volMult: 400 });
  }
  return world;
}

/** Writes a tick in which BTC has the score that opened its event, that of the market's own; `without` has no leaf. */
export async function hotTick(world: TerminalWorld, ts: number, without = ''): Promise<void> {
  const { drafts, blobs } = new TerminalMarket(2);
  const hot = drafts.find(
    ({ kind, body }) =>
      kind === 'tick/1' &&
      (body as Readonly<Record<string, unknown>>)['ts'] === '2026-08-27T03:00:00Z',
  );
  assert.ok(hot !== undefined);
  const leaves = parseTickLeaves(blobs.get((hot.body as { blob: never }).blob) as Uint8Array)
    .filter(({ symbol }) => symbol !== without)
    .map((leaf) => ({ ...leaf, ts }));
  const named = await world.blobs.put(formatTickLeaves(leaves));
  const body = { class: 'crypto', ts: formatTime(ts), rule: CRYPTO_RULE_HASH };
  const tick = { ...body, size: leaves.length, root: SOME_HASH, blob: named };
  world.log.append('tick/1', tick, formatTime(ts + 60));
}

/** Freezes a study in the log. */
export async function freezeStudy(world: TerminalWorld, study: EdgeStudy): Promise<void> {
  const blob = await world.blobs.put(formatEdgeStudy(study));
  const { from, to, rule } = study;
  const body = { class: study.class, from, to, rule, blob };
  world.log.append('study/2', body, formatTime(world.now));
}
