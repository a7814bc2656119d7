import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Provider, parseRule, type Rule } from '@assay/core/rule/rule';
import { parseSnapshot } from '@assay/core/read/snapshot';
import { parseDate, toDate } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { readProvider, type SourceRead } from '@assay/node/round/snapshot-reader';
import { type HttpRetry, httpSource } from '@assay/node/source/http-source';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import {
  BLS_CPI,
  BLS_FLAT,
  BLS_GET,
  BLS_JOBS,
  DBNOMICS,
  DOL_PRESS,
  DUNE_MINTS,
  ETA_XML,
  KALSHI,
  MODEL_HUB,
  POLYMARKET,
  SOLANA_MINTS,
  USAJOBS_GIGS,
  USAJOBS_WAGE,
} from './real-providers.ts';
import {
  type Asked,
  DAY,
  type Given,
  MINTED,
  READ_AT,
  recorded,
  serveShapes,
  type Shapes,
  SOLANA,
  solanaTransaction,
} from './recorded-shapes.ts';
import { pressRelease } from './small-pdf.ts';

type Kind = Rule['period'];

/** A provider, the period that it is read for, and what it says. */
interface Case {
  readonly provider: Provider;
  readonly kind: Kind;
  readonly period: string;
  readonly decimals: number;
  readonly value: string;
  /** Requests of a read; one where it is not said. */
  readonly requests?: number;
}

const CASES: readonly Case[] = [
  {
    provider: DOL_PRESS,
    kind: 'week_ending_saturday',
    period: '2026-09-12',
    decimals: 0,
    value: '196000',
  },
  {
    provider: ETA_XML,
    kind: 'week_ending_saturday',
    period: '2026-06-13',
    decimals: 0,
    value: '227000',
  },
  // 331.204 / 329.894 - 1 = 0.397 %
  { provider: BLS_CPI, kind: 'month', period: '2026-08-01', decimals: 1, value: '4' },
  { provider: BLS_JOBS, kind: 'month', period: '2026-08-01', decimals: 0, value: '-28' },
  { provider: BLS_GET, kind: 'month', period: '2026-08-01', decimals: 1, value: '43' },
  { provider: BLS_FLAT, kind: 'month', period: '2026-08-01', decimals: 1, value: '4' },
  { provider: DBNOMICS, kind: 'month', period: '2026-08-01', decimals: 3, value: '397' },
  {
    provider: SOLANA_MINTS,
    kind: 'utc_day',
    period: DAY,
    decimals: 0,
    value: `${MINTED}`,
    requests: 10,
  },
  { provider: DUNE_MINTS, kind: 'utc_day', period: DAY, decimals: 0, value: '38412' },
  { provider: USAJOBS_GIGS, kind: 'utc_day', period: DAY, decimals: 0, value: '3', requests: 3 },
  { provider: USAJOBS_WAGE, kind: 'utc_day', period: DAY, decimals: 2, value: '1931', requests: 3 },
  { provider: MODEL_HUB, kind: 'utc_day', period: DAY, decimals: 0, value: '3', requests: 2 },
  // 12 x 0.43 + 100 x 0.1 + 1.5 x 0.01
  { provider: KALSHI, kind: 'utc_day', period: DAY, decimals: 3, value: '15175', requests: 2 },
  { provider: POLYMARKET, kind: 'utc_day', period: DAY, decimals: 0, value: '300', requests: 2 },
];

const SECRETS = new Map([
  ['BLS_KEY', 'bls-key-0123456789'],
  ['RPC1_KEY', 'rpc-key/0123+456789'],
  ['DUNE_KEY', 'dune-key-0123456789'],
]);

interface World {
  readonly shapes: Shapes;
  readonly waits: number[];
  readonly retries: HttpRetry[];
  readonly read: (which: Provider, change?: ReadChange) => Promise<SourceRead>;
}

interface ReadChange {
  readonly period?: string;
  readonly provider?: Partial<Provider>;
}

/** The rule of one provider, as a log would take it. */
function ruleOf({ kind, decimals, period }: Case, provider: Provider): Rule {
  const withheld = provider.retain !== 'bytes';
  const rule: Rule = {
    ...CLAIMS_RULE,
    period: kind,
    decimals,
    applies_from: toDate(period),
    release: { ...CLAIMS_RULE.release, exceptions: [] },
    providers: [provider],
    aggregate: { ...CLAIMS_RULE.aggregate, quorum: 1 },
    revision: { settles: 'first_published', freeze_after_s: 0, provider: null },
    ...(withheld
      ? {
          grade: 'C',
          rights: { ...CLAIMS_RULE.rights, level: 'withhold', settlement: 'no' },
          listing: { ...CLAIMS_RULE.listing, no_kit: 'The terms keep the level back.' },
        }
      : {}),
  };
  return parseRule(nodeSha256, wire(rule));
}

async function world(t: TestContext): Promise<World> {
  const shapes = await serveShapes(t);
  const waits: number[] = [];
  const retries: HttpRetry[] = [];
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
  };
  const source = httpSource({
    contact: 'mailto:ops@assay.example',
    secrets: SECRETS,
    now: () => READ_AT,
    sleep,
    random: () => 0,
    limits: { totalMs: 5000, idleMs: 2000, tries: 3 },
    onRetry: (retry) => retries.push(retry),
  });
  return {
    shapes,
    waits,
    retries,
    async read(which, change = {}) {
      const found = CASES.find(({ provider }) => provider === which) as Case;
      const real = { ...which, ...change.provider };
      const local: Provider = {
        ...real,
        request: { ...real.request, url: real.request.url.replace('https:/', shapes.base) },
      };
      const rule = ruleOf(found, local);
      const period = parseDate(change.period ?? found.period);
      shapes.asked.length = 0;
      return readProvider(rule, local, period, {
        source,
        sha256: nodeSha256,
        now: () => READ_AT,
        salt: new Uint8Array(32),
        sleep,
      });
    },
  };
}

function said({ read }: SourceRead): string {
  return `${read.outcome} ${read.value ?? ''}`.trim();
}

test('recorded shapes: every source gives its number', async (t) => {
  const { shapes, read, waits } = await world(t);
  for (const { provider, value, requests = 1 } of CASES) {
    assert.equal(said(await read(provider)), `ok ${value}`, provider.id);
    assert.equal(shapes.asked.length, requests, provider.id);
  }
  assert.deepEqual(waits, []);
});

test('recorded shapes: what is asked, page by page', async (t) => {
  const { shapes, read } = await world(t);
  const paths = async (provider: Provider): Promise<readonly string[]> => {
    await read(provider);
    return shapes.asked.map(({ url }) => `${url.pathname}${url.search}`);
  };
  assert.deepEqual(await paths(DOL_PRESS), ['/press/2026/091726.pdf']);
  assert.deepEqual(await paths(BLS_GET), [
    '/publicAPI/v2/timeseries/data/LNS14000000?startyear=2025&endyear=2026',
  ]);
  const week = 'StartPositionOpenDate=10-02-2026&EndPositionOpenDate=10-08-2026';
  assert.deepEqual(await paths(USAJOBS_GIGS), [
    `/api/historicjoa?${week}`,
    `/api/historicjoa?${week}&continuationtoken=t2`,
    `/api/historicjoa?${week}&continuationtoken=t4`,
  ]);
  const hub = '/api/models?sort=createdAt&direction=-1&limit=1000';
  assert.deepEqual(await paths(MODEL_HUB), [hub, `${hub}&cursor=3`]);
  const trades = '/trade-api/v2/markets/trades?limit=1000&min_ts=1791417600&max_ts=1791504000';
  assert.deepEqual(await paths(KALSHI), [trades, `${trades}&cursor=2`]);
  assert.deepEqual(await paths(POLYMARKET), [
    '/trades?takerOnly=true&limit=500&offset=0',
    '/trades?takerOnly=true&limit=500&offset=500',
  ]);
  await read(BLS_CPI);
  assert.equal(
    shapes.asked[0]?.body,
    '{"seriesid":["CUSR0000SA0"],"startyear":"2025","endyear":"2026","registrationkey":"bls-key-0123456789"}',
  );
});

interface Announced {
  readonly paging: { readonly metadata: { totalCount: number; continuationToken?: string | null } };
  data: readonly unknown[];
}

/** A table of modes that every source can meet, and the reason that each is. */
const MODES: Readonly<Record<string, readonly [Given | undefined, string]>> = {
  'a 403': [{ status: 403, body: '<html>Access Denied</html>' }, 'bad_status'],
  'a 404': [{ status: 404, body: '' }, 'bad_status'],
  'a 503 that stays': [{ status: 503, body: 'maintenance' }, 'bad_status'],
  'a 429 that stays': [
    { status: 429, headers: { 'retry-after': '5' }, body: 'slow down' },
    'bad_status',
  ],
  'HTML with status 200': [
    { headers: { 'content-type': 'text/html' }, body: '<html><body>Please wait</body></html>' },
    'malformed',
  ],
  'nothing with status 200': [{ body: '' }, 'malformed'],
  'JSON of another shape': [{ body: { message: 'moved to v3', items: [] } }, 'malformed'],
  'JSON that says an error': [
    { body: { error: { code: -32_005, message: 'limit' } } },
    'malformed',
  ],
  'a cut connection': [undefined, 'unreachable'],
  'a redirect elsewhere': [
    { status: 302, headers: { location: 'https://elsewhere.invalid/' }, body: '' },
    'redirect_refused',
  ],
};

for (const [mode, [given, outcome]] of Object.entries(MODES)) {
  test(`recorded shapes: ${mode} is ${outcome} for every source`, async (t) => {
    const { shapes, read } = await world(t);
    shapes.instead = () => given;
    for (const { provider } of CASES) {
      const made = await read(provider);
      assert.equal(said(made), outcome, provider.id);
      const hasBytes = outcome === 'bad_status' || outcome === 'malformed';
      assert.equal(made.read.snapshot !== null, hasBytes, provider.id);
    }
  });
}

test('recorded shapes: a limit that passes is waited for, on any page', async (t) => {
  const { shapes, read, waits, retries } = await world(t);
  for (const { provider, value, requests = 1 } of CASES) {
    let limited = 0;
    shapes.instead = (_, count) => {
      if (count !== requests + limited || limited > 0) return 'recorded';
      limited += 1;
      return { status: 429, headers: { 'retry-after': '9' }, body: 'too many requests' };
    };
    assert.equal(said(await read(provider)), `ok ${value}`, provider.id);
    assert.equal(limited, 1);
    assert.equal(waits.pop(), 9000);
  }
  assert.equal(retries.length, CASES.length);
});

test('recorded shapes: late, which is not yet published', async (t) => {
  const { shapes, read } = await world(t);
  assert.equal(said(await read(ETA_XML, { period: '2026-06-27' })), 'not_published');
  assert.equal(said(await read(ETA_XML, { period: '2026-06-20' })), 'no_source', 'a factor alone');
  for (const provider of [BLS_CPI, BLS_JOBS, BLS_GET, BLS_FLAT, DBNOMICS]) {
    assert.equal(
      said(await read(provider, { period: '2026-09-01' })),
      'not_published',
      provider.id,
    );
  }
  assert.equal(said(await read(DUNE_MINTS, { period: '2026-10-09' })), 'not_published');
  assert.equal(said(await read(SOLANA_MINTS, { period: '2026-10-09' })), 'not_published');
  assert.equal(
    said(await read(DOL_PRESS, { period: '2026-09-19' })),
    'bad_status',
    'not there yet',
  );
  // The address of this week with last week's release behind it.
  shapes.instead = () => ({ body: pressRelease('196,000', '206,000') });
  assert.equal(said(await read(DOL_PRESS, { period: '2026-09-19' })), 'not_published');
});

test('recorded shapes: the month that was never published, and the one after it', async (t) => {
  const { read } = await world(t);
  assert.equal(said(await read(BLS_GET, { period: '2025-10-01' })), 'no_source');
  for (const provider of [BLS_CPI, BLS_FLAT]) {
    assert.equal(said(await read(provider, { period: '2025-10-01' })), 'no_source');
    assert.equal(said(await read(provider, { period: '2025-11-01' })), 'no_source', 'its base');
  }
});

test('recorded shapes: a release whose prose and table disagree', async (t) => {
  const { shapes, read } = await world(t);
  shapes.instead = () => ({ body: pressRelease('196,000', '206,000', '195,000') });
  assert.equal(said(await read(DOL_PRESS)), 'check_failed');
  shapes.instead = () => ({ body: pressRelease('196,000', '206,000').slice(0, 500) });
  const broken = await read(DOL_PRESS);
  assert.equal(said(broken), 'malformed');
  assert.equal(broken.snapshot?.extractor, null);
  assert.equal(broken.blobs.length, 2, 'the manifest and the PDF as it came');
});

test('recorded shapes: a PDF is kept with the text that was read', async (t) => {
  const { read } = await world(t);
  const { blobs, snapshot, text } = await read(DOL_PRESS);
  assert.equal(snapshot?.extractor?.name, 'unpdf');
  assert.deepEqual(blobs.slice(1), [pressRelease('196,000', '206,000'), text]);
});

test('recorded shapes: a bare client is blocked, a GET in the place of a POST is an error with 200', async (t) => {
  const { read } = await world(t);
  const bare = { ...BLS_FLAT.request, headers: [{ name: 'user-agent', value: 'node' }] };
  assert.equal(said(await read(BLS_FLAT, { provider: { request: bare } })), 'bad_status');
  const get = { ...ETA_XML.request, method: 'GET' as const, headers: [], body: null };
  assert.equal(said(await read(ETA_XML, { provider: { request: get } })), 'malformed');
});

test('recorded shapes: lists that break off, loop, or never end', async (t) => {
  const { shapes, read } = await world(t);
  const paged = CASES.filter(({ requests = 1 }) => requests > 1);
  assert.equal(paged.length, 6);
  for (const { provider } of paged) {
    const { paging } = provider.request;
    assert.ok(paging.kind !== 'none');
    const one = { request: { ...provider.request, paging: { ...paging, max_pages: 1 } } };
    assert.equal(said(await read(provider, { provider: one })), 'too_large', provider.id);
    shapes.instead = (_, count) => (count === 2 ? { status: 403, body: '' } : 'recorded');
    assert.equal(said(await read(provider)), 'bad_status', provider.id);
    shapes.instead = (_, count) => (count === 2 ? { body: '<html>' } : 'recorded');
    assert.equal(said(await read(provider)), 'malformed', provider.id);
    shapes.instead = (_, count) => (count === 2 ? undefined : 'recorded');
    assert.match(said(await read(provider)), /^ok/, `${provider.id}, tried again`);
    shapes.instead = (_, count) => (count >= 2 ? undefined : 'recorded');
    assert.equal(said(await read(provider)), 'unreachable', provider.id);
    shapes.instead = undefined;
  }
  shapes.instead = ({ host }) =>
    host === 'external-api.kalshi.com' ? { body: { trades: [], cursor: 'again' } } : 'recorded';
  assert.equal(said(await read(KALSHI)), 'malformed', 'a cursor twice');
  shapes.instead = () => ({ body: [{ createdAt: '2026-10-08T12:00:00.000Z' }] });
  assert.equal(said(await read(MODEL_HUB)), 'malformed', 'no next link before the day is over');
});

test('recorded shapes: a list that is cut short, or names its next page elsewhere, is no list', async (t) => {
  const { shapes, read } = await world(t);
  const announced = (change: (page: Announced, count: number) => void): Shapes['instead'] => {
    return (asked, count) => {
      const page = recorded(asked)?.body as Announced;
      change(page, count);
      return { body: page };
    };
  };
  for (const provider of [USAJOBS_GIGS, USAJOBS_WAGE]) {
    const outcome = async (change: (page: Announced, count: number) => void): Promise<string> => {
      shapes.instead = announced(change);
      return said(await read(provider));
    };
    assert.match(await outcome(() => undefined), /^ok/);
    const renamed = await outcome(({ paging: { metadata } }) => {
      const { continuationToken, ...rest } = metadata;
      Object.assign(rest, { continuationtoken: continuationToken });
      delete metadata.continuationToken;
    });
    assert.equal(renamed, 'malformed', 'the token has another name');
    const ended = await outcome(({ paging: { metadata } }) => {
      metadata.continuationToken = null;
    });
    assert.equal(ended, 'malformed', 'one page of three');
    const cut = await outcome((page, count) => {
      if (count === 2) page.data = page.data.slice(1);
    });
    assert.equal(cut, 'malformed', 'a row is lost');
    const grown = await outcome(({ paging: { metadata } }, count) => {
      if (count === 3) metadata.totalCount += 1;
    });
    assert.equal(grown, 'malformed', 'it changed while it was read');
  }
  const fills = (change: (rows: readonly object[], count: number) => unknown): void => {
    shapes.instead = (asked, count) => ({
      body: change(recorded(asked)?.body as readonly object[], count),
    });
  };
  fills((rows, count) => (count === 1 ? rows.slice(1) : rows));
  assert.equal(said(await read(POLYMARKET)), 'malformed', 'a page of 499');
  fills((rows, count) => (count === 1 ? [] : rows));
  assert.equal(said(await read(POLYMARKET)), 'malformed', 'an empty page');
});

test('recorded shapes: a trade that moves to the next page counts once', async (t) => {
  const { shapes, read } = await world(t);
  shapes.instead = (asked, count) => {
    // While the first page was read 100 trades came: the list moved by as many.
    const url = new URL(asked.url);
    const offset = Number(url.searchParams.get('offset'));
    url.searchParams.set('offset', String(Math.max(0, offset - 100 * (count - 1))));
    return recorded({ ...asked, url }) ?? 'recorded';
  };
  assert.equal(said(await read(POLYMARKET)), 'ok 300');
  assert.ok(shapes.asked.length > 1);
});

test('recorded shapes: lists that are empty', async (t) => {
  const { shapes, read } = await world(t);
  shapes.instead = ({ host }) =>
    ({
      'api.bls.gov': { body: { Results: { series: [{ data: [] }] } } },
      'data.usajobs.gov': {
        body: { paging: { metadata: { totalCount: 0, continuationToken: null } }, data: [] },
      },
      'external-api.kalshi.com': { body: { trades: [], cursor: '' } },
      'mainnet.helius-rpc.com': { body: { jsonrpc: '2.0', id: 1, result: [] } },
      'huggingface.co': { body: [] },
      'data-api.polymarket.com': { body: [] },
    })[host] ?? 'recorded';
  assert.equal(said(await read(BLS_GET)), 'not_published');
  assert.equal(said(await read(USAJOBS_WAGE)), 'no_source');
  assert.equal(said(await read(USAJOBS_GIGS)), 'ok 0', 'a count of nothing is a count');
  assert.equal(said(await read(KALSHI)), 'ok 0');
  assert.equal(said(await read(SOLANA_MINTS)), 'malformed', 'nothing, not even before the day');
  assert.equal(said(await read(POLYMARKET)), 'malformed');
  assert.equal(said(await read(MODEL_HUB)), 'malformed');
});

/** Says `given` to the first so many requests for transactions. */
function transactions(
  times: number,
  given: (asked: Asked) => Given | undefined,
): Shapes['instead'] {
  let left = times;
  return (asked) => {
    if (!asked.body.includes('getTransaction') || left === 0) return 'recorded';
    left -= 1;
    return given(asked);
  };
}

test('recorded shapes: transactions that the node does not give', async (t) => {
  const { shapes, read } = await world(t);
  const rpc = (result: unknown): Given => ({ body: { jsonrpc: '2.0', id: 1, result } });
  const failures: readonly ((asked: Asked) => Given | undefined)[] = [
    () => rpc(null),
    () => ({ body: { jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'behind' } } }),
    () => ({ status: 429, headers: { 'retry-after': '1' }, body: '' }),
    () => ({ body: '<html>' }),
  ];
  for (const failure of failures) {
    shapes.instead = transactions(2, failure);
    assert.equal(said(await read(SOLANA_MINTS)), `ok ${MINTED}`, 'it passes');
    shapes.instead = transactions(1000, failure);
    const made = await read(SOLANA_MINTS);
    assert.equal(said(made), 'unreachable');
    assert.equal(made.read.snapshot, null);
  }
  const good = solanaTransaction(8) as Readonly<Record<string, Record<string, unknown>>>;
  for (const change of [
    { slot: 1 },
    { transaction: { ...good['transaction'], signatures: ['other'] } },
    { meta: { ...good['meta'], innerInstructions: null } },
    { meta: { ...good['meta'], err: {} } },
    { meta: { ...good['meta'], loadedAddresses: undefined } },
    { meta: { ...good['meta'], logMessages: ['longer than any'.repeat(300_000)] } },
  ]) {
    shapes.instead = transactions(1000, ({ body }) =>
      body.includes(SOLANA[8]?.signature ?? '') ? rpc({ ...good, ...change }) : undefined,
    );
    assert.equal(
      said(await read(SOLANA_MINTS)),
      'unreachable',
      JSON.stringify(change).slice(0, 40),
    );
  }
});

test('recorded shapes: two operators of one chain give the same text, whatever order they answer in', async (t) => {
  const { read } = await world(t);
  const first = await read(SOLANA_MINTS);
  const second = await read(SOLANA_MINTS);
  assert.deepEqual(first.text, second.text);
  const { transactions: listed, instructions } = JSON.parse(
    new TextDecoder().decode(first.text ?? new Uint8Array(0)),
  ) as { transactions: { slot: number }[]; instructions: unknown[] };
  assert.equal(listed.length, 7, 'the failed one is left out');
  assert.deepEqual(
    listed.map(({ slot }) => slot),
    listed.map(({ slot }) => slot).toSorted((a, b) => a - b),
  );
  assert.equal(instructions.length, 10, 'creates and whatever else names the address');
  assert.equal(first.snapshot?.pages.length, 3, 'the list is kept, the transactions are not');
});

test('recorded shapes: no key is in a log line, a snapshot, a page, a text or a read', async (t) => {
  const { shapes, read, retries } = await world(t);
  const outputs: string[] = [];
  const keep = ({ read: made, blobs, pages, text, snapshot }: SourceRead): void => {
    outputs.push(JSON.stringify({ made, snapshot }));
    for (const bytes of [...blobs, ...pages.map((page) => page.bytes), text ?? new Uint8Array(0)]) {
      outputs.push(Buffer.from(bytes).toString('latin1'));
    }
  };
  let sent = '';
  for (const instead of [
    undefined,
    () => ({ status: 500, body: 'try again' }),
    () => undefined,
    (asked: Asked) => ({ body: { echo: asked.body, url: asked.url.href, headers: asked.headers } }),
  ]) {
    shapes.instead = instead;
    for (const { provider } of CASES) {
      keep(await read(provider));
      sent += shapes.asked
        .map(({ url, body, headers }) => url.href + body + JSON.stringify(headers))
        .join();
    }
  }
  outputs.push(JSON.stringify(retries));
  for (const [name, secret] of SECRETS) {
    const forms = [secret, encodeURIComponent(secret)];
    assert.ok(
      forms.some((form) => sent.includes(form)),
      `${name} did go to the socket`,
    );
    for (const output of outputs) {
      for (const form of forms)
        assert.ok(!output.includes(form), `${name} is in ${output.slice(0, 200)}`);
    }
    assert.ok(
      outputs.some((output) => output.includes(`{secret:${name}}`)),
      'its name is',
    );
  }
  const { blobs } = await read(BLS_GET);
  assert.ok(parseSnapshot(blobs[0] as Uint8Array));
});
