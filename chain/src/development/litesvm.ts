import type { Address, Transaction } from '@solana/kit';
import { Fault } from '@assay/core/fault';

/**
 * The only part of litesvm 1.5.0 that is used here. It is an optional dependency, because it has no binary for
 * some platforms.
 */
export interface Svm {
  withBlockhashCheck(check: boolean): Svm;
  withSigverify(check: boolean): Svm;
  /** With 0 a transaction can run twice. */
  withTransactionHistory(capacity: bigint): Svm;
  withLogBytesLimit(limit: bigint): Svm;
  minimumBalanceForRentExemption(length: bigint): bigint;
  getAccount(address: Address): SvmMaybeAccount;
  setAccount(account: SvmAccount): void;
  getProgramAccounts(program: Address): SvmAccount[];
  addProgram(address: Address, elf: Uint8Array): void;
  getClock(): SvmClock;
  setClock(clock: SvmClock): void;
  /** Throws for a message without its signatures if signatures are checked. */
  sendTransaction(transaction: Transaction): SvmResult | SvmFailure;
  simulateTransaction(transaction: Transaction): SvmSimulation | SvmFailure;
}

export interface SvmAccount {
  readonly address: Address;
  readonly data: Uint8Array;
  readonly executable: boolean;
  readonly lamports: bigint;
  readonly programAddress: Address;
  readonly space: bigint;
}

export type SvmMaybeAccount =
  | (SvmAccount & { readonly exists: true })
  | { readonly exists: false; readonly address: Address };

export interface SvmClock {
  slot: bigint;
  epoch: bigint;
  epochStartTimestamp: bigint;
  leaderScheduleEpoch: bigint;
  unixTimestamp: bigint;
}

export interface SvmResult {
  logs(): string[];
  computeUnitsConsumed(): bigint;
  innerInstructions(): SvmInnerInstruction[][];
  returnData(): { programId(): Uint8Array; data(): Uint8Array };
}

export interface SvmInnerInstruction {
  instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
  stackHeight(): number;
}

export interface SvmFailure {
  err(): SvmTransactionError;
  meta(): SvmResult;
}

export interface SvmSimulation {
  meta(): SvmResult;
  postAccounts(): SvmAccount[];
}

/** A number is an index into a list of names. The other errors have fields. */
export type SvmTransactionError =
  | number
  | {
      readonly index: number;
      err?(): number | { readonly code?: number };
    }
  | { readonly accountIndex: number };

export interface LiteSvm {
  readonly LiteSVM: new () => Svm;
  readonly FailedTransactionMetadata: new () => SvmFailure;
}

const PACKAGE: string = 'litesvm';

/** Loads the library; `undefined` if it is not installed or has no binary for this platform. */
export async function loadLiteSvm(): Promise<LiteSvm | undefined> {
  try {
    return ((await import(PACKAGE)) as { readonly default: LiteSvm }).default;
  } catch {
    return undefined;
  }
}

/** Loads the library. Throws `unsupported` if there is none. */
export async function requireLiteSvm(): Promise<LiteSvm> {
  const loaded = await loadLiteSvm();
  if (loaded !== undefined) return loaded;
  throw new Fault('unsupported', 'development chain', {
    expected: 'the optional package litesvm, with a binary for this platform',
  });
}
