import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { isHex } from '@assay/core/bytes/hex';
import { INDICES_PATH, SIGNER_PATH } from '@assay/core/answer/routes';
import { indexListPayload } from '@assay/core/answer/index';
import { signerPayload } from '@assay/core/answer/signer';
import { isTicker, type Ticker } from '@assay/core/rule/ticker';
import { isDate, type DateText, parseTime } from '@assay/core/time/time';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { withFoldedRows } from '../reader/folded-rows.ts';
import { UsageError } from '../command/exit.ts';
import { exportHostReader, isExportHost } from '../reader/export-reader.ts';
import { httpReader } from '../reader/http-reader.ts';

/** What a log publishes about its feeds in its signer document. */
export interface ChainLog {
  readonly origin: string;
  /** CAIP-2; null for a log without a feed. */
  readonly chain: string | null;
  /** Base58; null for a log without a feed. */
  readonly program: string | null;
  /** The first report key in hex, from which the addresses of feeds are derived. */
  readonly publisher: HashHex;
  readonly tickers: readonly Ticker[];
  /** The unix seconds from which on reports name co-signers; null if none ever will. */
  readonly cosignedFrom: number | null;
}

/** A period that a log has settled, with what decides whether it belongs on chain. */
export interface SettledPeriod {
  readonly period: DateText;
  readonly status: 'final' | 'corrected' | 'void';
  readonly withheld: boolean;
  /** Unix seconds of the newest report. */
  readonly publishedAt: number;
}

/** A log and, by ticker, the newest settled periods of each index, newest first. */
export interface ChainLogWithPeriods extends ChainLog {
  /** Indexes whose newest number is withheld. */
  readonly withheld: ReadonlySet<Ticker>;
  readonly settled: ReadonlyMap<Ticker, readonly SettledPeriod[]>;
}

/**
 * Reads the signer document of a log at a URL, of a node or a static host. Nothing of it is verified: `assay
 * verify` does that. Throws `not_found` or `malformed`, and what `httpReader` throws.
 */
export async function readSigner(url: string): Promise<ChainLog> {
  return parseSigner(await getJson(await readerOf(url), SIGNER_PATH));
}

/** As `readSigner`, with the periods in the list of indexes. */
export async function readLog(url: string): Promise<ChainLogWithPeriods> {
  const reader = await readerOf(url);
  const log = parseSigner(await getJson(reader, SIGNER_PATH));
  return { ...log, ...parseIndices(await getJson(reader, INDICES_PATH)) };
}

/** As `readLog`, for the data of a stopped node. */
export async function readFolder(root: string): Promise<ChainLogWithPeriods> {
  const { nodeSha256 } = await import('@assay/node/platform/node-sha256');
  return withFoldedRows(root, (views) => {
    const log = parseSigner(signerPayload(views, nodeSha256));
    return { ...log, ...parseIndices(indexListPayload(views)) };
  });
}

async function readerOf(url: string): Promise<ReturnType<typeof httpReader>> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError('--url is a URL');
  const server = httpReader(url);
  return (await isExportHost(server)) ? exportHostReader(server) : server;
}

async function getJson(reader: ReturnType<typeof httpReader>, path: string): Promise<unknown> {
  const { status, body } = await reader.get(path);
  if (status !== 200) {
    throw new Fault('not_found', 'log server', { at: path, found: `status ${status}` });
  }
  try {
    return JSON.parse(parseUtf8(body));
  } catch (cause) {
    throw new Fault('malformed', 'log server', { at: path, expected: 'JSON', cause });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parseSigner(value: unknown): ChainLog {
  const { origin, chain, program, report_key, keys, cosigner_sets, series } = fieldsOf(value);
  // A log of an earlier release has no list of keys.
  const oldest = Array.isArray(keys) ? fieldsOf(keys[0])['key'] : undefined;
  const key = oldest ?? fieldsOf(report_key)['public_key'];
  const sets: unknown = cosigner_sets ?? [];
  const fits =
    typeof origin === 'string' &&
    /^[a-z0-9][a-z0-9./-]{0,127}$/.test(origin) &&
    (chain === null || (typeof chain === 'string' && /^[a-z0-9-]+:[A-Za-z0-9_-]+$/.test(chain))) &&
    (program === null ||
      (typeof program === 'string' && /^[1-9A-HJ-NP-Za-km-z]+$/.test(program))) &&
    typeof key === 'string' &&
    isHex(key, 32) &&
    Array.isArray(sets);
  if (!fits) throw malformed(SIGNER_PATH);
  const [first] = sets as readonly unknown[];
  return {
    origin,
    chain,
    program,
    publisher: key as HashHex,
    tickers: Object.keys(fieldsOf(series)).filter(isTicker),
    cosignedFrom: first === undefined ? null : timeOf(fieldsOf(first)['effective_at'], SIGNER_PATH),
  };
}

function parseIndices(value: unknown): Pick<ChainLogWithPeriods, 'withheld' | 'settled'> {
  if (!Array.isArray(value)) throw malformed(INDICES_PATH);
  const withheld = new Set<Ticker>();
  const settled = new Map<Ticker, readonly SettledPeriod[]>();
  for (const each of value as readonly unknown[]) {
    const { ticker: display, newest_reading, newest_complete, periods } = fieldsOf(each);
    const ticker = String(display).toUpperCase();
    if (!isTicker(ticker) || !Array.isArray(periods)) throw malformed(INDICES_PATH);
    const newest = fieldsOf(newest_reading ?? newest_complete ?? periods[0]);
    if (newest['withheld'] === true) withheld.add(ticker);
    settled.set(ticker, periods.flatMap(parsePeriod));
  }
  return { withheld, settled };
}

/** Empty for a period that is not settled by a print. */
function parsePeriod(value: unknown): readonly SettledPeriod[] {
  const { period, status, withheld, published_at } = fieldsOf(value);
  if (status !== 'final' && status !== 'corrected' && status !== 'void') return [];
  if (typeof period !== 'string' || !isDate(period)) throw malformed(INDICES_PATH);
  const publishedAt = timeOf(published_at, INDICES_PATH);
  return [{ period, status, withheld: withheld === true, publishedAt }];
}

function timeOf(value: unknown, at: string): number {
  if (typeof value !== 'string') throw malformed(at);
  return parseTime(value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function malformed(at: string): Fault {
  return new Fault('malformed', 'log server', { at, expected: 'the document of that path' });
}
