import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { headerBlock } from '@assay/node/http/header';
import { matchesEtag, represent, representation } from '@assay/node/http/representation';
import type { ReadableHeader } from '@assay/node/http/request';
import fc from 'fast-check';

function asking(known: string | undefined): { header(name: ReadableHeader): string | undefined } {
  return { header: (name) => (name === 'if-none-match' ? known : undefined) };
}

const SHOWN = representation({
  contentType: 'text/csv',
  body: 'a,b\n',
  cacheControl: 'public, max-age=60',
  headers: [
    ['vary', 'accept'],
    ['content-disposition', 'attachment'],
  ],
});

void test('representation: the tag is of the bytes alone, and strong', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (body) => {
      const { etag } = representation({ contentType: 'a/b', body, cacheControl: 'no-store' });
      const hash = createHash('sha256').update(body).digest().subarray(0, 16);
      assert.equal(etag, `"${hash.toString('base64url')}"`);
    }),
  );
});

void test('representation: it is laid out once, and served as it is', () => {
  const reply = represent(asking(undefined), SHOWN);
  assert.equal(reply, SHOWN.full);
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.blocks[0]?.list, [
    ['content-type', 'text/csv'],
    ['etag', SHOWN.etag],
    ['cache-control', 'public, max-age=60'],
    ['vary', 'accept'],
    ['content-disposition', 'attachment'],
  ]);
  assert.equal(Buffer.from(reply.body).toString(), 'a,b\n');
});

void test('representation: 304 repeats what RFC 9110 asks for and nothing of the body', () => {
  const reply = represent(asking(SHOWN.etag), SHOWN);
  assert.equal(reply, SHOWN.notModified);
  assert.equal(reply.status, 304);
  assert.equal(reply.body.length, 0);
  assert.deepEqual(reply.blocks[0]?.list, [
    ['etag', SHOWN.etag],
    ['cache-control', 'public, max-age=60'],
    ['vary', 'accept'],
  ]);
});

void test('representation: what holds for the moment goes out with either', () => {
  const size = headerBlock([['assay-log-size', '7']]);
  for (const [known, status] of [
    [undefined, 200],
    [SHOWN.etag, 304],
  ] as const) {
    const reply = represent(asking(known), SHOWN, size);
    assert.equal(reply.status, status);
    assert.deepEqual(
      reply.blocks.flatMap(({ list }) => list),
      [...(status === 200 ? SHOWN.full : SHOWN.notModified).blocks, size].flatMap(
        ({ list }) => list,
      ),
    );
    assert.equal(represent(asking(known), SHOWN, size), reply); // laid out once
    const grown = headerBlock([['assay-log-size', '8']]);
    const next = represent(asking(known), SHOWN, grown);
    assert.deepEqual(next.blocks.at(-1)?.list.at(-1), ['assay-log-size', '8']);
    assert.equal(next.status, status);
    assert.equal(next.body, reply.body);
  }
});

void test('representation: If-None-Match is a list, compared weakly', () => {
  for (const known of ['"a"', 'W/"a"', '*', '"b", "a"', '"b",W/"a" , "c"', ' "a" ']) {
    assert.ok(matchesEtag(known, '"a"'), known);
  }
  for (const known of ['', 'a', '"b"', 'w/"a"', '"A"', '"a', '"b" "a"', '"aa"', '**']) {
    assert.equal(matchesEtag(known, '"a"'), false, known);
  }
});
