import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { TOOLS } from '@assay/node/mcp/tools';
import { ArenaWorld } from '../arena/arena-world.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../api/world-service.ts';
import { REVISIONS } from './mcp-client.ts';

const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'tasks/get',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'sampling/createMessage',
  'roots/list',
];
const NAMES = [...TOOLS.map(({ name }) => name), 'verify_a_number'];
const URIS = [
  'assay://indices',
  'assay://index/X',
  'assay://bundle/X/2026-01-01',
  'assay://',
  'x:',
];

const json = fc.jsonValue({ maxDepth: 3 });
/** Mostly `good`, and now and then anything. */
const mostly = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: json });
/** Mostly absent. */
const seldom = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 25, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: some });

const version = fc.constantFrom(...REVISIONS, '2025-06-18', '2024-11-05', '9999-12-31', 'x', '1');
const MODERN = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
  [CLIENT_CAPABILITIES_META_KEY]: {},
};
const envelope = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.constant(MODERN) },
  {
    weight: 1,
    arbitrary: version.map((each) => ({ ...MODERN, [PROTOCOL_VERSION_META_KEY]: each })),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...Object.keys(MODERN)), json) },
);
const PARAMS = {
  name: mostly(fc.constantFrom(...NAMES)),
  arguments: mostly(
    fc.dictionary(fc.constantFrom('ticker', 'period', 'symbol', 'view', '__proto__'), json),
  ),
  uri: mostly(fc.constantFrom(...URIS)),
  protocolVersion: mostly(version),
  clientInfo: mostly(fc.constant({ name: 'test', version: '1' })),
  capabilities: mostly(fc.constant({})),
  notifications: mostly(fc.constant({ toolsListChanged: true })),
  cursor: json,
  ref: json,
  argument: json,
  level: json,
};
const params = fc.tuple(envelope, fc.record(PARAMS, { requiredKeys: [] })).map(([_meta, rest]) => ({
  ...rest,
  ...(_meta === undefined ? {} : { _meta }),
}));
const message = fc
  .record({
    jsonrpc: mostly(fc.constant('2.0')),
    id: mostly(fc.oneof(fc.integer(), fc.string())),
    method: mostly(fc.constantFrom(...METHODS)),
    params: mostly(params),
    result: seldom(json),
  })
  .map(({ id, ...rest }) =>
    String(rest.method).startsWith('notifications/') ? rest : { id, ...rest },
  );

const text = fc.oneof(
  { weight: 20, arbitrary: message.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: json.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }).map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);
const body = fc.tuple(text, seldom(fc.nat(80)), seldom(fc.nat(255))).map(([whole, cut, byte]) => {
  const bytes = Buffer.from(whole);
  const kept = cut === undefined ? bytes : bytes.subarray(0, Math.max(0, bytes.length - cut));
  return byte === undefined ? kept : Buffer.concat([kept, Buffer.of(byte)]);
});

const JSON_TYPE = 'application/json';
/** Absent mostly: what the body says is sent then. */
const changed = (...values: readonly string[]): fc.Arbitrary<string | undefined> =>
  seldom(fc.constantFrom(...values));
const headers = fc.record({
  accept: changed('*/*', JSON_TYPE, 'text/event-stream', 'text/html', ',;q=', ''),
  'content-type': changed('text/plain', 'application/json; charset=x', 'x', ''),
  'mcp-protocol-version': changed(...REVISIONS, '2024-11-05', 'x', '', 'a b', '=?base64?!?='),
  'mcp-method': changed(...METHODS, '', 'x', '=?base64?eA==?='),
  'mcp-name': changed(...NAMES, ...URIS, '', '=?base64?eA==?=', '=?base64?!!?='),
});

/** The headers that a client sends with a message, with those in `other` in their places. */
function headersFor(
  { method, params: given }: Sent,
  other: Readonly<Record<string, string | undefined>>,
): [string, string][] {
  const { name, uri, _meta } = (given ?? {}) as Record<string, unknown>;
  const revision = (_meta as Record<string, unknown> | undefined)?.[PROTOCOL_VERSION_META_KEY];
  const good: Record<string, unknown> = {
    accept: `${JSON_TYPE}, text/event-stream`,
    'content-type': JSON_TYPE,
    'mcp-protocol-version': revision,
    'mcp-method': method,
    'mcp-name': method === 'resources/read' ? uri : name,
  };
  return Object.entries(good).flatMap(([header, value]) => {
    const sent = other[header] ?? value;
    return typeof sent === 'string' && /^[\x20-\x7e]*$/.test(sent) ? [[header, sent]] : [];
  });
}

interface Sent {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

function parsed(bytes: Buffer): Sent {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Throws unless `answer` is an answer of JSON-RPC to what was sent. */
function requireAnswer(sent: Sent, answer: Record<string, unknown>): void {
  const { jsonrpc, id, result, error } = answer as {
    error?: { code: unknown; message: unknown };
  } & Record<string, unknown>;
  assert.equal(jsonrpc, '2.0');
  assert.notEqual(result === undefined, error === undefined, 'a result or an error');
  if (error !== undefined) {
    assert.ok(Number.isInteger(error.code) && typeof error.message === 'string');
    // The library answers parameters of the wrong type with this code, and with a list of what is wrong with them.
    if (error.code === -32_603) assert.match(error.message, /^\[\s*\{.*"path"/s);
  }
  if (id !== null && id !== undefined) assert.deepEqual(id, sent.id);
  else assert.ok(error !== undefined);
}

async function requireProper(answer: Response, sent: Sent): Promise<void> {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';', 1);
  const said = await answer.text();
  assert.ok(answer.status < 500, said);
  assert.doesNotMatch(said, /node_modules|\n\s+at |\/dist\//);
  if (said === '') {
    assert.equal(answer.status, 202);
  } else if (type === 'application/problem+json') {
    assert.match((JSON.parse(said) as { error: string }).error, /^[a-z_]+$/);
  } else if (type === 'text/event-stream') {
    const data = [...said.matchAll(/^data: ?(.+)$/gm)].map(([, line = '']) => line);
    requireAnswer(sent, JSON.parse(data.at(-1) ?? '{}') as Record<string, unknown>);
  } else {
    assert.equal(type, JSON_TYPE);
    requireAnswer(sent, JSON.parse(said) as Record<string, unknown>);
  }
}

for (const transport of TRANSPORTS) {
  test(
    `mcp over ${transport}: whatever is sent, the answer is one of JSON-RPC or a problem`,
    { skip: noTransport(transport) },
    async (t) => {
      const world = await ArenaWorld.begin(t);
      const parts = {
        ledger: world.ledger,
        blobs: world.at.blobs,
        closeParts: { now: () => world.at.clock.now } as never,
      };
      const { base } = await serveWorld(t, parts, transport);
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(body, headers, async (bytes, other) => {
          const sent = parsed(bytes);
          const answer = await fetch(`${base}/mcp`, {
            method: 'POST',
            headers: headersFor(sent, other),
            body: bytes,
            signal: AbortSignal.timeout(10_000),
          });
          const kind = `${answer.status} ${answer.headers.get('content-type') ?? ''}`;
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
          await requireProper(answer, sent);
        }),
        { seed: 20_260_728, numRuns: Number(process.env['ASSAY_FUZZ_RUNS'] ?? 300) },
      );
      t.diagnostic(JSON.stringify([...seen]));
    },
  );
}
