import type { Address, Transaction } from '@solana/kit';
import { Fault } from '@assay/core/fault';

/**
 * The only part of litesvm 1.5.0 that may be called here. It is an optional dependency, because it has no
 * binary for every platform.
 */
export interface Svm {
  withBlockhashCheck(check: boolean): Svm;
  withSigverify(check: boolean): Svm;
  /** 0 lets a transaction run twice. */
  withTransactionHistory(capacity: bigint): Svm;
  withLogBytesLimit(limit: bigint): Svm;
  minimumBalanceForRentExemption(length: bigint): bigint;
  getAccount(address: Address): SvmMaybeAccount;
  setAccount(account: SvmAccount): void;
  getProgramAccounts(program: Address): SvmAccount[];
  addProgram(address: Address, elf: Uint8Array): void;
  getClock(): SvmClock;
  setClock(clock: SvmClock): void;
  /** Throws a message without its signatures, while those are checked. */
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

/** A number is one of a list of names; the rest have fields. */
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

/** The library, or `undefined` where it is not installed or has no binary for this platform. */
export async function loadLiteSvm(): Promise<LiteSvm | undefined> {
  try {
    return ((await import(PACKAGE)) as { readonly default: LiteSvm }).default;
  } catch {
    return undefined;
  }
}

/** The library. Throws `unsupported` where there is none. */
export async function requireLiteSvm(): Promise<LiteSvm> {
  const loaded = await loadLiteSvm();
  if (loaded !== undefined) return loaded;
  throw new Fault('unsupported', 'development chain', {
    expected: 'the optional package litesvm, with a binary for this platform',
  });
}
