import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { concatBytes } from '@assay/core/bytes';
import { formatHex, parseHex } from '@assay/core/hex';
import { formatUtf8 } from '@assay/core/utf8';
import { Point } from '@noble/ed25519';

/** One signature and what the pinned profile says of it; bytes as lower-case hex. */
export interface SignatureCase {
  readonly name: string;
  readonly why: string;
  readonly public_key: string;
  readonly message: string;
  readonly signature: string;
  readonly accepted: boolean;
}

export const { n: ORDER, p: FIELD } = Point.CURVE();

/** From test/dist/src/verifier, where this file runs. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SHARED = process.env['ASSAY_SHARED'] ?? join(ROOT, '../shared');

export function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${formatHex(Uint8Array.from(bytes).reverse())}`);
}

export function encodeScalar(value: bigint): Uint8Array {
  return parseHex(value.toString(16).padStart(64, '0'), 32).reverse();
}

function sha512(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** k = SHA-512(prefix || R || A || message) mod L. */
export function challenge(
  r: Uint8Array,
  a: Uint8Array,
  message: Uint8Array,
  prefix: Uint8Array = new Uint8Array(0),
): bigint {
  return littleEndian(sha512(prefix, r, a, message)) % ORDER;
}

/** A scalar below L that depends on `label` alone. */
export function scalar(label: string): bigint {
  return littleEndian(sha512(formatUtf8(label))) % ORDER;
}

/** [n]B for 0 <= n < L. */
export function basePoint(n: bigint): Point {
  return Point.BASE.multiply(n, false);
}

/** A point of order 8: the others of small order are its multiples. */
const ORDER_8 = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');

/** [i]T for one T of order 8: the eight points of small order are those for 0 to 7. */
export function torsionPoint(i: number): Point {
  return ORDER_8.multiply(BigInt(i), false);
}

const TORSION: readonly Point[] = Array.from({ length: 8 }, (_, i) => torsionPoint(i));

/** Every 32 bytes that decode to a point of small order when y is reduced and the sign is lenient. */
export const SMALL_ORDER_ENCODINGS: readonly string[] = (() => {
  const found = new Set<string>();
  for (const point of TORSION) {
    const { y } = point.toAffine();
    for (const value of [y, y + FIELD]) {
      if (value >= 1n << 255n) continue;
      for (const sign of [0n, 1n << 255n]) found.add(formatHex(encodeScalar(value + sign)));
    }
  }
  return [...found].sort();
})();

function lenientPoint(encoding: string): Point {
  return Point.fromHex(encoding, true);
}

interface Signed {
  readonly a: Uint8Array;
  readonly r: Uint8Array;
  readonly message: Uint8Array;
  readonly s: bigint;
  readonly k: bigint;
}

/** A signature by the secret scalar `secret`, over whatever bytes `a` and `r` stand for A and R. */
export function signRaw(
  secret: bigint,
  nonce: bigint,
  a: Uint8Array,
  r: Uint8Array,
  message: Uint8Array,
  prefix?: Uint8Array,
): Signed {
  const k = challenge(r, a, message, prefix);
  return { a, r, message, s: (nonce + k * secret) % ORDER, k };
}

/** `make(message)` for the first numbered message that satisfies `wanted`. */
function search(
  label: string,
  make: (message: Uint8Array) => Signed,
  wanted: (k: bigint) => boolean,
): Signed {
  for (let i = 0; i < 1000; i += 1) {
    const signed = make(formatUtf8(`${label} ${i}`));
    if (wanted(signed.k)) return signed;
  }
  throw new Error(`no message for ${label}`);
}

function toCase(name: string, why: string, signed: Signed, accepted: boolean): SignatureCase {
  return {
    name,
    why,
    public_key: formatHex(signed.a),
    message: formatHex(signed.message),
    signature: formatHex(concatBytes(signed.r, encodeScalar(signed.s))),
    accepted,
  };
}

// RFC 8032, section 7.1: TEST 1, 2, 3 and SHA(abc).
const RFC_8032: readonly (readonly [string, string, string, string])[] = [
  [
    'RFC 8032 TEST 1',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    'RFC 8032 TEST 2',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'RFC 8032 TEST 3',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
  [
    'RFC 8032 TEST SHA(abc)',
    'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  ],
];

/** Every case of `vectors/ed25519/profile.json`, computed again. */
export function buildCases(): SignatureCase[] {
  const secret = scalar('secret');
  const nonce = scalar('nonce');
  const base = basePoint(secret);
  const a = base.toBytes();
  const r = basePoint(nonce).toBytes();
  const message = new Uint8Array(128).map((_, i) => i);
  const honest = signRaw(secret, nonce, a, r, message);
  const t = torsionPoint(1);
  const mixed = base.add(t).toBytes();
  const cases: SignatureCase[] = RFC_8032.map(([name, public_key, text, signature]) => ({
    name,
    why: 'published test vector',
    public_key,
    message: text,
    signature,
    accepted: true,
  }));

  cases.push(
    toCase('honest', '128 bytes, the size of a print message', honest, true),
    toCase(
      'key with torsion, k a multiple of 8',
      'the cofactorless equation holds; registration refuses such a key, verification does not',
      search(
        'mixed key',
        (text) => signRaw(secret, nonce, mixed, r, text),
        (k) => k % 8n === 0n,
      ),
      true,
    ),
    toCase(
      'key and R with torsion that cancels',
      'the cofactorless equation holds with k mod L',
      search(
        'mixed key and R',
        (text) => signRaw(secret, nonce, mixed, basePoint(nonce).add(t).toBytes(), text),
        (k) => k % 8n === 7n,
      ),
      true,
    ),
    toCase(
      'key with torsion, k odd',
      'only the cofactored equation holds',
      search(
        'mixed key',
        (text) => signRaw(secret, nonce, mixed, r, text),
        (k) => k % 2n === 1n,
      ),
      false,
    ),
  );
  for (const i of [1, 2, 4]) {
    cases.push(
      toCase(
        `honest key, R with torsion of order ${8 / i}`,
        'only the cofactored equation holds: what a dishonest signer can make',
        signRaw(secret, nonce, a, basePoint(nonce).add(torsionPoint(i)).toBytes(), message),
        false,
      ),
    );
  }

  for (const encoding of SMALL_ORDER_ENCODINGS) {
    const bytes = parseHex(encoding, 32);
    const point = lenientPoint(encoding);
    const index = BigInt(TORSION.findIndex((other) => other.equals(point)));
    // R = [nonce]B - [k]A has one of at most eight values: take the message whose k fits the chosen one.
    const shifted = basePoint(nonce).subtract(point).toBytes();
    const keyAlone = search(
      `small-order key ${encoding}`,
      (text) => signRaw(0n, nonce, bytes, shifted, text),
      (k) => ((k - 1n) * index) % 8n === 0n,
    );
    cases.push(
      toCase(
        `small-order key ${encoding}`,
        'anybody can sign for it; the cofactorless equation holds, and R and S are ordinary',
        keyAlone,
        false,
      ),
      toCase(
        `small-order key and R ${encoding}, S = 0`,
        'verifies many messages where the encodings are not refused, all of them for the identity',
        { a: bytes, r: bytes, message, s: 0n, k: challenge(bytes, bytes, message) },
        false,
      ),
      toCase(
        `small-order R ${encoding}`,
        'R = -[k]T for the key aB + T and S = ka; byte-equal to R for the canonical encodings',
        search(
          `small-order R ${encoding}`,
          (text) => signRaw(secret, 0n, mixed, bytes, text),
          (k) => (k + index) % 8n === 0n,
        ),
        false,
      ),
    );
  }

  const replaced = (name: string, why: string, changes: Partial<Signed>): SignatureCase =>
    toCase(name, why, { ...honest, ...changes }, false);
  const r2 = concatBytes(r, encodeScalar(honest.s));
  const offCurve = encodeScalar(2n);
  cases.push(
    replaced('identity R under an honest key', 'the signer used the nonce 0', {
      ...signRaw(secret, 0n, a, Point.ZERO.toBytes(), message),
    }),
    replaced('S + L', 'the same equation, another encoding', { s: honest.s + ORDER }),
    replaced('S + 14 L', 'the most that surely fits in 32 bytes', { s: honest.s + 14n * ORDER }),
    replaced('S = L', 'not below L', { s: ORDER }),
    replaced('S = 2^256 - 1', 'not below L', { s: (1n << 256n) - 1n }),
    replaced('S = 0', 'not the signer’s', { s: 0n }),
    replaced('-S', 'not the signer’s', { s: ORDER - honest.s }),
    replaced('R with its sign flipped', 'not the signer’s', { r: flipBit(r, 255) }),
    replaced('A with its sign flipped', 'not the signer', { a: flipBit(a, 255) }),
    replaced('one bit of the message', 'not what was signed', { message: flipBit(message, 0) }),
    replaced('message cut', 'not what was signed', { message: message.subarray(1) }),
    replaced('A off the curve', 'y = 2 has no x', { a: offCurve }),
    replaced('R off the curve', 'y = 2 has no x', { r: offCurve }),
    replaced('A with y = p + 3', 'not canonical, not of small order', {
      a: encodeScalar(FIELD + 3n),
    }),
    replaced('R with y = p + 3', 'not canonical, not of small order', {
      r: encodeScalar(FIELD + 3n),
    }),
    toCase(
      'Ed25519ph',
      'valid under another algorithm (RFC 8032, section 5.1, phflag 1, empty context)',
      signPrehashed(secret, nonce, a, r, message),
      false,
    ),
    { ...replaced('key of 31 bytes', 'length', {}), public_key: formatHex(a.subarray(1)) },
    { ...replaced('key of 33 bytes', 'length', {}), public_key: `${formatHex(a)}00` },
    { ...replaced('no key', 'length', {}), public_key: '' },
    {
      ...replaced('signature of 63 bytes', 'length', {}),
      signature: formatHex(r2.subarray(0, 63)),
    },
    { ...replaced('signature of 65 bytes', 'length', {}), signature: `${formatHex(r2)}00` },
    { ...replaced('no signature', 'length', {}), signature: '' },
    {
      ...replaced('S before R', 'order', {}),
      signature: formatHex(concatBytes(encodeScalar(honest.s), r)),
    },
  );
  return cases;
}

export function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const out = Uint8Array.from(bytes);
  out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return out;
}

function signPrehashed(
  secret: bigint,
  nonce: bigint,
  a: Uint8Array,
  r: Uint8Array,
  message: Uint8Array,
): Signed {
  const dom2 = concatBytes(formatUtf8('SigEd25519 no Ed25519 collisions'), Uint8Array.of(1, 0));
  return { ...signRaw(secret, nonce, a, r, sha512(message), dom2), message };
}

/** The committed cases. */
export function readCases(): SignatureCase[] {
  return JSON.parse(
    readFileSync(join(ROOT, 'vectors/ed25519/profile.json'), 'utf8'),
  ) as SignatureCase[];
}

/** The text of `vectors/ed25519/profile.json`. */
export function formatCases(cases: readonly SignatureCase[]): string {
  return `${JSON.stringify(cases, undefined, 1)}\n`;
}

interface SpeccheckCase {
  readonly message: string;
  readonly pub_key: string;
  readonly signature: string;
}

interface WycheproofFile {
  readonly testGroups: readonly {
    readonly publicKey: { readonly pk: string };
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly msg: string;
      readonly sig: string;
      readonly result: 'valid' | 'invalid';
    }[];
  }[];
}

function readShared(name: string): unknown {
  const path = join(SHARED, 'data/vectors', name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** novifinancial/ed25519-speccheck, of which the profile accepts number 3 alone; or `undefined`. */
export function readSpeccheck(): SignatureCase[] | undefined {
  const cases = readShared('ed25519-speccheck.json') as SpeccheckCase[] | undefined;
  return cases?.map(({ message, pub_key, signature }, i) => ({
    name: `speccheck ${i}`,
    why: 'ed25519-speccheck',
    public_key: pub_key,
    message,
    signature,
    accepted: i === 3,
  }));
}

/** C2SP/wycheproof, with its own verdicts; or `undefined`. */
export function readWycheproof(): SignatureCase[] | undefined {
  const file = readShared('ed25519-wycheproof.json') as WycheproofFile | undefined;
  return file?.testGroups.flatMap(({ publicKey, tests }) =>
    tests.map(({ tcId, comment, msg, sig, result }) => ({
      name: `wycheproof ${tcId}`,
      why: comment,
      public_key: publicKey.pk,
      message: msg,
      signature: sig,
      accepted: result === 'valid',
    })),
  );
}

/** The names of the cases for which `verify` does not say what the profile says. */
export async function mistakes(
  cases: readonly SignatureCase[],
  verify: (
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ) => boolean | Promise<boolean>,
): Promise<string[]> {
  const out: string[] = [];
  for (const { name, public_key, message, signature, accepted } of cases) {
    const said = await verify(parseHex(public_key), parseHex(message), parseHex(signature));
    if (said !== accepted) out.push(name);
  }
  return out;
}

// `node test/dist/src/verifier/ed25519-cases.js > vectors/ed25519/profile.json` writes the vectors.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(formatCases(buildCases()));
}
