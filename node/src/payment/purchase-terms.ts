import type { ApiReply } from '../http/request.ts';
import { paymentRequired, paymentRequiredReply } from './payment-required.ts';
import type { EngineParts, Presented, Purchase } from './purchase.ts';
import type { PaymentTerms } from './record/payment.ts';
import { unavailable } from './refusal.ts';
import { acceptedAmount, bindingOf, newBinding, termsOf } from './tier-terms.ts';

type TermsParts = Pick<EngineParts, 'terms' | 'facilitator' | 'wire' | 'key' | 'nowMs' | 'format'>;

/** A 402 with the terms of now, and why. */
export async function requiredReply(
  { terms, facilitator, wire, key, nowMs }: TermsParts,
  { request, resource }: Purchase,
  error: string,
): Promise<ApiReply> {
  const feePayer = await facilitator.feePayer(terms.network);
  if (feePayer === undefined) return unavailable(request);
  const accepts = termsOf(terms, resource, feePayer, newBinding(resource, key));
  const nowS = Math.floor(nowMs() / 1000);
  const required = paymentRequired(resource, accepts, terms, key, nowS, error);
  const failed =
    error === 'payment required'
      ? undefined
      : wire.response({
          success: false,
          errorReason: error,
          transaction: '',
          network: terms.network,
        });
  return paymentRequiredReply(wire, required, failed);
}

/** The terms that a payment meets, by what it says and by what its transfer does, or why it meets none. */
export async function acceptableTerms(
  { terms, key, nowMs, format }: TermsParts,
  { resource }: Purchase,
  { payload, transfer }: Presented,
): Promise<PaymentTerms | string> {
  const nowS = Math.floor(nowMs() / 1000);
  const amount = acceptedAmount(payload, terms, resource, key, nowS);
  if (amount === undefined) return 'the terms that the payment accepts are not those of now';
  const binding = bindingOf(payload, transfer.memo, resource, key);
  if (binding === undefined) return 'the memo of the transfer is not that of the terms';
  if (transfer.mint !== terms.asset) return 'the transfer is of another asset';
  if (transfer.amount !== BigInt(amount)) return 'the transfer is of another amount';
  const { tokenProgram } = transfer;
  if (
    transfer.destination !== (await format.tokenAccountOf(terms.payTo, terms.asset, tokenProgram))
  ) {
    return 'the transfer goes to another account';
  }
  if (transfer.payer === transfer.feePayer) return 'the payer may not be who pays the fees';
  return { ...termsOf(terms, resource, transfer.feePayer, binding), amount };
}
