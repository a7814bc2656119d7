import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { ArenaLog, keyForecaster, secretForecaster } from '../../core/arena/arena-log.ts';
import { Judge } from './judge.ts';
import { shownRecord } from './terminal-world.ts';
import { noTransport, serveWorld, TRANSPORTS } from './world-service.ts';

type Loose = Readonly<Record<string, unknown>>;

interface World {
  readonly log: ArenaLog;
  readonly at: (time: string) => void;
  readonly ask: (target: string) => Promise<{ readonly status: number; readonly body: Loose }>;
}

const ADA = secretForecaster('ada');
const BOB = keyForecaster('b1');
const ID = 'layoffs-2026-08-04';

/** An Arena with two graded rounds, and one that is open. */
async function arenaWorld(t: TestContext, transport: (typeof TRANSPORTS)[number]): Promise<World> {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  for (const [period, print] of [
    ['2026-08-02', '1100'],
    ['2026-08-03', '1000'],
  ] as const) {
    log.play(period, print, [
      [ADA, BigInt(print)],
      [BOB, 1000n],
    ]);
  }
  log.open('2026-08-05T02:00:00Z');
  log.take(ID, ADA, 1050n, '2026-08-05T02:00:01Z');
  let now = parseTime('2026-08-05T02:00:02Z');
  const record = shownRecord(log);
  const { base, publication } = await serveWorld(
    t,
    {
      ledger: record as never,
      blobs: new MemoryBlobStore(),
      closeParts: { now: () => now } as never,
    },
    transport,
    { record },
  );
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const judge = new Judge(document);
  return {
    log,
    at: (time) => {
      now = parseTime(time);
    },
    async ask(target) {
      publication.changed(log.entries.length, new Set(['rounds']));
      const response = await fetch(`${base}${target}`);
      const text = await response.text();
      const path = (target.split('?')[0] ?? '')
        .replace(/^\/v1/, '')
        .replace(/^\/arena\/(round|handle)s\/.*/, '/arena/$1s/{$1}');
      const operation = document.paths[path]?.get;
      assert.ok(operation !== undefined, path);
      const header = (name: string): string | null => response.headers.get(name);
      judge.check(operation, { status: response.status, text, header }, target);
      return { status: response.status, body: JSON.parse(text) as Loose };
    },
  };
}

const list = (value: unknown): readonly Loose[] => value as readonly Loose[];

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(`arena routes over ${transport}: rounds, standings and rules`, options, async (t) => {
    const world = await arenaWorld(t, transport);
    const { body } = await world.ask('/v1/arena');
    const [open] = list(body['open']);
    assert.deepEqual(
      [open?.['id'], open?.['state'], open?.['forecasts'], open?.['arena'], open?.['print']],
      [ID, 'open', 1, null, null],
    );
    assert.deepEqual(
      [open?.['ticker'], open?.['slug'], open?.['step'], open?.['ref_value'], open?.['format']],
      ['LAYOFFS', 'layoffs', 1, 1000, 'count'],
    );
    assert.deepEqual(
      list(body['recent']).map((each) => [each['id'], each['state'], each['print']]),
      [
        ['layoffs-2026-08-03', 'graded', 1000],
        ['layoffs-2026-08-02', 'graded', 1100],
      ],
    );
    const all = (await world.ask('/arena/rounds')).body;
    assert.deepEqual(
      list(all['rounds']).map(({ id }) => id),
      [ID, 'layoffs-2026-08-03', 'layoffs-2026-08-02'],
    );
    assert.deepEqual(list(all['rounds'])[0], open);
    const page = (await world.ask('/v1/arena/rounds?limit=2&ticker=layoffs')).body;
    const rest = (await world.ask(`/arena/rounds?cursor=${String(page['next_cursor'])}`)).body;
    assert.deepEqual([...list(page['rounds']), ...list(rest['rounds'])], all['rounds']);
    assert.deepEqual([all['next_cursor'], rest['next_cursor']], [null, null]);
    const day = (await world.ask('/arena/rounds?from=2026-08-04&to=2026-08-04')).body;
    assert.deepEqual(
      list(day['rounds']).map(({ id }) => id),
      ['layoffs-2026-08-03'],
    );
    assert.equal((await world.ask('/arena/rounds?ticker=nope')).status, 404);
    assert.equal((await world.ask('/arena/rounds?cursor=nope')).status, 400);
    const standings = list(body['standings']);
    const ada = standings.find((each) => each['handle_id'] === ADA.handle);
    assert.deepEqual(
      [ada?.['graded'], ada?.['total_points'], ada?.['mean_points'], ada?.['best_streak']],
      [2, 200, 100, 2],
    );
    assert.deepEqual([ada?.['ranked'], ada?.['secured_by']], [false, 'secret']);
    assert.deepEqual(standings.map((each) => String(each['secured_by'])).sort(), [
      'house',
      'house',
      'key',
      'secret',
    ]);
    assert.deepEqual(list(body['voided']), [{ ticker: 'LAYOFFS', rounds: 2, voided: 0 }]);
    const { points } = body['rules'] as Loose;
    assert.match(String(points), /÷ 25%/);
  });

  test(
    `arena routes over ${transport}: by the clock a round closes before its freeze`,
    options,
    async (t) => {
      const world = await arenaWorld(t, transport);
      world.at('2026-08-05T07:29:59Z');
      assert.equal(list((await world.ask('/arena')).body['open']).length, 1);
      world.at('2026-08-05T07:30:00Z');
      const { body } = await world.ask('/arena');
      assert.deepEqual(list(body['open']), []);
      assert.deepEqual(
        [list(body['recent'])[0]?.['id'], list(body['recent'])[0]?.['state']],
        [ID, 'closed'],
      );
      assert.equal(list((await world.ask('/arena?limit=1')).body['recent']).length, 1);
      assert.equal((await world.ask('/arena?ticker=layoffs')).status, 200);
      assert.equal((await world.ask('/arena?ticker=nothing')).status, 404);
      assert.equal((await world.ask('/arena?limit=0')).status, 400);
    },
  );

  test(
    `arena routes over ${transport}: a round, a forecast in it, a handle`,
    options,
    async (t) => {
      const world = await arenaWorld(t, transport);
      const round = await world.ask(`/arena/rounds/${ID}`);
      assert.deepEqual([round.body['state'], round.body['log']], ['open', world.log.log]);
      const first = await world.ask(`/arena/rounds/layoffs-2026-08-02?place=0`);
      assert.equal(list((first.body['forecast'] as Loose)['proof'] as never).length, 1);
      assert.equal((await world.ask(`/arena/rounds/${ID}?place=1`)).status, 404);
      assert.equal((await world.ask('/arena/rounds/layoffs-2026-08-09')).status, 404);
      const handle = await world.ask(`/arena/handles/${BOB.handle}`);
      assert.equal((handle.body['standing'] as Loose)['secured_by'], 'key');
      assert.equal((await world.ask('/arena/handles/nobody-here')).status, 404);
      assert.equal((await world.ask('/arena/handles/official')).status, 404);
    },
  );
}
