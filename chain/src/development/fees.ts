import type { Address } from '@solana/kit';
import type { WireMessage } from './wire-transaction.ts';

/** Lamports per signature, including the signatures that a precompile checks. */
export const LAMPORTS_PER_SIGNATURE = 5000n;

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MAX_COMPUTE_UNITS = 1_400_000n;
/** The units of an instruction if the transaction sets no limit (SIMD-0170). */
const DEFAULT_UNITS = 200_000n;
const BUILTIN_UNITS = 3000n;

const PRECOMPILES: readonly string[] = [
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
];

/** Programs that are part of the runtime and cost less (SIMD-0170). */
const BUILTINS: readonly string[] = [
  COMPUTE_BUDGET,
  '11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
];

/** The lamports that a transaction with this message costs its payer, whether it succeeds or not. */
export function feeOf(message: WireMessage): bigint {
  let signatures = BigInt(message.header.numSignerAccounts);
  let price = 0n;
  let limit: bigint | undefined;
  let units = 0n;
  for (const { programAddressIndex, data = new Uint8Array() } of message.instructions) {
    const program = message.staticAccounts[programAddressIndex] as Address;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (PRECOMPILES.includes(program)) signatures += BigInt(data[0] ?? 0);
    units += BUILTINS.includes(program) ? BUILTIN_UNITS : DEFAULT_UNITS;
    if (program !== COMPUTE_BUDGET) continue;
    if (data[0] === 2 && data.length >= 5) limit = BigInt(view.getUint32(1, true));
    if (data[0] === 3 && data.length >= 9) price = view.getBigUint64(1, true);
  }
  const asked = limit ?? units;
  const bought = asked < MAX_COMPUTE_UNITS ? asked : MAX_COMPUTE_UNITS;
  // Micro-lamports per unit, rounded up.
  return signatures * LAMPORTS_PER_SIGNATURE + (price * bought + 999_999n) / 1_000_000n;
}

/** The price that the compute budget of a message offers for a unit, in micro-lamports. */
export function unitPriceOf(message: WireMessage): bigint {
  for (const { programAddressIndex, data = new Uint8Array() } of message.instructions) {
    if (message.staticAccounts[programAddressIndex] !== COMPUTE_BUDGET || data[0] !== 3) continue;
    if (data.length < 9) continue;
    return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
  }
  return 0n;
}
