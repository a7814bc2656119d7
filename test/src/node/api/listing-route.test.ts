import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { listingOf, listingPayload, type ListingPayload } from '@assay/core/answer/listing';
import type { RecountPayload } from '@assay/core/answer/recount';
import type { ReportPayload } from '@assay/core/answer/report';
import type { SettlementPayload } from '@assay/core/answer/settlement';
import { enactRule } from '@assay/node/rule/rule-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { unreadableRecord } from '@assay/node/ledger/record';
import { firstMirror, type LatestClose, mirrorAt } from '@assay/node/day/settlement-mirror';
import { parseRule } from '@assay/core/rule/rule';
import { wire } from '@assay/core/wire/wire';
import { setOfStrangers } from '../../core/fixture/cosigner-fixture.ts';
import { closesWorld } from '../fixture/closes-world.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { noTransport, serveWorld, TRANSPORTS } from './world-service.ts';

interface Problem {
  readonly status: number;
  readonly error: string;
  readonly detail?: string;
}

const GONE = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));

async function problemAt(url: string): Promise<Problem & { readonly source: string | null }> {
  const response = await fetch(url);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/, url);
  const body = (await response.json()) as Problem;
  assert.equal(body.status, response.status);
  return { ...body, source: response.headers.get('x-assay-source') };
}

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(`listing over ${transport}: the kit from the record`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    await world.week(0);
    const places = { publicUrl: 'https://assay.example', mirrorUrl: 'https://mirror.example/m' };
    const { base } = await serveWorld(t, world, transport, { places });
    const listed = listingOf(world.ledger.shown, CLAIMS_RULE.ticker);
    assert.ok('kit' in listed);
    const where = {
      report: 'https://assay.example/indices/LAYOFFS/report?period=2026-07-11',
      settlement_index: 'https://assay.example/settlement/latest.json',
      mirror: 'https://mirror.example/m/latest.json',
      reference_file: 'https://assay.example/settlement/2026-07-09/LAYOFFS.json',
      proof: 'https://assay.example/indices/LAYOFFS/report?period=2026-07-11',
      recount: null,
      rule: 'https://assay.example/indices/LAYOFFS/rule',
    };
    const expected = JSON.stringify(listingPayload(listed.kit, where));
    for (const name of ['LAYOFFS', 'layoffs', 'LayOffs']) {
      for (const version of ['', '/v1']) {
        const response = await fetch(`${base}${version}/indices/${name}/listing.json`);
        assert.equal(response.status, 200, name);
        assert.equal(response.headers.get('x-assay-source'), null);
        assert.equal(response.headers.get('assay-log-size'), String(world.ledger.published?.size));
        assert.match(response.headers.get('etag') ?? '', /^"/);
        assert.equal(await response.text(), expected, name);
      }
    }
    const kit = JSON.parse(expected) as ListingPayload;
    assert.ok(kit.question.includes('{strike}') && kit.question.includes('2026-07-11'));
  });

  test(`listing over ${transport}: it names the recounters of the log`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    const set = setOfStrangers();
    await world.week(0);
    await world.ledger.write(() => [{ kind: 'cosigners/1', body: set }]);
    const { base } = await serveWorld(t, world, transport);
    const response = await fetch(`${base}/indices/LAYOFFS/listing.json`);
    const { where, period } = (await response.json()) as ListingPayload;
    assert.equal(where.recount, `/indices/LAYOFFS/recount?period=${period}`);
    const answer = await fetch(base + where.recount);
    assert.equal(answer.status, 200);
    const recount = (await answer.json()) as RecountPayload;
    assert.deepEqual(recount.cosigners, set.cosigners);
    assert.deepEqual([recount.required, recount.report], [set.threshold, null]);
  });

  test(`listing over ${transport}: places that there are not are null`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    world.at('2015-01-03T00:00:00Z');
    const { base } = await serveWorld(t, world, transport);
    const whereOf = async (): Promise<unknown> =>
      ((await (await fetch(`${base}/indices/LAYOFFS/listing.json`)).json()) as ListingPayload)
        .where;
    assert.deepEqual(await whereOf(), {
      report: '/indices/LAYOFFS/report?period=2015-01-03',
      settlement_index: '/settlement/latest.json',
      mirror: null,
      reference_file: null,
      proof: '/indices/LAYOFFS/report?period=2015-01-03',
      recount: null,
      rule: '/indices/LAYOFFS/rule',
    });
  });

  test(`listing over ${transport}: its places come to hold the period`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    await world.week(0);
    const { base, publication } = await serveWorld(t, world, transport);
    const response = await fetch(`${base}/indices/LAYOFFS/listing.json`);
    const { period, where } = (await response.json()) as ListingPayload;
    assert.equal((await fetch(base + where.report)).status, 404);
    await world.week(1);
    publication.changed(world.ledger.published?.size ?? 0, new Set(['periods/LAYOFFS']));
    const report = (await (await fetch(base + where.report)).json()) as ReportPayload;
    assert.equal(report.report.period, period);
    const index = (await (await fetch(base + where.settlement_index)).json()) as LatestClose;
    const path = index.files.find(({ ticker }) => ticker === 'LAYOFFS')?.path;
    const file = await fetch(new URL(path ?? '', base + where.settlement_index));
    const settled = (await file.json()) as SettlementPayload;
    assert.equal(settled.report?.report.period, period);
  });

  test(`listing over ${transport}: no kit, and why`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    await world.week(0);
    const { base } = await serveWorld(t, world, transport);
    for (const name of ['hidden', 'HIDDEN', 'hidden-level']) {
      const url = `${base}/indices/${name}/listing.json`;
      const { status, error, detail, source } = await problemAt(url);
      assert.deepEqual(
        [status, error, detail, source],
        [404, 'no_kit', 'The level is withheld.', null],
      );
    }
    const url = `${base}/indices/hidden/listing.json`;
    assert.equal(
      (await fetch(url)).headers.get('assay-log-size'),
      String(world.ledger.published?.size),
    );
    for (const name of ['NOPE', 'close', 'LAYOFFS2']) {
      const { status, error } = await problemAt(`${base}/indices/${name}/listing.json`);
      assert.deepEqual([status, error], [404, 'not_found'], name);
    }
  });

  test(
    `listing over ${transport}: a kit is made anew when the record changes`,
    options,
    async (t) => {
      const world = await closesWorld(await temporaryFolder(t));
      await world.week(0);
      const { base, publication } = await serveWorld(t, world, transport);
      const periodOf = async (): Promise<string> =>
        ((await (await fetch(`${base}/indices/LAYOFFS/listing.json`)).json()) as ListingPayload)
          .period;
      assert.equal(await periodOf(), '2026-07-11');
      await world.week(1);
      publication.changed(world.ledger.published?.size ?? 0, new Set(['periods/LAYOFFS']));
      assert.equal(await periodOf(), '2026-07-18');
      const rule = parseRule(
        nodeSha256,
        wire({
          ...wire(CLAIMS_RULE),
          version: 2,
          applies_from: '2026-07-18',
          listing: { ...CLAIMS_RULE.listing, no_kit: 'Withdrawn.' },
        }),
      );
      await enactRule(world.ledger, nodeSha256, rule);
      publication.changed(world.ledger.published?.size ?? 0, new Set(['rules/LAYOFFS']));
      const { error, detail } = await problemAt(`${base}/indices/LAYOFFS/listing.json`);
      assert.deepEqual([error, detail], ['no_kit', 'Withdrawn.']);
    },
  );

  test(
    `listing over ${transport}: from the mirror where the record cannot be read`,
    options,
    async (t) => {
      const folder = await temporaryFolder(t);
      const world = await closesWorld(folder);
      await world.week(0);
      const listed = listingOf(world.ledger.shown, CLAIMS_RULE.ticker);
      assert.ok('kit' in listed);
      const { base } = await serveWorld(t, world, transport, { record: GONE });
      for (const name of ['LAYOFFS', 'layoffs']) {
        const response = await fetch(`${base}/indices/${name}/listing.json`);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('x-assay-source'), 'mirror');
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.equal(response.headers.get('assay-log-size'), null, 'it stands for no size');
        const { where, ...kit } = (await response.json()) as ListingPayload;
        assert.deepEqual(kit, JSON.parse(JSON.stringify(listed.kit)));
        assert.equal(where.reference_file, '/settlement/2026-07-09/LAYOFFS.json');
        assert.equal(where.settlement_index, '/settlement/latest.json');
      }
      const withheld = await problemAt(`${base}/indices/hidden/listing.json`);
      assert.deepEqual(
        [withheld.status, withheld.error, withheld.detail, withheld.source],
        [404, 'no_kit', 'The level is withheld.', 'mirror'],
      );
      const none = await problemAt(`${base}/indices/NOPE/listing.json`);
      assert.deepEqual([none.status, none.error, none.source], [404, 'not_found', 'mirror']);
      for (const path of ['/indices', '/indices/LAYOFFS', '/indices/LAYOFFS/history.csv']) {
        const { status, error } = await problemAt(`${base}${path}`);
        assert.deepEqual([status, error], [503, 'halted'], path);
      }
    },
  );

  test(`listing over ${transport}: no kit from the release of its print on`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    await world.week(0);
    world.at('2026-07-16T00:00:10Z');
    await world.close();
    const detail =
      'The print of LAYOFFS 2026-07-11 was due at 2026-07-16T12:30:00Z and is not there yet.';
    const served = {
      record: await serveWorld(t, world, transport),
      mirror: await serveWorld(t, world, transport, { record: GONE }),
    };
    for (const [source, { base }] of Object.entries(served)) {
      const url = `${base}/indices/LAYOFFS/listing.json`;
      world.at('2026-07-16T12:29:59Z');
      const etag = (await fetch(url)).headers.get('etag') ?? '';
      assert.equal((await fetch(url)).status, 200, source);
      world.at('2026-07-16T12:30:00Z');
      const late = await problemAt(url);
      assert.deepEqual([late.status, late.error, late.detail], [404, 'no_kit', detail], source);
      assert.equal(late.source, source === 'mirror' ? 'mirror' : null);
      const again = await fetch(url, { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 404, source);
    }
  });

  test(`listing over ${transport}: halted where neither can be read`, options, async (t) => {
    const folder = await temporaryFolder(t);
    const world = await closesWorld(folder);
    await world.week(0);
    const { base } = await serveWorld(t, world, transport, { record: GONE });
    const halted = async (name: string): Promise<void> => {
      const { status, error, source } = await problemAt(`${base}/indices/LAYOFFS/listing.json`);
      assert.deepEqual([status, error, source], [503, 'halted', null], name);
    };
    const path = join(folder, '2026-07-09/LAYOFFS.json');
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(1));
    await halted('a file of other bytes');
    await rm(path);
    await halted('a file that is gone');
    await writeFile(path, bytes);
    world.at('2026-07-13T00:00:00Z');
    await halted('a Close of four days ago');
    world.at('2026-07-12T23:59:59Z');
    assert.equal((await fetch(`${base}/indices/LAYOFFS/listing.json`)).status, 200);
    await writeFile(join(folder, 'latest.json'), '{}');
    await halted('an index that is none');
    await rm(folder, { recursive: true });
    await halted('no mirror');
  });

  test(
    `listing over ${transport}: from another host’s mirror when the node’s own is gone`,
    options,
    async (t) => {
      const folder = await temporaryFolder(t);
      const world = await closesWorld(folder);
      await world.week(0);
      const files = new Map<string, Buffer>();
      for (const path of ['latest.json', '2026-07-09/LAYOFFS.json']) {
        files.set(`/m/${path}`, await readFile(join(folder, path)));
      }
      await rm(folder, { recursive: true });
      const host = createServer(({ url = '' }, response) => {
        const found = files.get(url);
        if (found === undefined) response.writeHead(404).end();
        else response.end(found);
      });
      await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
      t.after(() => {
        host.closeAllConnections();
        host.close();
      });
      const mirrorUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/m`;
      const settlements = firstMirror([world.mirror.read, mirrorAt(mirrorUrl, 5000)]);
      const places = { publicUrl: null, mirrorUrl };
      const { base } = await serveWorld(t, world, transport, { record: GONE, settlements, places });
      const response = await fetch(`${base}/indices/LAYOFFS/listing.json`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('x-assay-source'), 'mirror');
      const { where } = (await response.json()) as ListingPayload;
      assert.equal(where.mirror, `${mirrorUrl}/latest.json`);
      host.closeAllConnections();
      host.close();
      const { status } = await problemAt(`${base}/indices/LAYOFFS/listing.json`);
      assert.equal(status, 503);
    },
  );
}
