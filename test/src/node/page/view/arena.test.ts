import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { Assets } from '@assay/node/page/asset';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { ARENA_PAGE, type ArenaAnswer } from '@assay/node/page/view/arena';
import { madeOf, markupOf, type MadeOf, textOf } from '../fixture/page-ask.ts';

const OPEN: ArenaAnswer['open'][number] = {
  id: 'layoffs-2026-11-21',
  ticker: 'LAYOFFS',
  slug: 'layoffs',
  name: 'Initial <claims>',
  unit: 'claims',
  format: 'count',
  decimals: 0,
  step: 7,
  period: '2026-11-21',
  ref_period: '2026-11-14',
  ref_value: 229_000,
  closes_at: '2026-11-26T12:30:00Z' as TimeText,
  opens_forecasts_at: '2026-11-26T12:40:00Z' as TimeText,
  state: 'open',
  forecasts: 12,
  arena: null,
  print: null,
  void_reason: null,
  house: [{ handle: 'house-last', value: 229_000 }],
  url: '/v1/arena/rounds/layoffs-2026-11-21',
};
const RATE = {
  ...OPEN,
  id: 'cpi-2026-10-01',
  ticker: 'CPI',
  format: 'percent',
  unit: 'percent',
  decimals: 1,
  step: 30,
  period: '2026-10-01',
  state: 'graded' as const,
  print: 3,
  arena: { value: 3.1, n: 7 },
};
const ARENA: ArenaAnswer = {
  rules: {
    points: 'round(100 × ...)',
    ranked_from: 3,
    arena_number: 'Arena, not official: a mean.',
    caveats: 'If drand stops, the round is void.',
  },
  open: [OPEN],
  recent: [
    RATE,
    { ...RATE, print: null, arena: null },
    { ...RATE, print: null, void_reason: 'no_beacon' },
  ],
  standings: [
    {
      handle: 'ada',
      graded: 14,
      mean_points: 88.2,
      best_streak: 9,
      ranked: true,
      skill: -3.4167,
      secured_by: 'key',
    },
    {
      handle: '<bob>',
      graded: 1,
      mean_points: 90,
      best_streak: 1,
      ranked: false,
      skill: 0.5,
      secured_by: 'secret',
    },
  ],
};

function given(change: Partial<ArenaAnswer> = {}, more: Partial<MadeOf> = {}): MadeOf {
  const answers = { '/v1/arena?limit=20': { body: { ...ARENA, ...change } } };
  return { answers, now: parseTime('2026-11-24T12:30:00Z' as TimeText), ...more };
}

test('arena: an open round has its time left, the last value and what the house expects', async () => {
  const text = await textOf(ARENA_PAGE, given());
  assert.match(
    text,
    /LAYOFFS week to 21 November 2026 Takes forecasts for 2 days more, until 26 November 2026, 12:30 UTC week to 14 November 2026 229,000 claims house-last 229,000 claims Forecasters 12 Initial &lt;claims&gt;/,
  );
  const late = given({}, { now: parseTime('2026-11-26T12:30:00Z' as TimeText) });
  assert.match(await textOf(ARENA_PAGE, late), /Closed at 26 November 2026, 12:30 UTC/);
});

test('arena: what is lost with the files, and what the page does not prove, stands there without a script', async () => {
  const markup = await markupOf(ARENA_PAGE, given());
  const always = markup.replaceAll(/<(form|section)[^>]* hidden>.*?<\/\1>/g, '');
  assert.match(
    always,
    /Without the <strong>handle file<\/strong>, which holds the secret of your name, nobody can forecast under that name again/,
  );
  assert.match(always, /Without the <strong>receipt<\/strong>, you cannot prove/);
  assert.match(always, /<noscript> <p[^>]*>Sealing needs JavaScript here, or the command below/);
  assert.match(
    always,
    /assay forecast make https:\/\/assay\.example layoffs-2026-11-21 229000 \\ --handle ada --key ada\.json/,
  );
  assert.match(always, /not that the round is the one in the log/);
  assert.doesNotMatch(always, /<input|<select/);
  assert.match(markup, /data-seal="\/assets\/[0-9a-f]{16}\/seal\.js" hidden/);
});

test('arena: standings say whose forecasts rest on a key, and a name is text', async () => {
  const text = await textOf(ARENA_PAGE, given());
  assert.match(
    text,
    /ada −3\.42 88\.20 14 9 a key of its own &lt;bob&gt; not ranked 0\.50 90\.00 1 1 the word of the operator/,
  );
});

test('arena: a closed round is graded, waits, or is void and says why', async () => {
  const text = await textOf(ARENA_PAGE, given());
  assert.match(
    text,
    /CPI October 2026 3\.0 % 3\.1 %, of 7 12 JSON CPI October 2026 not graded yet — 12 JSON CPI October 2026 void: no beacon/,
  );
});

test('arena: without an open round there is no form and no code for one', async () => {
  const made = await madeOf(ARENA_PAGE, given({ open: [], recent: [], standings: [] }));
  assert.ok('body' in made);
  assert.deepEqual(made.scripts, []);
  assert.doesNotMatch(made.body.text, /<form|assay forecast make/);
  assert.match(made.body.text, /No round takes forecasts now/);
  assert.match(made.body.text, /No round has closed yet/);
});

/** What the code that seals may weigh over the wire. It is loaded when somebody begins to fill in the form. */
const MOST_SEALING_BYTES = 31_000;

test('arena: the code that seals is small, and no page loads it before somebody acts', async () => {
  const { full } = new Assets().get('seal.js').representation;
  assert.ok(full.kind === 'whole');
  const bytes = brotliCompressSync(full.body).length;
  assert.ok(bytes < MOST_SEALING_BYTES, `${bytes} bytes`);
  assert.doesNotMatch(await markupOf(ARENA_PAGE, given()), /(?:src|href)="[^"]*seal\.js/);
});
