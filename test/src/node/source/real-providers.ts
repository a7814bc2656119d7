import type { Provider } from '@assay/core/rule/rule';
import type { SourceRequest } from '@assay/core/request';
import type { Step } from '@assay/core/rule/vocabulary';

/** A provider as a rule for the real source has it. */
function provider(
  id: string,
  request: Partial<SourceRequest> & Pick<SourceRequest, 'url'>,
  extract: readonly Step[],
  parts: Partial<Provider> = {},
): Provider {
  return {
    id,
    name: id,
    group: 'all',
    role: 'record',
    retain: 'bytes',
    text: 'none',
    request: {
      method: 'GET',
      headers: [],
      body: null,
      follow: [],
      paging: { kind: 'none' },
      ...request,
    },
    extract,
    checks: [],
    ...parts,
  };
}

const TEXT: Step = { op: 'utf8' };
const JSON_TEXT: readonly Step[] = [TEXT, { op: 'json' }];

/** LAYOFFS: the advance figure, which stands in the release's prose and in its table. */
export const DOL_PRESS: Provider = provider(
  'dol-press',
  { url: 'https://oui.doleta.gov/press/{release:YYYY}/{release:MMDDYY}.pdf' },
  [
    TEXT,
    { op: 'squash' },
    {
      op: 'after',
      text: 'Intheweekending{period:MonthD},theadvancefigureforseasonallyadjustedinitialclaimswas',
    },
    { op: 'num', style: 'us_grouped', take: 'prefix' },
  ],
  {
    text: 'pdf',
    checks: [
      {
        name: 'table',
        extract: [
          TEXT,
          { op: 'skip_to', text: 'InitialClaims(SA)' },
          { op: 'num', style: 'us_grouped', take: 'prefix' },
        ],
      },
    ],
  },
);

/** LAYOFFS, three weeks late: weeks ahead hold their seasonal factors alone. */
export const ETA_XML: Provider = provider(
  'eta-xml',
  {
    method: 'POST',
    url: 'https://oui.doleta.gov/unemploy/wkclaims/report.asp',
    headers: [{ name: 'content-type', value: 'application/x-www-form-urlencoded' }],
    body: 'level=us&strtdate={Y}&enddate={Y}&filetype=xml',
  },
  [
    TEXT,
    { op: 'xml', rows: '/r539cyNational/week' },
    {
      op: 'series',
      key: ['/weekEnded'],
      key_style: 'us_date',
      value: '/InitialClaims/SA',
      style: 'us_grouped',
      missing: [''],
    },
    { op: 'pick', among: 'any' },
  ],
);

/** M13 is the mean of a year. */
const NO_MEAN: Step = { op: 'where', ptr: '/period', test: 'not_in', values: ['M13'] };
const MONTHS: Step = {
  op: 'series',
  key: ['/year', '/period'],
  key_style: 'bls_month',
  value: '/value',
  style: 'plain',
  missing: ['', '-'],
};

function blsPost(id: string, series: string, last: readonly Step[]): Provider {
  return provider(
    id,
    {
      method: 'POST',
      url: 'https://api.bls.gov/publicAPI/v2/timeseries/data/',
      headers: [{ name: 'content-type', value: 'application/json' }],
      body: `{"seriesid":["${series}"],"startyear":"{Y-1}","endyear":"{Y}","registrationkey":"{secret:BLS_KEY}"}`,
    },
    [...JSON_TEXT, { op: 'rows', ptr: '/Results/series/0/data' }, NO_MEAN, MONTHS, ...last],
  );
}

const ANY: Step = { op: 'pick', among: 'any' };
const CHANGE: readonly Step[] = [{ op: 'pct_change', lag: 1 }, ANY];

export const BLS_CPI: Provider = blsPost('bls-cpi', 'CUSR0000SA0', CHANGE);
export const BLS_JOBS: Provider = blsPost('bls-jobs', 'CES0000000001', [
  { op: 'diff', lag: 1 },
  ANY,
]);

/** Without a key: one series a request, 25 a day. */
export const BLS_GET: Provider = provider(
  'bls-unemp',
  {
    url: 'https://api.bls.gov/publicAPI/v2/timeseries/data/LNS14000000?startyear={Y-1}&endyear={Y}',
  },
  [...JSON_TEXT, { op: 'rows', ptr: '/Results/series/0/data' }, NO_MEAN, MONTHS, ANY],
);

export const BLS_FLAT: Provider = provider(
  'bls-flat',
  { url: 'https://download.bls.gov/pub/time.series/cu/cu.data.1.AllItems' },
  [
    TEXT,
    { op: 'csv', delimiter: '\t' },
    { op: 'where', ptr: '/series_id', test: 'in', values: ['CUSR0000SA0'] },
    NO_MEAN,
    MONTHS,
    ...CHANGE,
  ],
);

export const DBNOMICS: Provider = provider(
  'dbnomics',
  {
    url: 'https://api.db.nomics.world/v22/series/BLS/cu/CUSR0000SA0?observations=1&metadata=false',
  },
  [
    ...JSON_TEXT,
    { op: 'zip', key: '/series/docs/0/period', value: '/series/docs/0/value' },
    {
      op: 'series',
      key: ['/key'],
      key_style: 'iso_month',
      value: '/value',
      style: 'plain',
      missing: ['NA'],
    },
    ...CHANGE,
  ],
);

/** MINTS: instructions of the program that take its mint authority, on the day, finalized. */
export const SOLANA_MINTS: Provider = provider(
  'solana-rpc',
  {
    method: 'POST',
    url: 'https://rpc.example/?api-key={secret:RPC_KEY}',
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: '{"jsonrpc":"2.0","id":1,"method":"getSignaturesForAddress","params":["TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM",{"limit":1000,"commitment":"finalized"}]}',
    paging: {
      kind: 'cursor',
      ptr: '/result/-/signature',
      place: 'body',
      name: '/params/1/before',
      max_pages: 1000,
      until: { rows: '/result', ptr: '/blockTime', style: 'unix', before: '{period:unix}' },
      total: null,
    },
  },
  [
    { op: 'records', ptr: '/instructions' },
    {
      op: 'where',
      ptr: '/program',
      test: 'in',
      values: ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'],
    },
    { op: 'where', ptr: '/data', test: 'in', values: ['181ec828051c0777', 'd6904cec5f8b31b4'] },
    { op: 'count' },
  ],
  { text: 'solana_instructions' },
);

export const DUNE_MINTS: Provider = provider(
  'dune',
  {
    url: 'https://api.dune.com/api/v1/query/4010816/results',
    headers: [{ name: 'x-dune-api-key', value: '{secret:DUNE_KEY}' }],
  },
  [
    ...JSON_TEXT,
    { op: 'rows', ptr: '/result/rows' },
    { op: 'where', ptr: '/platform', test: 'in', values: ['Pumpdotfun'] },
    {
      op: 'series',
      key: ['/date_time'],
      key_style: 'iso_prefix',
      value: '/daily_token_count',
      style: 'plain',
      missing: [],
    },
    ANY,
  ],
);

function usajobs(id: string, last: readonly Step[]): Provider {
  return provider(
    id,
    {
      url: 'https://data.usajobs.gov/api/historicjoa?StartPositionOpenDate={period-6:MM-DD-YYYY}&EndPositionOpenDate={period:MM-DD-YYYY}',
      paging: {
        kind: 'cursor',
        ptr: '/paging/metadata/continuationToken',
        place: 'query',
        name: 'continuationtoken',
        max_pages: 200,
        until: null,
        total: { rows: '/data', ptr: '/paging/metadata/totalCount' },
      },
    },
    [
      { op: 'records', ptr: '/data' },
      {
        op: 'where',
        ptr: '/appointmentType',
        test: 'in',
        values: ['Temporary', 'Term', 'Seasonal', 'Intermittent'],
      },
      { op: 'distinct', ptrs: ['/usajobsControlNumber'] },
      ...last,
    ],
  );
}

export const USAJOBS_GIGS: Provider = usajobs('usajobs-gigs', [{ op: 'count' }]);
export const USAJOBS_WAGE: Provider = usajobs('usajobs-wage', [
  { op: 'where', ptr: '/salaryType', test: 'in', values: ['Per Hour'] },
  { op: 'median', ptr: '/minimumSalary', style: 'plain' },
]);

export const MODEL_HUB: Provider = provider(
  'model-hub',
  {
    url: 'https://huggingface.co/api/models?sort=createdAt&direction=-1&limit=1000',
    paging: {
      kind: 'link',
      max_pages: 100,
      until: { rows: '', ptr: '/createdAt', style: 'iso_instant', before: '{period:unix}' },
    },
  },
  [
    { op: 'records', ptr: '' },
    {
      op: 'between',
      ptr: '/createdAt',
      style: 'text',
      from: '{period}T',
      to: '{period+1:YYYY-MM-DD}T',
    },
    { op: 'distinct', ptrs: ['/_id'] },
    { op: 'count' },
  ],
  { retain: 'none' },
);

/** YESNO: what takers paid, contracts times the price of their side. */
export const KALSHI: Provider = provider(
  'kalshi',
  {
    url: 'https://external-api.kalshi.com/trade-api/v2/markets/trades?limit=1000&min_ts={period:unix}&max_ts={period+1:unix}',
    paging: {
      kind: 'cursor',
      ptr: '/cursor',
      place: 'query',
      name: 'cursor',
      max_pages: 1000,
      until: null,
      total: null,
    },
  },
  [
    { op: 'records', ptr: '/trades' },
    {
      op: 'between',
      ptr: '/created_time',
      style: 'text',
      from: '{period}T',
      to: '{period+1:YYYY-MM-DD}T',
    },
    { op: 'distinct', ptrs: ['/trade_id'] },
    {
      op: 'choose',
      by: '/taker_side',
      cases: [
        { is: 'yes', ptr: '/yes_price_dollars' },
        { is: 'no', ptr: '/no_price_dollars' },
      ],
      into: 'price',
    },
    { op: 'sum_product', ptrs: ['/count_fp', '/price'], style: 'plain' },
  ],
  { retain: 'none' },
);

/** YESNO: one row a taker; the makers' side of the same fill is not summed. */
export const POLYMARKET: Provider = provider(
  'polymarket',
  {
    url: 'https://data-api.polymarket.com/trades?takerOnly=true&limit=500&offset=0',
    paging: {
      kind: 'offset',
      name: 'offset',
      step: 500,
      rows: '',
      max_pages: 1000,
      until: { rows: '', ptr: '/timestamp', style: 'unix', before: '{period:unix}' },
      total: null,
    },
  },
  [
    { op: 'records', ptr: '' },
    {
      op: 'between',
      ptr: '/timestamp',
      style: 'plain',
      from: '{period:unix}',
      to: '{period+1:unix}',
    },
    { op: 'distinct', ptrs: ['/transactionHash', '/asset', '/size', '/price'] },
    { op: 'sum_product', ptrs: ['/size', '/price'], style: 'plain' },
  ],
  { retain: 'none' },
);
