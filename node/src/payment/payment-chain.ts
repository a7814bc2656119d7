import type { PaymentReader } from '@assay/chain/payment/payment-reader';
import type { SignedTransfer } from '@assay/chain/payment/signed-transfer';

export type {
  ChainHead,
  IncomingTransfer,
  LandedPayment,
  PaymentReader,
  UnreadTransfer,
} from '@assay/chain/payment/payment-reader';
export type { SignedTransfer } from '@assay/chain/payment/signed-transfer';

/** What the part of `chain` that reads payments offers. */
export interface TransferFormat {
  /** Throws a Fault for what is no transfer of the scheme `exact`. */
  parse(base64: string): SignedTransfer;
  tokenAccountOf(owner: string, mint: string, tokenProgram: string): Promise<string>;
  /** The programs under which a mint can be. */
  readonly tokenPrograms: readonly string[];
}

/** Loads it, with `@solana/kit`, where a tier is open and not before. */
export async function loadTransferFormat(): Promise<TransferFormat> {
  const signed = await import('@assay/chain/payment/signed-transfer');
  return {
    parse: signed.parseSignedTransfer,
    tokenAccountOf: signed.tokenAccountOf,
    tokenPrograms: signed.TOKEN_PROGRAMS,
  };
}

/** Reads payments from a node of the chain over HTTP. */
export async function httpPaymentReader(url: string, timeoutMs: number): Promise<PaymentReader> {
  const [{ httpRpc }, { paymentReader }] = await Promise.all([
    import('@assay/chain/client/rpc'),
    import('@assay/chain/payment/payment-reader'),
  ]);
  return paymentReader(httpRpc(url, { timeoutMs }));
}
