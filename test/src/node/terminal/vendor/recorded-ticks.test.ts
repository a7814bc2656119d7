import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTime, toTime } from '@assay/core/time/time';
import { readRecordedTicks, recordedTicks } from '@assay/node/terminal/vendor/recorded-ticks';
import { never } from '../vendor-fixture.ts';

const ts = toTime('2026-10-08T15:00:00Z');
const READ = { ts, symbol: 'BTC', price: '5.5', volume_24h: '10', stamped_at: ts };

test('recorded ticks: what was recorded of a time, and nothing else', async () => {
  const source = recordedTicks('made_up', [READ, { ...READ, symbol: 'ETH', price: null }]);
  const reads = await source.read(parseTime(ts), ['BTC', 'ETH', 'SOL'], never);
  assert.deepEqual(
    reads.map(({ symbol, said, reason }) => [symbol, said.price, reason]),
    [
      ['BTC', '5.5', null],
      ['ETH', null, 'nothing recorded'],
      ['SOL', null, 'nothing recorded'],
    ],
  );
  const [later] = await source.read(parseTime(ts) + 900, ['BTC'], never);
  assert.equal(later?.said.price, null);
  assert.throws(() => recordedTicks('made_up', [READ, READ]), { code: 'bad_config' });
});

test('recorded ticks: a file of them, exactly so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-recorded-'));
  try {
    const path = join(folder, 'reads.json');
    await writeFile(path, JSON.stringify([READ]));
    assert.deepEqual(await readRecordedTicks(path), [READ]);
    for (const text of ['{}', '[{}]', JSON.stringify([{ ...READ, price: 5 }]), 'no']) {
      await writeFile(path, text);
      await assert.rejects(readRecordedTicks(path), { code: 'bad_config' });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
