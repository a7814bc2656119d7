import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { acceptedCoding } from '@assay/node/http/content-coding';
import { headerBlock } from '@assay/node/http/header';
import { represent, type Representation, representation } from '@assay/node/http/representation';
import type { WholeReply } from '@assay/node/http/request';

test('accept-encoding: what each client likes best', () => {
  const cases: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['x-gzip;q=0, *', 'br'],
    ['br;q=0, x-gzip;q=0, *', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['deflate', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.8, gzip;q=0.8', 'br'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['gzip;q=0.5, identity;q=1', undefined],
    ['gzip; q=1.0', 'gzip'],
    ['gzip;q=high', undefined],
    ['gzip;q=-1', undefined],
    [' , ,br', 'br'],
    ['x'.repeat(4000), undefined],
  ];
  for (const [header, coding] of cases) assert.equal(acceptedCoding(header), coding, header);
});

const JSON_BODY = JSON.stringify(
  Array.from({ length: 500 }, (_, i) => ({ period: i, value: 1000 + i })),
);
const shown = (
  body: string | Uint8Array = JSON_BODY,
  contentType = 'application/json',
): Representation => representation({ contentType, body, cacheControl: 'public, no-cache' });

function ask(of: Representation, headers: Readonly<Record<string, string>>): WholeReply {
  return represent({ header: (name) => headers[name] }, of);
}

const headerOf = (reply: WholeReply, name: string): string | undefined =>
  [...reply.blocks.flatMap(({ list }) => list), ...reply.headers].find(
    ([each]) => each === name,
  )?.[1];

/** The answer once the coding is made. */
async function coded(of: Representation, coding: string): Promise<WholeReply> {
  for (let i = 0; i < 200; i += 1) {
    const reply = ask(of, { 'accept-encoding': coding });
    if (headerOf(reply, 'content-encoding') !== undefined) return reply;
    await sleep(5);
  }
  return assert.fail('no coding within a second');
}

test('codings: the first answer is plain and waits for nothing, and later ones are coded', async () => {
  const of = shown();
  const first = ask(of, { 'accept-encoding': 'gzip, br' });
  assert.equal(headerOf(first, 'content-encoding'), undefined);
  assert.equal(headerOf(first, 'vary'), 'accept-encoding');
  assert.deepEqual(first.body, Buffer.from(JSON_BODY));
  const br = await coded(of, 'gzip, br');
  const gzip = await coded(of, 'gzip');
  assert.equal(headerOf(br, 'content-encoding'), 'br');
  assert.equal(brotliDecompressSync(br.body as Uint8Array).toString(), JSON_BODY);
  assert.equal(gunzipSync(gzip.body as Uint8Array).toString(), JSON_BODY);
  assert.ok(br.body.length < JSON_BODY.length / 4);
  // Each is made once: the same bytes, not equal ones.
  assert.equal(ask(of, { 'accept-encoding': 'br' }).body, br.body);
  const etags = [first, br, gzip].map((reply) => headerOf(reply, 'etag'));
  assert.equal(new Set(etags).size, 3);
  for (const reply of [br, gzip]) {
    assert.equal(headerOf(reply, 'vary'), 'accept-encoding');
    assert.equal(headerOf(reply, 'content-type'), 'application/json');
    assert.equal(headerOf(reply, 'cache-control'), 'public, no-cache');
  }
  assert.equal(headerOf(ask(of, {}), 'content-encoding'), undefined);
});

test('codings: a client that holds any of them is told that it is right', async () => {
  const of = shown();
  const br = await coded(of, 'br');
  await coded(of, 'gzip');
  const plain = headerOf(ask(of, {}), 'etag') ?? '';
  const etag = headerOf(br, 'etag') ?? '';
  for (const accept of ['br', 'gzip', 'identity']) {
    for (const held of [plain, etag, `W/${etag}`, `"other", ${etag}`]) {
      const reply = ask(of, { 'accept-encoding': accept, 'if-none-match': held });
      assert.equal(reply.status, 304, `${accept} ${held}`);
      assert.ok(held.includes(headerOf(reply, 'etag') ?? 'none'), `${accept} ${held}`);
      assert.equal(headerOf(reply, 'vary'), 'accept-encoding');
      assert.equal(headerOf(reply, 'content-encoding'), undefined);
    }
    assert.equal(ask(of, { 'accept-encoding': accept, 'if-none-match': '"other"' }).status, 200);
    assert.equal(ask(of, { 'accept-encoding': accept, 'if-none-match': '*' }).status, 304);
  }
});

test('codings: what is small, not text, or random is served as it is', async () => {
  const bodies: readonly Representation[] = [
    shown('{"small":true}'),
    shown(JSON_BODY, 'application/octet-stream'),
    shown(JSON_BODY, 'image/png'),
    shown(JSON_BODY, 'application/vnd.opentimestamps.ots'),
    shown(randomBytes(5000), 'text/plain; charset=utf-8'),
  ];
  for (const of of bodies) ask(of, { 'accept-encoding': 'br, gzip' });
  await sleep(100);
  for (const of of bodies) {
    assert.equal(
      headerOf(ask(of, { 'accept-encoding': 'br, gzip' }), 'content-encoding'),
      undefined,
    );
  }
  for (const type of [
    'text/html',
    'text/csv; charset=utf-8',
    'application/atom+xml; charset=utf-8',
    'application/problem+json',
  ]) {
    await coded(shown(JSON_BODY, type), 'br');
  }
});

test('codings: what goes with every answer goes with a coded one, too', async () => {
  const of = shown();
  await coded(of, 'br');
  const size = headerBlock([['assay-log-size', '7']]);
  const request = { header: (name: string) => (name === 'accept-encoding' ? 'br' : undefined) };
  const reply = represent(request, of, size);
  assert.equal(headerOf(reply, 'assay-log-size'), '7');
  assert.equal(headerOf(reply, 'content-encoding'), 'br');
});

test('content coding: what waits to be compressed is bounded, and what was refused is made later', async () => {
  const body = (i: number): string => JSON.stringify([i, 'a'.repeat(4_000_000)]);
  const many = Array.from({ length: 12 }, (_, i) => shown(body(i)));
  for (const each of many) ask(each, { 'accept-encoding': 'gzip' });
  // Half of them waited for their turn: the others were not even noted down.
  const noted = many.filter(({ codings }) => codings?.has('gzip') === true).length;
  assert.ok(noted >= 2 && noted <= 6, `${noted} of 12 wait`);
  for (const each of many) {
    const reply = await coded(each, 'gzip');
    assert.ok(reply.body.length < 100_000);
  }
});
