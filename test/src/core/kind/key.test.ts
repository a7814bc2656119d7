import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { type KeyEntry, keyMessage, parseKeyEntry } from '@assay/core/kind/key';
import { formatHex } from '@assay/core/bytes/hex';
import { formatWire, parseWire, type WireObject, wire } from '@assay/core/wire/wire';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { vectors } from '../fixture/fixture.ts';

interface KeyVector {
  readonly name: string;
  readonly log: HashHex;
  readonly body: KeyEntry;
  readonly canonical: string;
  readonly message: string;
}
const KEYS = vectors<readonly KeyVector[]>('key/keys');

function good(key: string, message: Uint8Array, signature: string): boolean {
  const x = Buffer.from(key, 'hex').toString('base64url');
  const made = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, made, parseHex(signature));
}

test('key: exact bytes, message and signatures', () => {
  for (const { name, log, body, canonical, message } of KEYS) {
    const parsed = parseKeyEntry(wire(body), 'body');
    assert.deepEqual(parsed, body, name);
    const bytes = formatWire(body);
    assert.equal(Buffer.from(bytes).toString(), canonical, name);
    assert.deepEqual(parseKeyEntry(parseWire(formatUtf8(canonical)), 'body'), body, name);
    const signed = keyMessage(log, body);
    assert.equal(formatHex(signed), message, name);
    const { old, new: own, recovery } = body.signatures;
    assert.ok(good(body.key, signed, own), name);
    assert.ok(old === null || good(body.replaces, signed, old), name);
    assert.ok(recovery === null || good(body.recovery_key ?? '', signed, recovery), name);
    assert.equal(old === null, body.cause === 'recovery', name);
  }
});

test('key: what cannot be one is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly of: string;
    readonly change: WireObject;
    readonly at: string;
  }
  for (const { name, of, change, at } of vectors<readonly Refused[]>('key/refused')) {
    const body = KEYS.find((each) => each.name === of)?.body;
    assert.throws(
      () => parseKeyEntry({ ...wire(body ?? {}), ...change }, 'body'),
      { code: 'malformed', at },
      name,
    );
  }
});
