import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { httpReader } from '@assay/cli/reader/http-reader';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { listen } from '../fixture/run.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, asked: number) => void;

async function reader(t: TestContext, handler: Handler, stop?: AbortSignal): Promise<LogReader> {
  let asked = 0;
  const url = await listen(
    t,
    createServer((request, response) => {
      asked += 1;
      handler(request, response, asked);
    }),
  );
  return httpReader(`${url}//`, stop);
}

test('status, body and the size that an answer names', async (t) => {
  const seen: (string | undefined)[] = [];
  const server = await reader(t, (request, response) => {
    seen.push(request.url);
    response.setHeader('assay-log-size', '17');
    response.writeHead(404).end('nothing');
  });
  const answer = await server.get('/indices?period=2026-01-03');
  assert.deepEqual(
    [answer.status, new TextDecoder().decode(answer.body), answer.logSize],
    [404, 'nothing', 17],
  );
  assert.deepEqual(seen, ['/indices?period=2026-01-03']);
  assert.equal(server.live, true);
});

test('a size is a plain number or none', async (t) => {
  for (const text of ['', '-1', '1.5', '1e3', '0x1', '01', ' 7 8', '99999999999999999999']) {
    const server = await reader(t, (_request, response) => {
      response.setHeader('assay-log-size', text);
      response.end();
    });
    assert.equal((await server.get('/')).logSize, undefined, text);
  }
});

test('a server that is busy is asked again, after the pause that it names', async (t) => {
  const server = await reader(t, (_request, response, asked) => {
    if (asked === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else if (asked === 2) response.writeHead(503).end();
    else response.end('at last');
  });
  const started = performance.now();
  assert.equal((await server.get('/')).status, 200);
  assert.equal(performance.now() - started >= 1000, true);
});

test('a server that stays busy, breaks off or is not there has not answered', async (t) => {
  const busy = await reader(t, (_request, response) => {
    response.writeHead(500).end('<html>');
  });
  await assert.rejects(busy.get('/'), { code: 'unreachable', found: 'status 500' });
  let tries = 0;
  const slow = await reader(t, (_request, response) => {
    tries += 1;
    response.writeHead(503, { 'retry-after': '3600' }).end();
  });
  await assert.rejects(slow.get('/'), { code: 'unreachable' });
  assert.equal(tries, 1);
  const broken = await reader(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half');
    setImmediate(() => response.destroy());
  });
  await assert.rejects(broken.get('/'), { code: 'unreachable' });
  await assert.rejects(httpReader('http://127.0.0.1:9').get('/'), { code: 'unreachable' });
});

test('a redirect is not followed: another place is another log', async (t) => {
  let asked = 0;
  const server = await reader(t, (_request, response) => {
    asked += 1;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  await assert.rejects(server.get('/'), { code: 'unreachable' });
  assert.equal(asked, 3);
});

test('an answer without end is cut off, packed or not', async (t) => {
  const endless = await reader(t, (_request, response) => {
    const more = (): void => {
      while (response.write(Buffer.alloc(1 << 20)));
      response.once('drain', more);
    };
    more();
  });
  await assert.rejects(endless.get('/'), { code: 'too_large' });
  const bomb = gzipSync(Buffer.alloc(40_000_000));
  const packed = await reader(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  await assert.rejects(packed.get('/'), { code: 'too_large' });
});

test('a caller who has had enough waits no longer', async (t) => {
  const stop = new AbortController();
  const silent = await reader(t, () => undefined, stop.signal);
  const answer = assert.rejects(silent.get('/'), {
    code: 'timeout',
    found: 'none in the time given',
  });
  setTimeout(() => stop.abort(), 50);
  const started = performance.now();
  await answer;
  assert.equal(performance.now() - started < 5000, true);
});
