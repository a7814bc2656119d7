import type { Address, Instruction, InstructionWithData } from '@solana/kit';

const COMPUTE_BUDGET: Address = 'ComputeBudget111111111111111111111111111111' as Address;

/** Units that one transaction can have. */
export const MAX_UNITS = 1_400_000;

export interface ComputeBudget {
  /** Compute units at most. */
  readonly units: number;
  /** Micro-lamports a unit. */
  readonly price: bigint;
}

/**
 * The two instructions that buy a budget: 2 and the limit u32, 3 and the price u64, little endian. Both are always
 * there, so that a transaction has one length whatever it offers.
 */
export function budgetInstructions({
  units,
  price,
}: ComputeBudget): readonly (Instruction & InstructionWithData<Uint8Array>)[] {
  const limit = new Uint8Array(5);
  limit[0] = 2;
  new DataView(limit.buffer).setUint32(1, units, true);
  const offer = new Uint8Array(9);
  offer[0] = 3;
  new DataView(offer.buffer).setBigUint64(1, price, true);
  return [
    { programAddress: COMPUTE_BUDGET, data: limit },
    { programAddress: COMPUTE_BUDGET, data: offer },
  ];
}

/** The limit for what a simulation used: a fifth more. */
export function limitFor(used: bigint): number {
  return Math.min(MAX_UNITS, Math.ceil((Number(used) * 6) / 5));
}
