import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { DAY_SECONDS, parseDate, parseTime } from '@assay/core/time/time';
import { base58 } from '@scure/base';
import { pressRelease } from './small-pdf.ts';

/** What came to the imitated sources: host first. */
export interface Asked {
  readonly host: string;
  readonly url: URL;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Undefined: the connection is cut. */
export type Say = (asked: Asked) => Given | undefined;

/** A server whose first path segment is the host that it stands for. */
export interface Shapes {
  readonly base: string;
  readonly asked: Asked[];
  /** What is said instead; undefined lets the recorded shapes speak. */
  instead: ((asked: Asked, count: number) => Given | 'recorded' | undefined) | undefined;
}

export const DAY = '2026-10-08';
const FROM = parseDate(DAY) * DAY_SECONDS;

export const AUTHORITY = 'TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM';
export const PUMP = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
const CREATE = '181ec828051c0777';
const CREATE_V2 = 'd6904cec5f8b31b4';

const BLS_SERIES: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  CUSR0000SA0: [
    ['2026', 'M08', '331.204'],
    ['2026', 'M07', '329.894'],
    ['2025', 'M13', '320.000'],
    ['2025', 'M11', '325.031'],
    ['2025', 'M10', '-'],
    ['2025', 'M09', '324.800'],
  ],
  CUSR0000SA0L1E: [
    ['2026', 'M08', '337.300'],
    ['2026', 'M07', '336.600'],
  ],
  LNS14000000: [
    ['2026', 'M08', '4.3'],
    ['2025', 'M10', '-'],
  ],
  CES0000000001: [
    ['2026', 'M08', '159512'],
    ['2026', 'M07', '159540'],
  ],
};

function bls(ids: readonly string[]): unknown {
  return {
    status: 'REQUEST_SUCCEEDED',
    responseTime: 123,
    message: [],
    Results: {
      series: ids.map((seriesID) => ({
        seriesID,
        data: (BLS_SERIES[seriesID] ?? []).map(([year, period, value]) => ({
          year,
          period,
          periodName: period,
          value,
          footnotes: [value === '-' ? { code: 'X', text: 'Data unavailable' } : {}],
        })),
      })),
    },
  };
}

const FLAT = [
  'series_id                   \tyear\tperiod\t       value\tfootnote_codes',
  ...Object.entries(BLS_SERIES).flatMap(([series, rows]) =>
    rows.map(
      ([year, period, value]) =>
        `${series.padEnd(28)}\t${year}\t${period}\t${value.padStart(12)}\t`,
    ),
  ),
  'CUUR0000SA0                 \t2026\tM08\t     330.000\t',
  '',
].join('\r\n');

const ETA = `<?xml version="1.0"?>
<r539cyNational rundate="7/12/2026">
 <week><weekEnded>06/13/2026</weekEnded>
  <InitialClaims><NSA>220,642</NSA><SF>97.0</SF><SA>227,000</SA><SA4WK>223,500</SA4WK></InitialClaims>
  <ContinuedClaims><NSA>1,720,948</NSA><SF>95.0</SF><SA>1,812,000</SA><SA4WK>1,792,250</SA4WK></ContinuedClaims>
  <IUR><NSA>1.1</NSA><SA>1.2</SA></IUR><CoveredEmployment>153,547,535</CoveredEmployment></week>
 <week><weekEnded>06/20/2026</weekEnded>
  <InitialClaims><NSA>&#160;</NSA><SF>96.3</SF><SA>&#160;</SA><SA4WK>&#160;</SA4WK></InitialClaims></week>
</r539cyNational>`;

/** Rows of the hub, newest first: 3 on the day, over two pages. */
const MODELS = [
  ['2026-10-09T00:00:00.000Z', 'e'],
  ['2026-10-08T23:59:59.999Z', 'd'],
  ['2026-10-08T12:00:00.000Z', 'c'],
  ['2026-10-08T00:00:00.000Z', 'b'],
  ['2026-10-07T23:59:59.000Z', 'a'],
  ['2026-10-07T20:00:00.000Z', '9'],
].map(([createdAt, id]) => ({
  _id: `68b8c1f0a1b2c3d4e5f6071${id}`,
  id: `org/${id}`,
  likes: 0,
  private: false,
  downloads: 0,
  tags: [],
  createdAt,
  modelId: `org/${id}`,
}));

const GIGS = [
  [845678900, 'Temporary', 'Per Hour', 21.37],
  [845678901, 'Permanent', 'Per Year', 61000],
  [845678902, 'Term', 'Per Year', 18.5],
  [845678903, 'Seasonal', 'Per Hour', 17.25],
  [845678900, 'Temporary', 'Per Hour', 21.37],
].map(([usajobsControlNumber, appointmentType, salaryType, minimumSalary]) => ({
  usajobsControlNumber,
  positionOpenDate: '2026-10-05',
  appointmentType,
  workSchedule: 'Intermittent',
  salaryType,
  minimumSalary,
  maximumSalary: 24.9,
  payScale: 'WG',
  whoMayApply: 'The public',
  totalOpenings: '3',
  positionOpeningStatus: 'Accepting applications',
}));

const TRADES = [
  ['a', 'yes', '12.00', '0.4300', '14:00:00.123456Z'],
  ['b', 'no', '100.00', '0.9000', '13:00:00.000001Z'],
  ['c', 'yes', '1.50', '0.0100', '00:00:00Z'],
].map(([id, taker_side, count_fp, yes, time]) => ({
  trade_id: id,
  ticker: 'KXCPI-26OCT',
  created_time: `2026-10-08T${time}`,
  count_fp,
  yes_price_dollars: yes,
  no_price_dollars: (1 - Number(yes)).toFixed(4),
  taker_side,
}));

/** Newest first: one after the day, 600 on it at 2 shares of 0.25, the rest before. */
const FILLS = Array.from({ length: 1100 }, (_, i) => ({
  proxyWallet: '0x0',
  side: i % 2 === 0 ? 'BUY' : 'SELL',
  asset: `${7_000_000 + (i % 3)}`,
  size: 2,
  price: 0.25,
  timestamp: i === 0 ? FROM + DAY_SECONDS : i <= 600 ? FROM + 10_000 - i : FROM - i,
  transactionHash: `0x${i}`,
}));

export interface SolanaRow {
  readonly signature: string;
  readonly slot: number;
  readonly blockTime: number;
  readonly err: unknown;
}

function signatureOf(i: number): string {
  return base58.encode(Uint8Array.from({ length: 64 }, (_, at) => (at < 60 ? 7 : i + at)));
}

/** Newest first: one after the day, eight on it (one failed), two before. */
export const SOLANA: readonly SolanaRow[] = Array.from({ length: 11 }, (_, i) => ({
  signature: signatureOf(i),
  slot: 371_234_567 - Math.floor(i / 2),
  blockTime:
    i === 0 ? FROM + DAY_SECONDS + 5 : i <= 8 ? FROM + 9000 - Math.floor(i / 2) * 100 : FROM - i,
  err: i === 4 ? { InstructionError: [2, { Custom: 1 }] } : null,
}));

const data = (hex: string): string => base58.encode(parseHex(`${hex}0102030405`));
const SYSTEM = '11111111111111111111111111111111';
const OTHER = base58.encode(new Uint8Array(32).fill(9));

/** The transaction of a listed row: what it creates depends on its place. */
export function solanaTransaction(i: number): unknown {
  const { signature, slot, blockTime, err } = SOLANA[i] as SolanaRow;
  // 0 payer, 1 system, 2 the program, 3 the authority (looked up), 4 another (looked up).
  const create = {
    programIdIndex: 2,
    accounts: [0, 3, 4],
    data: data(i % 3 === 0 ? CREATE_V2 : CREATE),
  };
  const unrelated = { programIdIndex: 2, accounts: [0, 4], data: data(CREATE) };
  const transfer = { programIdIndex: 1, accounts: [0, 4], data: '3Bxs4h24hBtQy9rw' };
  const named = { programIdIndex: 1, accounts: [3], data: '' };
  // 1: two outer. 2: one outer, one inner. 3: names the authority and creates nothing. Others: one outer.
  const outer =
    i === 3 ? [transfer, named] : i === 1 ? [transfer, create, create] : [unrelated, create];
  const inner = i === 2 ? [{ index: 1, instructions: [named, create] }] : [];
  return {
    slot,
    blockTime,
    version: 0,
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: [OTHER, SYSTEM, PUMP],
        addressTableLookups: [],
        instructions: outer,
      },
    },
    meta: {
      err,
      innerInstructions: inner,
      loadedAddresses: {
        writable: [AUTHORITY],
        readonly: [base58.encode(new Uint8Array(32).fill(8))],
      },
    },
  };
}

/** Creates of the day: rows 1 (2), 2 (2), 3 (0), 4 (failed), 5, 6, 7, 8. */
export const MINTED = 8n;

function rpc(text: string): unknown {
  const { method, params } = JSON.parse(text) as { method: string; params: readonly unknown[] };
  if (method === 'getTransaction') {
    const at = SOLANA.findIndex(({ signature }) => signature === params[0]);
    return { jsonrpc: '2.0', id: 1, result: at < 0 ? null : solanaTransaction(at) };
  }
  const { before } = params[1] as { before?: string };
  const start = SOLANA.findIndex(({ signature }) => signature === before) + 1;
  const result = SOLANA.slice(start, start + 4).map((row) => ({
    ...row,
    memo: null,
    confirmationStatus: 'finalized',
  }));
  return { jsonrpc: '2.0', id: 1, result };
}

const GRADUATES = [
  { block_date: '2026-10-08', platform: 'Pumpdotfun', daily_graduates: 1064 },
  { block_date: '2026-10-07', platform: 'Pumpdotfun', daily_graduates: 998 },
];

const HOSTS: Readonly<Record<string, Say>> = {
  'oui.doleta.gov': ({ url, method, body }) => {
    if (url.pathname === '/press/2026/091726.pdf') {
      return {
        headers: { 'content-type': 'application/pdf' },
        body: pressRelease('196,000', '206,000'),
      };
    }
    if (url.pathname !== '/unemploy/wkclaims/report.asp') return { status: 404, body: 'not here' };
    if (method === 'GET') return { body: 'Error: level must be given' };
    return {
      body: /^level=us&strtdate=202[56]&enddate=2026&filetype=xml$/.test(body) ? ETA : 'Error',
    };
  },
  'web.archive.org': ({ url }) => {
    if (!url.pathname.endsWith('/press/2026/091726.pdf')) return { status: 404, body: 'not held' };
    return {
      headers: { 'content-type': 'application/pdf' },
      body: pressRelease('196,000', '206,000'),
    };
  },
  'api.bls.gov': ({ url, method, body }) => {
    if (method === 'GET') return { body: bls([url.pathname.split('/').at(-1) ?? '']) };
    const asked = JSON.parse(body) as { seriesid: readonly string[]; registrationkey: string };
    return { body: bls(asked.seriesid) };
  },
  'download.bls.gov': ({ headers }) =>
    /@/.test(headers['user-agent'] ?? '')
      ? { headers: { 'content-type': 'text/plain' }, body: FLAT }
      : { status: 403, body: '<html>Access Denied</html>' },
  'api.db.nomics.world': () => ({
    body: '{"series":{"docs":[{"period":["2026-07","2026-08"],"value":[329.894,331.204]}]}}',
  }),
  // One list of transactions for both operators.
  'mainnet.helius-rpc.com': ({ body }) => ({ body: rpc(body) }),
  'solana-mainnet.g.alchemy.com': ({ body }) => ({ body: rpc(body) }),
  'api.dune.com': ({ url }) => ({
    body: {
      execution_id: 'x',
      query_id: 4_010_816,
      state: 'QUERY_STATE_COMPLETED',
      result: {
        rows: url.pathname.includes('5131612')
          ? GRADUATES
          : [
              {
                date_time: '2026-10-08 00:00:00.000 UTC',
                platform: 'Pumpdotfun',
                daily_token_count: 38_412,
              },
              { date_time: '2026-10-08 00:00:00.000 UTC', platform: 'Other', daily_token_count: 7 },
              {
                date_time: '2026-10-07 00:00:00.000 UTC',
                platform: 'Pumpdotfun',
                daily_token_count: 37_001,
              },
            ],
        metadata: { total_row_count: 3 },
      },
    },
  }),
  'data.usajobs.gov': ({ url }) => {
    const token = url.searchParams.get('continuationtoken');
    const start = token === null ? 0 : Number(token.slice(1));
    const more = start + 2 < GIGS.length ? `t${start + 2}` : null;
    const next = more === null ? null : `/api/historicjoa?continuationtoken=${more}`;
    const metadata = { totalCount: GIGS.length, pageSize: 2, continuationToken: more };
    return { body: { paging: { metadata, next }, data: GIGS.slice(start, start + 2) } };
  },
  'huggingface.co': ({ url }) => {
    const start = Number(url.searchParams.get('cursor') ?? '0');
    const next = new URL(url);
    next.searchParams.set('cursor', String(start + 3));
    return {
      headers: { link: `<${next.pathname}${next.search}>; rel="next"` },
      body: MODELS.slice(start, start + 3),
    };
  },
  'external-api.kalshi.com': ({ url }) => {
    const start = Number(url.searchParams.get('cursor') ?? '0');
    const cursor = start + 2 < TRADES.length ? String(start + 2) : '';
    return { body: { trades: TRADES.slice(start, start + 2), cursor } };
  },
  'data-api.polymarket.com': ({ url }) => {
    const at = (name: string): number => Number(url.searchParams.get(name));
    return { body: FILLS.slice(at('offset'), at('offset') + at('limit')) };
  },
};

/** What the shape of a host says. */
export function recorded(asked: Asked): Given | undefined {
  return HOSTS[asked.host]?.(asked);
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Given): void {
  const bytes =
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bytes);
}

/** Sources that answer in the recorded shapes, on this machine. */
export async function serveShapes(t: TestContext): Promise<Shapes> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const [, host = '', ...path] = (incoming.url ?? '').split('/');
      const asked: Asked = {
        host,
        url: new URL(`http://${host}/${path.join('/')}`),
        method: incoming.method ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      };
      const count = shapes.asked.push(asked);
      const said = shapes.instead === undefined ? 'recorded' : shapes.instead(asked, count);
      const given = said === 'recorded' ? recorded(asked) : said;
      if (given === undefined) {
        response.destroy();
        return;
      }
      // A host's own links begin at its root.
      const link = given.headers?.['link']?.replace('</', `</${host}/`);
      send(
        response,
        link === undefined ? given : { ...given, headers: { ...given.headers, link } },
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const shapes: Shapes = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    instead: undefined,
  };
  return shapes;
}

/** When a read of the day's sources happens. */
export const READ_AT: number = parseTime('2026-10-09T02:00:00Z');
