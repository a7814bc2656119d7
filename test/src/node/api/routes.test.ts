import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import type { IndexDetailPayload, IndexPayload } from '@assay/core/answer/index';
import type { ReportPayload } from '@assay/core/answer/report';
import type { RulePayload } from '@assay/core/answer/rule';
import type { SignerPayload } from '@assay/core/answer/signer';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { firstClose, withDemo } from '../fixture/demo-node.ts';
import { noTransport, TRANSPORTS } from './world-service.ts';

const HEADER =
  'ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url';

interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly error: string;
  readonly detail?: string;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

for (const transport of TRANSPORTS) {
  const only = noTransport(transport);

  test(`api over ${transport}: the reads of the index set`, { skip: only }, async (t) => {
    await withDemo({ ASSAY_TRANSPORT: transport }, async (base, node) => {
      await firstClose(base);
      const get = (path: string, init: RequestInit = {}): Promise<Response> =>
        fetch(`${base}${path}`, init);
      const problem = async (path: string, status: number, error: string): Promise<ProblemBody> => {
        const response = await get(path);
        assert.equal(response.status, status, path);
        assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
        const body = (await response.json()) as ProblemBody;
        assert.equal(body.error, error, path);
        assert.equal(body.status, status, path);
        return body;
      };

      /** Two answers of one publication: entries may come in between. */
      const pair = async (a: string, b: string): Promise<readonly [Response, Response]> => {
        for (;;) {
          const [one, other] = await Promise.all([get(a), get(b)]);
          const sizes = [one, other].map(({ headers }) => headers.get('assay-log-size'));
          if (sizes[0] === sizes[1]) return [one, other];
        }
      };

      await t.test('each path answers the same with and without /v1', async () => {
        for (const path of [
          '/indices',
          '/indices/LAYOFFS',
          '/indices/LAYOFFS/rule',
          '/indices/LAYOFFS/report',
          '/indices/LAYOFFS/report?period=2026-07-25',
          '/indices/LAYOFFS/history.csv',
        ]) {
          const before = node.ledger.published?.size ?? 0;
          const [plain, versioned] = await pair(path, `/v1${path}`);
          assert.equal(plain.status, 200, path);
          assert.equal(await versioned.text(), await plain.text(), path);
          // Words of co-signers may come in between.
          const size = Number(plain.headers.get('assay-log-size'));
          assert.ok(size >= before && size <= (node.ledger.published?.size ?? 0), path);
        }
      });

      await t.test('a ticker or slug in any case', async () => {
        for (const name of ['layoffs', 'LayOffs', 'LAYOFFS']) {
          const [named, expected] = await pair(`/indices/${name}`, '/indices/LAYOFFS');
          assert.equal(await named.text(), await expected.text(), name);
        }
      });

      await t.test('the list and the detail', async () => {
        const list = (await (await get('/indices')).json()) as readonly IndexPayload[];
        assert.deepEqual(
          list.map(({ ticker }) => ticker),
          ['LAYOFFS'],
        );
        assert.equal(list[0]?.periods.length, 30);
        const detail = (await (await get('/indices/LAYOFFS')).json()) as IndexDetailPayload;
        assert.equal(detail.open_round, null);
        assert.ok(detail.periods.length >= 60);
        const week = detail.periods.find(({ period }) => period === '2026-07-25');
        assert.equal(week?.status, 'final');
        assert.equal(week.settlement_value, 197_000);
        assert.equal(week.settlement_value_decimal, '197000');
        assert.equal(week.revised, null);
        assert.equal(week.revised_on, null);
        const history = detail.periods.find(({ period }) => period === '2025-11-29');
        assert.equal(history?.status, 'history');
        assert.equal(history.settlement_value, null);
      });

      await t.test('history.csv', async () => {
        const response = await get('/indices/layoffs/history.csv');
        assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
        assert.equal(
          response.headers.get('content-disposition'),
          'attachment; filename="assay-LAYOFFS-history.csv"',
        );
        const lines = (await response.text()).trimEnd().split('\n');
        assert.equal(lines[0], HEADER);
        assert.equal(lines[1]?.split(',')[1], '2025-01-04');
        const periods = lines.slice(1).map((line) => line.split(',')[1] as string);
        assert.deepEqual(periods, [...periods].sort());
        assert.ok(lines.some((line) => line.startsWith('LAYOFFS,2026-07-25,197000,197000,,,')));
        assert.ok(lines.includes('LAYOFFS,2025-11-29,216000,,,,,,,,'));
        const settled = lines.slice(1).filter((line) => line.split(',')[3] !== '');
        assert.deepEqual(
          settled.slice(0, 1).map((line) => line.split(',').slice(1, 4).join(' ')),
          ['2026-07-25 197000 197000'],
        );
      });

      await t.test('the rule is the bytes of its hash', async () => {
        const rule = (await (await get('/indices/LAYOFFS/rule')).json()) as RulePayload;
        assert.equal(hexOf(nodeSha256(Buffer.from(rule.canonical))), rule.hash);
        assert.deepEqual(JSON.parse(rule.canonical), rule.rule);
        assert.deepEqual(
          rule.versions.map(({ version, applies_from: from }) => `${version} ${from}`),
          ['1 2015-01-03', '2 2026-08-01'],
        );
      });

      await t.test('the report is signed by the key of the signer document', async () => {
        const signer = (await (
          await get('/.well-known/assay-signer.json')
        ).json()) as SignerPayload;
        assert.equal(signer.network, 'development');
        assert.match(signer.origin, /^development\//);
        const body = (await (
          await get('/indices/LAYOFFS/report?period=2026-07-25')
        ).json()) as ReportPayload;
        assert.equal(body.report.value, '197000');
        assert.equal(body.report.status, 'final');
        assert.ok(
          nodeVerifySignature(
            Buffer.from(signer.report_key.public_key, 'hex'),
            Buffer.from(body.print, 'hex'),
            Buffer.from(body.signature, 'hex'),
          ),
        );
        assert.equal(body.print.slice(144, 208), body.hash);
      });

      await t.test('errors', async () => {
        await problem('/indices/NOPE', 404, 'not_found');
        await problem('/indices/close?day=1999-01-01', 404, 'not_found');
        await problem('/indices/LAYOFFS/report?period=2025-05-03', 404, 'no_report');
        await problem('/indices/LAYOFFS/report?period=1999-01-01', 404, 'no_report');
        const wednesday = await get('/indices/LAYOFFS/report?period=2026-07-29');
        assert.equal(
          ((await wednesday.json()) as ProblemBody).detail,
          'LAYOFFS is weekly, and its periods end on a Saturday: 2026-07-29 is a Wednesday; the nearest are 2026-07-25 and 2026-08-01.',
        );
        for (const query of [
          'period=2025-13-01',
          'period=x',
          'period=',
          'period=2025-01-04&period=2025-01-11',
        ]) {
          await problem(`/indices/LAYOFFS/report?${query}`, 400, 'bad_request');
        }
        await problem('/nothing', 404, 'not_found');
        await problem('/v1/checkpoint', 404, 'not_found');
        await problem('/tile/0/001', 404, 'not_found');
        await problem('/tile/../secret', 404, 'not_found');
        await problem('/tile/0/000.p/255', 404, 'not_found');
        await problem(`/blob/${'0'.repeat(64)}`, 404, 'not_found');
        await problem('/blob/..%2F..%2Fkeys%2Freport.json', 404, 'not_found');
        const post = await get('/indices', { method: 'POST' });
        assert.equal(post.status, 405);
        assert.equal(post.headers.get('allow'), 'GET, HEAD, OPTIONS');
      });

      await t.test('ETag and 304; HEAD', async () => {
        const first = await get('/indices');
        const etag = first.headers.get('etag') ?? '';
        assert.match(etag, /^"[^"]+"$/);
        const second = await get('/indices', { headers: { 'if-none-match': etag } });
        assert.equal(second.status, 304);
        // The log may have gone on between the two.
        const sizes = [first, second].map((each) => Number(each.headers.get('assay-log-size')));
        assert.equal((sizes[1] ?? 0) >= (sizes[0] ?? 1), true, sizes.join(' then '));
        const identity = { 'accept-encoding': 'identity' };
        const head = await get('/indices', { method: 'HEAD', headers: identity });
        const plain = await (await get('/indices', { headers: identity })).arrayBuffer();
        assert.equal(head.headers.get('content-length'), String(plain.byteLength));
        // Compressed it costs less than a quarter, and no request waits for it.
        let length = plain.byteLength;
        for (let i = 0; i < 100 && length === plain.byteLength; i += 1) {
          const coded = await get('/indices', { headers: { 'accept-encoding': 'br' } });
          length = Number(coded.headers.get('content-length'));
          assert.equal((await coded.arrayBuffer()).byteLength, plain.byteLength);
        }
        assert.ok(length < plain.byteLength / 4, `${length} of ${plain.byteLength}`);
      });

      await t.test(
        'the log: every tile that the checkpoint covers, and every blob that a read names',
        async () => {
          const checkpoint = await get('/checkpoint');
          assert.match(checkpoint.headers.get('content-type') ?? '', /^text\/plain/);
          const { size } = parseCheckpoint(
            parseNote(new Uint8Array(await checkpoint.arrayBuffer())).text,
          );
          assert.ok(size <= (node.ledger.published?.size ?? 0));
          for (const tile of tilesOf(size)) {
            const response = await get(`/${formatTilePath(tile)}`);
            assert.equal(response.status, 200, formatTilePath(tile));
            assert.match(response.headers.get('cache-control') ?? '', /immutable/);
          }
          const { report } = (await (await get('/indices/LAYOFFS/report')).json()) as ReportPayload;
          for (const { snapshot } of report.reads) {
            const manifest = await get(`/blob/${snapshot}`);
            const bytes = new Uint8Array(await manifest.arrayBuffer());
            assert.equal(hexOf(nodeSha256(bytes)), snapshot);
            assert.equal(manifest.headers.get('content-disposition'), 'attachment');
          }
        },
      );

      await t.test('status and metrics', async () => {
        const status = (await (await get('/status')).json()) as Record<string, unknown>;
        assert.equal(status['status'], 'ok');
        assert.equal(status['network'], 'development');
        assert.equal(status['transport'], transport === 'uws' ? 'uWebSockets.js' : 'node:http');
        assert.match(String(status['notice']), /may be settled on/);
        const metrics = await (await get('/metrics')).text();
        assert.match(metrics, /^assay_log_entries \d+$/m);
        assert.match(metrics, /^assay_log_writable 1$/m);
        assert.match(metrics, /route="\/indices\/:ticker\/report"/);
      });
    });
  });
}
