import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import {
  CLOSE_MESSAGE_BYTES,
  closeHash,
  closeMessage,
  parseCloseContent,
} from '@assay/core/report/close';
import { toHashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatDate, toDate } from '@assay/core/time/time';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { CLOSES } from '../fixture/close-fixture.ts';
import { GENESIS, sha256, vectors } from '../fixture/fixture.ts';

const content = ({ entry }: { readonly entry: WireObject }): WireObject =>
  entry['content'] as WireObject;

test('close: canonical content, content hash and 76 bytes of each vector', () => {
  for (const each of CLOSES) {
    const parsed = parseCloseContent(content(each), 'content');
    assert.deepEqual(parsed, content(each), each.name);
    const bytes = formatWire(content(each));
    assert.equal(Buffer.from(bytes).toString(), each.canonical, each.name);
    assert.deepEqual(parseWire(bytes), content(each));
    assert.equal(closeHash(sha256, parsed), each.hash, each.name);
    const message = closeMessage(each.log, parsed.day, each.hash);
    assert.equal(message.length, CLOSE_MESSAGE_BYTES);
    assert.equal(formatHex(message), each.message, each.name);
  }
});

test('close: the signatures of the vectors are over those bytes', () => {
  const spki = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(GENESIS['report_key'] as string, 'hex'),
  ]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  for (const { name, entry, message } of CLOSES) {
    const signature = Buffer.from(entry['signature'] as string, 'hex');
    assert.equal(verify(null, Buffer.from(message, 'hex'), key, signature), true, name);
    signature[0] = (signature[0] as number) ^ 1;
    assert.equal(verify(null, Buffer.from(message, 'hex'), key, signature), false, name);
  }
});

test('close: the message, field by field', () => {
  const log = toHashHex('1a'.repeat(32));
  const hash = toHashHex('2b'.repeat(32));
  const message = Buffer.from(closeMessage(log, toDate('1969-12-31'), hash));
  assert.equal(message.subarray(0, 8).toString('latin1'), 'assayCL1');
  assert.equal(message.subarray(8, 40).toString('hex'), log);
  assert.equal(message.readInt32LE(40), -1);
  assert.equal(message.subarray(44).toString('hex'), hash);
});

test('close: another log, day or content is another message', () => {
  const hashes = fc.stringMatching(/^[0-9a-f]{64}$/).map(toHashHex);
  const days = fc.integer({ min: -700_000, max: 2_900_000 }).map(formatDate);
  const parts = fc.tuple(hashes, days, hashes);
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const same = a.every((each, i) => each === b[i]);
      assert.equal(formatHex(closeMessage(...a)) === formatHex(closeMessage(...b)), same);
      assert.equal(closeMessage(...a).length, CLOSE_MESSAGE_BYTES);
    }),
  );
});

test('close: what is refused, and where', () => {
  interface Refused {
    readonly name: string;
    readonly at: string;
    readonly entry: WireObject;
  }
  const all = vectors<readonly Refused[]>('close/refused').filter(({ at }) =>
    at.startsWith('content'),
  );
  assert.ok(all.length > 20);
  for (const { name, at, entry } of all) {
    assert.throws(
      () => parseCloseContent(content({ entry }), 'content'),
      { code: 'malformed', at },
      name,
    );
  }
});

test('close: at most 256 indexes and 512 files', () => {
  const base = content(CLOSES[0] as { readonly entry: WireObject });
  const [item] = base['items'] as readonly WireObject[];
  const number = (i: number): string => String(i).padStart(4, '0');
  const items = (count: number): WireObject => ({
    ...base,
    items: Array.from({ length: count }, (_, i) => ({ ...item, ticker: `A${number(i)}` })),
  });
  const files = (count: number): WireObject => ({
    ...base,
    files: Array.from({ length: count }, (_, i) => ({
      path: `a/${number(i)}.json`,
      sha256: '00'.repeat(32),
    })),
  });
  assert.equal(parseCloseContent(items(256), 'content').items.length, 256);
  assert.equal(parseCloseContent(files(512), 'content').files.length, 512);
  assert.throws(() => parseCloseContent(items(257), 'content'), { at: 'content.items' });
  assert.throws(() => parseCloseContent(files(513), 'content'), { at: 'content.files' });
});
