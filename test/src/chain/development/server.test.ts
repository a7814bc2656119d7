import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createSolanaRpc, createSolanaRpcSubscriptions } from '@solana/kit';
import { type StartedChain, startDevelopmentChain } from '@assay/chain/development/server';
import { webSocketServer } from '@assay/chain/development/ws';
import { payAndConfirm } from './kit-client.ts';
import { SKIP, TestClock } from './world.ts';

async function started(t: TestContext): Promise<StartedChain> {
  const chain = await startDevelopmentChain({ port: 0, now: new TestClock().now, tickMs: 0 });
  t.after(() => chain.close());
  return chain;
}

async function post(url: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

const HEALTH = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';

test('server: kit pays and confirms over sockets', { skip: SKIP }, async (t) => {
  const { rpc, pubsub } = await started(t);
  await payAndConfirm(createSolanaRpc(rpc), createSolanaRpcSubscriptions(pubsub));
});

test('server: the pubsub is on the next port', { skip: SKIP }, async (t) => {
  const { rpc, pubsub } = await started(t);
  assert.equal(Number(new URL(pubsub).port), Number(new URL(rpc).port) + 1);
  assert.equal((await fetch(pubsub.replace('ws:', 'http:'))).status, 426);
});

test(
  'server: hostile requests are answered or dropped, and the next one is served',
  { skip: SKIP },
  async (t) => {
    const { rpc } = await started(t);
    assert.match((await post(rpc, '{')).text, /-32700/);
    assert.match((await post(rpc, '[]')).text, /-32600/);
    assert.match((await post(rpc, HEALTH.replace('getHealth', 'getBlocks'))).text, /-32601/);
    assert.equal((await post(rpc, '{"jsonrpc":"2.0","method":"ping"}')).status, 204);
    const deep = await post(rpc, '['.repeat(60_000));
    assert.match(deep.text, /-32700/);
    const long = await post(rpc, `"${'x'.repeat(200_000)}"`).catch(() => ({ status: 413 }));
    assert.equal(long.status, 413);
    assert.equal((await fetch(rpc)).status, 405);
    assert.equal(await (await fetch(`${rpc}/health`)).text(), 'ok');
    const options = await fetch(rpc, { method: 'OPTIONS' });
    assert.equal(options.headers.get('access-control-allow-origin'), '*');
    const socket = connect(Number(new URL(rpc).port), '127.0.0.1').resume();
    socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    await once(socket, 'close');
    assert.equal((await post(rpc, HEALTH)).text, '{"jsonrpc":"2.0","id":1,"result":"ok"}');
  },
);

test(
  'server: hostile WebSocket messages are answered or end their own socket',
  { skip: SKIP },
  async (t) => {
    const { pubsub, rpc } = await started(t);
    const { WebSocket } = (await import('ws' as string)) as {
      WebSocket: new (url: string) => import('node:events').EventEmitter & {
        send(data: string | Uint8Array): void;
        close(): void;
      };
    };
    const socket = new WebSocket(pubsub);
    await once(socket, 'open');
    const answerTo = async (data: string | Uint8Array): Promise<string> => {
      socket.send(data);
      return String((await once(socket, 'message'))[0]);
    };
    assert.match(await answerTo('{'), /-32700/);
    assert.match(await answerTo(Uint8Array.of(255, 0)), /-32700/);
    assert.match(await answerTo(HEALTH), /-32601/);
    assert.match(await answerTo(HEALTH.replace('getHealth', 'slotSubscribe')), /"result":1\}/);
    socket.send(`"${'x'.repeat(200_000)}"`);
    await once(socket, 'close');
    assert.match((await post(rpc, HEALTH)).text, /"ok"/);
  },
);

test(
  'server: it listens on this machine only, and gives its ports back',
  { skip: SKIP },
  async () => {
    const now = new TestClock().now;
    for (const host of ['0.0.0.0', '::', '192.168.1.1', 'example.org']) {
      await assert.rejects(startDevelopmentChain({ port: 0, host, now }), { code: 'refused' });
    }
    const first = await startDevelopmentChain({ port: 0, now, tickMs: 0 });
    const port = Number(new URL(first.rpc).port);
    await assert.rejects(startDevelopmentChain({ port, now, tickMs: 0 }), { code: 'EADDRINUSE' });
    await first.close();
    const again = await startDevelopmentChain({ port, now, tickMs: 0 });
    await again.close();
    assert.equal(typeof webSocketServer, 'function');
  },
);
