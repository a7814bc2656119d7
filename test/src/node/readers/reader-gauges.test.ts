import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { readerGauges } from '@assay/node/readers/reader-gauges';
import type { ReaderStatus } from '@assay/node/readers/reader-processes';

const ANSWERS: ReaderStatus = {
  number: 1,
  pid: 10,
  listens: true,
  restarts: 2,
  figures: { size: 40, silentS: 3, requests: 9, failures: 1, bytes: 1000 },
};
const STARTING: ReaderStatus = {
  number: 2,
  pid: undefined,
  listens: false,
  restarts: 0,
  figures: undefined,
};

async function shown(
  readers: () => readonly ReaderStatus[],
  published?: () => number,
): Promise<readonly string[]> {
  const registry = new Registry();
  for (const each of readerGauges(readers, published)) registry.registerMetric(each);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('assay'));
}

test('reader gauges: each reader by its number, and one that has said nothing is not said to be near its publisher', async () => {
  const lines = await shown(
    () => [ANSWERS, STARTING],
    () => 41,
  );
  assert.deepEqual(lines.toSorted(), [
    'assay_reader_behind_entries{reader="1"} 1',
    'assay_reader_behind_entries{reader="2"} 41',
    'assay_reader_entries{reader="1"} 40',
    'assay_reader_entries{reader="2"} 0',
    'assay_reader_memory_bytes{reader="1"} 1000',
    'assay_reader_memory_bytes{reader="2"} 0',
    'assay_reader_requests{reader="1",outcome="answered"} 8',
    'assay_reader_requests{reader="1",outcome="failed"} 1',
    'assay_reader_requests{reader="2",outcome="answered"} 0',
    'assay_reader_requests{reader="2",outcome="failed"} 0',
    'assay_reader_restarts{reader="1"} 2',
    'assay_reader_restarts{reader="2"} 0',
    'assay_reader_silent_seconds{reader="1"} 3',
    'assay_reader_up{reader="1"} 1',
    'assay_reader_up{reader="2"} 0',
  ]);
});

test('reader gauges: where no publisher says its size, none is claimed; a figure that is gone is not shown again', async () => {
  assert.equal((await shown(() => [ANSWERS])).join().includes('behind'), false);
  const registry = new Registry();
  let status = ANSWERS;
  for (const each of readerGauges(() => [status])) registry.registerMetric(each);
  assert.match(await registry.metrics(), /^assay_reader_silent_seconds\{/m);
  status = { ...STARTING, number: 1 };
  assert.doesNotMatch(await registry.metrics(), /^assay_reader_silent_seconds\{/m);
});
