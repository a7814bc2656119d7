import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCursor } from '@assay/core/answer/page';
import { parseCsv } from '@assay/core/source/csv';
import { Fault } from '@assay/core/fault';
import { type HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { Anchor } from '@assay/core/kind/anchor';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import type { DatasetPayload } from '@assay/node/terminal/answer/dataset';
import type { ReceiptsPayload } from '@assay/core/answer/terminal/receipts';
import type { ReceiptProofPayload } from '@assay/node/terminal/answer/receipt-proof';
import { receiptProofUrl } from '@assay/core/answer/terminal/terminal-event';
import { recordDigest } from '@assay/core/kind/record-digest';
import { formatTime, toDate } from '@assay/core/time/time';
import { anchorRow } from '@assay/core/view/anchors';
import { eventRow } from '@assay/core/view/terminal-events';
import { unreadableRecord } from '@assay/node/ledger/record';
import { GENESIS, SampleLog, sha256 } from '../../core/fixture/fixture.ts';
import { marketEvent, TerminalMarket } from '../../core/terminal/terminal-log.ts';
import { type HeardAnswer, shownRecord, terminalWorld } from './terminal-world.ts';
import { attestMarket, stampMarket } from './stamped-market.ts';
import { noTransport, TRANSPORTS } from './world-service.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

type Loose = Readonly<Record<string, unknown>>;

/** The target of the page that follows, by its link; undefined where there is none. */
function nextOf(path: string, answer: HeardAnswer): string | undefined {
  const [, query] = /^<(\?[^>]*)>; rel="next"$/.exec(answer.header('link') ?? '') ?? [];
  return query === undefined ? undefined : `${path}${query}`;
}

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(`receipt routes over ${transport}: pages of the newest events`, options, async (t) => {
    const world = await terminalWorld(t, transport, 9);
    const { events } = (await world.ask('/receipts')).json<ReceiptsPayload>();
    assert.equal(events.length, 2);
    // Those bytes are compared by verifiers: the link alone says that there is more.
    const first = await world.ask('/receipts?limit=1');
    assert.equal(first.text, JSON.stringify({ events: events.slice(0, 1) }));
    const second = await world.ask(nextOf('/receipts', first) ?? '');
    assert.deepEqual(second.json<Loose>(), { events: events.slice(1), next_cursor: null });
    assert.equal(nextOf('/receipts', second), undefined);
    const start = await world.ask('/receipts?cursor=&limit=1');
    const { next_cursor: cursor, ...same } = start.json<Loose>();
    assert.deepEqual(same, { events: events.slice(0, 1) });
    assert.equal(nextOf('/receipts', start), `/receipts?limit=1&cursor=${String(cursor)}`);
    const eth = await world.ask('/receipts?symbol=eth');
    assert.deepEqual(eth.json<Loose>(), { events: events.slice(1), next_cursor: null });
    for (const [query, count] of [
      ['symbol=HID', 0],
      ['symbol=NONE', 0],
      ['from=2026-08-27&to=2026-08-27', 2],
      ['from=2026-08-28', 0],
      ['to=2026-08-26', 0],
    ] as const) {
      const found = (await world.ask(`/receipts?${query}`)).json<ReceiptsPayload>();
      assert.equal(found.events.length, count, query);
    }
    // Of a log with more events, such as another publisher's: an answer would begin again, or say that there is no more.
    const { length: closed } = (await world.ask('/receipts/dataset')).json<DatasetPayload>().rows;
    for (const [list, path] of [
      ['receipts', '/receipts'],
      ['dataset', '/receipts/dataset'],
    ] as const) {
      const at = (place: number): string => `${path}?cursor=${formatCursor(list, String(place))}`;
      assert.equal((await world.ask(at(closed - 1))).status, 200);
      for (const place of [closed, 999_999_999_999_999]) {
        assert.equal((await world.ask(at(place))).status, 400, at(place));
      }
    }
    assert.equal((await world.ask('/receipts/dataset?since=2026-08-28&to=2026-08-27')).status, 400);
    const backwards = 'from=2026-08-28&to=2026-08-27';
    for (const query of ['cursor=x', 'symbol=a%20b', 'from=yesterday', 'offset=1', backwards]) {
      assert.equal((await world.ask(`/receipts?${query}`)).status, 400, query);
    }
  });

  test(`receipt routes over ${transport}: the newest closed events`, options, async (t) => {
    const world = await terminalWorld(t, transport, 9);
    const all = await world.ask('/v1/receipts');
    const { events } = all.json<ReceiptsPayload>();
    // That of the asset that is not displayed is in the dataset alone.
    assert.deepEqual(
      events.map(({ id, status }) => [id, status]),
      [
        [marketEvent('BTC', 12), 'cooling'],
        [marketEvent('ETH', 8), 'cooling'],
      ],
    );
    const [btc, eth] = events;
    assert.deepEqual(
      { ...eth?.receipts['30d'] },
      {
        due_at: '2026-09-26T02:00:00Z',
        status: 'pending',
        ret_pct: null,
        resolved_at: null,
        void_reason: null,
        benchmark: 'BTC',
        benchmark_ret_pct: null,
        benchmark_reason: null,
      },
    );
    const day = eth?.receipts['24h'];
    assert.deepEqual([day?.status, day?.resolved_at], ['resolved', '2026-08-28T02:00:00Z']);
    assert.ok(typeof day?.ret_pct === 'number' && typeof day.benchmark_ret_pct === 'number');
    const own = btc?.receipts['24h'];
    assert.deepEqual(
      [own?.benchmark, own?.benchmark_ret_pct, own?.benchmark_reason],
      [null, null, 'own'],
    );
    assert.equal((eth as unknown as Loose)['heat_at_open'], 81);
    assert.equal(eth?.score_at_open, 72);

    assert.equal((await world.ask('/receipts?limit=1')).json<ReceiptsPayload>().events.length, 1);
    const etag = all.header('etag') ?? '';
    assert.equal((await world.ask('/receipts', { 'if-none-match': etag })).status, 304);
    for (const limit of ['0', '101', '-1', '1.5', 'x', '']) {
      const bad = await world.ask(`/receipts?limit=${limit}`);
      assert.deepEqual([bad.status, bad.json<Loose>()['error']], [400, 'bad_request'], limit);
      assert.match(
        String(bad.json<Loose>()['detail']),
        /^\/limit: not a whole number from 1 to 100/,
      );
    }
  });

  test(`receipt routes over ${transport}: the dataset`, options, async (t) => {
    const world = await terminalWorld(t, transport, 9);
    const whole = (await world.ask('/v1/receipts/dataset')).json<DatasetPayload>();
    assert.deepEqual([whole.halted, whole.since, whole.next_offset], [false, '2026-08-27', null]);
    assert.deepEqual(
      whole.rows.map((row) => [row['symbol'], row['display'], row['status']]),
      [
        ['ETH', true, 'cooling'],
        ['BTC', true, 'cooling'],
        ['HID', false, 'cooling'],
      ],
    );
    const hid = whole.rows[2] as Loose;
    assert.deepEqual(
      [hid['status_24h'], hid['void_reason_24h'], hid['ret_pct_24h'], hid['status_7d']],
      ['void', 'no_data', null, 'pending'],
    );
    for (const since of ['2020-01-01', '2026-08-27']) {
      const clamped = await world.ask(`/receipts/dataset?since=${since}`);
      assert.deepEqual(clamped.json<DatasetPayload>(), whole, since);
    }
    const later = await world.ask('/receipts/dataset?since=2026-08-28');
    assert.deepEqual(later.json<DatasetPayload>().rows, []);

    const pages: unknown[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const target: string = `/receipts/dataset?limit=1&offset=${offset}`;
      const page: DatasetPayload = (await world.ask(target)).json<DatasetPayload>();
      assert.equal(page.rows.length, 1);
      assert.ok(pages.length < whole.rows.length, 'a page comes twice');
      pages.push(...page.rows);
      offset = page.next_offset;
    }
    assert.deepEqual(pages, whole.rows);

    const byCursor: unknown[] = [];
    for (let target: string | undefined = '/receipts/dataset?limit=1'; target !== undefined;) {
      const answer: HeardAnswer = await world.ask(target);
      const page = answer.json<DatasetPayload>();
      byCursor.push(...page.rows);
      assert.ok(byCursor.length <= whole.rows.length, 'a row comes twice');
      target = nextOf('/receipts/dataset', answer);
      assert.equal(page.next_cursor === null, target === undefined);
    }
    assert.deepEqual(byCursor, whole.rows);
    const first = await world.ask('/receipts/dataset?limit=1&format=csv');
    const second = await world.ask(nextOf('/receipts/dataset', first) ?? '');
    assert.match(second.text, new RegExp(`^${whole.rows[1]?.['event_id'] as string},`, 'm'));
    const { next_cursor: cursor } = (
      await world.ask('/receipts/dataset?limit=1')
    ).json<DatasetPayload>();
    const both = await world.ask(`/receipts/dataset?offset=0&cursor=${cursor}`);
    assert.deepEqual([both.status, both.json<Loose>()['error']], [400, 'bad_request']);

    const csv = await world.ask('/receipts/dataset?format=csv');
    assert.equal(csv.header('content-type'), 'text/csv; charset=utf-8');
    assert.equal(csv.header('content-disposition'), 'attachment; filename="assay-receipts.csv"');
    const rows = parseCsv(csv.text, ',', NO_LIMIT).map((row) => Object.fromEntries(row));
    assert.deepEqual(
      rows,
      whole.rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value),
          ]),
        ),
      ),
    );
    for (const query of ['limit=5001', 'limit=0', 'offset=-1', 'since=2026-02-30', 'format=xml']) {
      const bad = await world.ask(`/receipts/dataset?${query}`);
      assert.deepEqual([bad.status, bad.json<Loose>()['error']], [400, 'bad_request'], query);
    }
  });

  test(`receipt routes over ${transport}: proofs`, options, async (t) => {
    const world = await terminalWorld(t, transport, 9);
    const id = marketEvent('ETH', 8);
    const target = receiptProofUrl(id, '24h').replace('&format=ots', '');
    for (const [query, pointer] of [
      ['', '/event_id'],
      [`?event_id=${id}`, '/horizon'],
      ['?horizon=open', '/event_id'],
      [`?event_id=${id}&horizon=1d`, '/horizon'],
      ['?event_id=x&horizon=open', '/event_id'],
    ] as const) {
      const bad = await world.ask(`/receipts/proof${query}`);
      const { error, errors } = bad.json<{ error: string; errors: readonly Loose[] }>();
      assert.deepEqual([bad.status, error, errors[0]?.['pointer']], [400, 'bad_request', pointer]);
    }
    const missing = await world.ask(`/receipts/proof?event_id=${id}`);
    assert.match(missing.text, /needed: open, 24h, 7d or 30d/);
    for (const [query, why] of [
      [`event_id=${marketEvent('SOL', 1)}&horizon=open`, /There is no event/],
      [`event_id=${id}&horizon=30d`, /30d receipt of event .* is not there yet/],
      [`event_id=${id}&horizon=24h`, /24h receipt of event .* waits for the next batch/],
      [
        `event_id=${id}&horizon=open&format=ots`,
        /The opening of event [0-9a-f-]{36} waits for the next batch\./,
      ],
    ] as const) {
      const none = await world.ask(`/receipts/proof?${query}`);
      assert.deepEqual([none.status, none.json<Loose>()['error']], [404, 'not_found'], query);
      assert.match(String(none.json<Loose>()['detail']), why);
    }

    await stampMarket(world);
    const proof = (await world.ask(`/v1${target}`)).json<ReceiptProofPayload>();
    const row = eventRow(world.log.views, id);
    const digest = recordDigest(sha256, row?.receipts['24h']?.body as never);
    assert.deepEqual(
      [proof.event_id, proof.horizon, proof.digest, proof.state, proof.bitcoin_height],
      [id, '24h', digest, 'pending', null],
    );
    assert.deepEqual(
      [proof.opened_at, proof.resolved_at, proof.stamped_at, proof.seq],
      [
        '2026-08-27T02:00:00Z',
        '2026-08-28T02:00:00Z',
        formatTime(world.now),
        row?.receipts['24h']?.seq,
      ],
    );
    assert.equal(proof.proof_url, `${target}&format=ots`);
    attestMarket(world);
    const attested = (await world.ask(target.replace(id, id.toUpperCase()))).json<Loose>();
    assert.deepEqual([attested['state'], attested['bitcoin_height']], ['attested', 9]);
    const { events } = (await world.ask('/receipts')).json<ReceiptsPayload>();
    const shown = events.find((each) => each.id === id)?.proofs['24h'];
    assert.deepEqual(
      { ...shown },
      {
        digest,
        stamped_at: proof.stamped_at,
        bitcoin_height: 9,
        proof_url: proof.proof_url,
      },
    );
  });

  test(`receipt routes over ${transport}: a record that cannot be read`, options, async (t) => {
    const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
    const world = await terminalWorld(t, transport, 1, { record });
    const dataset = await world.ask('/receipts/dataset');
    assert.deepEqual([dataset.status, dataset.json<Loose>()['halted']], [503, true]);
    for (const target of [
      '/receipts',
      `/receipts/proof?event_id=${marketEvent('ETH', 8)}&horizon=open`,
    ]) {
      assert.equal((await world.ask(target)).json<Loose>()['error'], 'halted', target);
    }
  });
}

test('receipt routes: the .ots file proves the canonical body of the entry', async (t) => {
  const world = await terminalWorld(t, 'node', 9);
  await stampMarket(world);
  const id = marketEvent('BTC', 12);
  const target = `/receipts/proof?event_id=${id}&horizon=open`;
  const { digest } = (await world.ask(target)).json<{ digest: HashHex }>();
  const answer = await world.ask(`${target}&format=ots`);
  assert.equal(answer.header('content-type'), 'application/vnd.opentimestamps.ots');
  const file = await world.bytes(`${target}&format=ots`);
  const parsed = parseProof(file);
  assert.equal(formatHex(parsed.digest), digest);
  const tip = (anchorRow(world.log.views, 0) as Anchor).tip;
  assert.deepEqual(
    evaluate(parsed.timestamp, parsed.digest, otsHashes(sha256)).map(({ message }) =>
      formatHex(message),
    ),
    [tip],
  );
});

test("receipt routes: the dataset begins on the operator's day", async (t) => {
  const terminal = { datasetStart: toDate('2020-01-02') };
  const world = await terminalWorld(t, 'node', 9, { terminal });
  for (const [asked, taken] of [
    ['', '2020-01-02'],
    ['?since=2019-05-05', '2020-01-02'],
    ['?since=2021-01-01', '2021-01-01'],
  ]) {
    const { since, rows } = (await world.ask(`/receipts/dataset${asked}`)).json<DatasetPayload>();
    assert.deepEqual([since, rows.length], [taken, 3]);
  }
});

test("receipt routes: a replay's dataset begins on the day of its first tick", async (t) => {
  const log = new SampleLog();
  log.append('genesis/1', { ...GENESIS, origin: 'development/replay' });
  for (const { kind, body, at } of new TerminalMarket(2).drafts) {
    log.append(kind, JSON.parse(JSON.stringify(body).replaceAll('2026-', '2024-')) as object, at);
  }
  const world = await terminalWorld(t, 'node', 2, { record: shownRecord(log) });
  for (const query of ['', '?since=2020-01-01', '?since=2024-08-27']) {
    const { since, rows } = (await world.ask(`/receipts/dataset${query}`)).json<DatasetPayload>();
    assert.deepEqual([since, rows.length > 0], ['2024-08-27', true], query);
  }
});
