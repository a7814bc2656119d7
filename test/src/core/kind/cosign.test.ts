import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { parseCosign } from '@assay/core/kind/cosign';
import { parseDissent } from '@assay/core/kind/dissent';
import { bodyParser } from '@assay/core/kind/kinds';
import { dissentMessage, parsePrint } from '@assay/core/report/print';
import { statementMessage } from '@assay/core/report/statement';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

interface StatementVector {
  readonly name: string;
  readonly kind: 'cosign/1' | 'dissent/1';
  readonly body: WireObject;
  readonly canonical: string;
  /** The 128 bytes that the second signature is over, hex. */
  readonly message: string;
}

function verifies(key: string, message: Uint8Array, signature: string): boolean {
  const x = Buffer.from(parseHex(key, 32)).toString('base64url');
  const jwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, jwk, parseHex(signature, 64));
}

test('cosign and dissent: exact bytes, and what each signature is over', () => {
  for (const { name, kind, body, canonical, message } of vectors<readonly StatementVector[]>(
    'cosign/words',
  )) {
    assert.equal(Buffer.from(formatWire(body)).toString(), canonical, name);
    const read = parseWire(formatUtf8(canonical));
    const word = kind === 'cosign/1' ? parseCosign(read, 'body') : parseDissent(read, 'body');
    assert.deepEqual({ ...word }, body, name);
    assert.deepEqual(bodyParser(sha256)(kind, body), { kind, body });
    const { statement, signature } = word;
    const print = parseHex(statement.print);
    const bytes = kind === 'cosign/1' ? print : dissentMessage(parsePrint(print));
    assert.equal(formatHex(bytes), message, name);
    const second = 'print_signature' in word ? word.print_signature : word.dissent_signature;
    assert.ok(verifies(statement.cosigner, statementMessage(statement), signature), name);
    assert.ok(verifies(statement.cosigner, bytes, second), name);
  }
});

test('cosign and dissent: one is never the other, nor anything less', () => {
  interface Refused {
    readonly name: string;
    readonly kind: 'cosign/1' | 'dissent/1';
    readonly body: WireObject;
    readonly at: string;
  }
  for (const { name, kind, body, at } of vectors<readonly Refused[]>('cosign/refused')) {
    assert.throws(() => bodyParser(sha256)(kind, body), { code: 'malformed', at }, name);
  }
});
