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

/** Seconds of a slot on public networks, and the default here. */
export const SLOT_SECONDS = 0.4;
/** Slots of an epoch on every public network. */
export const SLOTS_PER_EPOCH = 432_000;

const GENESIS_DOMAIN = 'assay/development-genesis/v1';
const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
/** The most bytes of logs of one transaction. */
const MAX_LOG_BYTES = 10_000n;

/** A program that exists from the start and has no upgrade authority. */
export interface DevelopmentProgram {
  readonly address: Address;
  readonly elf: Uint8Array;
}

/** An account that exists from the start. */
export interface DevelopmentAccount {
  readonly address: Address;
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

export interface DevelopmentLedgerOptions {
  /** Unix seconds, possibly with a fraction. Steps back are ignored. */
  readonly now: () => number;
  /** The time of the first block in unix seconds. The default is now. */
  readonly startedAt?: number;
  /**
   * Seconds of a slot by `now`. The default is SLOT_SECONDS. If the clock runs faster than real time, slots
   * that are longer by the same factor let a blockhash live as long as people expect.
   */
  readonly slotSeconds?: number;
  readonly programs?: readonly DevelopmentProgram[];
  readonly accounts?: readonly DevelopmentAccount[];
}

/** Receives the events of the ledger. */
export interface LedgerListener {
  /**
   * A new slot, by the clock or for a transaction, for which `executed` is called next. It is not called for
   * slots that a step of the clock skips.
   */
  slot?(slot: number): void;
  executed?(executed: ExecutedTransaction, changes: readonly AccountChange[]): void;
}

/**
 * The state of a Solana chain within this process: litesvm, with slots that follow the given clock, and one
 * more slot for each transaction that runs.
 *
 * The slot of a transaction begins with it. So whoever reads in a slot has read everything that will ever be in
 * it, as a finalized slot promises, although the same moment may bring more transactions. The slots depend only
 * on the order of the transactions and their times. If the clock is set back while a chain is closed, the chain
 * shows the same slots again.
 *
 * A transaction is final as soon as it has run. The class owns the memory of litesvm.
 */
export class DevelopmentLedger {
  readonly startedAt: number;
  readonly slotSeconds: number;
  /** The hash in base58. */
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

  /** Throws `unsupported` if there is no litesvm for this platform. */
  static async open(options: DevelopmentLedgerOptions): Promise<DevelopmentLedger> {
    return new DevelopmentLedger(await requireLiteSvm(), options);
  }

  get slot(): number {
    return this.#firstSlot + this.#height;
  }

  /** Every slot has a block, so the height is the slot minus the first slot. */
  get blockHeight(): number {
    return this.#height;
  }

  /** Whole unix seconds: what programs read from the clock. */
  get time(): number {
    return Math.floor(this.#time);
  }

  /** `time` with its fraction: when the ledger last read its clock. */
  get clock(): number {
    return this.#time;
  }

  /**
   * The whole unix seconds of a slot; undefined for a slot in the future, before the first block, or older than
   * the transactions that are remembered.
   */
  blockTime(slot: number): number | undefined {
    const height = slot - this.#firstSlot;
    if (height < 0 || height > this.#height) return undefined;
    const time = this.#times.of(height);
    return time === undefined ? undefined : Math.floor(Math.min(time, this.#time));
  }

  /** The lowest slot that `blockTime` knows. */
  get firstAvailable(): number {
    return this.#firstSlot + this.#times.least;
  }

  /** Advances to the current time of the clock. */
  advance(to: number = this.#now()): void {
    if (to > this.#time) this.#time = to;
    const byClock = Math.floor((this.#time - this.startedAt) / this.slotSeconds);
    this.#goTo(1 + byClock + this.history.total);
  }

  /** Returns a function that ends it. */
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

  /** Sets an account without a transaction or a slot, for tests and for the initial state of a chain. */
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

  /** The accounts of a transaction, in the order in which its instructions number them. */
  addressesOf(wire: WireTransaction): readonly Address[] {
    const { writable, readonly } = this.#loadedAddresses(wire);
    return [...wire.message.staticAccounts, ...writable, ...readonly];
  }

  /**
   * Returns what a transaction would do now. Its blockhash is not checked. Without `verify`, signatures may be
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
   * Runs a fully signed transaction in the next slot. Its blockhash is not checked. A transaction that cannot
   * pay or that is not signed leaves no trace and is returned as an execution without a slot.
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

  /** Gives lamports away. Returns the signature of the transfer, or undefined if it could not run. */
  airdrop(to: Address, lamports: bigint): Signature | undefined {
    // Transfers that were replayed from a file count too, so that none is made twice.
    let wire: WireTransaction;
    do {
      this.#airdrops += 1;
      wire = parseWireTransaction(this.#faucet.transfer(to, lamports, this.#airdrops));
    } while (this.history.get(wire.signature) !== undefined);
    return this.execute(wire).error === null ? wire.signature : undefined;
  }

  /** Runs the transaction and then resets the clock, because not every transaction gets a block. */
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

  /** Sets the clock that programs read: of an existing block, or of the block that a transaction may begin. */
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

/** Base58 of sha256(domain 0x00 || the start, unix seconds, decimal), which is the same after a restart. */
export function genesisHashOf(startedAt: number): string {
  const bytes = createHash('sha256').update(`${GENESIS_DOMAIN}\0${startedAt}`).digest();
  return getBase58Decoder().decode(bytes);
}

/** Whether a transaction ran and so left a trace. */
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
