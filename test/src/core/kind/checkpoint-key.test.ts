import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { HashHex } from '@assay/core/hash/hash';
import { ANNOUNCED_KINDS } from '@assay/core/kind/announced';
import {
  type CheckpointKeyEntry,
  checkpointKeyMessage,
  type CheckpointPromise,
  checkpointPromiseMessage,
  parseCheckpointKeyEntry,
  parseCheckpointPromise,
} from '@assay/core/kind/checkpoint-key';
import { formatWire, parseWire, type WireObject, wire } from '@assay/core/wire/wire';
import { bodyParser } from '@assay/core/kind/kinds';
import { sha256, vectors } from '../fixture/fixture.ts';

interface KeyVector {
  readonly name: string;
  readonly log: HashHex;
  readonly body: CheckpointPromise | CheckpointKeyEntry;
  readonly canonical: string;
  readonly message: string;
}
const KEYS = vectors<readonly KeyVector[]>('checkpoint-key/keys');

function parse(body: WireObject): CheckpointPromise | CheckpointKeyEntry {
  const parser =
    body['type'] === 'checkpoint-promise' ? parseCheckpointPromise : parseCheckpointKeyEntry;
  return parser(body, 'body');
}

function good(key: string, message: Uint8Array, signature: string): boolean {
  const x = Buffer.from(key, 'hex').toString('base64url');
  const made = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, made, parseHex(signature));
}

test('checkpoint key: exact bytes, message and signatures', () => {
  for (const { name, log, body, canonical, message } of KEYS) {
    assert.deepEqual(parse(wire(body)), body, name);
    assert.equal(Buffer.from(formatWire(body as never)).toString(), canonical, name);
    assert.deepEqual(parse(parseWire(formatUtf8(canonical)) as WireObject), body, name);
    if (body.type === 'checkpoint-promise') {
      const signed = checkpointPromiseMessage(log, body);
      assert.equal(formatHex(signed), message, name);
      assert.ok(good(body.recovery_key, signed, body.signature), name);
      continue;
    }
    const signed = checkpointKeyMessage(log, body);
    assert.equal(formatHex(signed), message, name);
    const { old, new: own, recovery } = body.signatures;
    assert.ok(good(body.key, signed, own), name);
    assert.ok(old === null || good(body.replaces, signed, old), name);
    assert.ok(recovery === null || good(body.recovery_key ?? '', signed, recovery), name);
  }
});

test('checkpoint key: what cannot be one is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly of: string;
    readonly change: WireObject;
    readonly at: string;
  }
  for (const { name, of, change, at } of vectors<readonly Refused[]>('checkpoint-key/refused')) {
    const body = wire(KEYS.find((each) => each.name === of)?.body ?? {});
    // The parser of its own type, though the change may be of the type.
    const parser =
      body['type'] === 'checkpoint-promise' ? parseCheckpointPromise : parseCheckpointKeyEntry;
    assert.throws(() => parser({ ...body, ...change }, 'body'), { code: 'malformed', at }, name);
  }
});

test('checkpoint key: the kind is read by its type, and no longer announced', () => {
  const parseBody = bodyParser(sha256);
  for (const { name, body } of KEYS) {
    assert.deepEqual(parseBody('key/2', wire(body)), { kind: 'key/2', body }, name);
  }
  assert.throws(() => parseBody('key/2', { type: 'checkpoint' }), { code: 'malformed' });
  assert.equal(ANNOUNCED_KINDS.get('key/2'), undefined);
});
