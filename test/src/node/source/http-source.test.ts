import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  type HttpLimits,
  type HttpRetry,
  httpSource,
  type HttpSourceOptions,
  systemSleep,
} from '@assay/node/source/http-source';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import type { Paging } from '@assay/core/source/request';
import { onePage, request, sourceSuite } from './source-suite.ts';

type Route = (request: IncomingMessage, response: ServerResponse, count: number) => void;

interface Served {
  readonly host: string;
  readonly base: string;
  /** `METHOD path` of each request that came. */
  readonly seen: string[];
}

async function serve(t: TestContext, routes: Readonly<Record<string, Route>>): Promise<Served> {
  const seen: string[] = [];
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '';
    const count = seen.push(`${incoming.method} ${path}`);
    const route = routes[path] ?? routes['*'];
    if (route === undefined) response.writeHead(404).end();
    else route(incoming, response, count);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, base: `http://${host}`, seen };
}

/** A server that writes these bytes to whoever connects and closes. */
async function serveRaw(t: TestContext, answer: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Made {
  readonly source: Source;
  readonly waits: number[];
  readonly retries: HttpRetry[];
}

function make(limits: Partial<HttpLimits> = {}, parts: Partial<HttpSourceOptions> = {}): Made {
  const waits: number[] = [];
  const retries: HttpRetry[] = [];
  const source = httpSource({
    contact: 'ops@assay.example',
    secrets: new Map(),
    now: () => 1_800_000_000,
    sleep: async (ms) => {
      waits.push(ms);
    },
    random: () => 0.5,
    limits: { totalMs: 2000, idleMs: 1000, tries: 3, ...limits },
    onRetry: (retry) => retries.push(retry),
    ...parts,
  });
  return { source, waits, retries };
}

function coded(coding: string, bytes: Uint8Array): Route {
  return (_, response) => response.writeHead(200, { 'content-encoding': coding }).end(bytes);
}

/** Timers that keep the process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function text(answer: SourceAnswer): string {
  return Buffer.from(onePage(answer).bytes).toString();
}

function failure(answer: SourceAnswer): string {
  return answer.kind === 'failed' ? answer.reason : `status ${onePage(answer).status}`;
}

sourceSuite('httpSource', async (t, said) => {
  const { base } = await serve(t, {
    '*': (incoming, response) => {
      void bodyOf(incoming).then((body) => {
        const found = said.find(
          (each) =>
            each.method === incoming.method &&
            each.path === incoming.url &&
            (each.body ?? '') === body,
        );
        if (found === undefined) return response.writeHead(404).end();
        const { status, contentType, bytes } = found.page;
        return response
          .writeHead(status, contentType === null ? {} : { 'content-type': contentType })
          .end(bytes);
      });
    },
  });
  return { base, source: make().source };
});

test('httpSource: what goes to the socket', async (t) => {
  let headers: IncomingMessage['headers'] = {};
  const { base } = await serve(t, {
    '/': (incoming, response) => {
      headers = incoming.headers;
      response.end();
    },
  });
  const { source } = make();
  await source.read(request(`${base}/`));
  assert.equal(headers['user-agent'], 'assay (+ops@assay.example)');
  assert.equal(headers['accept-encoding'], 'identity');
  assert.equal(headers['content-type'], undefined);
  await source.read(
    request(`${base}/`, {
      method: 'POST',
      body: '{}',
      headers: [
        { name: 'user-agent', value: 'rule' },
        { name: 'accept-encoding', value: 'br' },
        { name: 'x-a', value: '1' },
        { name: 'x-a', value: '2' },
      ],
    }),
  );
  assert.equal(headers['user-agent'], 'rule');
  assert.equal(headers['accept-encoding'], 'br');
  assert.equal(headers['x-a'], '1, 2');
  assert.equal(headers['content-type'], undefined, 'only what the rule says');
  assert.equal(headers['content-length'], '2');
});

test('httpSource: connections are kept', async (t) => {
  const ports = new Set<unknown>();
  const { base } = await serve(t, {
    '/': (incoming, response) => {
      ports.add(incoming.socket.remotePort);
      response.end('x');
    },
  });
  const { source } = make();
  for (let i = 0; i < 8; i += 1) await source.read(request(`${base}/`));
  assert.ok(ports.size <= 2, `${ports.size} connections`);
});

test('httpSource: a redirect to a listed host is followed', async (t) => {
  const there = await serve(t, {
    '/2026/092426.pdf': (_, response) => response.end('release'),
  });
  const here = await serve(t, {
    '/redirect': (_, response) =>
      response.writeHead(302, { location: `${there.base}/2026/092426.pdf` }).end('moved'),
  });
  const { source } = make();
  const asked = request(`${here.base}/redirect`);
  assert.equal(text(await source.read({ ...asked, follow: [there.host] })), 'release');
  for (const follow of [[], [here.host], ['127.0.0.1']]) {
    assert.equal(failure(await source.read({ ...asked, follow })), 'redirect_refused');
  }
  assert.deepEqual(there.seen, ['GET /2026/092426.pdf']);
  assert.equal(here.seen.length, 4, 'a refusal is not tried again');
});

test('httpSource: five redirects, and not one more', async (t) => {
  const { base, host, seen } = await serve(t, {
    '*': (incoming, response) => {
      const left = Number(incoming.url?.slice(1));
      if (left === 0) response.end('end');
      else response.writeHead(307, { location: `/${left - 1}` }).end();
    },
    '/loop': (_, response) => response.writeHead(301, { location: '/loop' }).end(),
  });
  const { source } = make();
  assert.equal(text(await source.read(request(`${base}/5`, { follow: [host] }))), 'end');
  assert.equal(
    failure(await source.read(request(`${base}/6`, { follow: [host] }))),
    'redirect_refused',
  );
  seen.length = 0;
  const answer = await source.read(request(`${base}/loop`, { follow: [host] }));
  assert.equal(failure(answer), 'redirect_refused');
  assert.equal(seen.length, 6);
});

test('httpSource: a redirected POST, and a redirect without a place', async (t) => {
  const { base, host, seen } = await serve(t, {
    '/303': (_, response) => response.writeHead(303, { location: '/echo' }).end(),
    '/307': (_, response) => response.writeHead(307, { location: '/echo' }).end(),
    '/nowhere': (_, response) => response.writeHead(302).end('body'),
    '/echo': (incoming, response) => {
      void bodyOf(incoming).then((body) =>
        response.end(`${incoming.method} ${incoming.headers['content-type']} ${body}`),
      );
    },
  });
  const { source } = make();
  const post = {
    method: 'POST',
    body: 'a=1',
    follow: [host],
    headers: [{ name: 'content-type', value: 'text/x' }],
  } as const;
  assert.equal(text(await source.read(request(`${base}/303`, post))), 'GET undefined ');
  assert.equal(text(await source.read(request(`${base}/307`, post))), 'POST text/x a=1');
  const nowhere = onePage(await source.read(request(`${base}/nowhere`, post)));
  assert.deepEqual([nowhere.status, nowhere.bytes.length], [302, 4]);
  assert.equal(seen.length, 5);
});

test('httpSource: the body of a redirect is not waited for', { timeout: 60_000 }, async (t) => {
  const gone: Promise<unknown>[] = [];
  const { base, host } = await serve(t, {
    '/': (_, response) => {
      gone.push(once(response, 'close'));
      response.writeHead(302, { location: '/there' }).write('moved');
    },
    '/there': (_, response) => response.end('there'),
  });
  const { source } = make({ totalMs: 60_000, idleMs: 60_000 });
  const before = timers();
  assert.equal(text(await source.read(request(`${base}/`, { follow: [host] }))), 'there');
  assert.equal(failure(await source.read(request(`${base}/`))), 'redirect_refused');
  assert.ok(timers() <= before, 'nothing keeps the process');
  assert.equal(gone.length, 2);
  await Promise.all(gone);
});

test('httpSource: headers that do not come are a time-out', async (t) => {
  const { base, seen } = await serve(t, { '/': () => undefined });
  const { source, retries } = make({ idleMs: 60, tries: 2 });
  const answer = await source.read(request(`${base}/`));
  assert.deepEqual(answer, {
    kind: 'failed',
    reason: 'timeout',
    detail: 'nothing came within 60 ms',
  });
  assert.equal(seen.length, 2);
  assert.equal(retries.length, 1);
});

test('httpSource: a body that stops is a time-out, one that drips too', async (t) => {
  const { base } = await serve(t, {
    '/stops': (_, response) => response.write('x'),
    '/drips': (_, response) => {
      const timer = setInterval(() => response.write('x'), 15);
      response.on('close', () => {
        clearInterval(timer);
      });
    },
  });
  const started = performance.now();
  const stops = await make({ idleMs: 80, tries: 1 }).source.read(request(`${base}/stops`));
  assert.match((stops as { detail: string }).detail, /nothing came within 80 ms/);
  const drips = await make({ idleMs: 200, totalMs: 400, tries: 1 }).source.read(
    request(`${base}/drips`),
  );
  assert.equal(failure(drips), 'timeout');
  assert.match((drips as { detail: string }).detail, /no whole answer within 400 ms/);
  assert.ok(performance.now() - started < 5000);
});

test('httpSource: an answer that is slow and steady is no time-out', async (t) => {
  const { base } = await serve(t, {
    '/': (_, response) => {
      setTimeout(() => response.writeHead(200).flushHeaders(), 120);
      setTimeout(() => response.write('a'), 240);
      setTimeout(() => response.end('b'), 360);
    },
  });
  const { source } = make({ idleMs: 200, tries: 1 });
  assert.equal(text(await source.read(request(`${base}/`))), 'ab');
});

test('httpSource: a redirect does not buy time', async (t) => {
  const { base, host } = await serve(t, {
    '/': (_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60);
    },
  });
  const { source } = make({ idleMs: 1000, totalMs: 150, tries: 1 });
  const answer = await source.read(request(`${base}/`, { follow: [host] }));
  assert.equal(failure(answer), 'timeout');
});

test('httpSource: the cap, announced or not', { timeout: 60_000 }, async (t) => {
  let sent = 0;
  const gone: Promise<unknown>[] = [];
  const { base, seen } = await serve(t, {
    '/exact': (_, response) => response.end(Buffer.alloc(100_000, 1)),
    '/announced': (_, response) => {
      response.writeHead(200, { 'content-length': 100_001 });
      response.write('x');
      gone.push(once(response, 'close'));
    },
    '/endless': (_, response) => {
      const more = (): void => {
        while (sent < 1e9 && response.write(Buffer.alloc(65_536))) sent += 65_536;
        sent += 65_536;
      };
      response.on('drain', more);
      gone.push(once(response, 'close'));
      more();
    },
    '/bytes': (_, response) => {
      for (let i = 0; i < 300; i += 1) response.write('ab');
      response.end();
    },
  });
  const { source } = make({ maxBytes: 100_000 });
  assert.equal(onePage(await source.read(request(`${base}/exact`))).bytes.length, 100_000);
  for (const path of ['/announced', '/endless']) {
    const answer = await source.read(request(`${base}${path}`));
    assert.deepEqual(answer, {
      kind: 'failed',
      reason: 'too_large',
      detail: 'a body of more than 100000 bytes',
    });
  }
  assert.ok(sent < 2e8, `${sent} bytes were taken`);
  assert.equal(text(await source.read(request(`${base}/bytes`))), 'ab'.repeat(300));
  assert.equal(seen.length, 4, 'a body that is too large is not asked for again');
  assert.equal(gone.length, 2);
  // Their connections are given up.
  await Promise.all(gone);
});

test('httpSource: a body grows past the first buffer', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, i) => i % 251));
  const { base } = await serve(t, {
    '/': (_, response) => {
      for (let at = 0; at < bytes.length; at += 7000) response.write(bytes.subarray(at, at + 7000));
      response.end();
    },
  });
  assert.ok(bytes.equals(onePage(await make().source.read(request(`${base}/`))).bytes));
});

test('httpSource: encoded bodies are decoded, and the cap is on what comes out', async (t) => {
  const plain = Buffer.alloc(90_000, 'assay ');
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { base } = await serve(t, {
    '/gzip': coded('gzip', gzipSync(plain)),
    '/deflate': coded('deflate', deflateSync(plain)),
    '/br': coded('BR', brotliCompressSync(plain)),
    '/twice': coded('gzip, gzip', gzipSync(gzipSync(plain))),
    '/identity': coded('identity', plain),
    '/bomb': coded('gzip', bomb),
    '/twicebomb': coded('gzip, gzip', gzipSync(bomb)),
    '/unknown': coded('zstd', plain),
    '/mixed': coded('gzip, zstd', gzipSync(plain)),
    '/false': coded('gzip', plain),
  });
  assert.ok(bomb.length < 100_000);
  const { source } = make({ maxBytes: 100_000, tries: 1 });
  for (const path of ['/gzip', '/deflate', '/br', '/twice', '/identity']) {
    const { bytes } = onePage(await source.read(request(`${base}${path}`)));
    assert.ok(plain.equals(bytes), path);
  }
  for (const path of ['/bomb', '/twicebomb']) {
    assert.equal(failure(await source.read(request(`${base}${path}`))), 'too_large', path);
  }
  for (const path of ['/unknown', '/mixed', '/false']) {
    assert.equal(failure(await source.read(request(`${base}${path}`))), 'unreachable', path);
  }
});

test('httpSource: an error status is an answer with that status', async (t) => {
  const { base, seen } = await serve(t, {
    '/403': (_, response) => response.writeHead(403).end('Access Denied'),
    '/500': (_, response) => response.writeHead(500).end('broken'),
  });
  const { source, waits, retries } = make({ backoffMs: 100 });
  const forbidden = await source.read(request(`${base}/403`));
  assert.deepEqual([onePage(forbidden).status, text(forbidden)], [403, 'Access Denied']);
  assert.deepEqual([seen.length, waits.length], [1, 0]);
  const broken = await source.read(request(`${base}/500`));
  assert.deepEqual([onePage(broken).status, text(broken)], [500, 'broken']);
  assert.equal(seen.length, 4);
  assert.deepEqual(waits, [50, 100]);
  assert.deepEqual(retries, [
    { url: `${base}/500`, attempt: 1, why: 'status 500', waitMs: 50 },
    { url: `${base}/500`, attempt: 2, why: 'status 500', waitMs: 100 },
  ]);
});

test('httpSource: a source that is back is asked in time', async (t) => {
  const asks = ['5', 'Fri, 15 Jan 2027 08:00:09 GMT', '3600', 'soon', '-3', undefined];
  for (const [i, asked] of asks.entries()) {
    const { base } = await serve(t, {
      '/': (_, response, count) => {
        if (count > 1) response.end('ready');
        else {
          response.writeHead(
            i % 2 === 0 ? 429 : 503,
            asked === undefined ? {} : { 'retry-after': asked },
          );
          response.end();
        }
      },
    });
    // 2027-01-15T08:00:00Z
    const { source, waits } = make(
      { backoffMs: 1000, maxWaitMs: 20_000 },
      { now: () => 1_800_000_000 },
    );
    assert.equal(text(await source.read(request(`${base}/`))), 'ready');
    assert.deepEqual(waits, [[5000], [9000], [20_000], [500], [500], [500]][i], asked);
  }
});

test('httpSource: waits double up to the longest, and are spread', async (t) => {
  const { base } = await serve(t, { '/': (_, response) => response.writeHead(502).end() });
  const draws = [0, 0.25, 0.999, 0.5, 0];
  const { source, waits } = make(
    { backoffMs: 1000, maxWaitMs: 3000, tries: 6 },
    { random: () => draws.shift() as number },
  );
  await source.read(request(`${base}/`));
  assert.deepEqual(waits, [0, 500, 2997, 1500, 0]);
});

test('httpSource: a connection that is reset is tried again', async (t) => {
  const { base, seen } = await serve(t, {
    '/once': (_, response, count) => {
      if (count === 1) response.socket?.resetAndDestroy();
      else response.end('there');
    },
    '/always': (_, response) => response.socket?.resetAndDestroy(),
    '/midway': (_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half', () => response.socket?.destroy());
    },
    '/chunk': (_, response) => {
      response.write('half', () => response.socket?.destroy());
    },
  });
  const { source } = make();
  assert.equal(text(await source.read(request(`${base}/once`))), 'there');
  assert.equal(seen.length, 2);
  for (const path of ['/always', '/midway', '/chunk']) {
    seen.length = 0;
    const answer = await source.read(request(`${base}${path}`));
    assert.equal(failure(answer), 'unreachable', path);
    assert.match((answer as { detail: string }).detail, /^[A-Z_]+$/);
    assert.equal(seen.length, 3);
  }
});

test('httpSource: nobody there, and no such name', async (t) => {
  const { base } = await serve(t, {});
  const closed = await serveRaw(t, '');
  const { source } = make({ tries: 1 });
  assert.equal(failure(await source.read(request(closed))), 'unreachable');
  const answer = await source.read(request('http://no-such-host.invalid/'));
  assert.equal(failure(answer), 'unreachable');
  assert.equal(failure(await source.read(request(`${base}/x`))), 'status 404');
});

test('httpSource: an answer that HTTP does not close is none', async (t) => {
  const { source } = make({ tries: 1 });
  const answers: Record<string, string> = {
    'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\na,b\n1,2': 'unreachable',
    'HTTP/1.0 200 OK\r\n\r\na,b\n1,2': 'unreachable',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na,b': 'status 200',
    'HTTP/1.1 204 No Content\r\n\r\n': 'status 204',
    'HTTP/1.1 999 Denied\r\ncontent-length: 1\r\n\r\nx': 'unreachable',
    'SSH-2.0-OpenSSH_9.6\r\n': 'unreachable',
  };
  for (const [raw, expected] of Object.entries(answers)) {
    assert.equal(failure(await source.read(request(await serveRaw(t, raw)))), expected, raw);
  }
});

test('httpSource: a long content type is cut to what a snapshot holds', async (t) => {
  const { base } = await serve(t, {
    '/': (_, response) => response.setHeader('content-type', 'x'.repeat(1000)).end('x'),
  });
  const { contentType } = onePage(await make().source.read(request(`${base}/`)));
  assert.equal(contentType, 'x'.repeat(256));
});

test('httpSource: a GET with a body, and a URL that is none', async () => {
  const { source, waits } = make();
  for (const asked of [
    request('http://127.0.0.1:9999/', { body: 'x' }),
    request('http://user:word@127.0.0.1/'),
    request('http://[/'),
  ]) {
    assert.equal(failure(await source.read(asked)), 'unreachable');
  }
  assert.deepEqual(waits, []);
});

test('httpSource: a caller can give up while it waits, and while it reads', async (t) => {
  const { base, seen } = await serve(t, {
    '/slow': () => undefined,
    '/500': (_, response) => response.writeHead(500).end(),
  });
  const reason = new Error('enough');
  for (const path of ['/slow', '/500']) {
    const caller = new AbortController();
    const { source } = make(
      { idleMs: 5000, totalMs: 5000, backoffMs: 10_000, tries: path === '/slow' ? 1 : 2 },
      { sleep: systemSleep },
    );
    setTimeout(() => {
      caller.abort(reason);
    }, 80);
    await assert.rejects(source.read(request(`${base}${path}`), { signal: caller.signal }), reason);
  }
  assert.equal(seen.length, 2);
});

test('httpSource: a contact that says nothing is refused', () => {
  for (const contact of ['', 'two words', '(x)', 'é']) {
    assert.throws(() => make({}, { contact }), { code: 'bad_config' });
  }
  assert.throws(() => make({}, { secrets: new Map([['KEY', 'short']]) }), { code: 'bad_config' });
});

test('httpSource: a secret goes to the socket and nowhere else', async (t) => {
  const secret = "s3cr3t/with+odd&signs='1'";
  const encoded = encodeURIComponent(secret).replaceAll("'", '%27');
  const got: string[] = [];
  const other = await serve(t, {
    '*': (incoming, response) => {
      got.push(`other ${incoming.url} ${JSON.stringify(incoming.rawHeaders)}`);
      response.end('other');
    },
  });
  const { base, host } = await serve(t, {
    '*': (incoming, response) => {
      const path = new URL(incoming.url ?? '', 'http://x').pathname;
      const echoed = `${other.base}/?k=${encoded}`;
      void bodyOf(incoming).then((body) => {
        got.push(`${incoming.url} ${String(incoming.headers['x-key'])} ${body}`);
        const routes: Record<string, () => unknown> = {
          '/ok': () => response.end('fine'),
          '/echo': () => response.writeHead(403).end(`bad key ${secret}!`),
          '/echo-url': () => response.writeHead(400).end(`bad url ${incoming.url}`),
          '/echo-json': () => response.end(JSON.stringify(secret).replaceAll('/', '\\/')),
          '/echo-type': () => response.setHeader('content-type', secret).end('x'),
          '/echo-late': () => response.writeHead(503, { 'retry-after': encoded }).end(),
          '/to-other': () => response.writeHead(302, { location: `${other.base}/` }).end(),
          '/to-other-307': () => response.writeHead(307, { location: `${other.base}/` }).end(),
          '/refused': () => response.writeHead(302, { location: echoed }).end(),
          '/refused-host': () =>
            response.writeHead(302, { location: `http://${encoded}.example/` }).end(),
          '/refused-scheme': () => response.writeHead(302, { location: `x:${encoded}` }).end(),
          '/reset': () => incoming.socket.resetAndDestroy(),
          '/slow': () => undefined,
          '/large': () => response.end(secret.repeat(1000)),
          '/coded': () => response.writeHead(200, { 'content-encoding': encoded }).end('x'),
        };
        return routes[path]?.();
      });
    },
  });
  const { source, retries } = make(
    { idleMs: 60, tries: 2, maxBytes: 1000 },
    { secrets: new Map([['API_KEY', secret]]) },
  );
  const outcomes: Record<string, string> = {
    '/ok': 'status 200',
    '/echo': 'unreachable',
    '/echo-url': 'unreachable',
    '/echo-json': 'unreachable',
    '/echo-type': 'unreachable',
    '/echo-late': 'status 503',
    '/to-other': 'status 200',
    '/to-other-307': 'redirect_refused',
    '/refused': 'redirect_refused',
    '/refused-host': 'redirect_refused',
    '/refused-scheme': 'redirect_refused',
    '/reset': 'unreachable',
    '/slow': 'timeout',
    '/large': 'too_large',
    '/coded': 'unreachable',
  };
  const outputs: unknown[] = [];
  for (const [path, expected] of Object.entries(outcomes)) {
    const follow = path.startsWith('/to') ? [other.host] : [host];
    const asked = request(`${base}${path}?k={secret:API_KEY}`, {
      method: 'POST',
      headers: [{ name: 'x-key', value: '{secret:API_KEY}' }],
      body: '{"key":"{secret:API_KEY}"}',
      follow,
    });
    const answer = await source.read(asked).catch((error: unknown) => {
      outputs.push(error);
      throw error;
    });
    assert.equal(failure(answer), expected, path);
    outputs.push(answer);
    if (answer.kind === 'pages') outputs.push(text(answer));
  }
  // URLs that fetch itself would refuse, quoting them.
  for (const url of [
    'http://{secret:API_KEY}@127.0.0.1/',
    'http://{secret:API_KEY}/',
    'http://127.0.0.1:1/{secret:API_KEY}',
    'http://127.0.0.1:{secret:API_KEY}/',
  ]) {
    const answer = await source.read(request(url));
    assert.equal(failure(answer), 'unreachable');
    outputs.push(answer);
  }
  outputs.push(...retries);
  assert.ok(retries.length >= 3);
  const keyed = request(`${base}/?k={secret:API_KEY}`);
  assert.equal(source.repeated?.(keyed, Buffer.from(`a text with ${secret}`)), 'API_KEY');
  assert.equal(source.repeated?.(keyed, Buffer.from('a text without')), undefined);
  assert.equal(source.repeated?.(request(base), Buffer.from(secret)), undefined);
  const shown = outputs
    .map(
      (output) => inspect(output, { depth: Infinity, showHidden: true }) + JSON.stringify(output),
    )
    .join('\n');
  for (const form of [secret, encoded, secret.slice(0, 8), encoded.slice(0, 8)]) {
    assert.ok(!shown.toLowerCase().includes(form.toLowerCase()), `${form} is in ${shown}`);
  }
  assert.equal(got[0], `/ok?k=${encoded} ${secret} {"key":"${secret}"}`, 'it did go to the socket');
  const toOther = got.filter((line) => line.startsWith('other'));
  assert.equal(toOther.length, 1);
  assert.ok(!toOther[0]?.includes('s3cr3t'));
});

test('httpSource: a secret that is not set is named, and nothing is sent', async (t) => {
  const { base, seen } = await serve(t, {});
  const { source } = make({}, { secrets: new Map([['OTHER', 'other-value']]) });
  const answer = await source.read(request(`${base}/?k={secret:API_KEY}`));
  assert.deepEqual(answer, {
    kind: 'failed',
    reason: 'unreachable',
    detail: 'secret API_KEY is not set',
  });
  assert.deepEqual(seen, []);
});

function listed(answer: SourceAnswer): readonly string[] {
  assert.equal(answer.kind, 'pages', JSON.stringify(answer));
  return answer.kind === 'pages'
    ? answer.pages.map(({ status, bytes }) => `${status} ${Buffer.from(bytes).toString()}`)
    : [];
}

function json(
  response: ServerResponse,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

const CURSOR: Paging = {
  kind: 'cursor',
  ptr: '/next',
  place: 'query',
  name: 'cursor',
  max_pages: 4,
  until: null,
  total: null,
};

test('httpSource: pages by cursor, in order, one at a time, until none is named', async (t) => {
  let underWay = 0;
  const { base, seen } = await serve(t, {
    '*': (incoming, response) => {
      underWay += 1;
      assert.equal(underWay, 1);
      const at = Number(new URL(incoming.url ?? '', 'http://a').searchParams.get('cursor') ?? '0');
      setImmediate(() => {
        underWay -= 1;
        json(response, { at, next: at === 2 ? null : at + 1 });
      });
    },
  });
  const { source } = make();
  const answer = await source.read(request(`${base}/list?limit=2`, { paging: CURSOR }));
  assert.deepEqual(listed(answer), [
    '200 {"at":0,"next":1}',
    '200 {"at":1,"next":2}',
    '200 {"at":2,"next":null}',
  ]);
  assert.deepEqual(seen, [
    'GET /list?limit=2',
    'GET /list?limit=2&cursor=1',
    'GET /list?limit=2&cursor=2',
  ]);
});

test('httpSource: a list stops at its most pages, at a loop, at a bad page and at a bad status', async (t) => {
  const routes: Record<string, Route> = {
    '/endless': (_, response, count) => json(response, { next: `n${count}` }),
    '/loop': (_, response) => json(response, { next: 'same' }),
    '/bad': (_, response, count) =>
      count === 1 ? json(response, { next: 'b' }) : response.writeHead(200).end('<html>'),
    '/gone': (_, response, count) =>
      count === 1 ? json(response, { next: 'b' }) : response.writeHead(403).end('no'),
  };
  for (const [path, pages] of Object.entries({
    '/endless': 4,
    '/loop': 2,
    '/bad': 2,
    '/gone': 2,
  })) {
    const { base, seen } = await serve(t, { '*': routes[path] as Route });
    const answer = await make().source.read(request(`${base}${path}`, { paging: CURSOR }));
    assert.equal(listed(answer).length, pages, path);
    assert.equal(seen.length, pages, path);
  }
});

test('httpSource: a page that must wait is asked again, by the way the source says', async (t) => {
  let refused = false;
  const { base, seen } = await serve(t, {
    '/list': (_, response) => json(response, { next: 'b' }),
    '/list?cursor=b': (_, response) => {
      if (refused) json(response, { next: '' });
      else response.writeHead(429, { 'retry-after': '7' }).end('slow down');
      refused = true;
    },
  });
  const { source, waits, retries } = make();
  const answer = await source.read(request(`${base}/list`, { paging: CURSOR }));
  assert.equal(listed(answer).length, 2);
  assert.deepEqual(waits, [7000]);
  assert.deepEqual(seen, ['GET /list', 'GET /list?cursor=b', 'GET /list?cursor=b']);
  assert.equal(retries.length, 1);
});

test('httpSource: pages of a POST, and by offset', async (t) => {
  const bodies: string[] = [];
  const { base, seen } = await serve(t, {
    '/rpc': (incoming, response) => {
      void bodyOf(incoming).then((body) => {
        bodies.push(body);
        json(response, { result: bodies.length < 3 ? [{ id: `s${bodies.length}` }] : [] });
      });
    },
    '*': (incoming, response) =>
      json(response, incoming.url?.includes('=2') === true ? [3] : [1, 2]),
  });
  const { source } = make();
  const post = await source.read(
    request(`${base}/rpc`, {
      method: 'POST',
      body: '{"params":["A",{"limit":1}]}',
      paging: { ...CURSOR, ptr: '/result/-/id', place: 'body', name: '/params/1/before' },
    }),
  );
  assert.equal(listed(post).length, 3);
  assert.deepEqual(bodies, [
    '{"params":["A",{"limit":1}]}',
    '{"params":["A",{"limit":1,"before":"s1"}]}',
    '{"params":["A",{"limit":1,"before":"s2"}]}',
  ]);
  const paging = {
    kind: 'offset',
    name: 'offset',
    step: 2,
    rows: '',
    max_pages: 3,
    until: null,
    total: null,
  } as const;
  await source.read(request(`${base}/trades?offset=0`, { paging }));
  assert.deepEqual(seen.slice(3), ['GET /trades?offset=0', 'GET /trades?offset=2']);
});

const LINKS: Paging = {
  kind: 'link',
  max_pages: 5,
  until: { rows: '', ptr: '/t', style: 'unix', before: '10' },
};

test('httpSource: pages by link, to this origin or a listed host, with no secret for another', async (t) => {
  const keys: unknown[] = [];
  const there = await serve(t, {
    '/3': (incoming, response) => {
      keys.push(incoming.headers['x-key']);
      json(response, [{ t: 9 }], { link: '</4>; rel="next"' });
    },
  });
  const here = await serve(t, {
    '/1': (_, response) =>
      json(response, [{ t: 30 }], { link: '</2?c={secret:API_KEY}>; rel="next"' }),
    '/2?c={secret:API_KEY}': (incoming, response) => {
      keys.push(incoming.headers['x-key']);
      json(response, [{ t: 20 }], { link: `<${there.base}/3>; rel="next"` });
    },
  });
  const secrets = new Map([['API_KEY', 'k-12345678']]);
  const { source } = make({}, { secrets });
  const asked = request(`${here.base}/1`, {
    paging: LINKS,
    headers: [{ name: 'x-key', value: '{secret:API_KEY}' }],
  });
  const answer = await source.read({ ...asked, follow: [there.host] });
  assert.deepEqual(listed(answer), ['200 [{"t":30}]', '200 [{"t":20}]', '200 [{"t":9}]']);
  assert.deepEqual(keys, ['k-12345678', undefined]);
  assert.deepEqual(
    here.seen,
    ['GET /1', 'GET /2?c={secret:API_KEY}'],
    'what a source writes is no secret',
  );
  assert.equal(failure(await source.read(asked)), 'redirect_refused');
});

test('httpSource: a list without the next link is what came of it', async (t) => {
  const { base } = await serve(t, { '/': (_, response) => json(response, [{ t: 30 }]) });
  assert.equal(listed(await make().source.read(request(`${base}/`, { paging: LINKS }))).length, 1);
});

test('httpSource: all pages together have a time and a size', async (t) => {
  const late = await serve(t, {
    '*': (_, response, count) => {
      setTimeout(() => {
        json(response, { next: `n${count}` });
      }, 60);
    },
  });
  const long = await serve(t, {
    '*': (_, response, count) => json(response, { next: `n${count}`, fill: 'x'.repeat(600) }),
  });
  const paging = { ...CURSOR, max_pages: 10_000 } as const;
  const { source } = make({ maxReadBytes: 2000 });
  assert.deepEqual(await source.read(request(long.base, { paging })), {
    kind: 'failed',
    reason: 'too_large',
    detail: 'pages of more than 2000 bytes',
  });
  assert.equal(long.seen.length, 4);
  const slow = make({ readMs: 150 });
  assert.deepEqual(await slow.source.read(request(late.base, { paging })), {
    kind: 'failed',
    reason: 'timeout',
    detail: 'no end of the pages within 150 ms',
  });
  assert.ok(late.seen.length <= 3);
});
