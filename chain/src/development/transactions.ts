import type { DevelopmentLedger } from './development-ledger.ts';
import { accountViewOf, formatAccount, requireAnswerable } from './accounts.ts';
import type { Execution, Simulation } from './execution.ts';
import type { Json, JsonObject } from './json.ts';
import type { RpcMethod } from './json-rpc.ts';
import {
  addressParam,
  configParam,
  flagParam,
  integerParam,
  listParam,
  signatureParam,
  textParam,
} from './params.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { statusOf, type TransactionError, transactionErrorText } from './transaction-error.ts';
import {
  formatExecuted,
  formatInner,
  formatMemos,
  formatReturned,
  type TransactionEncoding,
} from './transaction-text.ts';
import { isFullySigned, parseTransactionText, type WireTransaction } from './wire-transaction.ts';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;
const MAX_SIMULATED_ACCOUNTS = 64;
const ENCODINGS: readonly TransactionEncoding[] = ['json', 'jsonParsed', 'base58', 'base64'];

/** The methods of JSON-RPC that are about transactions. */
export function transactionMethods(
  ledger: DevelopmentLedger,
): readonly (readonly [string, RpcMethod])[] {
  return [
    ['sendTransaction', (params) => sendTransaction(ledger, params)],
    ['simulateTransaction', (params) => simulateTransaction(ledger, params)],
    ['getSignatureStatuses', (params) => signatureStatuses(ledger, params)],
    ['getSignaturesForAddress', (params) => signaturesForAddress(ledger, params)],
    ['getTransaction', (params) => getTransaction(ledger, params)],
    ['requestAirdrop', (params) => requestAirdrop(ledger, params)],
  ];
}

/** The context in which a value was read. */
export function inContext(ledger: DevelopmentLedger, value: Json): JsonObject {
  return { context: { apiVersion: '4.3.0', slot: ledger.slot }, value };
}

/**
 * Runs preflight and then the transaction. A transaction that skips preflight and cannot run is dropped
 * silently, as a cluster does. A missing or invalid signature is always an error.
 */
function sendTransaction(ledger: DevelopmentLedger, [text, options]: readonly unknown[]): Json {
  const config = configParam(options, ledger.slot);
  const wire = parseTransactionText(textParam(text, 'transaction'), config.encoding);
  const skip = flagParam(config.skipPreflight, 'skipPreflight');
  if (!isFullySigned(wire)) throw signatureFailure();
  const refused = admissionError(ledger, wire);
  if (refused !== undefined) {
    if (skip) return wire.signature;
    throw preflightFailure({ ...NOTHING_RUN, error: refused });
  }
  if (!skip) {
    const simulation = ledger.simulate(wire, { verify: true });
    if (simulation.error === 'SignatureFailure') throw signatureFailure();
    const { error } = simulation;
    if (error !== null) throw preflightFailure({ ...simulation, error });
  }
  const execution = ledger.execute(wire);
  if (execution.error === 'SignatureFailure') throw signatureFailure();
  return wire.signature;
}

function simulateTransaction(ledger: DevelopmentLedger, [text, options]: readonly unknown[]): Json {
  const config = configParam(options, ledger.slot);
  const wire = parseTransactionText(textParam(text, 'transaction'), config.encoding);
  const verify = flagParam(config.sigVerify, 'sigVerify');
  const replace = flagParam(config.replaceRecentBlockhash, 'replaceRecentBlockhash');
  const inner = flagParam(config.innerInstructions, 'innerInstructions');
  if (verify && replace)
    throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  const wanted = wantedAccounts(ledger, config.accounts);
  if (verify && !isFullySigned(wire)) throw signatureFailure();
  const refused = admissionError(ledger, wire);
  const unfit = refused === 'BlockhashNotFound' && replace ? undefined : refused;
  const simulation: Simulation =
    unfit === undefined
      ? ledger.simulate(wire, { verify })
      : { ...NOTHING_RUN, error: unfit, accounts: [] };
  if (simulation.error === 'SignatureFailure') throw signatureFailure();
  return inContext(ledger, {
    ...simulationText(simulation),
    accounts: simulation.error === null ? wanted(simulation) : null,
    innerInstructions: inner ? formatInner(simulation, ledger.addressesOf(wire), true) : null,
    replacementBlockhash: replace ? { ...ledger.blockhashes.latest() } : null,
  });
}

/** Returns the accounts that are to be reported after a simulation. Throws `invalid_params`. */
function wantedAccounts(
  ledger: DevelopmentLedger,
  value: unknown,
): (simulation: Simulation) => Json {
  if (value === undefined || value === null) return () => null;
  const { addresses, encoding } = value as Readonly<Record<string, unknown>>;
  const view = accountViewOf({ encoding: encoding ?? 'base64' });
  const wanted = listParam(addresses, 'accounts.addresses', MAX_SIMULATED_ACCOUNTS, addressParam);
  return ({ accounts }) => {
    const lookup = (address: string): ReturnType<DevelopmentLedger['account']> =>
      accounts.find((each) => each.address === address) ?? ledger.account(addressParam(address));
    const found = wanted.map(lookup);
    requireAnswerable(found, view);
    return found.map((each) => formatAccount(each, view, lookup));
  };
}

/** Returns why a transaction may not run in the next slot, apart from what it does. */
function admissionError(
  ledger: DevelopmentLedger,
  wire: WireTransaction,
): TransactionError | undefined {
  if (ledger.history.get(wire.signature) !== undefined) return 'AlreadyProcessed';
  const good = ledger.blockhashes.isValid(wire.message.lifetimeToken, 1);
  return good ? undefined : 'BlockhashNotFound';
}

function signatureStatuses(ledger: DevelopmentLedger, [list, options]: readonly unknown[]): Json {
  configParam(options, ledger.slot);
  const signatures = listParam(list, 'signatures', MAX_STATUSES, signatureParam);
  const statuses = signatures.map((signature): Json => {
    const executed = ledger.history.get(signature);
    if (executed === undefined) return null;
    return {
      slot: executed.slot,
      confirmations: null,
      err: executed.error,
      status: statusOf(executed.error),
      confirmationStatus: 'finalized',
    };
  });
  return inContext(ledger, statuses);
}

/** Newest first, from after `before` until before `until`. */
function signaturesForAddress(
  ledger: DevelopmentLedger,
  [address, options]: readonly unknown[],
): Json {
  const of = addressParam(address);
  const { limit = MAX_SIGNATURES, before, until } = configParam(options, ledger.slot);
  const most = integerParam(limit ?? MAX_SIGNATURES, 'limit', 1, MAX_SIGNATURES);
  const all = ledger.history.of(of);
  const place = (signature: unknown, missing: number): number => {
    if (signature === undefined || signature === null) return missing;
    const wanted = signatureParam(signature);
    return all.findIndex(({ wire }) => wire.signature === wanted);
  };
  const end = place(before, all.length);
  const start = place(until, -1) + 1;
  return all
    .slice(start, Math.max(start, end))
    .slice(-most)
    .reverse()
    .map(({ wire, slot, error, blockTime }) => ({
      signature: wire.signature,
      slot,
      err: error,
      memo: formatMemos(wire.message),
      blockTime,
      confirmationStatus: 'finalized',
    }));
}

function getTransaction(ledger: DevelopmentLedger, [signature, options]: readonly unknown[]): Json {
  const named = signatureParam(signature);
  // The older form of the options is an encoding alone.
  const config = configParam(
    typeof options === 'string' ? { encoding: options } : options,
    ledger.slot,
  );
  const encoding = ENCODINGS.find((each) => each === (config.encoding ?? 'json'));
  if (encoding === undefined) throw invalidParams('unsupported encoding');
  const newest = config.maxSupportedTransactionVersion ?? undefined;
  const executed = ledger.history.get(named);
  if (executed === undefined) return null;
  if (executed.wire.message.version !== 'legacy' && newest === undefined) {
    throw new RpcError(
      'unsupported_version',
      'Transaction version (0) is not supported by the requesting client. ' +
        'Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  }
  const text = formatExecuted(executed, encoding);
  return newest === undefined ? { ...text, version: undefined } : text;
}

/** The most lamports of one airdrop: a million SOL. */
const MAX_AIRDROP = 1_000_000_000_000_000;

function requestAirdrop(
  ledger: DevelopmentLedger,
  [address, lamports, options]: readonly unknown[],
): Json {
  const to = addressParam(address);
  const amount = integerParam(lamports, 'lamports', 1, MAX_AIRDROP);
  configParam(options, ledger.slot);
  const signature = ledger.airdrop(to, BigInt(amount));
  if (signature !== undefined) return signature;
  throw invalidParams(`this account cannot be given ${amount} lamports`);
}

const NOTHING_RUN: Omit<Execution, 'error'> = {
  logs: [],
  units: 0n,
  inner: [],
  returned: undefined,
};

function simulationText(simulation: Execution): JsonObject {
  return {
    err: simulation.error,
    logs: simulation.logs,
    unitsConsumed: simulation.units,
    returnData: formatReturned(simulation) ?? null,
  };
}

function preflightFailure(simulation: Execution & { readonly error: TransactionError }): RpcError {
  const words = transactionErrorText(simulation.error);
  return new RpcError('preflight_failure', `Transaction simulation failed: ${words}`, {
    ...simulationText(simulation),
    accounts: null,
    innerInstructions: null,
    replacementBlockhash: null,
  });
}

function signatureFailure(): RpcError {
  return new RpcError('signature_failure', 'Transaction signature verification failure');
}
