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

test('number range: a server that names another calendar hides no week', async () => {
  const whole = brief(await numbersOf(new ServedLog(published), '2025-04-20', '2025-05-10'));
  assert.equal(whole.length, 3);
  for (const cadence of ['daily', 'monthly', 'yearly']) {
    assert.deepEqual(brief(await numbersOf(naming(cadence), '2025-04-20', '2025-05-10')), whole);
    assert.deepEqual(brief(await numbersOf(naming(cadence), '2025-04-27', '2025-05-02')), []);
  }
});

test('number range: without a proven number nobody knows the calendar, and there is one refusal', async () => {
  const server = new ServedLog(published);
  server.site.delete('/indices/LAYOFFS/report');
  const found = brief(await numbersOf(server, '2025-04-20', '2025-05-10'));
  assert.deepEqual(found, ['2025-04-20 not_found']);
  const [earliest, latest] = ['0001-01-01', '9999-12-31'];
  assert.equal((await numbersOf(server, earliest, earliest)).length, 1);
  assert.equal((await numbersOf(server, latest, latest)).length, 1);
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
