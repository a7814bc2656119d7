import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { test, type TestContext } from 'node:test';
import { AddressGuard, type AddressGuardOptions } from '@assay/node/source/address-guard';
import { httpSource } from '@assay/node/source/http-source';
import { SourceHosts } from '@assay/node/source/source-hosts';
import { request } from './source-suite.ts';

const REFUSED =
  'unreachable: address_refused: host: expected public addresses, found one that is not';

/** A service of the machine itself, which nobody else's name may lead to. */
async function inside(
  t: TestContext,
  location?: string,
): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    asked.push(incoming.headers.host ?? '');
    if (location === undefined || incoming.url !== '/') response.end('inside');
    else response.writeHead(302, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** Answers for names: each time with the next of `answers`, the last again and again. */
function resolver(...answers: readonly (readonly string[])[]): {
  readonly lookup: LookupFunction;
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    lookup: (name, options, done) => {
      const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(name);
      const found = addresses.map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }));
      const [first] = found;
      if (options.all === true) done(null, found);
      else done(null, first?.address ?? '', first?.family);
    },
  };
}

function reader(guard: Partial<AddressGuardOptions>, hosts: readonly string[]) {
  const addresses = new AddressGuard({ network: 'production', privateHosts: [], ...guard });
  const source = httpSource({
    contact: 'ops@example.org',
    secrets: new Map(),
    now: () => 0,
    sleep: () => Promise.resolve(),
    random: () => 0,
    hosts: new SourceHosts(hosts, {}),
    addresses,
  });
  return {
    addresses,
    read: async (url: string, follow: readonly string[] = []): Promise<string> => {
      const answer = await source.read(request(url, { follow }));
      return answer.kind === 'failed' ? `${answer.reason}: ${answer.detail}` : answer.kind;
    },
  };
}

test('address guard: no listed name leads to an address that is not public, and none is tried again', async (t) => {
  const { port, asked } = await inside(t);
  const host = `http://figures.example:${port}`;
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['192.0.2.77', '127.0.0.1'],
    ['1.1.1.1', '10.0.0.1'],
  ]) {
    const { lookup, asked: names } = resolver(addresses);
    const { addresses: guard, read } = reader({ lookup }, [host]);
    assert.equal(await read(`${host}/`), REFUSED, addresses.join());
    assert.deepEqual(names, ['figures.example']);
    assert.deepEqual(guard.refused, [host]);
  }
  assert.deepEqual(asked, []);
});

test('address guard: a host that is an address is judged without a look-up, in every spelling', async (t) => {
  const { port, asked } = await inside(t);
  for (const spelling of [
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::]',
  ]) {
    const url = new URL(`http://${spelling}:${port}/`);
    const addresses = new AddressGuard({ network: 'production', privateHosts: [] });
    assert.throws(() => addresses.lookupFor(url), { code: 'address_refused' }, spelling);
    const { read } = reader({}, [`http://127.0.0.1:${port}`]);
    if (url.hostname === '127.0.0.1') assert.equal(await read(url.href), REFUSED);
  }
  assert.deepEqual(asked, []);
});

test('address guard: what a name says changes nothing once a socket is to be opened', async (t) => {
  const { port, asked } = await inside(t);
  const host = `http://rebind.example:${port}`;
  // It said a public address to whoever asked before, and says another to the socket.
  const { lookup } = resolver(['1.1.1.1'], ['127.0.0.1']);
  await new Promise<void>((resolve) => lookup('rebind.example', { all: true }, () => resolve()));
  const { read } = reader({ lookup }, [host]);
  assert.equal(await read(`${host}/`), REFUSED);
  assert.deepEqual(asked, []);
});

test('address guard: the address that was judged is the one that is connected to', async (t) => {
  const { port } = await inside(t);
  const given: unknown[] = [];
  const { lookup, asked } = resolver(['1.1.1.1'], ['127.0.0.1']);
  const guard = new AddressGuard({ network: 'production', privateHosts: [], lookup });
  const socketLookup = guard.lookupFor(new URL(`http://rebind.example:${port}/`));
  for (const all of [true, false]) {
    asked.length = 0;
    socketLookup('rebind.example', { all }, (...answer) => given.push(answer));
    assert.deepEqual(asked, ['rebind.example'], 'one answer, judged and handed on');
  }
  assert.deepEqual(given, [
    [null, [{ address: '1.1.1.1', family: 4 }]],
    [null, '1.1.1.1', 4],
  ]);
});

test('address guard: a redirect leads there as little', async (t) => {
  const there = await inside(t);
  const leads = `http://inside.example:${there.port}`;
  const here = await inside(t, `${leads}/admin`);
  const host = `http://outside.example:${here.port}`;
  const { lookup } = resolver(['127.0.0.1']);
  const { read } = reader({ lookup, privateHosts: [host] }, [host, leads]);
  assert.equal(await read(`${host}/`, [`inside.example:${there.port}`]), REFUSED);
  assert.equal(here.asked.length, 1);
  assert.deepEqual(there.asked, []);
});

test('address guard: the operator’s exceptions, and development logs', async (t) => {
  const { port, asked } = await inside(t);
  const host = `http://figures.example:${port}`;
  const { lookup } = resolver(['127.0.0.1']);
  const listed = reader({ lookup, privateHosts: [host] }, [host]);
  assert.equal(await listed.read(`${host}/`), 'pages');
  const other = reader({ lookup, privateHosts: ['figures.example', 'http://figures.example'] }, [
    host,
  ]);
  assert.equal(await other.read(`${host}/`), REFUSED, 'of another port, or over TLS');
  const trial = reader({ lookup, network: 'development' }, [host]);
  assert.equal(await trial.read(`${host}/`), 'pages');
  assert.equal(asked.length, 2);
});

test('address guard: a name without an answer is not reached', async () => {
  const host = 'http://nobody.example';
  const none = reader({ lookup: resolver([]).lookup }, [host]);
  assert.equal(await none.read(`${host}/`), REFUSED);
  const lookup: LookupFunction = (_, __, done) => {
    done(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), []);
  };
  const failing = reader({ lookup }, [host]);
  assert.equal(await failing.read(`${host}/`), 'unreachable: ENOTFOUND');
  assert.deepEqual(failing.addresses.refused, []);
});
