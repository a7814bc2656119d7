import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import {
  array,
  hashHex,
  integer,
  literal,
  nullable,
  object,
  type Parse,
  string,
} from '@assay/core/wire/schema';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';

/**
 * Accounts of a chain as an RPC node answered them, to be checked later and elsewhere: the canonical JSON of
 *
 *     { type: 'assay-accounts/1', chain, slot, accounts: [{ address, owner, slot, data }],
 *       feeds: null | { program, genesis, incomplete, accounts: [{ address, owner, slot, data }] } }
 *
 * `chain` is the CAIP-2 id, the outer `slot` the newest finalized one that was known before the first account
 * was read, and each account's that of its own reading. Addresses are base58, in ascending order, each once; `data` is base64.
 * What is not listed was not looked at, or was not there.
 *
 * `feeds` is what that node listed of all feeds of `program` (base58) under the genesis key `genesis` (hex), each with
 * the first `FEED_HEAD_BYTES` of its account; `incomplete` is null where it said that these are all, and otherwise why
 * there may be more. Without it nobody was asked.
 */
export interface AccountFile {
  readonly chain: string;
  readonly slot: number;
  readonly accounts: readonly FileAccount[];
  readonly feeds: FileFeeds | null;
}

/** All feeds of a program under one genesis key, as a node listed them. */
export interface FileFeeds {
  readonly program: string;
  readonly genesis: HashHex;
  readonly incomplete: string | null;
  readonly accounts: readonly FileAccount[];
}

export interface FileAccount {
  readonly address: string;
  readonly owner: string;
  readonly slot: number;
  readonly data: Uint8Array;
}

export const ACCOUNT_FILE_TYPE = 'assay-accounts/1';
/** The most accounts of one file. */
export const MAX_FILE_ACCOUNTS = 65_536;
/** The most feeds that a file lists. */
export const MAX_FILE_FEEDS = 4096;
/** The most characters of a node's message about a listing that are stored. */
const MAX_WORDS = 512;
/** The most Base64 characters of one account: 1 MiB of bytes, where a feed's accounts have a few thousand. */
const MAX_DATA = 1_398_104;
/** The most bytes of a file. */
export const MAX_ACCOUNT_FILE_BYTES = 1_073_741_824;

const slot = integer(0, Number.MAX_SAFE_INTEGER);
const base58 = string(32, 44, /^[1-9A-HJ-NP-Za-km-z]+$/);

/** An account with its bytes in the form of the file. */
type WrittenAccount = Omit<FileAccount, 'data'> & { readonly data: string };

const account = object<WrittenAccount>({
  address: base58,
  owner: base58,
  slot,
  data: string(0, MAX_DATA),
});

interface WrittenFile {
  readonly type: typeof ACCOUNT_FILE_TYPE;
  readonly chain: string;
  readonly slot: number;
  readonly accounts: readonly WrittenAccount[];
  readonly feeds:
    | (Omit<FileFeeds, 'accounts'> & { readonly accounts: readonly WrittenAccount[] })
    | null;
}

const parseShape: Parse<WrittenFile> = object<WrittenFile>({
  type: literal(ACCOUNT_FILE_TYPE),
  chain: string(1, 64, /^[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,32}$/),
  slot,
  accounts: array<WrittenAccount>(account, 0, MAX_FILE_ACCOUNTS),
  feeds: nullable(
    object<NonNullable<WrittenFile['feeds']>>({
      program: base58,
      genesis: hashHex,
      incomplete: nullable(string(1, MAX_WORDS)),
      accounts: array<WrittenAccount>(account, 0, MAX_FILE_FEEDS),
    }),
  ),
});

/** The file's bytes. Throws `malformed` for accounts out of order, and for what `parseAccountFile` refuses. */
export function formatAccountFile(file: AccountFile): Uint8Array {
  const bytes = formatWire({
    type: ACCOUNT_FILE_TYPE,
    chain: file.chain,
    slot: file.slot,
    accounts: file.accounts.map(wireOf),
    feeds:
      file.feeds === null ? null : { ...file.feeds, accounts: file.feeds.accounts.map(wireOf) },
  });
  parseAccountFile(bytes);
  return bytes;
}

function wireOf({ address, owner, slot: read, data: bytes }: FileAccount): WireObject {
  return { address, owner, slot: read, data: formatBase64(bytes) };
}

/**
 * The accounts in a file's bytes. Throws `not_canonical`, `bad_utf8` or `malformed` with the place, and the errors of
 * `work`.
 */
export function parseAccountFile(bytes: Uint8Array, work: WorkBudget = NO_LIMIT): AccountFile {
  const written = parseShape(parseWire(bytes, work), 'accounts file');
  const { chain, slot: known, feeds } = written;
  requireOrder(written.accounts, known, 'accounts');
  requireOrder(feeds?.accounts ?? [], known, 'feeds.accounts');
  const decode = (accounts: readonly WrittenAccount[], at: string): readonly FileAccount[] =>
    accounts.map((each, i) => ({ ...each, data: decoded(each.data, `${at}[${i}].data`, work) }));
  return {
    chain,
    slot: known,
    accounts: decode(written.accounts, 'accounts file.accounts'),
    feeds:
      feeds === null
        ? null
        : { ...feeds, accounts: decode(feeds.accounts, 'accounts file.feeds.accounts') },
  };
}

function decoded(text: string, at: string, work: WorkBudget): Uint8Array {
  try {
    return parseBase64(text, work);
  } catch (cause) {
    work.requireLeft();
    throw new Fault('malformed', 'value', { at, expected: 'base64', cause });
  }
}

function requireOrder(accounts: readonly WrittenAccount[], known: number, name: string): void {
  let last = '';
  for (const [number, { address, slot: read }] of accounts.entries()) {
    const at = `${name}[${number}]`;
    if (address <= last) {
      throw unfit(`${at}.address`, 'addresses in ascending order, each once', address);
    }
    if (read < known) throw unfit(`${at}.slot`, `${known} at least`, String(read));
    last = address;
  }
}

function unfit(at: string, expected: string, found: string): Fault {
  return new Fault('malformed', 'accounts file', { at, expected, found });
}
