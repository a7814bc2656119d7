import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { blockId, headerHash } from '@assay/core/bitcoin/header';
import { formatHex } from '@assay/core/bytes/hex';
import { coreRpc, requireHeader } from '@assay/node/bitcoin/core-rpc';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { headerSourceSuite } from './header-source-suite.ts';
import { BROKEN_HOSTS, closedHost, localHost } from './local-host.ts';
import { mined } from './mined-headers.ts';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const AUTHORIZATION = 'Basic c2VjcmV0OnNlY3JldA==';
const idOf = (header: Uint8Array) => blockId(headerHash(nodeSha256, header));

/** What Bitcoin Core answers to a call. */
function answer(headers: readonly Uint8Array[], { id, method, params }: Call): object {
  const [first] = params;
  if (method === 'getblockcount') return { result: headers.length - 1, error: null, id };
  if (method === 'getblockhash') {
    const header = headers[Number(first)];
    if (header !== undefined) return { result: idOf(header), error: null, id };
    return { result: null, error: { code: -8, message: 'Block height out of range' }, id };
  }
  const header = headers.find((each) => idOf(each) === first);
  if (header !== undefined && params[1] === false) return { result: formatHex(header), id };
  return { error: { code: -5, message: 'Block not found' }, id };
}

/** A server that answers a batch by `change` of the true answers. */
function server(
  headers: () => readonly Uint8Array[],
  change: (answers: readonly object[], calls: readonly Call[]) => unknown = (answers) => answers,
): RequestListener {
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.headers.authorization !== AUTHORIZATION) {
        response.writeHead(401).end();
        return;
      }
      const calls = JSON.parse(String(Buffer.concat(parts))) as readonly Call[];
      const answers = calls.map((call) => answer(headers(), call));
      const said = change(answers, calls);
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  };
}

function source(
  url: string,
  timeoutMs = 60_000,
  authorization: string | undefined = AUTHORIZATION,
) {
  return coreRpc({ url, authorization, timeoutMs });
}

async function lying(t: TestContext, change: Parameters<typeof server>[1]) {
  return source(
    await localHost(
      t,
      server(() => mined(3), change),
    ),
  );
}

// In any order, as JSON-RPC allows.
headerSourceSuite('Bitcoin Core', async (t, given) => {
  let headers = given;
  const url = await localHost(
    t,
    server(
      () => headers,
      (answers) => answers.toReversed(),
    ),
  );
  return {
    source: source(url),
    replace: async (others) => {
      headers = others;
    },
  };
});

test('Bitcoin Core: asks three methods and no others', async (t) => {
  const asked: unknown[] = [];
  const core = await lying(t, (answers, calls) => {
    asked.push(...calls.map(({ method, params }) => [method, ...params]));
    return answers;
  });
  await core.tip();
  await core.headers(3, 5);
  assert.deepEqual(
    asked.map((each) => JSON.stringify(each)),
    [
      '["getblockcount"]',
      ...[3, 4, 5, 6, 7].map((height) => `["getblockhash",${height}]`),
      `["getblockheader","${idOf(mined(3)[3] as Uint8Array)}",false]`,
    ],
  );
});

test('Bitcoin Core: a wrong password is refused, and no message shows it', async (t) => {
  const url = await localHost(
    t,
    server(() => mined(3)),
  );
  for (const authorization of [undefined, 'Basic d3Jvbmc6d3Jvbmc=']) {
    await assert.rejects(
      coreRpc({ url, authorization, timeoutMs: 60_000 }).tip(),
      (error: Error) => {
        assert.match(error.message, /^Bitcoin Core, found status 401$/);
        assert.ok(!`${error.stack}`.includes('d3Jvbmc'));
        return true;
      },
    );
  }
});

test('Bitcoin Core: broken hosts', async (t) => {
  for (const [code, listener] of BROKEN_HOSTS) {
    const url = await localHost(t, listener);
    await assert.rejects(source(url, code === 'timeout' ? 60 : 60_000).tip(), { code });
  }
  await assert.rejects(source(await closedHost()).headers(0, 1), { code: 'unreachable' });
});

test('Bitcoin Core: answers that are none', async (t) => {
  const one = (result: unknown) => (_: unknown, calls: readonly Call[]) =>
    calls.map(({ id }) => ({ id, result }));
  const all: readonly (readonly [string, Parameters<typeof server>[1]])[] = [
    ['malformed', () => '<html>'],
    ['malformed', () => '[]'],
    ['malformed', () => 'null'],
    ['malformed', () => '{"result":3,"error":null,"id":0}'],
    ['malformed', () => '[1,null,"x",{"id":0}]'],
    ['malformed', (answers) => [...answers, { id: 77, result: 1 }]],
    ['malformed', one(undefined)],
    ['malformed', one(null)],
    ['malformed', one('3')],
    ['malformed', one(-1)],
    ['malformed', one(1.5)],
    ['malformed', one(2 ** 31)],
    ['malformed', one({})],
    ['refused', (_, calls) => calls.map(({ id }) => ({ id, error: { code: -28 } }))],
    ['refused', (_, calls) => calls.map(({ id }) => ({ id, error: 'loading' }))],
  ];
  for (const [code, change] of all) {
    const core = await lying(t, change);
    await assert.rejects(core.tip(), { code }, String(change));
    await assert.rejects(core.headers(0, 1), { code });
  }
  for (const result of [3, 'ab', 'A'.repeat(64), '0'.repeat(63)]) {
    await assert.rejects((await lying(t, one(result))).headers(0, 1), { code: 'malformed' });
  }
});

test('Bitcoin Core: a header that is not the one asked for', async (t) => {
  const [genesis, other] = mined(1) as readonly [Uint8Array, Uint8Array];
  const hex = formatHex(genesis);
  for (const said of [formatHex(other), hex.toUpperCase(), hex.slice(2), `${hex}00`, '', 7, null]) {
    const core = await lying(t, (answers, calls) =>
      calls[0]?.method === 'getblockheader' ? [{ id: 0, result: said }] : answers,
    );
    await assert.rejects(core.headers(0, 1), { code: 'malformed' }, String(said));
    assert.throws(() => requireHeader(said, idOf(genesis), 'peer'), { code: 'malformed' });
  }
  assert.deepEqual(requireHeader(hex, idOf(genesis), 'peer'), genesis);
});
