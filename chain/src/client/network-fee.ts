import type { Instruction } from '@solana/kit';
import { ED25519_PROGRAM } from '../ed25519-instruction.ts';
import type { ComputeBudget } from './compute-budget.ts';

/** Lamports per signature. */
const PER_SIGNATURE = 5000n;

/**
 * The lamports that a transaction costs, whether it succeeds or not: its own signatures, those that the Ed25519
 * precompile checks, and the units that were bought, rounded up.
 */
export function networkFee(
  signers: number,
  instructions: readonly Instruction[],
  { units, price }: ComputeBudget,
): bigint {
  const checked = instructions
    .filter(({ programAddress }) => programAddress === ED25519_PROGRAM)
    .reduce((sum, { data }) => sum + (data?.[0] ?? 0), 0);
  const signatures = BigInt(signers + checked);
  return signatures * PER_SIGNATURE + (price * BigInt(units) + 999_999n) / 1_000_000n;
}
