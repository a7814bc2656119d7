import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { type Hash, toHash } from '@assay/core/hash/hash';
import { formatTlogProof, parseTlogProof, type TlogProof } from '@assay/core/log/tlog-proof';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';

const NOTE =
  'example.org/log\n3\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— example.org/log AAAAAAA=\n';
const hash = (byte: number): Hash => toHash(new Uint8Array(32).fill(byte));

test('tlog-proof: the exact text, with the signed note behind an empty line', () => {
  const proof: TlogProof = { index: 2, hashes: [hash(0)], checkpoint: formatUtf8(NOTE) };
  const text = `c2sp.org/tlog-proof@v1\nindex 2\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n${NOTE}`;
  assert.equal(formatTlogProof(proof), text);
  assert.deepEqual(parseTlogProof(text), proof);
  const none = { ...proof, index: 0, hashes: [] };
  assert.equal(formatTlogProof(none), `c2sp.org/tlog-proof@v1\nindex 0\n\n${NOTE}`);
  assert.deepEqual(parseTlogProof(formatTlogProof(none)), none);
});

test('tlog-proof: what is none has a fixed code', () => {
  const head = 'c2sp.org/tlog-proof@v1\nindex 2\n';
  const line = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n';
  for (const [text, code] of [
    ['', 'bad_proof'],
    [NOTE, 'bad_proof'],
    [`c2sp.org/tlog-proof@v2\nindex 2\n\n${NOTE}`, 'bad_proof'],
    [`c2sp.org/tlog-proof@v1\nindex 02\n\n${NOTE}`, 'bad_proof'],
    [`c2sp.org/tlog-proof@v1\nindex -1\n\n${NOTE}`, 'bad_proof'],
    [`c2sp.org/tlog-proof@v1\nindex 9999999999999999\n\n${NOTE}`, 'bad_proof'],
    [`c2sp.org/tlog-proof@v1\nextra AA==\nindex 2\n\n${NOTE}`, 'bad_proof'],
    [`${head}${line.repeat(64)}\n${NOTE}`, 'bad_proof'],
    [`${head}AAAA\n\n${NOTE}`, 'bad_length'],
    [`${head}${line.slice(0, -2)}\n\n${NOTE}`, 'bad_base64'],
  ] as const) {
    assert.throws(() => parseTlogProof(text), { code }, JSON.stringify(text.slice(0, 60)));
  }
});

test('tlog-proof: no text makes it throw anything else', () => {
  const pieces = fc.constantFrom('c2sp.org/tlog-proof@v1', 'index 1', 'AAAA', '\n', '\n\n', NOTE);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((all) => all.join('')),
      ),
      (text) => {
        try {
          parseTlogProof(text);
        } catch (error) {
          assert.ok(error instanceof Fault);
        }
      },
    ),
  );
});
