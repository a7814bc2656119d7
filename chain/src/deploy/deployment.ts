import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import {
  type Address,
  createAddressWithSeed,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import type { ChainRpc } from '../client/rpc.ts';
import { compareProgram, readProgram } from './deployed-program.ts';
import { fetchAccount, fetchRent } from './fetched-account.ts';
import {
  BUFFER_HEAD,
  parseLoaderAccount,
  PROGRAM_DATA_HEAD,
  PROGRAM_LENGTH,
} from './loader-account.ts';
import {
  closeBuffer,
  deployBuffer,
  initializeBuffer,
  LOADER,
  programDataAddress,
  setAuthority,
  writeBuffer,
} from './loader-instructions.ts';
import { allocate, allocateWithSeed, assign, transfer } from './system-instructions.ts';

/** Sends one transaction and resolves when it is finalized: a `Sender` (client/sender.ts). */
export interface DeploymentSender {
  send(
    instructions: readonly Instruction[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly fee: bigint }>;
}

export interface DeploymentParts {
  readonly rpc: ChainRpc;
  readonly sender: DeploymentSender;
  /** Pays, and is the upgrade authority until the last step. It is the payer of the sender. */
  readonly payer: TransactionSigner;
  /** The key whose address becomes the program's. It signs the deployment and is not needed afterwards. */
  readonly program: TransactionSigner;
  /** Who will be able to replace the program; null if nobody ever will. */
  readonly authority: Address | null;
  readonly elf: Uint8Array;
  readonly signal?: AbortSignal;
  /** Called with the number of bytes of the ELF that are in the buffer, and with the total. */
  readonly progress?: (written: number, total: number) => void;
}

export type DeploymentPlanParts = Pick<
  DeploymentParts,
  'rpc' | 'payer' | 'program' | 'authority' | 'elf'
>;

export interface Deployment {
  readonly program: Address;
  readonly programData: Address;
  /**
   * `deployed`; `there`: the same bytes were deployed already; `handed_over`: they were, and the authority has
   * changed.
   */
  readonly outcome: 'deployed' | 'there' | 'handed_over';
  /** The transactions of this run, which may have continued an interrupted one. */
  readonly transactions: number;
  /** The fees of this run, in lamports. */
  readonly fees: bigint;
}

/**
 * The bytes of the ELF in one transaction, which also has room for two signatures and both compute budget
 * instructions.
 */
export const CHUNK = 880;
/** How many writes run at the same time. */
const AT_ONCE = 8;
/** How many times the buffer is read again and what is missing is written. */
const ROUNDS = 3;

/**
 * The address of the buffer in which the bytes of a program are gathered before its deployment. It is derived
 * from the addresses of the payer and the program, so that an interrupted run can be continued with the same
 * two keys.
 */
export function bufferAddress(payer: Address, program: Address): Promise<Address> {
  return createAddressWithSeed({
    baseAddress: payer,
    seed: bufferSeed(program),
    programAddress: LOADER,
  });
}

/** A seed has at most 32 characters. */
function bufferSeed(program: Address): string {
  return program.slice(0, 32);
}

/**
 * Returns the outcome that `deployProgram` would have. Throws `refused` in the same cases, and what
 * `readProgram` throws.
 */
export async function planDeployment({
  rpc,
  payer,
  program,
  authority,
  elf,
}: DeploymentPlanParts): Promise<Deployment['outcome']> {
  const standing = await readProgram(rpc, program.address);
  if (standing === undefined) return 'deployed';
  const comparison = compareProgram(standing.bytes, elf);
  if (!comparison.same) {
    throw new Fault('refused', 'deployment', {
      at: program.address,
      expected: 'no program, or the same one',
      found: `another one, from byte ${comparison.at} on`,
    });
  }
  if (standing.authority === authority) return 'there';
  if (standing.authority === payer.address) return 'handed_over';
  throw new Fault('refused', 'upgrade authority', {
    at: program.address,
    expected: `${payer.address}, which pays here`,
    found: standing.authority ?? 'nobody: the program cannot be replaced',
  });
}

/**
 * Deploys a program: writes its bytes to a buffer, then deploys the buffer and hands over the authority in one
 * transaction, so that at no moment anybody but `authority` can replace what is deployed. It can be called
 * again after an interruption at any moment, and then sends what is missing. Throws `refused` if another
 * program is at the address, or if the authority is neither the payer nor the requested one; what the sender
 * throws; and what `readProgram` throws.
 */
export async function deployProgram(parts: DeploymentParts): Promise<Deployment> {
  const run = new Run(parts);
  const { payer, program, authority } = parts;
  const programData = await programDataAddress(program.address);
  const outcome = await planDeployment(parts);
  if (outcome === 'deployed') {
    const buffer = await bufferAddress(payer.address, program.address);
    await run.openBuffer(buffer);
    await run.fillBuffer(buffer);
    await run.deploy(buffer, programData);
    return run.end('deployed', programData);
  }
  if (outcome === 'handed_over') await run.send([setAuthority(programData, payer, authority)]);
  return run.end(outcome, programData);
}

/** One run, with what it has cost so far. */
class Run {
  readonly #parts: DeploymentParts;
  #transactions = 0;
  #fees = 0n;

  constructor(parts: DeploymentParts) {
    this.#parts = parts;
  }

  async send(instructions: readonly Instruction[]): Promise<void> {
    const { sender, signal } = this.#parts;
    const { fee } = await sender.send(instructions, signal === undefined ? {} : { signal });
    this.#transactions += 1;
    this.#fees += fee;
  }

  end(outcome: Deployment['outcome'], programData: Address): Deployment {
    const program = this.#parts.program.address;
    return { program, programData, outcome, transactions: this.#transactions, fees: this.#fees };
  }

  /** Creates the buffer if it does not exist. A buffer of another length is closed first. */
  async openBuffer(buffer: Address): Promise<void> {
    const { rpc, payer, program, elf } = this.#parts;
    const held = await this.#buffered(buffer);
    if (held?.length === elf.length) return;
    if (held !== undefined) await this.send([closeBuffer(buffer, payer, payer.address)]);
    const length = BUFFER_HEAD + elf.length;
    const seed = bufferSeed(program.address);
    // This is not "create account", which fails if somebody has sent lamports to the address.
    await this.send([
      ...(await topUp(rpc, payer, buffer, length)),
      allocateWithSeed(buffer, payer, seed, length, LOADER),
      initializeBuffer(buffer, payer.address),
    ]);
  }

  async fillBuffer(buffer: Address): Promise<void> {
    const { payer, elf, progress } = this.#parts;
    for (let round = 0; round < ROUNDS; round += 1) {
      const held = (await this.#buffered(buffer)) ?? new Uint8Array();
      const missing = missingChunks(held, elf);
      if (missing.length === 0) return;
      let written = elf.length - missing.length * CHUNK;
      progress?.(Math.max(0, written), elf.length);
      const left = [...missing];
      const worker = async (): Promise<void> => {
        for (let at = left.shift(); at !== undefined; at = left.shift()) {
          const chunk = elf.subarray(at, at + CHUNK);
          await this.send([writeBuffer(buffer, payer, at, chunk)]);
          written += CHUNK;
          progress?.(Math.max(0, Math.min(written, elf.length)), elf.length);
        }
      };
      const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
      const failed = done.find((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
    throw new Fault('refused', 'deployment', {
      at: buffer,
      expected: 'the bytes that were written',
      found: 'others',
    });
  }

  async deploy(buffer: Address, programData: Address): Promise<void> {
    const { rpc, payer, program, authority, elf } = this.#parts;
    await this.send([
      ...(await topUp(rpc, payer, program.address, PROGRAM_LENGTH)),
      allocate(program, PROGRAM_LENGTH),
      assign(program, LOADER),
      deployBuffer(payer, programData, program.address, buffer, payer, elf.length),
      ...(authority === payer.address ? [] : [setAuthority(programData, payer, authority)]),
    ]);
  }

  /**
   * Returns the bytes in the buffer; undefined if there is no buffer. Throws `refused` for a buffer of another
   * authority.
   */
  async #buffered(buffer: Address): Promise<Uint8Array | undefined> {
    const { rpc, payer } = this.#parts;
    const account = await fetchAccount(rpc, buffer);
    if (account === undefined || account.data.length === 0) return undefined;
    const state = parseLoaderAccount(account.data);
    if (account.owner === LOADER && state.kind === 'buffer' && state.authority === payer.address) {
      return state.bytes;
    }
    throw new Fault('refused', 'deployment', {
      at: buffer,
      expected: 'a buffer of the payer',
      found: state.kind,
    });
  }
}

/** Returns the offsets of the chunks of `elf` that `held` does not have. */
export function missingChunks(held: Uint8Array, elf: Uint8Array): readonly number[] {
  const missing: number[] = [];
  for (let at = 0; at < elf.length; at += CHUNK) {
    const end = at + CHUNK;
    if (!equalBytes(held.subarray(at, end), elf.subarray(at, end))) missing.push(at);
  }
  return missing;
}

/** Makes the transfer that an account of a length still needs to be exempt from rent. */
async function topUp(
  rpc: ChainRpc,
  payer: TransactionSigner,
  account: Address,
  length: number,
): Promise<readonly Instruction[]> {
  const [rent, held] = await Promise.all([fetchRent(rpc, length), fetchAccount(rpc, account)]);
  const lacking = rent - (held?.lamports ?? 0n);
  return lacking > 0n ? [transfer(payer, account, lacking)] : [];
}

/** The cost of a deployment, in lamports. */
export interface DeploymentCost {
  /** The rent of the program and the program data, which stays on the chain. */
  readonly rent: bigint;
  /** The rent of the buffer, which is paid before the deployment and returned with it. */
  readonly held: bigint;
  /** The fees for signatures, without a priority fee. */
  readonly fees: bigint;
  readonly transactions: number;
}

/** The fee for one signature, in lamports. */
const SIGNATURE_FEE = 5000n;

/** Returns the cost of deploying `length` bytes at an unused address. */
export async function deploymentCost(rpc: ChainRpc, length: number): Promise<DeploymentCost> {
  const [program, data, held] = await Promise.all(
    [PROGRAM_LENGTH, PROGRAM_DATA_HEAD + length, BUFFER_HEAD + length].map((each) =>
      fetchRent(rpc, each),
    ),
  );
  const writes = Math.ceil(length / CHUNK);
  return {
    rent: (program ?? 0n) + (data ?? 0n),
    held: held ?? 0n,
    // The deployment itself is also signed by the program's key.
    fees: SIGNATURE_FEE * BigInt(writes + 3),
    transactions: writes + 2,
  };
}
