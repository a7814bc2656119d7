import type { Address, Instruction, InstructionWithData } from '@solana/kit';

const COMPUTE_BUDGET: Address = 'ComputeBudget111111111111111111111111111111' as Address;

/** The most units that one transaction can have. */
export const MAX_UNITS = 1_400_000;

export interface ComputeBudget {
  /** The most compute units that may be used. */
  readonly units: number;
  /** Micro-lamports per unit. */
  readonly price: bigint;
}

/**
 * Makes the two instructions that buy a budget, little endian: 2 and the limit as u32, and 3 and the price as
 * u64. Both are always present, so that a transaction has the same length whatever it offers.
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

/** The limit for the units that a simulation used, which is a fifth more. */
export function limitFor(used: bigint): number {
  return Math.min(MAX_UNITS, Math.ceil((Number(used) * 6) / 5));
}
