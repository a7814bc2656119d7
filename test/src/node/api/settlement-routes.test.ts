import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { ClosePayload } from '@assay/core/answer/close';
import { closePayload } from '@assay/core/answer/close';
import type { DateText } from '@assay/core/time/time';
import { unreadableRecord } from '@assay/node/ledger/record';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { closesWorld, sha256Of } from '../fixture/closes-world.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { noTransport, serveWorld, TRANSPORTS } from './world-service.ts';

interface Problem {
  readonly status: number;
  readonly error: string;
  readonly detail?: string;
}

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(`close routes over ${transport}: the Close of a day, and the newest`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    const { base } = await serveWorld(t, world, transport);
    const early = await fetch(`${base}/indices/close`);
    assert.equal(early.status, 404);
    assert.equal(((await early.json()) as Problem).error, 'not_found');
    await world.week(0);
    world.at('2026-07-11T00:00:05Z');
    await world.close();
    const served = await serveWorld(t, world, transport);
    for (const [path, day] of [
      ['/indices/close', '2026-07-10'],
      ['/v1/indices/close', '2026-07-10'],
      ['/indices/close?day=2026-07-10', '2026-07-10'],
      ['/indices/close?day=2026-07-09', '2026-07-09'],
    ] as const) {
      const response = await fetch(`${served.base}${path}`);
      assert.equal(response.status, 200, path);
      assert.equal(
        await response.text(),
        JSON.stringify(closePayload(world.ledger.shown, nodeSha256, day as DateText)),
        path,
      );
      assert.equal(
        response.headers.get('assay-log-size'),
        String(world.ledger.published?.size),
        path,
      );
      const etag = response.headers.get('etag') ?? '';
      assert.match(etag, /^"/);
      const again = await fetch(`${served.base}${path}`, { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 304, path);
    }
  });

  test(
    `close routes over ${transport}: days without one, and what is no day`,
    options,
    async (t) => {
      const world = await closesWorld(await temporaryFolder(t));
      await world.week(0);
      const { base } = await serveWorld(t, world, transport);
      const problem = async (path: string): Promise<Problem> => {
        const response = await fetch(`${base}${path}`);
        assert.match(
          response.headers.get('content-type') ?? '',
          /^application\/problem\+json/,
          path,
        );
        assert.equal(response.headers.get('cache-control'), 'no-store', path);
        const body = (await response.json()) as Problem;
        assert.equal(body.status, response.status, path);
        return body;
      };
      for (const day of ['2026-07-08', '2026-07-10', '1999-01-01', '9999-12-31', '0001-01-01']) {
        const { status, error, detail } = await problem(`/indices/close?day=${day}`);
        assert.deepEqual([status, error], [404, 'not_found'], day);
        assert.ok(detail?.includes(day), detail);
      }
      for (const query of [
        'day=',
        'day=x',
        'day=2026-7-9',
        'day=2026-02-30',
        'day=2026-07-09T00:00:00Z',
        'day=2026-07-09%00',
        'day=%2026-07-09',
        'day=10000-01-01',
        'day=2026-07-09&day=2026-07-09',
        'day=2026-07-09&day=2026-07-10',
      ]) {
        const { status, error } = await problem(`/indices/close?${query}`);
        assert.deepEqual([status, error], [400, 'bad_request'], query);
      }
      const { status } = await problem('/indices/CLOSE/listing.json');
      assert.equal(status, 404, 'the path is no ticker');
      assert.equal((await fetch(`${base}/indices/close`, { method: 'POST' })).status, 405);
      const head = await fetch(`${base}/indices/close`, { method: 'HEAD' });
      assert.equal(head.status, 200);
      assert.equal(await head.text(), '');
    },
  );

  test(
    `close routes over ${transport}: the files that a Close names, and no others`,
    options,
    async (t) => {
      const folder = await temporaryFolder(t);
      const world = await closesWorld(folder);
      await world.week(0);
      const { base } = await serveWorld(t, world, transport);
      const close = (await (await fetch(`${base}/indices/close`)).json()) as ClosePayload;
      assert.equal(close.content.files.length, 4);
      for (const { path, sha256 } of close.content.files) {
        const response = await fetch(`${base}/settlement/${path}`);
        assert.equal(response.status, 200, path);
        assert.match(
          response.headers.get('content-type') ?? '',
          path.endsWith('.csv') ? /^text\/csv/ : /^application\/json/,
        );
        assert.match(response.headers.get('cache-control') ?? '', /immutable/);
        assert.equal(sha256Of(new Uint8Array(await response.arrayBuffer())), sha256, path);
      }
      // Beside them, but of a Close that has not been made.
      await world.mirror.put('2026-07-10/LAYOFFS.json', Buffer.from('{}'));
      await writeFile(join(folder, '2026-07-09', 'other.json'), '{}');
      for (const path of [
        '2026-07-10/LAYOFFS.json',
        '2026-07-09/other.json',
        '2026-07-09/',
        '2026-07-09',
        '2026-07-09/layoffs.json',
        '2026-07-09/LAYOFFS.json/',
        '2026-07-09/%2e%2e%2flatest.json',
        '2026-07-09%2FLAYOFFS.txt',
        '2026-13-09/LAYOFFS.json',
        '..%2f..%2fkeys%2freport.json',
        '2026-07-09/v1/LAYOFFS.json',
      ]) {
        const response = await fetch(`${base}/settlement/${path}`);
        assert.equal(response.status, 404, path);
        assert.equal(((await response.json()) as Problem).error, 'not_found', path);
      }
      assert.equal((await fetch(`${base}/v1/settlement/2026-07-09/LAYOFFS.json`)).status, 404);
    },
  );

  test(
    `close routes over ${transport}: a file with other bytes than its Close names is served to nobody, and told`,
    options,
    async (t) => {
      const folder = await temporaryFolder(t);
      const world = await closesWorld(folder);
      await world.week(0);
      const { base } = await serveWorld(t, world, transport);
      const path = '2026-07-09/LAYOFFS.json';
      const at = join(folder, path);
      const kept = await readFile(at, 'utf8');
      const reasons = async (): Promise<string> => {
        const status = (await (await fetch(`${base}/status`)).json()) as { reasons: string[] };
        return status.reasons.filter((each) => each.includes('ettlement')).join();
      };
      const wrong = kept.replace('215000', '315000');
      assert.notEqual(wrong, kept);
      await writeFile(at, wrong);
      const response = await fetch(`${base}/settlement/${path}`);
      assert.equal(response.status, 500);
      assert.equal(((await response.json()) as Problem).error, 'damaged');
      assert.match(
        await reasons(),
        /^The settlement file 2026-07-09\/LAYOFFS\.json is damaged: copy/,
      );
      await rm(at);
      assert.equal((await fetch(`${base}/settlement/${path}`)).status, 404);
      assert.match(await reasons(), /^The settlement file 2026-07-09\/LAYOFFS\.json is missing: /);
      await writeFile(at, kept);
      assert.equal((await fetch(`${base}/settlement/${path}`)).status, 200);
      assert.equal(await reasons(), '');
    },
  );

  test(
    `close routes over ${transport}: an index that is not what its Close says is served to nobody`,
    options,
    async (t) => {
      const folder = await temporaryFolder(t);
      const world = await closesWorld(folder);
      await world.week(0);
      const { base } = await serveWorld(t, world, transport);
      const url = `${base}/settlement/latest.json`;
      const kept = await readFile(join(folder, 'latest.json'), 'utf8');
      const sha256 = /"sha256": "([0-9a-f]{64})"/.exec(kept)?.[1] ?? '';
      for (const wrong of [kept.replace(sha256, '0'.repeat(64)), kept.slice(0, -40), '']) {
        await writeFile(join(folder, 'latest.json'), wrong);
        assert.equal((await fetch(url)).status, 500, wrong.slice(0, 300));
      }
      await writeFile(join(folder, 'latest.json'), kept);
      assert.equal((await fetch(url)).status, 200);
      // Of another log it is sound, and yet not what this one says.
      const other = await closesWorld(await temporaryFolder(t));
      other.shown.sample['2026-06-27'] = 200_000;
      await other.week(1);
      await writeFile(join(folder, 'latest.json'), (await other.mirror.read('latest.json')) ?? '');
      assert.equal((await fetch(url)).status, 500);
    },
  );

  test(`close routes over ${transport}: the index of a mirror`, options, async (t) => {
    const folder = await temporaryFolder(t);
    const world = await closesWorld(folder);
    const { base } = await serveWorld(t, world, transport);
    const url = `${base}/settlement/latest.json`;
    const early = await fetch(url);
    assert.deepEqual([early.status, ((await early.json()) as Problem).error], [404, 'not_found']);
    await world.week(0);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'public, no-cache');
    const body = await readFile(join(folder, 'latest.json'), 'utf8');
    assert.equal(await response.text(), body);
    // Whoever must ask each time whether it has changed needs something to ask with.
    const etag = response.headers.get('etag') ?? '';
    const held = await fetch(url, { headers: { 'if-none-match': etag } });
    assert.deepEqual([held.status, await held.text(), held.headers.get('etag')], [304, '', etag]);
    await world.week(1);
    const next = await fetch(url, { headers: { 'if-none-match': etag } });
    assert.deepEqual([next.status, (await next.text()) === body], [200, false]);
    const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
    const halted = await serveWorld(t, world, transport, { record });
    assert.equal((await fetch(`${halted.base}/settlement/latest.json`)).status, 200);
    await rm(join(folder, 'latest.json'));
    assert.equal((await fetch(`${halted.base}/settlement/latest.json`)).status, 503);
  });

  test(
    `close routes over ${transport}: a correction shows as the next version, and both stay`,
    options,
    async (t) => {
      const world = await closesWorld(await temporaryFolder(t));
      await world.week(0);
      world.shown.sample['2026-07-04'] = 214_000;
      world.at('2026-07-10T09:00:00Z');
      await world.correct('2026-07-04');
      await world.close();
      const { base } = await serveWorld(t, world, transport);
      const close = (await (
        await fetch(`${base}/indices/close?day=2026-07-09`)
      ).json()) as ClosePayload;
      assert.equal(close.version, 1);
      assert.equal(close.indices[1]?.value_decimal, '214000');
      for (const path of ['2026-07-09/LAYOFFS.json', '2026-07-09/v1/LAYOFFS.json']) {
        const response = await fetch(`${base}/settlement/${path}`);
        assert.equal(response.status, 200, path);
      }
    },
  );

  test(`close routes over ${transport}: without a record`, options, async (t) => {
    const folder = await temporaryFolder(t);
    const world = await closesWorld(folder);
    await world.week(0);
    world.at('2026-07-11T00:00:10Z');
    await world.close();
    await mkdir(join(folder, '2026-07-11'));
    const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
    const { base } = await serveWorld(t, world, transport, { record });
    for (const path of ['/indices/close', '/indices/close?day=2026-07-09']) {
      const response = await fetch(`${base}${path}`);
      assert.equal(response.status, 503, path);
      assert.equal(((await response.json()) as Problem).error, 'halted');
    }
    // Which files are named, only the record can say; but the mirror's own index names the newest.
    await writeFile(join(folder, '2026-07-11', 'LAYOFFS.json'), 'of a Close that never was');
    const held = [
      'latest.json',
      '2026-07-10/LAYOFFS.json',
      '2026-07-10/LAYOFFS.csv',
      '2026-07-10/hidden.csv',
    ];
    for (const path of held) {
      const file = await fetch(`${base}/settlement/${path}`);
      assert.equal(file.status, 200, path);
      assert.deepEqual(
        Buffer.from(await file.arrayBuffer()),
        await readFile(join(folder, path)),
        path,
      );
      assert.equal(file.headers.get('cache-control'), 'no-store');
      assert.equal(file.headers.get('x-assay-source'), 'mirror');
    }
    const halted = async (path: string): Promise<void> => {
      const response = await fetch(`${base}/settlement/${path}`);
      assert.equal(response.status, 503, path);
      assert.equal(((await response.json()) as Problem).error, 'halted', path);
      assert.equal(response.headers.get('x-assay-source'), null, path);
    };
    // No signature that is here says what an earlier Close named.
    for (const path of ['2026-07-09/LAYOFFS.json', '2026-07-09/hidden.csv']) await halted(path);
    for (const path of ['2026-07-08/LAYOFFS.json', '2026-07-11/LAYOFFS.json']) await halted(path);
    await halted('2026-07-10/v1/LAYOFFS.json');
    await writeFile(join(folder, '2026-07-10/LAYOFFS.csv'), 'other bytes');
    await halted('2026-07-10/LAYOFFS.csv');
    // Another log's, a page of HTML, and what nobody signed.
    const other = await closesWorld(await temporaryFolder(t));
    other.shown.sample['2026-06-27'] = 200_000;
    await other.week(0);
    const kept = await readFile(join(folder, 'latest.json'), 'utf8');
    const wrongs = [
      String(await other.mirror.read('latest.json')),
      '<html>',
      '[]',
      kept.replace(/"signature": "[0-9a-f]{8}/, '"signature": "00000000'),
      kept.replaceAll('"ticker": "LAYOFFS"', '"ticker": "hidden"'),
      kept.replace('"slug": "layoffs"', '"slug": "cpi"'),
    ];
    for (const wrong of wrongs) {
      assert.notEqual(wrong, kept);
      await writeFile(join(folder, 'latest.json'), wrong);
      await halted('latest.json');
    }
    await halted('2026-07-10/LAYOFFS.json');
  });

  test(`close routes over ${transport}: a named file that is lost`, options, async (t) => {
    const folder = await temporaryFolder(t);
    const world = await closesWorld(folder);
    await world.week(0);
    await rm(join(folder, '2026-07-09/LAYOFFS.json'));
    const { base } = await serveWorld(t, world, transport);
    const lost = await fetch(`${base}/settlement/2026-07-09/LAYOFFS.json`);
    assert.equal(lost.status, 404);
    assert.equal(((await lost.json()) as Problem).detail, 'The file is not here any more.');
  });
}
