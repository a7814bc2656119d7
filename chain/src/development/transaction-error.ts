import type { Json } from './json.ts';
import type { SvmTransactionError } from './litesvm.ts';

/** Errors of a transaction without fields, in the order of litesvm 1.5.0 (TransactionErrorFieldless). */
export const TRANSACTION_ERRORS = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
] as const;

/** Errors of an instruction without fields, in the order of litesvm 1.5.0 (InstructionErrorFieldless). */
export const INSTRUCTION_ERRORS = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
  'ProgramFailedToComplete',
  'ProgramFailedToCompile',
  'Immutable',
  'IncorrectAuthority',
  'AccountNotRentExempt',
  'InvalidAccountOwner',
  'ArithmeticOverflow',
  'UnsupportedSysvar',
  'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded',
  'MaxAccountsExceeded',
  'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits',
  'BorshIoError',
] as const;

export type TransactionErrorName = (typeof TRANSACTION_ERRORS)[number];

/** An error of a transaction as Solana's JSON-RPC writes it. */
export type TransactionError =
  | TransactionErrorName
  | { readonly InstructionError: readonly [number, string | { readonly Custom: number }] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } };

/** Converts an error of litesvm. */
export function transactionErrorOf(error: SvmTransactionError): TransactionError {
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? 'SanitizeFailure';
  if ('accountIndex' in error) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  if (typeof error.err !== 'function') return { DuplicateInstruction: error.index };
  const inner = error.err();
  if (typeof inner === 'number') {
    return { InstructionError: [error.index, INSTRUCTION_ERRORS[inner] ?? 'GenericError'] };
  }
  if (inner.code !== undefined) return { InstructionError: [error.index, { Custom: inner.code }] };
  return { InstructionError: [error.index, 'BorshIoError'] };
}

const WORDS: Partial<Record<TransactionErrorName, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  SignatureFailure: 'Transaction did not pass signature verification',
};

/** The message for an error. If Solana's nodes have a message for it, it is the same. */
export function transactionErrorText(error: TransactionError): string {
  if (typeof error === 'string') return WORDS[error] ?? error;
  if (!('InstructionError' in error)) return JSON.stringify(error);
  const [index, inner] = error.InstructionError;
  const words =
    typeof inner === 'string' ? inner : `custom program error: 0x${inner.Custom.toString(16)}`;
  return `Error processing Instruction ${index}: ${words}`;
}

/** The older form, which statuses have in addition to the error. */
export function statusOf(error: TransactionError | null): Json {
  return error === null ? { Ok: null } : { Err: error };
}
