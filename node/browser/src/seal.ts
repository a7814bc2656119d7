/**
 * Makes a forecast in this browser: the value is sealed here, so that nobody can read it before the round is closed and its
 * drand round is out, the service included. `assay forecast make` does the same with the same code, and also proves the round
 * under the checkpoint of the log, which this page does not.
 */
import {
  type Draft,
  draftForecast,
  type Owner,
  scaledValue,
} from '@assay/core/arena/forecast/draft';
import { foldName } from '@assay/core/arena/forecast/handle';
import { type HandleFile, parseHandleFile } from '@assay/core/arena/handle-file';
import { requireChain } from '@assay/core/arena/round-chain';
import type { ReceiptFile } from '@assay/core/arena/receipt-file';
import { receiptedForecast } from '@assay/core/arena/receipted-forecast';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import {
  parseSubmissionReceipt,
  type SubmissionReceipt,
} from '@assay/core/intake/submission-receipt';
import type { Round } from '@assay/core/kind/round';
import { networkOf } from '@assay/core/network';
import { beaconChainParser, roundTime } from '@assay/core/timelock/beacon-chain';
import { sealTo } from '@assay/core/timelock/sealed';
import { formatTime, parseTime } from '@assay/core/time/time';
import { hashHex, integer, isObject, time } from '@assay/core/wire/schema';
import { formatWire, type WireObject, type WireValue } from '@assay/core/wire/wire';
import { strictVerifierAsync } from '@assay/verifier/ed25519/profile';

const TIMEOUT_MS = 30_000;
const MAX_DECIMALS = 18;

/** What somebody wants to forecast. */
export interface Wish {
  /** The id of the round. */
  readonly round: string;
  readonly name: string;
  /** A decimal number as text. */
  readonly value: string;
  /** The file of a handle that has forecast before, as it was kept; undefined for a new name. */
  readonly handle: string | undefined;
}

/** A forecast that is sealed and can be sent, as often as it takes to be answered. */
export interface SealedForecast {
  readonly wish: Wish;
  readonly draft: Draft;
  readonly log: string;
  readonly keys: readonly string[];
  readonly handle: HandleFile;
  readonly random: Uint8Array;
  /** The drand round, when it is out, and whether it is of a chain of the development network. */
  readonly opens: { readonly round: number; readonly at: string; readonly isDevelopment: boolean };
}

/** A file for the forecaster to keep. */
export interface KeptFile {
  readonly name: string;
  readonly text: string;
}

/** What became of a forecast that the service took. */
export interface Sent {
  readonly receipt: KeptFile;
  readonly handle: KeptFile;
  readonly place: number;
  /** What is wrong with the receipt; empty where it is good. */
  readonly faults: readonly string[];
}

/** That the service refused a forecast, and why. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Ed25519 as the browser has it, narrowed to the signatures that a verifier takes. Rejects in a browser without it. */
const verifySignature = strictVerifierAsync(async (publicKey, message, signature) => {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', publicKey as Bytes, 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, signature as Bytes, message as Bytes);
});

function random32(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** Seals a forecast. Throws a Fault for what is no forecast, and Refusal where the round cannot be had. */
export async function seal(wish: Wish): Promise<SealedForecast> {
  const name = foldName(wish.name);
  const [answer, signer, status] = await Promise.all([
    read(`/v1/arena/rounds/${encodeURIComponent(wish.round)}`),
    read('/.well-known/assay-signer.json'),
    read('/v1/status'),
  ]);
  const log = hashHex(answer['log'] ?? null, 'log');
  const round = roundOf(answer['round'] ?? null);
  if (round.id !== wish.round) throw new Refusal(`The service gave ${round.id}.`);
  // A chain that is not of the League of Entropy is good for the development network alone, which says so on each page.
  const { origin } = status;
  if (typeof origin !== 'string') throw new Refusal('The service gave no name of its log.');
  const network = networkOf(origin);
  const rule = { drand: beaconChainParser(nobleSha256)(drandOf(answer), 'drand') };
  const chain = requireChain({ round, rule, genesis: { network } }, Math.floor(Date.now() / 1000));
  const out = roundTime(chain, round.drand_round);
  // A round that is out before the close would open the forecast while others can still answer it.
  if (out < parseTime(round.closes_at)) {
    throw new Refusal(`Forecasts could be read from ${formatTime(out)}, before the close.`);
  }
  const handle = handleOf(wish.handle, name);
  const owner: Owner = { kind: 'secret', salt: parseHex(handle.salt, 32), secret: handle.secret };
  const random = random32();
  const draft = draftForecast(nobleSha256, {
    log,
    round: round.id,
    name,
    owner,
    value: scaledValue(wish.value, round.decimals),
    text: wish.value,
    sealer: sealTo(chain, round.drand_round),
    nonce: random32(),
    random,
  });
  const opens = {
    round: round.drand_round,
    at: formatTime(out),
    isDevelopment: network === 'development',
  };
  return { wish, draft, log, keys: reportKeys(signer), handle, random, opens };
}

/** The members of a round that a forecast depends on. */
function roundOf(value: WireValue): Pick<Round, 'id' | 'closes_at' | 'drand_round' | 'decimals'> {
  const { id, closes_at = null, drand_round = null, decimals = null } = objectOf(value);
  return {
    id: textOf(id, 'without an id'),
    closes_at: time(closes_at, 'closes_at'),
    drand_round: integer(1, Number.MAX_SAFE_INTEGER)(drand_round, 'drand_round'),
    decimals: integer(0, MAX_DECIMALS)(decimals, 'decimals'),
  };
}

/** The drand chain in the arena rule of a round's answer. */
function drandOf({ rule = null }: WireObject): WireValue {
  const arena = isObject(rule) ? (rule['arena'] ?? null) : null;
  return isObject(arena) ? (arena['drand'] ?? null) : null;
}

/** The handle in a file, or a new one. Throws `malformed`, also for the file of another name. */
function handleOf(text: string | undefined, name: string): HandleFile {
  if (text === undefined) {
    return { type: 'assay-handle/1', name, salt: formatHex(random32()), secret: null };
  }
  const file = parseHandleFile(JSON.parse(text) as WireValue, 'handle');
  if (file.name === name) return file;
  throw new Fault('malformed', 'handle file', { expected: name, found: file.name });
}

function reportKeys({ keys }: WireObject): readonly string[] {
  const listed = (Array.isArray(keys) ? keys : []).filter(isObject);
  const reports = listed.filter(({ purpose }) => purpose === 'report');
  return reports.flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
}

/**
 * Sends a forecast and checks the receipt. It may be called again where no answer came: the service answers the same request
 * alike. Throws Refusal where the service refuses it, and what `fetch` throws.
 */
export async function send(sealed: SealedForecast): Promise<Sent> {
  const { draft, wish, log, keys } = sealed;
  const response = await fetch('/v1/arena/forecast', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': draft.request.nonce },
    body: JSON.stringify(draft.request),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status >= 500)
    throw new Error(`The service answered with status ${response.status}.`);
  const answer = objectOf(await response.json());
  if (!response.ok) throw new Refusal(textOf(answer['detail'], `status ${response.status}`));
  const receipt = parseSubmissionReceipt(answer['receipt'] ?? null, 'receipt');
  const checked = await checkedReceipt(draft, receipt);
  const { forecast } = checked;
  const faults = [...checked.faults];
  if (receipt.log !== log) faults.push(`it is of the log ${receipt.log}, not ${log}`);
  if (!keys.includes(receipt.key)) faults.push(`${receipt.key} is no report key of the log`);
  const file: ReceiptFile = {
    type: 'assay-forecast/1',
    url: location.origin,
    forecast,
    value: wish.value,
    random: formatHex(sealed.random),
    receipt,
    key: null,
  };
  const { secret } = answer;
  const handle = typeof secret === 'string' ? { ...sealed.handle, secret } : sealed.handle;
  const { ordinal } = receipt;
  return {
    receipt: { name: `${wish.round}-${ordinal}.receipt.json`, text: parseUtf8(formatWire(file)) },
    handle: { name: `${handle.name}.handle.json`, text: parseUtf8(formatWire(handle)) },
    place: ordinal,
    faults,
  };
}

/** The entry that a receipt is for, and what is wrong with the receipt; also that the browser cannot tell. */
async function checkedReceipt(
  draft: Draft,
  receipt: SubmissionReceipt,
): ReturnType<typeof receiptedForecast> {
  try {
    return await receiptedForecast({ sha256: nobleSha256, verifySignature }, draft, receipt);
  } catch {
    // The forecast is taken: whatever the browser lacks, its files are offered, and nothing is said to be good.
    const tools = { sha256: nobleSha256, verifySignature: () => true };
    const { forecast, faults } = await receiptedForecast(tools, draft, receipt);
    return { forecast, faults: [...faults, 'this browser cannot check its signature'] };
  }
}

async function read(path: string): Promise<WireObject> {
  const headers = { accept: 'application/json' };
  const response = await fetch(path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const answer = objectOf(await response.json());
  if (!response.ok)
    throw new Refusal(textOf(answer['detail'], `${path}: status ${response.status}`));
  return answer;
}

function objectOf(value: unknown): WireObject {
  if (isObject(value as WireValue)) return value as WireObject;
  throw new Refusal('The service gave no JSON object.');
}

function textOf(value: WireValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
