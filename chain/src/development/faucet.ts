import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit';
import { concatBytes } from '@assay/core/bytes/bytes';

const SEED_DOMAIN = 'assay/development-faucet/v1';
/** PKCS #8 of an Ed25519 key (RFC 8410, section 7) up to its 32 bytes of seed. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD_LENGTH = 12;

/** The lamports that a development chain begins with. */
export const FAUCET_LAMPORTS = 4_000_000_000_000_000_000n;

/** The account that gives lamports away. Its key is public because it is worth nothing. */
export interface Faucet {
  readonly address: Address;
  /** The bytes of a transfer. Different values of `count` give different bytes. */
  transfer(to: Address, lamports: bigint, count: number): Uint8Array;
}

export function developmentFaucet(): Faucet {
  const seed = createHash('sha256').update(`${SEED_DOMAIN}\0`).digest();
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = new Uint8Array(spki.subarray(SPKI_HEAD_LENGTH));
  return {
    address: getAddressDecoder().decode(publicKey),
    transfer(to, lamports, count) {
      const message = transferMessage(publicKey, to, lamports, count);
      return concatBytes(Uint8Array.of(1), new Uint8Array(sign(null, message, key)), message);
    },
  };
}

/**
 * A legacy message with one system transfer.
 *
 *     0 3 header, 3 1 three accounts, 4 32 faucet, 36 32 receiver, 68 32 system program, 100 32 a count in place
 *     of a blockhash, 132 1 one instruction, 133 1 program, 134 3 accounts, 137 1 length, 138 4 transfer,
 *     142 8 lamports
 */
function transferMessage(
  from: Uint8Array,
  to: Address,
  lamports: bigint,
  count: number,
): Uint8Array {
  const data = new Uint8Array(150);
  data.set([1, 0, 1, 3]);
  data.set(from, 4);
  data.set(getAddressEncoder().encode(to), 36);
  data.set([1, 2, 2, 0, 1, 12, 2], 132);
  const view = new DataView(data.buffer);
  view.setBigUint64(100, BigInt(count), true);
  view.setBigUint64(142, lamports, true);
  return data;
}
