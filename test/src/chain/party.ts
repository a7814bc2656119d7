import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { concatBytes } from '@assay/core/bytes';
import { formatHex, parseHex } from '@assay/core/hex';
import type { HashHex } from '@assay/core/hash';
import { formatUtf8 } from '@assay/core/utf8';
import { createKeyPairSignerFromPrivateKeyBytes, type TransactionSigner } from '@solana/kit';

/** Somebody with a key, made from a name. */
export interface Party {
  readonly name: string;
  readonly key: HashHex;
  readonly signer: TransactionSigner;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

const PKCS8 = parseHex('302e020100300506032b657004220420');

const parties = new Map<string, Party>();

/** The private key of a party. */
export function seedOf(name: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`test key of ${name}`).digest());
}

export async function partyOf(name: string): Promise<Party> {
  const known = parties.get(name);
  if (known !== undefined) return known;
  const seed = seedOf(name);
  const secret: KeyObject = createPrivateKey({
    key: Buffer.from(concatBytes(PKCS8, seed)),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const party: Party = {
    name,
    key: formatHex(new Uint8Array(spki.subarray(-32))) as HashHex,
    signer: await createKeyPairSignerFromPrivateKeyBytes(seed),
    sign: (message) => new Uint8Array(sign(null, message, secret)),
  };
  parties.set(name, party);
  return party;
}

/** sha256 of anything, in hex. */
export function hashOf(what: string | Uint8Array): HashHex {
  const bytes = typeof what === 'string' ? formatUtf8(what) : what;
  return createHash('sha256').update(bytes).digest('hex') as HashHex;
}

/** The commitment to a party's key. */
export function commitmentTo(party: Party): HashHex {
  return hashOf(parseHex(party.key));
}
