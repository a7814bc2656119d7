import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { SourceRequest } from '@assay/core/source/request';
import { httpSource } from '@assay/node/source/http-source';
import type { Source } from '@assay/node/source/source';
import { HOST_PATTERN, SourceHosts } from '@assay/node/source/source-hosts';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';

const SECRET = 'registration-key-1';

/** A service that notes what reaches it, or that leads elsewhere. */
async function service(t: TestContext, location?: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${String(request.headers['x-key'] ?? '')}`.trim());
    if (location === undefined) response.end('figures');
    else response.writeHead(302, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function requestOf(url: string, change: Partial<SourceRequest> = {}): SourceRequest {
  const [provider] = CLAIMS_RULE.providers;
  assert.ok(provider !== undefined);
  return { ...(provider.request as SourceRequest), url, headers: [], ...change };
}

function sourceOf(hosts: SourceHosts): Source {
  return httpSource({
    contact: 'ops@example.org',
    secrets: new Map([['BLS', SECRET]]),
    now: () => 0,
    sleep: () => Promise.resolve(),
    random: () => 0,
    hosts,
  });
}

async function outcome(source: Source, request: SourceRequest): Promise<string> {
  const answer = await source.read(request);
  return answer.kind === 'failed' ? `${answer.reason}: ${answer.detail}` : answer.kind;
}

const KEYED = { headers: [{ name: 'x-key', value: '{secret:BLS}' }] };

test('source hosts: what the operator has not listed is not asked, and waits', async (t) => {
  const { asked, host } = await service(t);
  const hosts = new SourceHosts([], {});
  const refused = 'unreachable: a host that the operator has not listed';
  const request = requestOf(`http://${host}/admin`, KEYED);
  assert.equal(await outcome(sourceOf(hosts), request), refused);
  assert.deepEqual(hosts.waiting, [`http://${host}`]);
  assert.deepEqual(asked, []);
  // Listed for https, it is not listed without.
  assert.equal(await outcome(sourceOf(new SourceHosts([host], {})), request), refused);
  assert.deepEqual(asked, []);
});

test('source hosts: a secret goes to the hosts that it is bound to, and to no other', async (t) => {
  const one = await service(t);
  const other = await service(t);
  const listed = [`http://${one.host}`, `http://${other.host}`];
  const source = sourceOf(new SourceHosts(listed, { BLS: [`http://${one.host}`] }));
  assert.equal(await outcome(source, requestOf(`http://${one.host}/a`, KEYED)), 'pages');
  assert.deepEqual(one.asked, [`/a ${SECRET}`]);
  const not = 'unreachable: secret BLS is not for this host';
  assert.equal(await outcome(source, requestOf(`http://${other.host}/a`, KEYED)), not);
  assert.equal(await outcome(source, requestOf(`http://${other.host}/{secret:BLS}`)), not);
  assert.deepEqual(other.asked, []);
  assert.equal(await outcome(source, requestOf(`http://${other.host}/b`)), 'pages');
  const unbound = sourceOf(new SourceHosts(listed, {}));
  assert.equal(await outcome(unbound, requestOf(`http://${one.host}/a`, KEYED)), not);
});

test('source hosts: a redirect leads to no host that is not listed', async (t) => {
  const inside = await service(t);
  const outside = await service(t, `http://${inside.host}/admin`);
  const hosts = new SourceHosts([`http://${outside.host}`], {});
  const request = requestOf(`http://${outside.host}/`, { follow: [inside.host] });
  assert.match(await outcome(sourceOf(hosts), request), /has not listed/);
  assert.deepEqual(inside.asked, []);
  assert.deepEqual(hosts.waiting, [`http://${inside.host}`]);
});

test('source hosts: a secret in the name of a host is shown to nobody', async () => {
  const hosts = new SourceHosts(['example.org'], { BLS: ['example.org'] });
  const request = requestOf('https://{secret:BLS}.example.org/');
  assert.match(await outcome(sourceOf(hosts), request), /a secret in the host/);
  assert.deepEqual(hosts.waiting, []);
});

test('source hosts: how they are written', () => {
  for (const good of ['example.org', 'a.example.org:8443', 'http://127.0.0.1:80']) {
    assert.ok(HOST_PATTERN.test(good), good);
  }
  for (const bad of ['', 'Example.org', 'https://example.org', 'example.org/', 'a@b', '-a', 'a.']) {
    assert.ok(!HOST_PATTERN.test(bad), bad);
  }
});
