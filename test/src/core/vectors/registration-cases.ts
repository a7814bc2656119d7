import { formatHex } from '@assay/core/bytes/hex';
import {
  basePoint,
  encodeScalar,
  FIELD,
  scalar,
  torsionPoint,
} from '../../verifier/fixture/ed25519-cases.ts';

/** A row of `vectors/ed25519/registration.json`. */
export interface RegistrationCase {
  readonly name: string;
  /** Hex. */
  readonly public_key: string;
  /** Whether a log or a feed may register it. */
  readonly registered: boolean;
}

const honest = basePoint(scalar('registration'));
const twisted = (order: number, i: number): RegistrationCase => ({
  name: `torsion of order ${order}`,
  public_key: honest.add(torsionPoint(i)).toHex(),
  registered: false,
});
const refused = (name: string, public_key: string): RegistrationCase => ({
  name,
  public_key,
  registered: false,
});
const good = (name: string, public_key: string): RegistrationCase => ({
  name,
  public_key,
  registered: true,
});

/** Keys by how they were made, and whether such a key may be registered. */
export const REGISTRATION_CASES: readonly RegistrationCase[] = [
  good(
    'the key of RFC 8032 TEST 1',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  ),
  good('an honest key', honest.toHex()),
  good('the same with its sign flipped, which is its negative', honest.negate().toHex()),
  good('the base point', basePoint(1n).toHex()),
  twisted(8, 1),
  twisted(4, 2),
  twisted(2, 4),
  ...Array.from({ length: 8 }, (_, i) => refused(`small point ${i}`, torsionPoint(i).toHex())),
  refused('the identity with its sign bit set', formatHex(encodeScalar(1n + (1n << 255n)))),
  refused('y = p', formatHex(encodeScalar(FIELD))),
  refused('y = p + 3', formatHex(encodeScalar(FIELD + 3n))),
  refused('no point has y = 2', formatHex(encodeScalar(2n))),
  refused('31 bytes', honest.toHex().slice(2)),
  refused('33 bytes', `${honest.toHex()}00`),
];
