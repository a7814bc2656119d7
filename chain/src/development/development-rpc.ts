import { type Address, getBase64Encoder, getCompiledTransactionMessageDecoder } from '@solana/kit';
import {
  accountFilterOf,
  type AccountLookup,
  accountViewOf,
  formatAccount,
  requireAnswerable,
} from './accounts.ts';
import { type DevelopmentLedger, SLOTS_PER_EPOCH } from './development-ledger.ts';
import { feeOf, unitPriceOf } from './fees.ts';
import type { Json } from './json.ts';
import type { RpcMethod, RpcMethods } from './json-rpc.ts';
import {
  addressParam,
  configParam,
  flagParam,
  integerParam,
  listParam,
  type RpcConfig,
  textParam,
} from './params.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { parseMint, parseTokenAccount, TOKEN_PROGRAMS, tokenAmount } from './token-account.ts';
import { inContext, transactionMethods } from './transactions.ts';
import { MAX_TRANSACTION, type WireMessage } from './wire-transaction.ts';

const MAX_ACCOUNTS = 100;
const MAX_FEE_ADDRESSES = 128;
/** The most bytes of an account. */
const MAX_ACCOUNT_LENGTH = 10_485_760;
/** How many transactions the recent fees are taken from. */
const FEE_SAMPLE = 150;

/**
 * The part of Solana's JSON-RPC that web3.js 1.99, kit 8.4 and the facilitator of x402 2.27 call, over a ledger
 * that is first advanced to its clock. Other methods of a node are answered with -32601, `Method not found`:
 * blocks (getBlock, getBlocks, getBlocksWithLimit, getBlockCommitment, getBlockProduction, minimumLedgerSlot,
 * getHighestSnapshotSlot), validators and stakes (getClusterNodes, getVoteAccounts, getLeaderSchedule,
 * getSlotLeaders, getStakeMinimumDelegation, getInflationGovernor, getInflationRate, getInflationReward,
 * getRecentPerformanceSamples), and sums over all accounts (getSupply, getLargestAccounts, getTokenSupply,
 * getTokenLargestAccounts, getTokenAccountsByDelegate).
 */
export function developmentRpc(ledger: DevelopmentLedger): RpcMethods {
  const methods = new Map<string, RpcMethod>([
    ...chainMethods(ledger),
    ...feeMethods(ledger),
    ...accountMethods(ledger),
    ...transactionMethods(ledger),
  ]);
  return new Map(
    [...methods].map(([name, method]) => [
      name,
      (params) => {
        ledger.advance();
        return method(params);
      },
    ]),
  );
}

type NamedMethods = readonly (readonly [string, RpcMethod])[];

function chainMethods(ledger: DevelopmentLedger): NamedMethods {
  const checked = (options: unknown): RpcConfig => configParam(options, ledger.slot);
  return [
    ['getHealth', () => 'ok'],
    ['getVersion', () => ({ 'solana-core': '4.3.0', 'feature-set': 0 })],
    ['getGenesisHash', () => ledger.genesisHash],
    ['getIdentity', () => ({ identity: ledger.genesisHash })],
    [
      'getFirstAvailableBlock',
      // As long as nothing is forgotten, the chain is like that of a node that has everything since slot 0.
      () => (ledger.history.size === ledger.history.total ? 0 : ledger.firstAvailable),
    ],
    [
      'getEpochSchedule',
      () => ({
        slotsPerEpoch: SLOTS_PER_EPOCH,
        leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
        warmup: false,
        firstNormalEpoch: 0,
        firstNormalSlot: 0,
      }),
    ],
    [
      'getSlotLeader',
      ([options]) => {
        checked(options);
        return ledger.genesisHash;
      },
    ],
    [
      'getTransactionCount',
      ([options]) => {
        checked(options);
        return ledger.history.total;
      },
    ],
    [
      'getSlot',
      ([options]) => {
        checked(options);
        return ledger.slot;
      },
    ],
    [
      'getBlockHeight',
      ([options]) => {
        checked(options);
        return ledger.blockHeight;
      },
    ],
    [
      'getBlockTime',
      ([slot]) => {
        const at = integerParam(slot, 'slot', 0, Number.MAX_SAFE_INTEGER);
        const time = ledger.blockTime(at);
        if (time !== undefined) return time;
        throw new RpcError('block_not_available', `Block not available for slot ${at}`);
      },
    ],
    [
      'getEpochInfo',
      ([options]) => {
        checked(options);
        return {
          absoluteSlot: ledger.slot,
          blockHeight: ledger.blockHeight,
          epoch: Math.floor(ledger.slot / SLOTS_PER_EPOCH),
          slotIndex: ledger.slot % SLOTS_PER_EPOCH,
          slotsInEpoch: SLOTS_PER_EPOCH,
          transactionCount: ledger.history.total,
        };
      },
    ],
    [
      'getLatestBlockhash',
      ([options]) => {
        checked(options);
        return inContext(ledger, { ...ledger.blockhashes.latest() });
      },
    ],
    [
      'isBlockhashValid',
      ([blockhash, options]) => {
        checked(options);
        return inContext(ledger, ledger.blockhashes.isValid(addressParam(blockhash)));
      },
    ],
  ];
}

function feeMethods(ledger: DevelopmentLedger): NamedMethods {
  return [
    [
      'getFeeForMessage',
      ([text, options]) => {
        configParam(options, ledger.slot);
        const message = messageOf(textParam(text, 'message'));
        const good = ledger.blockhashes.isValid(message.lifetimeToken);
        return inContext(ledger, good ? feeOf(message) : null);
      },
    ],
    [
      'getRecentPrioritizationFees',
      ([addresses]) => {
        const named = listParam(addresses ?? [], 'addresses', MAX_FEE_ADDRESSES, addressParam);
        return recentFees(ledger, named);
      },
    ],
    [
      'getMinimumBalanceForRentExemption',
      ([length, options]) => {
        configParam(options, ledger.slot);
        return ledger.rentExemption(integerParam(length, 'length', 0, MAX_ACCOUNT_LENGTH));
      },
    ],
  ];
}

/** The lowest price of each recent slot that has transactions which name all of `addresses`, oldest first. */
function recentFees(ledger: DevelopmentLedger, addresses: readonly Address[]): Json {
  const bySlot = new Map<number, bigint>([[ledger.slot, 0n]]);
  for (const { slot, wire, addresses: named } of ledger.history.newest(FEE_SAMPLE)) {
    if (!addresses.every((each) => named.includes(each))) continue;
    const price = unitPriceOf(wire.message);
    const least = bySlot.get(slot);
    if (least === undefined || least === 0n || price < least) bySlot.set(slot, price);
  }
  return [...bySlot]
    .sort(([a], [b]) => a - b)
    .map(([slot, prioritizationFee]) => ({ slot, prioritizationFee }));
}

function accountMethods(ledger: DevelopmentLedger): NamedMethods {
  const lookup: AccountLookup = (address) => ledger.account(address);
  return [
    [
      'getBalance',
      ([address, options]) => {
        configParam(options, ledger.slot);
        return inContext(ledger, ledger.balance(addressParam(address)));
      },
    ],
    [
      'getAccountInfo',
      ([address, options]) => {
        const view = accountViewOf(configParam(options, ledger.slot));
        return inContext(ledger, formatAccount(lookup(addressParam(address)), view, lookup));
      },
    ],
    [
      'getMultipleAccounts',
      ([addresses, options]) => {
        const named = listParam(addresses, 'addresses', MAX_ACCOUNTS, addressParam);
        const view = accountViewOf(manyConfig(options, ledger.slot));
        const found = named.map(lookup);
        requireAnswerable(found, view);
        return inContext(
          ledger,
          found.map((each) => formatAccount(each, view, lookup)),
        );
      },
    ],
    [
      'getProgramAccounts',
      ([program, options]) => {
        const config = configParam(options, ledger.slot);
        const view = accountViewOf(config);
        const passes = accountFilterOf(config);
        const accounts = ledger.accountsOf(addressParam(program)).filter(passes);
        requireAnswerable(accounts, view);
        const found = accounts.map((account) => ({
          pubkey: account.address,
          account: formatAccount(account, view, lookup),
        }));
        return flagParam(config.withContext, 'withContext') ? inContext(ledger, found) : found;
      },
    ],
    [
      'getTokenAccountsByOwner',
      ([address, filter, options]) => {
        const owner = addressParam(address);
        const { programs, mint } = tokenFilterOf(filter);
        const view = accountViewOf(configParam(options, ledger.slot));
        const accounts = programs
          .flatMap((program) => ledger.accountsOf(program))
          .filter((account) => {
            const token = parseTokenAccount(account);
            return token?.owner === owner && (mint === undefined || token.mint === mint);
          });
        requireAnswerable(accounts, view);
        return inContext(
          ledger,
          accounts.map((account) => ({
            pubkey: account.address,
            account: formatAccount(account, view, lookup),
          })),
        );
      },
    ],
    [
      'getTokenAccountBalance',
      ([address, options]) => {
        configParam(options, ledger.slot);
        return inContext(ledger, tokenBalance(addressParam(address), lookup));
      },
    ],
  ];
}

/** The token programs that a filter means, and the mint if it names one. Throws `invalid_params`. */
function tokenFilterOf(value: unknown): {
  readonly programs: readonly Address[];
  readonly mint: Address | undefined;
} {
  const { mint, programId } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (mint !== undefined) return { programs: TOKEN_PROGRAMS, mint: addressParam(mint) };
  const program = addressParam(programId);
  if (TOKEN_PROGRAMS.includes(program)) return { programs: [program], mint: undefined };
  throw invalidParams('unrecognized Token program id');
}

/** Several accounts come in base64 by default. */
function manyConfig(options: unknown, slot: number): RpcConfig {
  const config = configParam(options, slot);
  return { ...config, encoding: config.encoding ?? 'base64' };
}

function tokenBalance(address: Address, lookup: AccountLookup): Json {
  const account = lookup(address);
  if (account === undefined) throw invalidParams('could not find account');
  const token = parseTokenAccount(account);
  const held = token === undefined ? undefined : lookup(token.mint);
  const mint = held === undefined ? undefined : parseMint(held);
  if (token === undefined || mint === undefined) throw invalidParams('not a Token account');
  return tokenAmount(token.amount, mint.decimals);
}

function messageOf(text: string): WireMessage {
  // The length of the longest transaction in base64.
  if (text.length > Math.ceil(MAX_TRANSACTION / 3) * 4) throw invalidParams('message too large');
  try {
    const bytes = getBase64Encoder().encode(text);
    const message = getCompiledTransactionMessageDecoder().decode(bytes);
    if (message.version !== 1) return message;
  } catch {
    throw invalidParams('not a message');
  }
  throw invalidParams('message version 1 is not supported');
}
