import {
  getAddressDecoder,
  type ReadonlyUint8Array,
  type SignatureBytes,
  type TransactionPartialSigner,
} from '@solana/kit';
import { requireLength } from '@assay/core/bytes/bytes';

/** Signs with an Ed25519 key without revealing it. */
export interface MessageSigner {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}

/** Makes a signer of transactions from such a key. Throws `bad_length` for a key that is not 32 bytes long. */
export function keySigner({ publicKey, sign }: MessageSigner): TransactionPartialSigner {
  const address = getAddressDecoder().decode(requireLength(publicKey, 32, 'public key'));
  return {
    address,
    signTransactions: async (transactions) =>
      Promise.all(
        transactions.map(
          async ({ messageBytes }: { readonly messageBytes: ReadonlyUint8Array }) => ({
            [address]: requireLength(
              await sign(new Uint8Array(messageBytes)),
              64,
              'signature',
            ) as SignatureBytes,
          }),
        ),
      ),
  };
}
