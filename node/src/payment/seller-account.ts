import type { Concern } from '../health/concern.ts';
import type { PaymentReader, TransferFormat } from './payment-chain.ts';
import type { TierTerms } from './tier-terms.ts';

export interface SellerAccountParts {
  readonly reader: Pick<PaymentReader, 'tokenAccount'>;
  readonly format: Pick<TransferFormat, 'tokenAccountOf' | 'tokenPrograms'>;
  readonly terms: Pick<TierTerms, 'payTo' | 'asset'>;
}

/** The token account that payments go to: the associated account of who is paid, under the token program of the asset. */
export class SellerAccount {
  readonly #parts: SellerAccountParts;

  constructor(parts: SellerAccountParts) {
    this.#parts = parts;
  }

  /**
   * Why nobody can pay, as a finalized block shows; undefined if they can. An account that was handed to another owner does not count,
   * because what comes there is not the seller's. Throws the Fault of the node.
   */
  async concern(): Promise<Concern | undefined> {
    const { reader, format, terms } = this.#parts;
    const { payTo, asset } = terms;
    for (const program of format.tokenPrograms) {
      const address = await format.tokenAccountOf(payTo, asset, program);
      const account = await reader.tokenAccount(address, 'finalized');
      if (account?.mint === asset && account.owner === payTo) return undefined;
    }
    return {
      level: 'degraded',
      reason: `Nobody can pay: ${payTo} has no token account of ${asset} that it owns and that is not frozen.`,
    };
  }
}
