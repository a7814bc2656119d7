import { createHash } from 'node:crypto';
import { parseHex } from '@assay/core/bytes/hex';
import { DAY_SECONDS, formatDate } from '@assay/core/time/time';
import { base58 } from '@scure/base';
import { draw } from './draw.ts';
import { jsonPage, NOT_FOUND, pathOf, type Site } from './site.ts';

/** Why an address is listed, and how many such instructions succeed in a day. */
interface Activity {
  readonly name: string;
  /** The first bytes of the instructions that are counted, in hex. */
  readonly data: readonly string[];
  readonly least: number;
  readonly spread: number;
  /** The names of the day and the count in the SQL mirror. */
  readonly query: string;
  readonly columns: readonly [day: string, count: string];
}

const PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
const SYSTEM = '11111111111111111111111111111111';

const ACTIVITIES: ReadonlyMap<string, Activity> = new Map([
  [
    'TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM',
    {
      name: 'mints',
      data: ['181ec828051c0777', 'd6904cec5f8b31b4'],
      least: 8,
      spread: 9,
      query: '4010816',
      columns: ['date_time', 'daily_token_count'],
    },
  ],
  [
    '39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg',
    {
      name: 'trenches',
      data: ['9beae792ec9ea21e'],
      least: 1,
      spread: 6,
      query: '5131612',
      columns: ['block_date', 'daily_graduates'],
    },
  ],
]);

interface Transaction {
  readonly signature: string;
  readonly slot: number;
  readonly blockTime: number;
  readonly err: { readonly InstructionError: readonly [number, string] } | null;
  /** The instruction to the address, in hex; null if the transaction only names it. */
  readonly data: string | null;
}

/** The rows of a page of the list: fewer than requested, so that lists have several pages. */
const PAGE_ROWS = 10;
/** For how many days an activity is available. */
const HELD_DAYS = 40;

/** An RPC node: the list of transactions of an address, newest first, and each of them. */
export function solanaSite(): Site {
  const held = new Map<string, readonly Transaction[]>();
  const known = new Map<string, { readonly address: string; readonly found: Transaction }>();

  function dayOf(address: string, activity: Activity, day: number): readonly Transaction[] {
    const key = `${address}/${day}`;
    const before = held.get(key);
    if (before !== undefined) return before;
    const made = transactionsOf(activity, day);
    held.set(key, made);
    for (const found of made) known.set(found.signature, { address, found });
    const [oldest] = held.keys();
    if (held.size > 2 * HELD_DAYS && oldest !== undefined) {
      for (const { signature } of held.get(oldest) ?? []) known.delete(signature);
      held.delete(oldest);
    }
    return made;
  }

  function list(address: string, limit: number, before: string | undefined, now: number): unknown {
    const activity = ACTIVITIES.get(address);
    if (activity === undefined) return [];
    const start = before === undefined ? undefined : known.get(before)?.found;
    const today = Math.floor((start?.blockTime ?? now) / DAY_SECONDS);
    const rows: object[] = [];
    let seen = start === undefined;
    for (let day = today; day > today - HELD_DAYS && rows.length < limit; day -= 1) {
      for (const each of dayOf(address, activity, day).toReversed()) {
        const { signature, slot, blockTime, err } = each;
        if (seen && blockTime <= now && rows.length < limit) {
          const confirmationStatus = 'finalized';
          rows.push({ signature, slot, blockTime, err, memo: null, confirmationStatus });
        }
        seen ||= signature === before;
      }
    }
    return rows;
  }

  return ({ body }, now) => {
    const { id, method, params } = JSON.parse(body ?? '') as {
      id: number;
      method: string;
      params: [string, { limit?: number; before?: string }];
    };
    const [name, { limit = 1000, before }] = params;
    if (method === 'getSignaturesForAddress') {
      const result = list(name, Math.min(limit, PAGE_ROWS), before, now);
      return jsonPage({ jsonrpc: '2.0', id, result });
    }
    const asked = known.get(name);
    const result = asked === undefined ? null : transaction(asked.address, asked.found);
    return jsonPage({ jsonrpc: '2.0', id, result });
  };
}

function transactionsOf(activity: Activity, day: number): readonly Transaction[] {
  const { name, data } = activity;
  const count = countOf(activity, day);
  // In addition to those that count: one that failed, and one that names the address and does nothing. Both are
  // at the beginning of the day, because a list that does not reach past a day's end is not complete.
  const all = Array.from({ length: count + 2 }, (_, i): Transaction => {
    const words = `${name}/${formatDate(day)}/${i}`;
    const blockTime = day * DAY_SECONDS + draw(`${words}/time`, i > count ? 60 : DAY_SECONDS);
    return {
      signature: base58.encode(new Uint8Array(createHash('sha512').update(words).digest())),
      slot: Math.floor(blockTime * 2.5),
      blockTime,
      err: i === count ? { InstructionError: [1, 'Custom'] } : null,
      data: i > count ? null : (data[draw(`${words}/data`, data.length)] ?? null),
    };
  });
  return all.sort((a, b) => a.blockTime - b.blockTime || (a.signature < b.signature ? -1 : 1));
}

function countOf({ name, least, spread }: Activity, day: number): number {
  return least + draw(`${name}/${formatDate(day)}`, spread);
}

function transaction(
  address: string,
  { signature, slot, blockTime, err, data }: Transaction,
): unknown {
  // 0 is the payer, 1 and 2 are programs, 3 is the address.
  const transfer = { programIdIndex: 1, accounts: [0, 3], data: '' };
  const counted = {
    programIdIndex: 2,
    accounts: [0, 3],
    data: base58.encode(parseHex(`${data ?? ''}00000000`)),
  };
  const instructions = data === null ? [transfer] : [transfer, counted];
  const payer = base58.encode(new Uint8Array(32).fill(7));
  return {
    slot,
    blockTime,
    version: 'legacy',
    transaction: {
      signatures: [signature],
      message: { accountKeys: [payer, SYSTEM, PROGRAM, address], instructions },
    },
    meta: { err, innerInstructions: [], loadedAddresses: { writable: [], readonly: [] } },
  };
}

/** How many days the SQL mirror shows. */
const QUERY_DAYS = 14;

/** The SQL mirror: counts of whole days. */
export const duneSite: Site = (request, now) => {
  const query = /\/query\/([0-9]+)\/results$/.exec(pathOf(request))?.[1];
  const activity = [...ACTIVITIES.values()].find((each) => each.query === query);
  if (activity === undefined) return NOT_FOUND;
  const [day, count] = activity.columns;
  const today = Math.floor(now / DAY_SECONDS);
  const rows = Array.from({ length: QUERY_DAYS }, (_, i) => ({
    [day]: `${formatDate(today - 1 - i)} 00:00:00.000 UTC`,
    platform: 'Pumpdotfun',
    [count]: countOf(activity, today - 1 - i),
  }));
  return jsonPage({
    execution_id: 'development',
    query_id: Number(query),
    state: 'QUERY_STATE_COMPLETED',
    result: { rows, metadata: { total_row_count: rows.length } },
  });
};
