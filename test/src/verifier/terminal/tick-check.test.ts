import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex, toHashHex } from '@assay/core/hash/hash';
import type { Tick } from '@assay/core/kind/tick';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { formatTickLeaves, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import { parseTime, type TimeText, toTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { BlobsAhead } from '@assay/verifier/terminal/blobs-ahead';
import { Findings } from '@assay/verifier/verdict/finding';
import {
  checkTickLeaves,
  checkTickTime,
  type LogBeforeTick,
} from '@assay/verifier/terminal/tick-check';

const TS = '2026-03-02T15:00:00Z';
const ANY = toHashHex('5e'.repeat(32));
const STANDING: LogBeforeTick = { grid: utcGrid, last: undefined, isListed: () => true };

function tickAt(ts: string): Tick {
  return { class: 'crypto', ts: toTime(ts), rule: ANY, size: 1, root: ANY, blob: ANY };
}

function timesFound(ts: string, at: string, standing: Partial<LogBeforeTick> = {}) {
  const findings = new Findings();
  const all = { ...STANDING, ...standing };
  const goesOn = checkTickTime(tickAt(ts), toTime(at), 'entry 7', all, findings);
  return { goesOn, codes: findings.list.map(({ code }) => code) };
}

test('tick check: a tick is on its grid, after the one before and not ahead of its entry', () => {
  const none = { goesOn: true, codes: [] };
  assert.deepEqual(timesFound(TS, TS), none);
  assert.deepEqual(timesFound(TS, TS, { last: parseTime('2026-03-02T14:45:00Z') }), none);
  assert.deepEqual(timesFound(TS, TS, { grid: xnysGrid }), none);
  const off = { goesOn: false, codes: ['tick_not_due'] };
  assert.deepEqual(timesFound('2026-03-02T15:00:01Z', '2026-03-02T15:01:00Z'), off);
  assert.deepEqual(timesFound(TS, TS, { last: parseTime(TS) }), off);
  // A Saturday has no session.
  assert.deepEqual(timesFound('2026-02-28T15:00:00Z', TS, { grid: xnysGrid }), off);
  assert.deepEqual(timesFound(TS, '2026-03-02T14:59:59Z'), { goesOn: true, codes: off.codes });
});

test('tick check: leaves are those of the blob, of the tick and of listed assets', async () => {
  const commitment = new Uint8Array(32);
  const ts = parseTime(TS as TimeText);
  const blob = formatTickLeaves([
    { symbol: 'BTC', ts, score: 71, good: true, commitment },
    { symbol: 'ETH', ts, score: null, good: false, commitment },
  ]);
  const honest: Tick = {
    ...tickAt(TS),
    size: 2,
    root: hashHex(tickRoot(nodeSha256, blob)),
    blob: hashHex(contentHash(nodeSha256, blob)),
  };
  const found = async (
    tick: Tick,
    bytes: Uint8Array | undefined,
    isListed: LogBeforeTick['isListed'] = () => true,
  ) => {
    const findings = new Findings();
    const blobs = new BlobsAhead(() => Promise.resolve(bytes));
    const standing = { ...STANDING, isListed };
    const leaves = await checkTickLeaves(tick, 'entry 7', standing, blobs, nodeSha256, findings);
    return {
      leaves: leaves?.map(({ symbol, score }) => [symbol, score]),
      found: findings.list.map(({ code, place }) => `${code} ${place}`),
    };
  };
  const leaves = [
    ['BTC', 71],
    ['ETH', null],
  ];
  assert.deepEqual(await found(honest, blob), { leaves, found: [] });
  assert.deepEqual(await found({ ...honest, size: 1, root: ANY }, blob), {
    leaves,
    found: ['tick_differs entry 7, size', 'tick_differs entry 7, root'],
  });
  assert.deepEqual(await found({ ...honest, ts: toTime('2026-03-02T15:15:00Z') }, blob), {
    leaves,
    found: ['tick_differs entry 7, ts'],
  });
  assert.deepEqual(await found(honest, blob, (symbol) => symbol === 'BTC'), {
    leaves,
    found: ['tick_differs entry 7, leaf'],
  });
  assert.deepEqual(await found(honest, blob.subarray(1)), {
    leaves: undefined,
    found: [`tick_malformed entry 7, blob ${honest.blob}`],
  });
  // That there is none is said by whoever reads it.
  assert.deepEqual(await found(honest, undefined), { leaves: undefined, found: [] });
});
