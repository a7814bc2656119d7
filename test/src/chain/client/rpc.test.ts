import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { chainId, httpRpc, type HttpRpcOptions } from '@assay/chain/client/rpc';
import { Fault } from '@assay/core/fault';

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OPTIONS: HttpRpcOptions = { timeoutMs: 5000 };

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<{ id: string; method: string }> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as { id: string; method: string };
}

/** Answers every call with a result. */
function answering(result: unknown, seen: IncomingMessage[] = []): RequestListener {
  return (request, response) => {
    seen.push(request);
    void bodyOf(request).then(({ id }) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result })),
    );
  };
}

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error;
  }
  throw new Error('no fault');
}

test('rpc: the chain’s name is its genesis hash, cut', async (t) => {
  const host = await serve(t, answering(GENESIS));
  assert.equal(
    await chainId(httpRpc(`http://${host}`, OPTIONS)),
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  );
  for (const other of [7, null, 'short', `${GENESIS}0`]) {
    const strange = await serve(t, answering(other));
    await assert.rejects(chainId(httpRpc(`http://${strange}`, OPTIONS)), { code: 'malformed' });
  }
});

test('rpc: user and password go into a header, and the others stay', async (t) => {
  const seen: IncomingMessage[] = [];
  const host = await serve(t, answering(GENESIS, seen));
  const url = `http://us%40er:p%20w@${host}/path?key=1`;
  await chainId(httpRpc(url, { ...OPTIONS, headers: { 'x-key': 'k' } }));
  const [request] = seen;
  const basic = Buffer.from('us@er:p w').toString('base64');
  assert.equal(request?.headers.authorization, `Basic ${basic}`);
  assert.equal(request?.headers['x-key'], 'k');
  assert.equal(request?.headers['content-type'], 'application/json');
  assert.equal(request?.url, '/path?key=1');
});

test('rpc: whatever is answered, no error says where or with which key', async (t) => {
  const held: (() => void)[] = [];
  t.after(() => held.forEach((each) => each()));
  const cases: readonly (readonly [RequestListener, Partial<Fault>, Partial<HttpRpcOptions>?])[] = [
    [
      (_, response) => response.writeHead(429).end('hunter2'),
      { code: 'unreachable', found: 'status 429' },
    ],
    [(_, response) => response.writeHead(500).end(), { code: 'unreachable', found: 'status 500' }],
    [
      (_, response) => response.writeHead(302, { location: 'http://hunter2/' }).end(),
      { code: 'redirect_refused', found: 'status 302' },
    ],
    [(_, response) => response.end('<html>hunter2'), { code: 'malformed' }],
    [(_, response) => response.end(Uint8Array.of(0x22, 0xff, 0x22)), { code: 'malformed' }],
    [(_, response) => response.end('"12345678901"'), { code: 'too_large' }, { maxBytes: 10 }],
    [(_, response) => void held.push(() => response.end()), { code: 'timeout' }, { timeoutMs: 30 }],
    [(request) => request.socket.destroy(), { code: 'unreachable' }],
    [
      (request, response) => {
        void bodyOf(request).then(({ id }) => {
          const error = { code: -32_602, message: 'hunter2 is no key' };
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        });
      },
      { code: 'refused', found: 'code -32602' },
    ],
  ];
  for (const [listener, expected, options = {}] of cases) {
    const host = await serve(t, listener);
    const url = `http://user:hunter2@${host}/hunter2?api-key=hunter2`;
    const headers = { 'x-key': 'hunter2' };
    const fault = await faultOf(chainId(httpRpc(url, { ...OPTIONS, headers, ...options })));
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(fault[name as keyof Fault], value, `${name} of ${fault.message}`);
    }
    assert.doesNotMatch(`${fault.stack} ${String(fault.cause)}`, /hunter2|127\.0\.0\.1/);
  }
});

test('rpc: nobody there, and an abort', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const gone = httpRpc(`http://127.0.0.1:${port}`, OPTIONS);
  await assert.rejects(chainId(gone), { code: 'unreachable', found: 'ECONNREFUSED' });
  const controller = new AbortController();
  const host = await serve(t, () => controller.abort());
  const call = chainId(httpRpc(`http://${host}`, OPTIONS), controller.signal);
  await assert.rejects(call, { code: 'timeout' });
});

test('rpc: a URL that is none is refused without its text', () => {
  for (const url of ['hunter2', 'ftp://hunter2@host/', 'http://user:hunter2@:80:80']) {
    assert.throws(
      () => httpRpc(url, OPTIONS),
      (error: unknown) =>
        error instanceof Fault && error.code === 'bad_config' && !/hunter2/.test(error.message),
    );
  }
});
