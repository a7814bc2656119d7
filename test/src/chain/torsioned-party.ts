import { formatHex } from '@assay/core/hex';
import type { HashHex } from '@assay/core/hash';
import { concatBytes } from '@assay/core/bytes';
import { getAddressDecoder, type SignatureBytes, type TransactionPartialSigner } from '@solana/kit';
import {
  basePoint,
  challenge,
  encodeScalar,
  ORDER,
  scalar,
  torsionPoint,
} from '../verifier/ed25519-cases.ts';
import type { Party } from './party.ts';

/**
 * Somebody whose key is a point of the prime-order group plus one of order 8. Signatures that every strict
 * verifier takes exist: those whose challenge is a multiple of 8, which one in eight nonces gives.
 */
export function torsionedParty(name: string): Party {
  const secret = scalar(name);
  const bytes = basePoint(secret).add(torsionPoint(1)).toBytes();
  const sign = (message: Uint8Array): Uint8Array => {
    for (let i = 0; ; i += 1) {
      const nonce = scalar(`${name} ${i} ${formatHex(message)}`);
      const point = basePoint(nonce).toBytes();
      const k = challenge(point, bytes, message);
      if (k % 8n === 0n) return concatBytes(point, encodeScalar((nonce + k * secret) % ORDER));
    }
  };
  const address = getAddressDecoder().decode(bytes);
  const signer: TransactionPartialSigner<typeof address> = {
    address,
    signTransactions: (transactions) =>
      Promise.resolve(
        transactions.map(({ messageBytes }) => ({
          [address]: sign(Uint8Array.from(messageBytes)) as SignatureBytes,
        })),
      ),
  };
  return { name, key: formatHex(bytes) as HashHex, signer, sign };
}
