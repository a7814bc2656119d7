import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { open, type PeriodNumber } from '@assay/verifier';
import { publish } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';
import { ServedLog, URL_OF_LOG } from '../fixture/served-log.ts';

const log = await sampleLog();
const published = publish(log.entries.slice(0, 40), log.blobs, log.checkpoints);

async function numbersOf(
  server: ServedLog,
  from: string,
  to: string,
): Promise<readonly PeriodNumber[]> {
  const client = await open(URL_OF_LOG, { key: log.checkpoints.vkey, fetch: server.fetch });
  const numbers: PeriodNumber[] = [];
  for await (const each of client.numbers('LAYOFFS', { from, to })) numbers.push(each);
  return numbers;
}

function brief(numbers: readonly PeriodNumber[]): readonly string[] {
  return numbers.map(({ period, number }) => `${period} ${number.ok ? number.value : number.code}`);
}

/** A server that names another calendar. */
function naming(cadence: string): ServedLog {
  const server = new ServedLog(published);
  const path = '/indices/LAYOFFS';
  const answer = server.site.get(path);
  assert.ok(answer !== undefined);
  const text = new TextDecoder()
    .decode(answer.body)
    .replace('"cadence":"weekly"', `"cadence":"${cadence}"`);
  server.site.set(path, { ...answer, body: new TextEncoder().encode(text) });
  return server;
}

test('number range: each week that a day of the range ends is there, proven or refused', async () => {
  const server = new ServedLog(published);
  const found = brief(await numbersOf(server, '2025-04-20', '2025-05-10'));
  assert.equal(found.length, 3);
  assert.equal(found[0], '2025-04-26 241000');
  assert.ok(
    found.every((each, i) => each.startsWith(['2025-04-26', '2025-05-03', '2025-05-10'][i] ?? '-')),
  );
  // Both days belong to it.
  assert.deepEqual(brief(await numbersOf(server, '2025-04-26', '2025-04-26')), [found[0]]);
  assert.deepEqual(brief(await numbersOf(server, '2025-04-27', '2025-05-02')), []);
  assert.deepEqual(brief(await numbersOf(server, '2031-01-01', '2031-01-06')), [
    '2031-01-04 not_found',
  ]);
});

test('number range: a server that hides weeks behind another calendar is refused', async () => {
  const all = await numbersOf(naming('daily'), '2025-04-25', '2025-04-30');
  assert.deepEqual(brief(all), [
    '2025-04-25 not_found',
    '2025-04-26 refused',
    ...['27', '28', '29', '30'].map((day) => `2025-04-${day} not_found`),
  ]);
  const empty = await numbersOf(naming('monthly'), '2025-04-20', '2025-04-30');
  assert.deepEqual(brief(empty), ['2025-04-01 not_found']);
  assert.deepEqual(brief(await numbersOf(naming('yearly'), '2025-04-20', '2025-04-30')), [
    '2025-04-20 malformed',
  ]);
});

test('number range: what is no range throws', async () => {
  for (const [from, to] of [
    ['2025-05-01', '2025-04-30'],
    ['2025-13-01', '2025-04-30'],
  ] as const) {
    await assert.rejects(
      numbersOf(new ServedLog(published), from, to),
      (error) => faultCode(error) === 'malformed',
    );
  }
});
