import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeText } from '@assay/core/time/time';
import { ArenaLog } from '../core/arena/arena-log.ts';
import { EXAMPLE, EXAMPLE_ROUND } from '../core/arena/example-arena.ts';
import type { FreeSpace } from '@assay/node/platform/free-space';
import type { ApiRequest } from '@assay/node/http/request';
import { Metrics } from '@assay/node/metrics';
import type { Payment, PaymentState } from '@assay/node/payment/record/payment';
import { PaymentTally } from '@assay/node/payment/record/payment-tally';
import { DamageLog } from '@assay/node/scrub/damage-log';
import type { ScrubStatus } from '@assay/node/scrub/scrub';
import type { StampProgress } from '@assay/node/anchor/anchoring';

/** What a scrape says of our own names, without its comments. */
async function scrape(metrics: Metrics): Promise<readonly string[]> {
  const request = { params: {}, query: '' } as unknown as ApiRequest;
  const reply = await metrics.route().handle(request);
  assert.ok(reply.kind === 'whole');
  const text = Buffer.from(reply.body as string).toString('utf8');
  return text.split('\n').filter((line) => line.startsWith('assay_'));
}

test('metrics: what the disk has left, and -1 where that is not known', async () => {
  const metrics = new Metrics();
  let free: FreeSpace | undefined;
  metrics.watchDisk(() => free);
  const disk = async (): Promise<readonly string[]> =>
    (await scrape(metrics)).filter((line) => line.startsWith('assay_disk'));
  assert.deepEqual(await disk(), ['assay_disk_free_bytes -1', 'assay_disk_free_files -1']);
  free = { bytes: 4096, files: 7 };
  assert.deepEqual(await disk(), ['assay_disk_free_bytes 4096', 'assay_disk_free_files 7']);
});

test('metrics: stamps, their upgrades, and what is still open', async () => {
  const metrics = new Metrics();
  let progress: StampProgress = { pending: 3, attestedHeight: undefined, headerAge: undefined };
  metrics.watchStamps(() => progress);
  assert.deepEqual(
    (await scrape(metrics)).filter((line) => line.startsWith('assay_stamp')),
    [
      'assay_stamps_total 0',
      'assay_stamp_upgrades_total 0',
      'assay_stamps_pending 3',
      'assay_stamps_attested_height 0',
    ],
  );
  metrics.stamped();
  metrics.stamped();
  metrics.upgraded();
  progress = { pending: 1, attestedHeight: 900_001, headerAge: 1234 };
  assert.deepEqual(
    (await scrape(metrics)).filter((line) => line.startsWith('assay_stamp')),
    [
      'assay_stamps_total 2',
      'assay_stamp_upgrades_total 1',
      'assay_stamps_pending 1',
      'assay_stamps_attested_height 900001',
    ],
  );
});

test('metrics: calendars that fail, by host, and nothing more of their address', async () => {
  const metrics = new Metrics();
  metrics.calendarFailed('https://a.example/path/secret');
  metrics.calendarFailed('https://a.example');
  metrics.calendarFailed('http://127.0.0.1:4620');
  metrics.calendarFailed('no address');
  assert.deepEqual(
    (await scrape(metrics)).filter((line) => line.startsWith('assay_calendar')),
    [
      'assay_calendar_failures_total{calendar="a.example"} 2',
      'assay_calendar_failures_total{calendar="127.0.0.1:4620"} 1',
      'assay_calendar_failures_total{calendar="none"} 1',
    ],
  );
});

test('metrics: what was found damaged, by what it is, and how far the scrub is', async () => {
  const metrics = new Metrics();
  const damage = new DamageLog(() => 1_785_414_600);
  let status: ScrubStatus | undefined;
  metrics.watchStorage(damage, () => status);
  const storage = async (): Promise<readonly string[]> =>
    (await scrape(metrics)).filter((line) => /^assay_(?:storage|scrub)/.test(line));
  assert.ok((await storage()).includes('assay_storage_damaged{part="blob"} 0'));
  assert.ok((await storage()).includes('assay_scrub_last_round_timestamp_seconds 0'));
  damage.note('blob', 'ab');
  damage.note('tile', '0/1', 'repaired');
  damage.note('tile', '0/1', 'repaired');
  status = {
    stage: 'blobs',
    share: 0.5,
    began_at: null,
    last_ended_at: '2026-07-30T12:30:00Z' as TimeText,
    rounds: 3,
    bytes: 4096,
    round_s: 86_400,
  };
  const lines = await storage();
  for (const line of [
    'assay_storage_damaged{part="blob"} 1',
    'assay_storage_damaged{part="tile"} 0',
    'assay_storage_repaired{part="tile"} 2',
    'assay_scrub_share 0.5',
    'assay_scrub_rounds 3',
    'assay_scrub_bytes 4096',
    'assay_scrub_last_round_timestamp_seconds 1785414600',
  ]) {
    assert.ok(lines.includes(line), line);
  }
  damage.whole('blob', 'ab');
  assert.ok((await storage()).includes('assay_storage_damaged{part="blob"} 0'));
});

test('metrics: the Close and the index entry of a day that could not be made', async () => {
  const metrics = new Metrics();
  metrics.dayEndFailed('index entry');
  assert.ok((await scrape(metrics)).includes('assay_day_end_failures_total{of="index entry"} 1'));
});

test('metrics: rounds of the Arena by how far they are, and what was written of them', async () => {
  const metrics = new Metrics();
  const log = new ArenaLog();
  metrics.watchArena({ shown: log.views });
  const arena = async (): Promise<readonly string[]> =>
    (await scrape(metrics)).filter((line) => line.startsWith('assay_arena'));
  const none = [
    'assay_arena_rounds{state="open"} 0',
    'assay_arena_rounds{state="frozen"} 0',
    'assay_arena_rounds{state="unsealed"} 0',
    'assay_arena_forecasts 0',
  ];
  assert.deepEqual(await arena(), none);
  metrics.arenaStep('opened');
  metrics.arenaStep('opened');
  metrics.arenaStep('void');
  assert.deepEqual(await arena(), [
    'assay_arena_steps_total{step="opened"} 2',
    'assay_arena_steps_total{step="void"} 1',
    ...none,
  ]);
  log.print('2026-08-04', '1000', '2026-08-05T08:40:00Z');
  log.open('2026-08-06T02:00:00Z');
  const steps = async (): Promise<string> =>
    (await arena())
      .slice(2)
      .map((line) => line.split(' ')[1])
      .join(' ');
  assert.equal(await steps(), '1 0 0 0');
  log.take(EXAMPLE_ROUND, EXAMPLE.ada, 1n, '2026-08-06T02:00:01Z');
  log.take(EXAMPLE_ROUND, EXAMPLE.ada, 2n, '2026-08-06T02:00:02Z');
  log.take(EXAMPLE_ROUND, EXAMPLE.bob, 3n, '2026-08-06T02:00:03Z');
  assert.equal(await steps(), '1 0 0 2', 'handles, and not forecasts');
  log.freeze(EXAMPLE_ROUND, '2026-08-06T07:30:00Z');
  assert.equal(await steps(), '0 1 0 2');
  log.unseal(EXAMPLE_ROUND);
  assert.equal(await steps(), '0 0 1 2');
});

test('metrics: the payments of the machine tier, and what they have brought', async () => {
  const metrics = new Metrics();
  const tally = new PaymentTally();
  metrics.watchPayments(tally);
  const payment = (key: string, state: PaymentState): Payment =>
    ({
      key,
      state,
      payer: 'a',
      answer: { bytes: 1 },
      terms: { amount: '7' },
      received: null,
    }) as never;
  tally.load(payment('a', 'confirmed'));
  tally.note(undefined, payment('b', 'settling'));
  tally.note(payment('a', 'confirmed'), payment('a', 'final'));
  tally.noteUnknown();
  const rows = async (): Promise<readonly string[]> =>
    (await scrape(metrics)).filter((line) => line.startsWith('assay_payment'));
  const expected = [
    'assay_payments_open{state="settling"} 1',
    'assay_payments_open{state="settled"} 0',
    'assay_payments_open{state="confirmed"} 0',
    'assay_payments_open{state="lost"} 0',
    'assay_payments_total{state="settling"} 1',
    'assay_payments_total{state="settled"} 0',
    'assay_payments_total{state="confirmed"} 0',
    'assay_payments_total{state="final"} 1',
    'assay_payments_total{state="failed"} 0',
    'assay_payments_total{state="lost"} 0',
    'assay_payment_received_units_total 7',
    'assay_payment_unknown_answers_total 1',
  ];
  assert.deepEqual(await rows(), expected);
  assert.deepEqual(await rows(), expected, 'a scrape changes nothing');
});
