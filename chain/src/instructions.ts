import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import type { PeriodKind } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import {
  AccountRole,
  type AccountMeta,
  type AccountSignerMeta,
  type Address,
  type Instruction,
  type InstructionWithAccounts,
  type InstructionWithData,
  type TransactionSigner,
} from '@solana/kit';
import { tickerBytes } from '@assay/core/feed/program-address';
import { CADENCES } from '@assay/core/feed/ordinal';

/** The first byte of each instruction's data. */
export const INSTRUCTIONS = {
  initFeed: 0,
  openPage: 1,
  publish: 2,
  dissent: 3,
  addRule: 4,
  addSet: 5,
  rotate: 6,
  cancel: 7,
  close: 8,
} as const;

export const SYSTEM_PROGRAM: Address = '11111111111111111111111111111111' as Address;
export const INSTRUCTIONS_SYSVAR: Address =
  'Sysvar1nstructions1111111111111111111111111' as Address;

/** An instruction of the program, with its data. */
export type ProgramInstruction = Instruction &
  InstructionWithAccounts<readonly (AccountMeta | AccountSignerMeta)[]> &
  InstructionWithData<Uint8Array>;

/**
 * The parameters of a new feed. Keys, hashes and the log id are in hex; `first` is in days since 1970-01-01.
 */
export interface FeedParameters {
  readonly cadence: PeriodKind;
  readonly decimals: number;
  readonly ticker: Ticker;
  readonly log: string;
  readonly nextHash: string;
  readonly recoveryHash: string;
  readonly rule: string;
  readonly first: number;
  readonly threshold: number;
  readonly cosigners: readonly string[];
}

/** Creates a feed. `payer` pays its rent; `genesis` is the publisher's first key. */
export function initFeed(
  program: Address,
  payer: TransactionSigner,
  genesis: TransactionSigner,
  feed: Address,
  parameters: FeedParameters,
): ProgramInstruction {
  const { cadence, decimals, threshold, cosigners } = parameters;
  return instruction(
    program,
    [paying(payer), signing(genesis), writing(feed), reading(SYSTEM_PROGRAM)],
    INSTRUCTIONS.initFeed,
    Uint8Array.of(CADENCES.indexOf(cadence) + 1, decimals, threshold, cosigners.length),
    tickerBytes(parameters.ticker),
    parseHex(parameters.log, 32),
    parseHex(parameters.nextHash, 32),
    parseHex(parameters.recoveryHash, 32),
    parseHex(parameters.rule, 32),
    i32Bytes(parameters.first),
    ...cosigners.map((key) => parseHex(key, 32)),
  );
}

/** Opens a page of a feed. */
export function openPage(
  program: Address,
  payer: TransactionSigner,
  feed: Address,
  page: Address,
  index: number,
): ProgramInstruction {
  return instruction(
    program,
    [paying(payer), reading(feed), writing(page), reading(SYSTEM_PROGRAM)],
    INSTRUCTIONS.openPage,
    i32Bytes(index | 0),
  );
}

/**
 * Writes a print, or adds co-signers to exactly the print that is recorded. `ed25519` is the index, within the
 * transaction, of the instruction that proves the signatures over the 128 bytes.
 */
export function publish(
  program: Address,
  feed: Address,
  page: Address,
  ed25519: number,
): ProgramInstruction {
  return instruction(
    program,
    [writing(feed), writing(page), reading(INSTRUCTIONS_SYSVAR)],
    INSTRUCTIONS.publish,
    Uint8Array.of(ed25519),
  );
}

/** Records a dissent. `ed25519` is as in `publish`, over the 128 bytes of the dissent. */
export function dissent(
  program: Address,
  feed: Address,
  page: Address,
  ed25519: number,
): ProgramInstruction {
  return instruction(
    program,
    [reading(feed), writing(page), reading(INSTRUCTIONS_SYSVAR)],
    INSTRUCTIONS.dissent,
    Uint8Array.of(ed25519),
  );
}

/** Appends a rule: its hash in hex, and its first period in days since 1970-01-01. */
export function addRule(
  program: Address,
  publisher: TransactionSigner,
  feed: Address,
  rule: string,
  first: number,
): ProgramInstruction {
  return instruction(
    program,
    [signing(publisher), writing(feed)],
    INSTRUCTIONS.addRule,
    parseHex(rule, 32),
    i32Bytes(first),
  );
}

/** Appends a co-signer set. Its keys are in hex. */
export function addSet(
  program: Address,
  publisher: TransactionSigner,
  feed: Address,
  threshold: number,
  cosigners: readonly string[],
): ProgramInstruction {
  return instruction(
    program,
    [signing(publisher), writing(feed)],
    INSTRUCTIONS.addSet,
    Uint8Array.of(threshold, cosigners.length),
    ...cosigners.map((key) => parseHex(key, 32)),
  );
}

/** Hands the feed to the next key. `afterHash` is the SHA-256 of the key after that one, in hex. */
export function rotate(
  program: Address,
  publisher: TransactionSigner,
  next: TransactionSigner,
  feed: Address,
  afterHash: string,
): ProgramInstruction {
  return instruction(
    program,
    [signing(publisher), signing(next), writing(feed)],
    INSTRUCTIONS.rotate,
    parseHex(afterHash, 32),
  );
}

/** What the recovery key can cancel while it is waiting, and the bit of each. */
export const WAITING = { rotation: 1, rule: 2, set: 4 } as const;

export type Waiting = keyof typeof WAITING;

/** Cancels what is waiting: either everything that is named or nothing. */
export function cancel(
  program: Address,
  recovery: TransactionSigner,
  feed: Address,
  what: readonly Waiting[],
): ProgramInstruction {
  return instruction(
    program,
    [signing(recovery), writing(feed)],
    INSTRUCTIONS.cancel,
    Uint8Array.of(what.reduce((bits, each) => bits | WAITING[each], 0)),
  );
}

/** Writes a Close. `ed25519` is as in `publish`, over the 76 bytes of the Close. */
export function close(
  program: Address,
  payer: TransactionSigner,
  feed: Address,
  account: Address,
  ed25519: number,
): ProgramInstruction {
  return instruction(
    program,
    [
      paying(payer),
      reading(feed),
      writing(account),
      reading(SYSTEM_PROGRAM),
      reading(INSTRUCTIONS_SYSVAR),
    ],
    INSTRUCTIONS.close,
    Uint8Array.of(ed25519),
  );
}

function instruction(
  programAddress: Address,
  accounts: readonly (AccountMeta | AccountSignerMeta)[],
  kind: number,
  ...data: readonly Uint8Array[]
): ProgramInstruction {
  return { programAddress, accounts, data: concatBytes(Uint8Array.of(kind), ...data) };
}

function reading(address: Address): AccountMeta {
  return { address, role: AccountRole.READONLY };
}

function writing(address: Address): AccountMeta {
  return { address, role: AccountRole.WRITABLE };
}

function signing(signer: TransactionSigner): AccountSignerMeta {
  return { address: signer.address, role: AccountRole.READONLY_SIGNER, signer };
}

function paying(signer: TransactionSigner): AccountSignerMeta {
  return { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer };
}

function i32Bytes(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setInt32(0, value, true);
  return out;
}
