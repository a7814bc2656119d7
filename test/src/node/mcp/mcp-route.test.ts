import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { NO_ARENA_BOOK } from '@assay/node/arena/arena-answer';
import type { OpenApiDocument, OpenApiResponse } from '@assay/node/api/document/openapi-document';
import type { IndexDetailPayload, IndexPayload } from '@assay/core/answer/index';
import { BUNDLE_REQUESTS } from '@assay/node/mcp/bundle-desk';
import { edgeStudyWith } from '../../core/terminal/edge/edge-study.ts';
import { ArenaWorld, CLOSE, ROUND } from '../arena/arena-world.ts';
import { freezeStudy, hotWorld } from '../api/hot-world.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../api/world-service.ts';
import { firstClose, unmoved, withDemo } from '../fixture/demo-node.ts';
import { callTool, mcpClient, REVISIONS } from './mcp-client.ts';

const TOOLS = [
  'list_indices',
  'get_index',
  'get_bundle',
  'base_rate',
  'arena',
  'submit_forecast',
] as const;

const NO_VERDICT = /The server that publishes the numbers gives no verdict on itself/;

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(
    `mcp over ${transport}: indexes, bundles, resources and the prompt, in both eras`,
    { skip },
    async (t) => {
      await withDemo({ ASSAY_TRANSPORT: transport }, async (base) => {
        await firstClose(base);
        for (const revision of REVISIONS) {
          const client = await mcpClient(t, base, revision);
          assert.equal(client.getNegotiatedProtocolVersion(), revision);
          assert.match(
            client.getInstructions() ?? '',
            /a null verdict means that nothing was verified/,
          );
          const { tools } = await client.listTools();
          assert.deepEqual(
            tools.map(({ name }) => name),
            TOOLS,
          );
          for (const { name, annotations, inputSchema, outputSchema } of tools) {
            assert.equal(annotations?.readOnlyHint, name !== 'submit_forecast');
            assert.equal(annotations?.destructiveHint, name === 'submit_forecast');
            assert.equal(annotations?.idempotentHint, true);
            assert.equal(inputSchema['additionalProperties'], false);
            assert.equal(outputSchema?.type, 'object');
            assert.notEqual(outputSchema?.['additionalProperties'], false);
          }

          const [list, served] = await unmoved(
            base,
            async () =>
              [
                await callTool(client, 'list_indices'),
                (await (await fetch(`${base}/v1/indices`)).json()) as unknown,
              ] as const,
          );
          assert.deepEqual(list.content['indices'], served);
          const [first] = served as readonly IndexPayload[];
          assert.ok(first !== undefined);
          const listed = [first.newest_reading, first.newest_complete, ...first.periods];
          assert.deepEqual(
            (list.content['proofs'] as { of: string }[]).map(({ of }) => of).sort(),
            [
              ...new Set(
                listed.flatMap((each) =>
                  each?.report_hash == null ? [] : `LAYOFFS ${each.period}`,
                ),
              ),
            ].sort(),
          );
          const light = await callTool(client, 'list_indices', { view: 'light' });
          assert.ok(light.text.length < list.text.length / 2);

          const [one, few, detail] = await unmoved(
            base,
            async () =>
              [
                await callTool(client, 'get_index', { ticker: 'layoffs' }),
                await callTool(client, 'get_index', { ticker: 'LAYOFFS', periods: 2 }),
                (await (await fetch(`${base}/v1/indices/LAYOFFS`)).json()) as IndexDetailPayload,
              ] as const,
          );
          const {
            asOf,
            servedFrom,
            proofs,
            verification,
            periods_left_out: rest,
            ...payload
          } = one.content;
          assert.ok(detail.periods.length > 12);
          assert.deepEqual(payload, { ...detail, periods: detail.periods.slice(0, 12) });
          assert.equal(rest, detail.periods.length - 12);
          assert.match(String(asOf), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
          assert.equal(servedFrom, `${base}/v1/indices/layoffs`);
          assert.equal((verification as { verdict: null }).verdict, null);
          assert.match((verification as { why: string }).why, NO_VERDICT);
          assert.deepEqual(JSON.parse(one.text), one.content);
          const { periods } = detail;
          const printed = periods.filter((each) => each.report_hash !== null);
          assert.ok(printed.length > 0 && printed.length < periods.length);
          assert.deepEqual(
            (proofs as { of: string }[]).map(({ of }) => of).sort(),
            printed.map(({ period }) => `LAYOFFS ${period}`).sort(),
          );
          for (const { url } of proofs as { url: string }[]) {
            assert.equal((await fetch(url)).status, 200, url);
          }
          assert.deepEqual(few.content['periods'], periods.slice(0, 2));
          assert.equal(few.content['periods_left_out'], periods.length - 2);

          const bundle = await callTool(client, 'get_bundle', { ticker: 'LAYOFFS' });
          const { file, value, period } = bundle.content as {
            file: { uri: string };
            value: string;
            period: string;
          };
          assert.equal(value, periods.find((each) => each.period === period)?.value_decimal);
          const read = await client.readResource({ uri: file.uri });
          const [text] = read.contents as { text: string }[];
          assert.equal((JSON.parse(text?.text ?? '') as { type: string }).type, 'assay-bundle/1');

          const { resources } = await client.listResources();
          for (const { uri } of resources) {
            assert.equal((await client.readResource({ uri })).contents.length, 1, uri);
          }
          assert.ok(resources.some(({ uri }) => uri === 'assay://index/LAYOFFS'));
          const { messages } = await client.getPrompt({
            name: 'verify_a_number',
            arguments: { ticker: 'LAYOFFS', period },
          });
          assert.match(JSON.stringify(messages), /do not call the number verified/);
        }
      });
    },
  );

  test(`mcp over ${transport}: what is refused names what is valid`, { skip }, async (t) => {
    await withDemo({ ASSAY_TRANSPORT: transport }, async (base) => {
      const client = await mcpClient(t, base);
      const refusal = async (name: string, given: object): Promise<string> => {
        const { isError, text, content } = await callTool(client, name, given);
        assert.equal(isError, true, text);
        assert.deepEqual(content, {});
        return text;
      };
      assert.match(
        await refusal('get_index', { ticker: 'NOPE' }),
        /^not_found: .*Valid tickers: LAYOFFS\.$/,
      );
      assert.match(await refusal('arena', { ticker: 'NOPE' }), /Valid tickers: LAYOFFS\.$/);
      assert.match(
        await refusal('get_bundle', { ticker: 'LAYOFFS', period: '1999-01-02' }),
        /^no_report: .*Valid periods: 2026-07-25\.$/,
      );
      assert.match(await refusal('get_index', {}), /ticker/);
      for (const ticker of [
        '../x',
        '..',
        '%2e%2e',
        'a/b',
        '',
        'x'.repeat(5000),
        '\u0000',
        '\ud800',
      ]) {
        assert.match(await refusal('get_index', { ticker }), /not a ticker or slug/);
        assert.match(await refusal('get_bundle', { ticker }), /not a ticker or slug/);
      }
      for (const symbol of ['..', '.', '', '../board', '%2e%2e', '\ud800', 'x'.repeat(5000)]) {
        assert.match(await refusal('base_rate', { symbol }), /^not_listed: /);
      }
      for (const given of [
        { ticker: 3 },
        { ticker: ['LAYOFFS'] },
        { ticker: 'LAYOFFS', x: 1 },
        [],
      ]) {
        assert.match(await refusal('get_index', given), /Invalid arguments/);
      }
      assert.match(await refusal('arena', { limit: 1000 }), /not a whole number from 1 to 100/);
      assert.equal((await callTool(client, 'arena', { limit: 3 })).isError, false);
      assert.match(
        await refusal('submit_forecast', { question: ROUND, handle: 'ada', value: 1 }),
        /^not_sent: .*idempotency_key/,
      );
      for (const name of ['nope', 'constructor', '__proto__', 'toString', '']) {
        await assert.rejects(callTool(client, name), (error: Error & { code?: number }) => {
          assert.equal(error.code, -32_602);
          assert.match(
            error.message,
            /There is no tool of that name\. Valid tools: list_indices, get_index, get_bundle, base_rate, arena, submit_forecast\.$/,
          );
          return true;
        });
      }
      for (const uri of [
        'assay://index/..%2f..%2fstatus',
        'assay://index/NOPE',
        'assay://bundle/LAYOFFS/..%2f..',
        'assay://bundle/../x',
        'assay://log/../keys',
        'file:///etc/passwd',
        'not a uri',
      ]) {
        await assert.rejects(client.readResource({ uri }), (error: Error) => {
          assert.doesNotMatch(error.message, /root:|node_modules|\n\s+at /);
          return true;
        });
      }
      await assert.rejects(
        client.getPrompt({ name: 'verify_a_number', arguments: { ticker: '../x', period: 'now' } }),
      );
    });
  });

  test(
    `mcp over ${transport}: a forecast is taken once, however often it is sent`,
    { skip },
    async (t) => {
      const world = await ArenaWorld.begin(t);
      await world.openRounds();
      const { ledger } = world;
      const closeParts = { now: () => world.at.clock.now } as never;
      const arena = { book: NO_ARENA_BOOK, forecasts: world.intake };
      const { base } = await serveWorld(
        t,
        { ledger, blobs: world.at.blobs, closeParts },
        transport,
        { arena },
      );
      const client = await mcpClient(t, base);
      const { open } = (await callTool(client, 'arena')).content as { open: { id: string }[] };
      assert.ok(open.some(({ id }) => id === ROUND));
      const wanted = { question: ROUND, handle: 'ada', value: 231_000 };
      const before = ledger.nextSeq;
      const unsent = await callTool(client, 'submit_forecast', wanted);
      assert.equal(unsent.isError, true);
      assert.match(unsent.text, /^not_sent: Nothing was sent yet\./);
      assert.equal(ledger.nextSeq, before);
      const pair = pairIn(unsent.text);
      assert.deepEqual(Object.keys(pair), ['idempotency_key', 'nonce']);
      assert.notDeepEqual(
        pairIn((await callTool(client, 'submit_forecast', wanted)).text),
        pair,
        'each is made at random',
      );
      // Who has one of the two is given the other.
      const key = { idempotency_key: 'f3b1c6de-5a1c-4a6e' };
      assert.deepEqual(
        Object.keys(
          pairIn((await callTool(client, 'submit_forecast', { ...wanted, ...key })).text),
        ),
        ['nonce'],
      );
      const forecast = { ...wanted, ...pair };
      const first = await callTool(client, 'submit_forecast', forecast);
      assert.equal(first.isError, false, first.text);
      const { receipt, secret, proofs } = first.content as {
        receipt: { ordinal: number };
        secret: string;
        proofs: { url: string }[];
      };
      assert.match(secret, /^[0-9a-f]{64}$/);
      assert.equal(proofs[0]?.url, `${base}/v1/arena/rounds/${ROUND}?place=${receipt.ordinal}`);
      const again = await callTool(client, 'submit_forecast', forecast);
      assert.deepEqual(again.content['receipt'], receipt);
      assert.equal(again.content['secret'], secret);
      const other = await callTool(client, 'submit_forecast', { ...forecast, value: 3 });
      assert.match(other.text, /^idempotency_reused: /);
      const none = await callTool(client, 'submit_forecast', {
        ...forecast,
        question: 'x-2026-01-01',
      });
      assert.match(none.text, new RegExp(`Valid questions: .*${ROUND}`));
      // A secret is not given again to who has it, and needs no nonce for that.
      const secretly = { ...wanted, ...key, value: 232_000, secret };
      const second = await callTool(client, 'submit_forecast', secretly);
      assert.equal(second.isError, false, second.text);
      const wrong = await callTool(client, 'submit_forecast', {
        ...forecast,
        idempotency_key: 'f3b1c6de-5a1c-4a6f',
        secret: 'ab'.repeat(32),
      });
      assert.match(wrong.text, /^bad_secret: /);
      assert.ok(!wrong.text.includes(secret) && !wrong.text.includes('abab'));

      // Whose answer was lost asks again, also after the close.
      world.time(CLOSE);
      await world.poll();
      const late = await callTool(client, 'submit_forecast', forecast);
      assert.deepEqual([late.content['receipt'], late.content['secret']], [receipt, secret]);
      const closed = await callTool(client, 'submit_forecast', {
        ...secretly,
        value: 3,
        ...pairIn(unsent.text),
        handle: 'bob',
      });
      assert.match(closed.text, /^bad_secret|^closed/);
    },
  );
}

/** What an answer says a forecast is to be sent with. */
function pairIn(text: string): Readonly<Record<string, string>> {
  return JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '{}') as Readonly<Record<string, string>>;
}

test('mcp: a base rate comes with the address of its study', async (t) => {
  const world = await hotWorld(t);
  const client = await mcpClient(t, world.base);
  const none = await callTool(client, 'base_rate', { symbol: 'btc' });
  assert.equal(none.content['base_rate'], null);
  assert.deepEqual(none.content['proofs'], [], 'there is no study');
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }));
  const rate = await callTool(client, 'base_rate', { symbol: 'btc' });
  assert.equal(rate.content['n'], 50);
  const { source, proofs } = rate.content as {
    source: { blob: string };
    proofs: { url: string }[];
  };
  assert.equal(proofs[0]?.url, `${world.base}/v1/blob/${source.blob}`);
  const unknown = await callTool(client, 'base_rate', { symbol: 'NOPE' });
  assert.match(unknown.text, /^not_listed: .*Valid symbols: .*BTC/);
  world.now += 10_000;
  const halted = await callTool(client, 'base_rate', { symbol: 'btc' });
  assert.match(
    halted.text,
    /^halted: The server says "No asset of the class crypto .*after 30 s\.$/,
  );
});

interface Heard {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
  readonly allow: string | undefined;
}

/** Sends bytes with any header, which fetch would not. */
function send(
  base: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${base}/mcp`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const { allow, 'content-type': type } = response.headers;
        resolve({ status: response.statusCode ?? 0, type, text, allow });
      });
    });
    sent.on('error', reject);
    // A stream that does not end is no answer.
    sent.setTimeout(10_000, () => sent.destroy(new Error('no end of the answer')));
    sent.end(body);
  });
}

/** What the document says of an answer of `POST /mcp`; the test fails where it says nothing. */
function describedAnswer(
  { paths, components }: OpenApiDocument,
  status: number,
): Pick<OpenApiResponse, 'content'> {
  const found = paths['/mcp']?.post?.responses[String(status)];
  assert.ok(found !== undefined, `${status} is not described`);
  if (found.$ref === undefined) return found;
  return components.responses?.[found.$ref.split('/').at(-1) ?? ''] ?? assert.fail(found.$ref);
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(`mcp over ${transport}: hostile requests`, { skip }, async (t) => {
    const world = await ArenaWorld.begin(t);
    const parts = {
      ledger: world.ledger,
      blobs: world.at.blobs,
      closeParts: { now: () => world.at.clock.now } as never,
    };
    const places = { publicUrl: 'https://index.example.org', mirrorUrl: null };
    const { base } = await serveWorld(t, parts, transport, { places });
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
    const types = new Set<string>();
    // Whatever is sent, the document has its answer: the status, and the type of the body.
    const post = async (headers: Readonly<Record<string, string>>, body = PING): Promise<Heard> => {
      const heard = await send(base, 'POST', { ...HEADERS, ...headers }, body);
      const [type = ''] = (heard.type ?? '').split(';', 1);
      const { content = {} } = describedAnswer(document, heard.status);
      if (heard.text !== '') assert.ok(type in content, `${heard.status} ${type}`);
      else assert.deepEqual(content, {}, `${heard.status} has no body`);
      types.add(`${heard.status} ${type}`);
      return heard;
    };
    assert.equal((await post({})).status, 200);
    for (const host of [
      'evil.example',
      'evil.example:80',
      'localhost.evil.example',
      'a b',
      '127.0.0.1.evil.example',
    ]) {
      const { status, text } = await post({ host });
      assert.deepEqual(
        [status, (JSON.parse(text) as { error: string }).error],
        [403, 'cross_site'],
        host,
      );
    }
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:80', 'index.example.org']) {
      assert.equal((await post({ host })).status, 200, host);
    }
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'https://index.example.org.evil.example',
      'http://index.example.org',
    ]) {
      assert.equal((await post({ origin })).status, 403, origin);
    }
    for (const origin of ['https://index.example.org', 'http://localhost:6274', base]) {
      assert.equal((await post({ origin })).status, 200, origin);
    }
    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
      const { status, allow } = await send(base, method, HEADERS);
      assert.deepEqual([status, allow], [405, 'POST, OPTIONS'], method);
    }
    assert.equal((await send(base, 'OPTIONS', { origin: 'https://evil.example' })).status, 204);
    assert.equal((await post({ 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post({ accept: 'text/html' })).status, 406);
    const batch = await post({}, `[${PING},${PING}]`);
    assert.deepEqual([batch.status, batch.text.includes('-32600')], [400, true]);
    for (const body of [
      '',
      '{',
      'null',
      '3',
      '"x"',
      '[]',
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '\ufffe',
      '[['.repeat(9000),
    ]) {
      const { status, text } = await post({}, body);
      assert.ok(status === 400, `${body.slice(0, 40)}: ${status} ${text}`);
      assert.doesNotMatch(text, /node_modules|\n\s+at |\/dist\//);
    }
    assert.equal((await post({}, JSON.stringify({ x: 'x'.repeat(70_000) }))).status, 413);
    // A subscription to everything is acknowledged and ends at once, because nothing is ever sent: one that stayed open would
    // hold a connection, and the second would find no room.
    const params = {
      _meta: {
        [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
        [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
        [CLIENT_CAPABILITIES_META_KEY]: {},
      },
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['assay://indices'],
      },
    };
    const listen = { jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params };
    for (let i = 0; i < 3; i += 1) {
      const { status, text } = await post(
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
        JSON.stringify(listen),
      );
      assert.equal(status, 200, text);
      assert.match(text, /"notifications\/subscriptions\/acknowledged"/);
      assert.match(text, /"resultType":"complete"/);
      assert.doesNotMatch(text, /ListChanged/);
    }
    const unknown = JSON.stringify({ ...listen, method: 'nope/nope' });
    const era = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'nope/nope' };
    assert.equal((await post(era, unknown)).status, 404);
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal((await post({}, note)).status, 202);
    for (const each of [
      '200 text/event-stream',
      '400 application/json',
      '404 application/json',
      '406 application/json',
      '403 application/problem+json',
      '413 application/problem+json',
    ]) {
      assert.ok(types.has(each), `${each} was not seen`);
    }
  });
}

test('mcp: requests count like those of any other route', async () => {
  await withDemo({}, async (base) => {
    const answer = await fetch(`${base}/mcp`, { method: 'POST', headers: HEADERS, body: PING });
    await answer.text();
    assert.match(answer.headers.get('ratelimit') ?? '', /^"default";r=\d+/);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal(answer.headers.get('cache-control'), 'no-store');

    // A bundle is the work of many requests, and counts as many; given again, it is one.
    await firstClose(base);
    const left = async (): Promise<number> => {
      const asked = await fetch(`${base}/mcp`, { method: 'POST', headers: HEADERS, body: PING });
      await asked.text();
      return Number(/r=(\d+)/.exec(asked.headers.get('ratelimit') ?? '')?.[1]);
    };
    const call = async (): Promise<string> => {
      const method = 'tools/call';
      const params = { name: 'get_bundle', arguments: { ticker: 'LAYOFFS' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      return (await fetch(`${base}/mcp`, { method: 'POST', headers: HEADERS, body })).text();
    };
    for (const requests of [2 + BUNDLE_REQUESTS, 2]) {
      const before = await left();
      assert.match(await call(), /"sha256"/);
      assert.equal(before - (await left()), requests);
    }
  });
});
