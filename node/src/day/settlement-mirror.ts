import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { closeHash, closeMessage } from '@assay/core/report/close';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { type CloseEntry, parseCloseEntry } from '@assay/core/kind/close';
import { withOpenStrikes } from '@assay/core/answer/listing';
import { type SettlementPayload, settlementPath } from '@assay/core/answer/settlement';
import type { Rule } from '@assay/core/rule/rule';
import { DAY_SECONDS, formatDate, parseDate } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import { z } from 'zod';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';

/** The one file of a mirror that changes: what the newest Close wrote. */
export interface LatestClose {
  readonly type: 'assay-settlement-index/1';
  readonly day: string;
  readonly version: number;
  readonly files: readonly LatestFile[];
  /** The signed Close itself, which contains what `files` names. */
  readonly close: MirroredClose;
}

/** A Close with what a reader without its log needs to check it. */
export interface MirroredClose extends CloseEntry {
  /** Leaf hash of entry 0. */
  readonly log: string;
  readonly public_key: string;
}

/** What a mirror is checked against. */
export interface MirrorTrust {
  readonly sha256: Sha256;
  /** The key that signs Closes; undefined if it is not known, and then nothing of a mirror is believed. */
  readonly reportKey: Uint8Array | undefined;
}

/** A file and the hash of its bytes. */
interface NamedFile {
  readonly path: string;
  readonly sha256: string;
}

/** The settlement file of an index, and its periods as CSV. */
export interface LatestFile extends NamedFile {
  readonly ticker: string;
  readonly slug: string;
  readonly csv: NamedFile;
}

/** The path of a mirror's index. */
export const LATEST = 'latest.json';
const MAX_BYTES = 4_194_304;
/**
 * For how many days after the newest Close its kits are still offered. A mirror that is not updated is no
 * record.
 */
const MAX_AGE_DAYS = 3;

const latestSchema = z.strictObject({
  type: z.literal('assay-settlement-index/1'),
  day: z.string(),
  version: z.int(),
  files: z.array(
    z.strictObject({
      ticker: z.string(),
      slug: z.string(),
      path: z.string(),
      sha256: z.string(),
      csv: z.strictObject({ path: z.string(), sha256: z.string() }),
    }),
  ),
  close: z.looseObject({ log: z.string(), public_key: z.string() }),
});

/** The part of a mirror's settlement file that a listing kit needs. */
const settlementSchema = z.looseObject({
  type: z.literal('assay-settlement/1'),
  day: z.string(),
  log: z.string(),
  index: z.looseObject({
    ticker: z.string(),
    slug: z.string(),
    format: z.enum(['count', 'usd', 'percent']),
  }),
  kit: z
    .looseObject({
      ticker: z.string(),
      question: z.string(),
      period: z.string(),
      decimals: z.int().min(0).max(18),
      strikes: z.array(z.string()),
      strike_step: z.string(),
      reference: z.looseObject({ settlement_value: z.string() }).nullable(),
      settlement: z.looseObject({ release_at: z.string() }),
    })
    .nullable(),
  no_kit: z.string().nullable(),
});

/** Reads a file of a mirror by its path; undefined if there is none. Throws if that cannot be determined. */
export type MirrorReader = (path: string) => Promise<Uint8Array | undefined>;

/**
 * The node's own mirror: settlement files in a folder that any static host can serve. A file that a Close has
 * named is never written again.
 */
export class SettlementFolder {
  readonly #root: string;
  readonly #sync: boolean;
  /** The folders that this process has made, where nothing is synced. */
  readonly #made = new Set<string>();

  /** Without `sync` a power failure may lose files that were written; that is for a log that nobody settles on. */
  constructor(root: string, { sync = true }: { readonly sync?: boolean } = {}) {
    this.#root = root;
    this.#sync = sync;
  }

  /** Makes a file durable under its path. */
  async put(path: string, bytes: Uint8Array): Promise<void> {
    const full = this.#path(path);
    const folder = dirname(full);
    if (this.#sync) {
      await ensureFolder(folder);
      await writeDurable(full, bytes);
      return;
    }
    if (!this.#made.has(folder)) mkdirSync(folder, { recursive: true });
    this.#made.add(folder);
    // Without a sync there is little to wait for, and handing it to a thread costs more.
    const staged = join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
    writeFileSync(staged, bytes, { flag: 'wx' });
    renameSync(staged, full);
  }

  /** Writes the index of the newest Close unless it is the same already. */
  async setLatest(latest: LatestClose): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(latest, null, 1)}\n`);
    const before = await this.read(LATEST);
    if (before === undefined || !bytes.equals(before)) await this.put(LATEST, bytes);
  }

  readonly read: MirrorReader = async (path) => {
    try {
      return await readFile(this.#path(path));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
      throw error;
    }
  };

  #path(path: string): string {
    requireMirrorPath(path);
    return join(this.#root, path);
  }
}

/** Throws `bad_path` for a path that cannot belong to a mirror. */
export function requireMirrorPath(path: string): void {
  if (isMirrorPath(path)) return;
  const expected = 'a path of a mirror';
  throw new Fault('bad_path', 'settlement file', { expected, found: path });
}

/** Whether a path can belong to a mirror. It must not lead out of the folder. */
export function isMirrorPath(path: string): boolean {
  return /^([A-Za-z0-9-]+\/)*[A-Za-z0-9-]+\.(json|csv)$/.test(path);
}

/** A mirror on another host, by the address of its folder. */
export function mirrorAt(base: string, timeoutMs: number): MirrorReader {
  const root = base.endsWith('/') ? base : `${base}/`;
  return async (path) => {
    if (!isMirrorPath(path)) return undefined;
    const controller = new AbortController();
    // An explicit timer, because the engine may collect a signal of AbortSignal.timeout that nothing else
    // holds.
    const timer = setTimeout(() => {
      controller.abort(new Fault('timeout', 'settlement mirror', { expected: `${timeoutMs} ms` }));
    }, timeoutMs);
    try {
      return await fetchFile(new URL(path, root), controller.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function fetchFile(url: URL, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const response = await fetch(url, { redirect: 'error', signal });
  if (response.status === 404) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Fault('unreachable', 'settlement mirror', { found: `status ${response.status}` });
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) throw new Fault('too_large', 'settlement file');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Reads from the first of several mirrors that has a file. One that cannot be read is skipped while others are
 * left.
 */
export function firstMirror(readers: readonly MirrorReader[]): MirrorReader {
  return async (path) => {
    let failure: { readonly error: unknown } | undefined;
    for (const read of readers) {
      try {
        const bytes = await read(path);
        if (bytes !== undefined) return bytes;
      } catch (error) {
        failure = { error };
      }
    }
    if (failure !== undefined) throw failure.error;
    return undefined;
  };
}

/** What the newest Close contains about an index. */
export type MirroredListing = Pick<SettlementPayload, 'day' | 'kit' | 'no_kit'> & {
  readonly path: string;
};

/**
 * The listing of an index from a mirror's newest settlement file, by ticker or slug in any case; undefined if
 * the mirror has nothing of that name. The file must have the hash that the mirror's index names. Throws if the
 * mirror cannot be read, and if its newest Close is too long before `now`.
 */
export async function mirroredListing(
  read: MirrorReader,
  trust: MirrorTrust,
  name: string,
  now: number,
): Promise<MirroredListing | undefined> {
  const latest = await readLatest(read, trust);
  const today = Math.floor(now / DAY_SECONDS);
  if (today - parseDate(latest.day) > MAX_AGE_DAYS) {
    throw new Fault('out_of_range', 'newest Close of the settlement mirror', {
      expected: `a day from ${formatDate(today - MAX_AGE_DAYS)} on`,
      found: latest.day,
    });
  }
  const wanted = name.toLowerCase();
  const found =
    latest.files.find(({ ticker }) => ticker.toLowerCase() === wanted) ??
    latest.files.find(({ slug }) => slug === wanted);
  if (found === undefined) return undefined;
  const { day, kit, no_kit, index } = await readListed(read, trust, latest, found);
  const open = kit === null ? null : withOpenStrikes(kit, index.format as Rule['format']);
  return { day, kit: open, no_kit, path: found.path };
}

/**
 * The index of a mirror, byte for byte. It must be what a Close says that the report key has signed, and each of the files
 * that it names must be there and be about the index that it is named for. Throws otherwise. What is the same as `known`, which has
 * been checked before, is not checked again.
 */
export async function mirroredLatest(
  read: MirrorReader,
  trust: MirrorTrust,
  known?: Uint8Array,
): Promise<Uint8Array> {
  const bytes = await read(LATEST);
  if (bytes === undefined) throw new Fault('not_found', 'settlement mirror', { at: LATEST });
  if (known !== undefined && equalBytes(known, bytes)) return bytes;
  const latest = parseSigned(bytes, trust);
  await Promise.all(latest.files.map((file) => readListed(read, trust, latest, file)));
  return bytes;
}

/**
 * A settlement file of a mirror's newest Close by its path: the file must have the hash that the Close names. Undefined
 * for another path, because no signature says which files an earlier Close named. Throws if it cannot be read or has
 * other bytes.
 */
export async function mirroredFile(
  read: MirrorReader,
  trust: MirrorTrust,
  path: string,
): Promise<Uint8Array | undefined> {
  const latest = await readLatest(read, trust);
  for (const file of latest.files) {
    if (file.csv.path === path) return readNamed(read, trust.sha256, file.csv);
    if (file.path !== path) continue;
    const bytes = await readNamed(read, trust.sha256, file);
    parseListed(bytes, latest, file);
    return bytes;
  }
  return undefined;
}

/** The settlement file of an index that a signed `latest` names. Throws if it is about anything else. */
async function readListed(
  read: MirrorReader,
  { sha256 }: MirrorTrust,
  latest: LatestClose,
  named: LatestFile,
): Promise<SettlementPayload> {
  return parseListed(await readNamed(read, sha256, named), latest, named);
}

function parseListed(
  bytes: Uint8Array,
  { day, close }: LatestClose,
  { path, ticker, slug }: LatestFile,
): SettlementPayload {
  const file = settlementSchema.parse(parseJson(bytes));
  const expected = { day, log: close.log, ticker, slug, kit: ticker };
  const found = {
    day: file.day,
    log: file.log,
    ticker: file.index.ticker,
    slug: file.index.slug,
    kit: file.kit === null ? ticker : file.kit.ticker,
  };
  const [wanted, given] = [JSON.stringify(expected), JSON.stringify(found)];
  if (wanted === given) return file as unknown as SettlementPayload;
  throw new Fault('refused', 'settlement mirror', { at: path, expected: wanted, found: given });
}

async function readNamed(
  read: MirrorReader,
  sha256: Sha256,
  { path, sha256: expected }: NamedFile,
): Promise<Uint8Array> {
  const bytes = await read(path);
  if (bytes !== undefined && hashHex(contentHash(sha256, bytes)) === expected) return bytes;
  throw new Fault('blob_differs', 'settlement file', { at: path, expected });
}

async function readLatest(read: MirrorReader, trust: MirrorTrust): Promise<LatestClose> {
  const bytes = await read(LATEST);
  if (bytes === undefined) throw new Fault('not_found', 'settlement mirror', { at: LATEST });
  return parseSigned(bytes, trust);
}

/** Parses a mirror's index, which the report key must have signed. Throws where that key is not known. */
function parseSigned(bytes: Uint8Array, trust: MirrorTrust): LatestClose {
  if (trust.reportKey === undefined) {
    throw new Fault('refused', 'settlement mirror', {
      at: LATEST,
      expected: 'a report key to check it with',
    });
  }
  return parseLatest(bytes, trust);
}

/**
 * Parses a mirror's index, with the Close in it that names the files. Throws if it differs from that signed
 * Close. Without a report key the signature is held to the key that the index names itself: whoever passes none has to
 * know the Close from elsewhere.
 */
export function parseLatest(bytes: Uint8Array, trust: MirrorTrust): LatestClose {
  const latest = latestSchema.parse(parseJson(bytes)) as unknown as LatestClose;
  requireSigned(latest, trust);
  return latest;
}

/** Throws unless the index matches its Close, and the Close is signed. */
function requireSigned(latest: LatestClose, { sha256, reportKey }: MirrorTrust): void {
  const { log, public_key: publicKey, ...entry } = latest.close;
  const close = parseCloseEntry(wire(entry), 'close');
  const { content, version } = close;
  const hashes = new Map<string, string>(content.files.map((file) => [file.path, file.sha256]));
  const same =
    content.day === latest.day &&
    version === latest.version &&
    latest.files.every(({ ticker, csv, ...json }) => {
      // The Close names paths. That a path is that of the index that is named beside it, only its text says.
      const ofIndex = ({ path, sha256: hash }: NamedFile, format: 'json' | 'csv'): boolean =>
        path === settlementPath(content.day, version, ticker, format) && hashes.get(path) === hash;
      return ofIndex(json, 'json') && ofIndex(csv, 'csv');
    });
  const key = parseHex(publicKey, 32);
  const message = closeMessage(toHashHex(log), content.day, closeHash(sha256, content));
  const signed =
    equalBytes(key, reportKey ?? key) &&
    nodeVerifySignature(key, message, parseHex(close.signature, 64));
  if (same && signed) return;
  throw new Fault('refused', 'settlement mirror', {
    at: LATEST,
    expected: 'what a Close says that the report key has signed',
  });
}

function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
