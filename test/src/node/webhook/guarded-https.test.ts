import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { lookup, Resolver } from 'node:dns/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { messageOf } from '@assay/core/fault';
import {
  guardedRequest,
  type GuardedRequest,
  INTERNET,
  type Net,
  resolveBy,
} from '@assay/node/webhook/guarded-https';
import { webhookUrlFault } from '@assay/node/webhook/webhook-url';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { netOf, Receiver } from './receiver.ts';

const GET: GuardedRequest = { method: 'GET', headers: {}, timeoutMs: 5000, maxAnswer: 1024 };

/** Addresses that must never be called, however they are written. */
const HOSTILE: readonly string[] = [
  'http://hook.example.com/',
  'ftp://hook.example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'javascript:alert(1)',
  'data:text/plain,hi',
  'https://127.0.0.1/',
  'https://127.0.0.1:8443/',
  'https://127.1/',
  'https://127.0.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.100.100.200/',
  'https://8.8.8.8/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[2606:4700::1]/',
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://a.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://metadata/',
  'https://router.home.arpa/',
  'https://user@hook.example.com/',
  'https://user:secret@hook.example.com/',
  'https://hook.example.com:22/',
  'https://hook.example.com:6379/',
  'https://hook.example.com:80/',
  'https://hook.example.com/#fragment',
  'https://hook.example.com/#',
  'https://hook.example.com/a b',
  'https://hook.exa\tmple.com/',
  'https://hook.example.com/\r\nx: y',
  ' https://hook.example.com/',
  'https://hook.example.com\\@127.0.0.1/',
  'https://',
  'https:///',
  '//hook.example.com/',
  'hook.example.com',
  '',
  `https://hook.example.com/${'x'.repeat(2048)}`,
];

test('webhook addresses: hostile ones are refused before anything is asked', async () => {
  assert.ok(HOSTILE.length >= 40);
  let asked = 0;
  const net: Net = {
    resolve: () => {
      asked += 1;
      return Promise.resolve(['8.8.8.8']);
    },
    connect: () => Promise.reject(new Error('connected')),
  };
  for (const url of HOSTILE) {
    assert.equal(typeof webhookUrlFault(url), 'string', url);
    assert.deepEqual(await guardedRequest(url, GET, net), { error: 'url_refused' }, url);
  }
  assert.equal(asked, 0);
});

test('webhook addresses: what people use is let through', () => {
  for (const url of [
    'https://hooks.venue.com/',
    'https://hooks.venue.com:8443/in?key=1',
    'https://hooks.venue.com:443',
    'https://xn--bcher-kva.ch/hook',
    'https://a.b.c.venue.co.uk/%20/x',
    'https://hooks.venue.com./',
  ]) {
    assert.equal(webhookUrlFault(url), undefined, url);
  }
});

for (const [what, addresses] of Object.entries({
  loopback: ['127.0.0.1'],
  private: ['10.1.2.3'],
  metadata: ['169.254.169.254'],
  'shared space': ['100.64.0.1'],
  'Azure of its machines': ['168.63.129.16'],
  'IPv6 loopback': ['::1'],
  'IPv4 in IPv6': ['::ffff:127.0.0.1'],
  'IPv4 translated': ['64:ff9b::7f00:1'],
  'unique local': ['fd00::1'],
  'link local with a zone': ['fe80::1%lo'],
  'a public one before a private one': ['8.8.8.8', '127.0.0.1'],
  'a private one before a public one': ['192.168.0.1', '8.8.8.8'],
  'no address at all': ['not an address'],
})) {
  test(`a name that leads to ${what} is not called`, async () => {
    const net: Net = {
      resolve: () => Promise.resolve(addresses),
      connect: () => Promise.reject(new Error('it was connected to')),
    };
    const answer = await guardedRequest('https://hook.venue.com/', GET, net);
    assert.deepEqual(answer, { error: 'address_refused' });
  });
}

test('rebinding: the address that was judged is the one that is connected to, and is resolved once', async (t) => {
  const receiver = await Receiver.start(t, 'hook.venue.com');
  const base = netOf(receiver);
  let asked = 0;
  const net: Net = {
    ...base,
    resolve: () => {
      asked += 1;
      return Promise.resolve(asked === 1 ? ['8.8.4.4'] : ['127.0.0.1']);
    },
  };
  assert.equal((await guardedRequest(receiver.url, GET, net)).status, 200);
  assert.deepEqual(base.connected, ['hook.venue.com 8.8.4.4']);
  assert.equal(asked, 1);
  // The second request resolves the name again, and has no connection of the first.
  assert.deepEqual(await guardedRequest(receiver.url, GET, net), { error: 'address_refused' });
  assert.equal(base.connected.length, 1);
});

test('a redirect is an answer, and nothing follows it', async (t) => {
  const receiver = await Receiver.start(t, 'hook.venue.com', (_, response) => {
    response.writeHead(302, { location: 'https://169.254.169.254/' }).end();
  });
  const net = netOf(receiver);
  assert.equal((await guardedRequest(receiver.url, GET, net)).status, 302);
  assert.equal(net.connected.length, 1);
  assert.equal(receiver.got.length, 1);
});

test('an endless answer is cut, and a slow one has its status', async (t) => {
  const receiver = await Receiver.start(t, 'hook.venue.com', (_, response) => {
    response.writeHead(200);
    const more = (): void => {
      if (!response.destroyed) response.write('x'.repeat(4096), () => setTimeout(more, 1));
    };
    more();
  });
  const net = netOf(receiver);
  const answer = await guardedRequest(receiver.url, { ...GET, maxAnswer: 10_000 }, net);
  assert.equal(answer.status, 200);
  assert.equal(answer.status === undefined ? 0 : answer.body.length, 10_000);
  receiver.handle = (_, response) => {
    response.writeHead(204);
    response.flushHeaders();
    response.write('');
  };
  assert.equal((await guardedRequest(receiver.url, { ...GET, timeoutMs: 300 }, net)).status, 204);
});

test('no answer: each reason has its code, and none waits for ever', async (t) => {
  const receiver = await Receiver.start(t, 'hook.venue.com', () => {});
  const net = netOf(receiver);
  const short = { ...GET, timeoutMs: 200 };
  assert.deepEqual(await guardedRequest(receiver.url, short, net), { error: 'timeout' });
  assert.deepEqual(await guardedRequest('https://other.venue.com/', GET, net), {
    error: 'unresolved',
  });
  const never: Net = {
    resolve: () => new Promise(() => {}),
    connect: (...all) => net.connect(...all),
  };
  assert.deepEqual(await guardedRequest(receiver.url, short, never), { error: 'timeout' });
  const hanging: Net = {
    resolve: (host) => net.resolve(host),
    connect: () => new Promise(() => {}),
  };
  assert.deepEqual(await guardedRequest(receiver.url, short, hanging), { error: 'timeout' });
  const stop = new AbortController();
  const stopped = guardedRequest(receiver.url, { ...GET, signal: stop.signal }, net);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
  stop.abort();
  assert.deepEqual(await stopped, { error: 'stopped' });
  assert.deepEqual(await guardedRequest(receiver.url, { ...GET, signal: stop.signal }, net), {
    error: 'stopped',
  });
  const lasting = new AbortController();
  await guardedRequest(receiver.url, { ...short, signal: lasting.signal }, net);
  assert.equal(getEventListeners(lasting.signal, 'abort').length, 0);
  receiver.handle = (_, response) => response.socket?.destroy();
  assert.deepEqual(await guardedRequest(receiver.url, GET, net), { error: 'not_http' });
  receiver.handle = (_, response) => response.socket?.end('hello\r\n\r\n');
  assert.deepEqual(await guardedRequest(receiver.url, GET, net), { error: 'not_http' });
});

/** A name server on loopback. It answers with one address of each family, or never. */
async function nameServer(t: TestContext, answers: boolean): Promise<Resolver> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    if (!answers) return;
    const isV6 = query.readUInt16BE(query.indexOf(0, 12) + 1) === 28;
    const address = isV6 ? Buffer.from('26064700000000000000000000000001', 'hex') : [8, 8, 4, 4];
    const end = query.indexOf(0, 12) + 5;
    // RFC 1035, section 4.1: the question again, and one record whose name is a pointer to it.
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    const record = [0xc0, 12, 0, isV6 ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, address.length, ...address];
    const answer = [query.subarray(0, 2), head, query.subarray(12, end), Buffer.from(record)];
    socket.send(Buffer.concat(answer), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => socket.close());
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return resolver;
}

test('names: the addresses of both families, and none of what is no name', async (t) => {
  const resolver = await nameServer(t, true);
  assert.deepEqual(await resolveBy(resolver, 'hook.venue.com'), ['8.8.4.4', '2606:4700::1']);
});

test('names: name servers that never answer hold up nothing else', async (t) => {
  const resolver = await nameServer(t, false);
  const waiting = Promise.all(
    Array.from({ length: 64 }, (_, i) => resolveBy(resolver, `r${i}.venue.com`)),
  );
  let ended = false;
  void waiting.then(() => (ended = true));
  await lookup('localhost');
  assert.equal(ended, false, 'another lookup does not wait for them');
  assert.deepEqual((await waiting).flat(), []);
});

test('the internet: a peer without TLS, or that nobody answers at, has its code', async (t) => {
  const server = createServer((socket) => socket.end('220 smtp ready\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const through = (to: number): Net => ({
    resolve: () => Promise.resolve(['8.8.8.8']),
    connect: (_address, _port, host, signal) => INTERNET.connect('127.0.0.1', to, host, signal),
  });
  assert.deepEqual(await guardedRequest('https://hook.venue.com/', GET, through(port)), {
    error: 'tls',
  });
  assert.deepEqual(await guardedRequest('https://hook.venue.com/', GET, through(1)), {
    error: 'unreachable',
  });
});

test('the internet: a peer whose certificate nobody vouches for is told nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const name = ['-subj', '/CN=hook.venue.com', '-addext', 'subjectAltName=DNS:hook.venue.com'];
  const to = ['-nodes', '-keyout', key, '-out', cert, '-days', '2'];
  try {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...to, ...name], {
      stdio: 'ignore',
    });
  } catch (error) {
    t.skip(`openssl makes no certificate here: ${messageOf(error)}`);
    return;
  }
  let told = 0;
  const server = createTlsServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_, response) => {
      told += 1;
      response.end();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const net: Net = {
    resolve: () => Promise.resolve(['8.8.8.8']),
    connect: (_address, _port, host, signal) => INTERNET.connect('127.0.0.1', port, host, signal),
  };
  assert.deepEqual(await guardedRequest('https://hook.venue.com/', GET, net), { error: 'tls' });
  assert.equal(told, 0);
});

test('a request has the host, the length and a connection of its own', async (t) => {
  const receiver = await Receiver.start(t, 'hook.venue.com');
  const body = new TextEncoder().encode('{"type":"print"}');
  const request = { ...GET, method: 'POST', headers: { 'x-one': '1' }, body } as const;
  await guardedRequest(`${receiver.url}?a=1`, request, netOf(receiver));
  const [got] = receiver.posts;
  assert.equal(got?.headers.host, 'hook.venue.com');
  assert.equal(got?.headers.connection, 'close');
  assert.equal(got?.headers['content-length'], String(body.length));
  assert.equal(got?.headers['x-one'], '1');
  assert.equal(got?.url.search, '?a=1');
  assert.equal(got?.body, '{"type":"print"}');
});
