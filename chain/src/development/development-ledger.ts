import { createHash } from 'node:crypto';
import {
  type Address,
  getAddressDecoder,
  getBase58Decoder,
  type ReadonlyUint8Array,
  type Signature,
} from '@solana/kit';
import { equalBytes } from '@assay/core/bytes/bytes';
import { lookupTableAddresses } from './accounts.ts';
import { type BlockhashWindow, blockhashWindow } from './blockhash-window.ts';
import type {
  AccountChange,
  ExecutedTransaction,
  Execution,
  Simulation,
  TokenBalance,
} from './execution.ts';
import { developmentFaucet, type Faucet, FAUCET_LAMPORTS } from './faucet.ts';
import { feeOf } from './fees.ts';
import { boundedHistory, type History } from './history.ts';
import {
  type LiteSvm,
  requireLiteSvm,
  type Svm,
  type SvmAccount,
  type SvmFailure,
  type SvmResult,
} from './litesvm.ts';
import { type SlotTimes, slotTimes } from './slot-times.ts';
import { parseMint, parseTokenAccount } from './token-account.ts';
import { transactionErrorOf } from './transaction-error.ts';
import { parseWireTransaction, type WireTransaction } from './wire-transaction.ts';

/** Seconds of a slot on public networks, and here where nothing else is said. */
export const SLOT_SECONDS = 0.4;
/** Slots of an epoch, on every public network. */
export const SLOTS_PER_EPOCH = 432_000;

const GENESIS_DOMAIN = 'assay/development-genesis/v1';
const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
/** Bytes of the logs of one transaction. */
const MAX_LOG_BYTES = 10_000n;

/** A program that is there from the start, without an upgrade authority. */
export interface DevelopmentProgram {
  readonly address: Address;
  readonly elf: Uint8Array;
}

/** An account that is there from the start. */
export interface DevelopmentAccount {
  readonly address: Address;
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

export interface DevelopmentLedgerOptions {
  /** Unix seconds, whole or not; steps back are passed over. */
  readonly now: () => number;
  /** When the first block was, in unix seconds: now, where nothing is said. */
  readonly startedAt?: number;
  /**
   * Seconds of a slot, by `now`; SLOT_SECONDS where nothing is said. Under a clock that runs faster than people's,
   * as many times as many let a blockhash live as long as they expect.
   */
  readonly slotSeconds?: number;
  readonly programs?: readonly DevelopmentProgram[];
  readonly accounts?: readonly DevelopmentAccount[];
}

/** What the ledger tells of itself. */
export interface LedgerListener {
  /**
   * A new slot, by the clock or for a transaction, whose `executed` is told next. Those that a step of the clock
   * jumps over are not told.
   */
  slot?(slot: number): void;
  executed?(executed: ExecutedTransaction, changes: readonly AccountChange[]): void;
}

/**
 * The state of a Solana chain within this process: litesvm, with slots that go by the clock it is given, and one
 * more for each transaction that runs. That slot begins with its transaction: whoever reads in a slot has read
 * all that will ever be in it, as a finalized slot promises, though the same moment may bring more transactions.
 * The slots follow from the order of the transactions and their times, and from nothing else; a clock that is set
 * back while a chain is not open makes it show the same slots again. A transaction is final as soon as it has run.
 * The class holds the memory of litesvm.
 */
export class DevelopmentLedger {
  readonly startedAt: number;
  readonly slotSeconds: number;
  /** In base58. */
  readonly genesisHash: string;
  readonly history: History = boundedHistory();
  readonly blockhashes: BlockhashWindow;
  readonly #library: LiteSvm;
  readonly #svm: Svm;
  readonly #now: () => number;
  readonly #faucet: Faucet = developmentFaucet();
  readonly #listeners = new Set<LedgerListener>();
  readonly #firstSlot: number;
  readonly #times: SlotTimes;
  #height = 0;
  #epochStart = { epoch: 0, time: 0 };
  #time: number;
  #airdrops = 0;

  private constructor(library: LiteSvm, options: DevelopmentLedgerOptions) {
    this.#library = library;
    this.#now = options.now;
    this.startedAt = options.startedAt ?? options.now();
    this.slotSeconds = requireSlotSeconds(options.slotSeconds ?? SLOT_SECONDS);
    this.#time = this.startedAt;
    this.#times = slotTimes(this);
    this.#svm = new library.LiteSVM()
      .withBlockhashCheck(false)
      .withTransactionHistory(0n)
      .withLogBytesLimit(MAX_LOG_BYTES);
    this.#firstSlot = Number(this.#svm.getClock().slot);
    this.#epochStart = { epoch: epochOf(this.#firstSlot), time: this.startedAt };
    this.genesisHash = genesisHashOf(this.startedAt);
    this.blockhashes = blockhashWindow(this.genesisHash);
    for (const { address, elf } of options.programs ?? []) this.#svm.addProgram(address, elf);
    for (const account of options.accounts ?? []) this.setAccount(account);
    this.setAccount({
      address: this.#faucet.address,
      owner: SYSTEM_PROGRAM,
      lamports: FAUCET_LAMPORTS,
      data: new Uint8Array(),
    });
    this.#goTo(1);
  }

  /** Throws `unsupported` where there is no litesvm for this platform. */
  static async open(options: DevelopmentLedgerOptions): Promise<DevelopmentLedger> {
    return new DevelopmentLedger(await requireLiteSvm(), options);
  }

  get slot(): number {
    return this.#firstSlot + this.#height;
  }

  /** No slot is ever without a block: it is the slot, less the first. */
  get blockHeight(): number {
    return this.#height;
  }

  /** Unix seconds, whole: what programs read from the clock. */
  get time(): number {
    return Math.floor(this.#time);
  }

  /** `time` with its fraction: when it was that the ledger last looked at its clock. */
  get clock(): number {
    return this.#time;
  }

  /**
   * Unix seconds of a slot, whole; undefined where that is not yet, was before the first block, or is older than
   * the transactions that are remembered.
   */
  blockTime(slot: number): number | undefined {
    const height = slot - this.#firstSlot;
    if (height < 0 || height > this.#height) return undefined;
    const time = this.#times.of(height);
    return time === undefined ? undefined : Math.floor(Math.min(time, this.#time));
  }

  /** The least slot that `blockTime` knows. */
  get firstAvailable(): number {
    return this.#firstSlot + this.#times.least;
  }

  /** Goes on to what the clock says now. */
  advance(to: number = this.#now()): void {
    if (to > this.#time) this.#time = to;
    const byClock = Math.floor((this.#time - this.startedAt) / this.slotSeconds);
    this.#goTo(1 + byClock + this.history.total);
  }

  /** Returns what ends it. */
  listen(listener: LedgerListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  account(address: Address): SvmAccount | undefined {
    const account = this.#svm.getAccount(address);
    return account.exists && (account.lamports > 0n || account.data.length > 0)
      ? account
      : undefined;
  }

  balance(address: Address): bigint {
    return this.account(address)?.lamports ?? 0n;
  }

  accountsOf(program: Address): readonly SvmAccount[] {
    return this.#svm.getProgramAccounts(program);
  }

  rentExemption(length: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(length));
  }

  /** Puts an account in place, without a transaction or a slot: for tests, and for what a chain begins with. */
  setAccount({ address, owner, lamports, data }: DevelopmentAccount): void {
    const space = BigInt(data.length);
    this.#svm.setAccount({
      address,
      data,
      lamports,
      executable: false,
      programAddress: owner,
      space,
    });
  }

  /** The accounts of a transaction, in the order that its instructions count them in. */
  addressesOf(wire: WireTransaction): readonly Address[] {
    const { writable, readonly } = this.#loadedAddresses(wire);
    return [...wire.message.staticAccounts, ...writable, ...readonly];
  }

  /**
   * What a transaction would do now; its blockhash is not looked at. Without `verify`, signatures may be
   * blank or wrong.
   */
  simulate(wire: WireTransaction, { verify }: { readonly verify: boolean }): Simulation {
    this.#setClock();
    this.#svm.withSigverify(verify);
    try {
      const result = this.#svm.simulateTransaction(wire.transaction);
      if (result instanceof this.#library.FailedTransactionMetadata) {
        return { ...executionOf(result.meta(), transactionErrorOf(result.err())), accounts: [] };
      }
      return { ...executionOf(result.meta(), null), accounts: result.postAccounts() };
    } finally {
      this.#svm.withSigverify(true);
    }
  }

  /**
   * Runs a fully signed transaction in the next slot; its blockhash is not looked at. One that cannot pay, or
   * that nobody has signed, leaves no trace, and comes back as an execution without a slot: there is none for it.
   */
  execute(wire: WireTransaction): ExecutedTransaction | Execution {
    const loaded = this.#loadedAddresses(wire);
    const addresses = this.addressesOf(wire);
    const height = this.#height + 1;
    const before = addresses.map((each) => this.account(each));
    const result = this.#sendIn(height, wire);
    const failed = result instanceof this.#library.FailedTransactionMetadata;
    const execution = failed
      ? executionOf(result.meta(), transactionErrorOf(result.err()))
      : executionOf(result, null);
    const paid = this.account(wire.payer)?.lamports !== before[0]?.lamports;
    if (failed && !paid) return execution;
    this.#times.ran(height, this.#time);
    this.#goTo(height);
    const after = addresses.map((each) => this.account(each));
    const executed: ExecutedTransaction = {
      ...execution,
      wire,
      slot: this.slot,
      blockTime: this.time,
      fee: feeOf(wire.message),
      addresses,
      loaded,
      before: before.map((each) => each?.lamports ?? 0n),
      after: after.map((each) => each?.lamports ?? 0n),
      tokensBefore: this.#tokensOf(before),
      tokensAfter: this.#tokensOf(after),
    };
    const changes = addresses.flatMap((address, i) =>
      sameAccount(before[i], after[i]) ? [] : [{ address, account: after[i] }],
    );
    this.history.add(executed);
    for (const listener of this.#listeners) listener.executed?.(executed, changes);
    return executed;
  }

  /** Gives lamports away; the signature of a transfer that ran, or undefined where it could not. */
  airdrop(to: Address, lamports: bigint): Signature | undefined {
    // What was replayed from a file counts too: no transfer is made twice.
    let wire: WireTransaction;
    do {
      this.#airdrops += 1;
      wire = parseWireTransaction(this.#faucet.transfer(to, lamports, this.#airdrops));
    } while (this.history.get(wire.signature) !== undefined);
    return this.execute(wire).error === null ? wire.signature : undefined;
  }

  /** Leaves the clock as it was: not every transaction has a block. */
  #sendIn(height: number, wire: WireTransaction): SvmResult | SvmFailure {
    this.#setClock(height);
    try {
      return this.#svm.sendTransaction(wire.transaction);
    } finally {
      this.#setClock();
    }
  }

  #goTo(height: number): void {
    if (height <= this.#height) return;
    this.#height = height;
    this.blockhashes.advance(height);
    const epoch = epochOf(this.slot);
    if (epoch !== this.#epochStart.epoch) {
      const time = this.blockTime(epoch * SLOTS_PER_EPOCH) ?? this.time;
      this.#epochStart = { epoch, time };
    }
    this.#setClock();
    for (const listener of this.#listeners) listener.slot?.(this.slot);
  }

  /** What programs read from now on: a block that is there, or the one that a transaction may begin. */
  #setClock(height: number = this.#height): void {
    const clock = this.#svm.getClock();
    const slot = this.#firstSlot + height;
    const epoch = epochOf(slot);
    const began = epoch === this.#epochStart.epoch ? this.#epochStart.time : this.time;
    clock.slot = BigInt(slot);
    clock.epoch = BigInt(epoch);
    clock.leaderScheduleEpoch = BigInt(epoch + 1);
    clock.epochStartTimestamp = BigInt(Math.floor(began));
    clock.unixTimestamp = BigInt(this.time);
    this.#svm.setClock(clock);
  }

  #tokensOf(accounts: readonly (SvmAccount | undefined)[]): readonly TokenBalance[] {
    return accounts.flatMap((account, index) => {
      const token = account === undefined ? undefined : parseTokenAccount(account);
      const held = token === undefined ? undefined : this.account(token.mint);
      const mint = held === undefined ? undefined : parseMint(held);
      if (account === undefined || token === undefined || mint === undefined) return [];
      const { owner, amount } = token;
      const program = account.programAddress;
      return [{ index, program, mint: token.mint, owner, amount, decimals: mint.decimals }];
    });
  }

  #loadedAddresses({ message }: WireTransaction): ExecutedTransaction['loaded'] {
    const writable: Address[] = [];
    const readonly: Address[] = [];
    if (message.version === 'legacy') return { writable, readonly };
    for (const lookup of message.addressTableLookups ?? []) {
      const data = this.account(lookup.lookupTableAddress)?.data ?? new Uint8Array();
      const table = lookupTableAddresses(data);
      const named = (indexes: readonly number[]): Address[] =>
        indexes.flatMap((i) => table[i] ?? []);
      writable.push(...named(lookup.writableIndexes));
      readonly.push(...named(lookup.readonlyIndexes));
    }
    return { writable, readonly };
  }
}

function epochOf(slot: number): number {
  return Math.floor(slot / SLOTS_PER_EPOCH);
}

function requireSlotSeconds(seconds: number): number {
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new TypeError('development ledger: seconds of a slot above 0');
}

/** Base58 of sha256(domain 0x00 || the start, unix seconds, decimal): the same after a restart. */
export function genesisHashOf(startedAt: number): string {
  const bytes = createHash('sha256').update(`${GENESIS_DOMAIN}\0${startedAt}`).digest();
  return getBase58Decoder().decode(bytes);
}

/** Whether a transaction ran: a trace of it is left. */
export function hasRun(
  execution: ExecutedTransaction | Execution,
): execution is ExecutedTransaction {
  return 'slot' in execution;
}

function sameAccount(a: SvmAccount | undefined, b: SvmAccount | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.lamports === b.lamports &&
    a.programAddress === b.programAddress &&
    a.executable === b.executable &&
    equalBytes(a.data, b.data)
  );
}

function executionOf(result: SvmResult, error: Execution['error']): Execution {
  const returned = result.returnData();
  const data = returned.data();
  return {
    error,
    logs: result.logs(),
    units: result.computeUnitsConsumed(),
    inner: result.innerInstructions().map((list) =>
      list.map((each) => {
        const instruction = each.instruction();
        return {
          program: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: instruction.data(),
          stackHeight: each.stackHeight(),
        };
      }),
    ),
    returned:
      data.length === 0
        ? undefined
        : { program: getAddressDecoder().decode(returned.programId() as ReadonlyUint8Array), data },
  };
}
