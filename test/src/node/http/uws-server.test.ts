import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from '@assay/node/http/pipeline';
import { stream } from '@assay/node/http/reply';
import { route } from '@assay/node/http/route';
import { loadUws } from '@assay/node/http/uws';
import { uwsServer } from '@assay/node/http/uws-server';
import { httpContract } from './contract.ts';
import { RawClient } from './raw-client.ts';

const uws = await loadUws();
if (uws === undefined) {
  void test('HTTP contract: uWebSockets.js', (t) => {
    t.skip('uWebSockets.js does not load here');
  });
} else {
  httpContract('uWebSockets.js', (served, options) => uwsServer(uws, served, options));

  void test('uWebSockets.js: a silent stream withholds nothing from a reader that was slow', async (t) => {
    const size = 12 * 1024 * 1024;
    let leave = (): void => undefined;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(size, 'x');
      // Nothing follows, so that only the filler is written after it.
      await new Promise<void>((resolve) => {
        leave = resolve;
      });
    }
    const handle = (): ReturnType<typeof stream> => stream('text/plain', chunks(), { filler: '.' });
    const served = pipeline([route('GET', '/slow', handle)], {
      requestId: () => 'test',
      now: () => 0,
      onError: (error) => {
        throw error;
      },
    });
    const listening = await uwsServer(uws, served).listen({ host: '127.0.0.1', port: 0 });
    const client = await RawClient.connect(listening.port);
    t.after(async () => {
      leave();
      client.close();
      await listening.close();
    });
    let taken = 0;
    client.socket.pause();
    client.socket.removeAllListeners('data');
    client.ask('GET', '/slow');
    await sleep(200);
    client.socket.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x78) taken += 1;
    });
    client.socket.resume();
    // The head has some of the letter, too.
    const isWhole = (): boolean => taken >= size;
    for (let i = 0; i < 200 && !isWhole(); i += 1) await sleep(25);
    assert.ok(isWhole(), `${taken} of ${size} bytes`);
  });
}
