import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_COSIGNERS, parseCosignerSet, setHash } from '@assay/core/report/cosigner-set';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';

interface SetVector {
  readonly name: string;
  readonly set: WireObject;
  readonly canonical: string;
  readonly hash: string;
}
const SETS = vectors<readonly SetVector[]>('cosigners/sets');

test('co-signer set: exact bytes and hash', () => {
  for (const { name, set, canonical, hash } of SETS) {
    const parsed = parseCosignerSet(set, 'set');
    assert.equal(Buffer.from(formatWire(set)).toString(), canonical, name);
    assert.equal(setHash(sha256, parsed), hash, name);
    assert.deepEqual(parseCosignerSet(parseWire(formatUtf8(canonical)), 'set'), parsed, name);
  }
});

test('co-signer set: what cannot be one is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly change: WireObject;
    readonly at: string;
  }
  const { set: good } = SETS[0] as SetVector;
  for (const { name, change, at } of vectors<readonly Refused[]>('cosigners/refused')) {
    assert.throws(
      () => parseCosignerSet({ ...good, ...change }, 'set'),
      { code: 'malformed', at },
      name,
    );
  }
});

test('co-signer set: any two quorums share a key', () => {
  const key = fc.constantFrom('1', '2', '3', '4').map((digit) => digit.repeat(64));
  const cosigner = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), key });
  let taken = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: MAX_COSIGNERS + 1 }),
      fc.array(cosigner, { maxLength: 5 }),
      (threshold, cosigners) => {
        let set;
        try {
          set = parseCosignerSet({ number: 0, threshold, cosigners }, 'set');
        } catch (error) {
          assert.ok(error instanceof Fault && error.code === 'malformed', String(error));
          return;
        }
        taken += 1;
        const n = new Set(set.cosigners.map((each) => each.key)).size;
        assert.equal(n, cosigners.length);
        assert.equal(new Set(set.cosigners.map(({ name }) => name)).size, n);
        assert.ok(threshold <= n && 2 * threshold > n, `${threshold} of ${n}`);
      },
    ),
    { numRuns: 3000 },
  );
  assert.ok(taken > 50, `${taken}`);
});
