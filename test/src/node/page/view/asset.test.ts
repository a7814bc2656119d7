import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssetPayload } from '@assay/node/terminal/answer/asset';
import { NO_RATE_REASONS } from '@assay/node/terminal/answer/base-rate-answer';
import {
  type RatePayload,
  studiedRate,
  studiedReasons,
} from '@assay/node/terminal/answer/base-rate';
import { groupIn } from '@assay/node/terminal/answer/base-rate-group';
import { NO_VENUES } from '@assay/node/terminal/answer/venues';
import { ASSET_PAGE } from '@assay/node/page/view/asset';
import { SOME_HASH } from '../../../core/fixture/fixture.ts';
import { edgeStudyWith } from '../../../core/terminal/edge/edge-study.ts';
import { type Answer, madeOf, markupOf, textOf } from '../fixture/page-ask.ts';
import { CLOSED_EVENT } from '../fixture/closed-event.ts';

const ETH: AssetPayload = {
  asset: { symbol: 'ETH', name: 'Ether <b>', class: 'crypto', listed: true },
  latest: {
    ts: '2026-09-21T14:15:00Z',
    current: true,
    score: 72,
    score_1h: null,
    measured: true,
    move_24h: -8.42,
    vol_mult: 3.15,
  },
  vol_mult: 3.15,
  scores_30d: [
    { ts: '2026-09-20T23:00:00Z', score: 12 },
    { ts: '2026-09-21T00:00:00Z', score: null },
    { ts: '2026-09-21T01:00:00Z', score: 44 },
    { ts: '2026-09-21T02:00:00Z', score: 40 },
  ],
  open_event: null,
  past_events: [CLOSED_EVENT],
  venues: NO_VENUES,
  venues_checked_at: null,
  venues_notice: null,
};

const OPENED = '2026-09-21T14:15:00Z';
const GROUP = { bucket: 'up_5', breadth: 'alone' } as const;
const ROW = { seq: 5120, blob: SOME_HASH, rule: SOME_HASH, from: 0, to: 5119 };
const STUDY = { row: ROW, blob: edgeStudyWith(GROUP) };
const HELD = groupIn(STUDY.blob, GROUP) ?? assert.fail('no group');
const RATE: RatePayload = {
  symbol: 'BTC',
  score_now: 72,
  threshold: 70,
  ts: OPENED,
  opened_at: OPENED,
  move_24h: 8.42,
  ...studiedRate(STUDY, HELD, 'BTC'),
};
const STOOD = { score_now: 42, threshold: 70, ts: OPENED, opened_at: null };

function given(asset: Partial<AssetPayload> = {}, rate: Answer = { body: RATE }): never {
  const answers = { '/v1/asset/eth': { body: { ...ETH, ...asset } }, '/v1/base-rate/eth': rate };
  return { answers, params: { symbol: 'eth' } } as never;
}

test('asset: the score with its time, the receipts, and the base rate with its caveat', async () => {
  const text = await textOf(ASSET_PAGE, given());
  assert.match(text, /Ether &lt;b&gt; ETH 72 Activity score of this crypto asset/);
  assert.match(
    text,
    /Read at 21 September 2026, 14:15 UTC\. An hour before — Price over one day −8\.42 % Volume of one day 3\.15 × its 30-day average/,
  );
  assert.match(text, /No event is open/);
  assert.ok(text.includes(RATE.plain));
  for (const caveat of RATE.caveats) assert.ok(text.includes(caveat), caveat);
  assert.match(text, /BTC itself has no event in the study/);
  assert.match(
    text,
    /After a week 50 0 100\.0 % quiet \d+\.\d % \+4\.\d\d % quiet [+−]?0\.\d\d % \+\d\.\d\d % \+\d\.\d\d % \+\d\.\d\d to \+\d\.\d\d After 30 days 47/,
  );
  assert.match(
    text,
    /All assets all months \+4\.\d\d \+3\.\d\d to \+4\.\d\d 50 50 weeks, 16 assets Half of the assets earlier months .* All assets later months .* The other half later months .* All assets two events against them .* 52 52 weeks, 18 assets /,
  );
  assert.match(text, /number 1, entry 5120 of the log.* once in 720 studies/);
  assert.match(text, /72 peak 81 −3\.40 % BTC \+1\.02 %/);
  assert.match(text, /21 September 2026 2 40 44 40 20 September 2026 1 12 12 12/);
  assert.match(text, /No venue is known/);
});

test('asset: each reason for which there is no base rate is said, with the words of the answer', async () => {
  const sentences = new Set<string>();
  const numbers = { ...STOOD, study: null, group: null };
  for (const reason of NO_RATE_REASONS) {
    const detail = 'The score is 42, and an event opens at 70.';
    const body = { symbol: 'ETH', base_rate: null, reason, detail, numbers };
    const text = await textOf(ASSET_PAGE, given({}, { body }));
    const [, why = ''] = /What usually followed (There is no base rate .*?\.)/.exec(text) ?? [];
    assert.notEqual(why, '', reason);
    sentences.add(why);
    assert.match(text, /Why: The score is 42/);
    assert.doesNotMatch(text, /Middle half|All events/);
  }
  assert.equal(sentences.size, NO_RATE_REASONS.length);
});

test('asset: a group that does not hold is shown with its interval and what it would have needed', async () => {
  const shown = async (like: Parameters<typeof studiedReasons>[1]): Promise<string> => {
    const numbers = { ...STOOD, ...studiedReasons(STUDY, like) };
    const body = { symbol: 'ETH', base_rate: null, reason: 'group_withheld', detail: 'x', numbers };
    return textOf(ASSET_PAGE, given({}, { body }));
  };
  const found = await shown({ bucket: 'within_5', breadth: 'alone' });
  assert.match(found, /Why: 30 events like this one were studied, on 16 assets in 30 weeks\./);
  assert.match(
    found,
    /quiet assets was [+−]\d\.\d\d points \(95 % interval −\d\.\d\d to \+\d\.\d\d\)/,
  );
  assert.match(found, /What a rate would have needed All events: the mean is/);
  const none = await shown({ bucket: 'up_30', breadth: 'broad' });
  assert.match(none, /Why: no event like this one has been studied/);
});

test('asset: one that is not listed, has no reading, or whose reading is old looks like that', async () => {
  const { asset, latest } = ETH;
  const gone = given(
    { asset: { ...asset, listed: false }, latest: null, past_events: [], scores_30d: [] },
    { status: 404, detail: 'x' },
  );
  const text = await textOf(ASSET_PAGE, gone);
  assert.match(text, /ETH is not listed any more/);
  assert.match(text, /no good reading in 30 days/);
  assert.match(text, /An asset that is not listed has no base rate/);
  assert.match(text, /No event of this asset has closed yet/);
  assert.match(text, /There is no score to draw yet/);
  const old = given({ latest: latest && { ...latest, current: false } });
  assert.match(await textOf(ASSET_PAGE, old), /This reading is not of now/);
  assert.match(await markupOf(ASSET_PAGE, old), /class="state wait">[^<]*<span data-live="read"/);
  const halted = given({}, { status: 503, detail: 'The study cannot be read now.' });
  assert.match(await textOf(ASSET_PAGE, halted), /The study cannot be read now\./);
  for (const [classes, isAll] of [
    [['crypto'], true],
    [['stock'], false],
  ] as const) {
    const problem = { halted: true, halted_classes: classes };
    const answer = given({}, { status: 503, detail: 'No asset of the class.', problem });
    const said = await textOf(ASSET_PAGE, answer);
    assert.equal(
      /no asset of this class has a reading of now\. Why: No asset of/.test(said),
      isAll,
    );
    assert.match(said, /No asset of the class\./);
  }
});

test('asset: venues by kind, and only an address of the web is a link', async () => {
  const venue = {
    venue: 'a',
    name: 'A & B',
    url: 'https://a.example/?x=1&y',
    us_available: false,
    checked_at: '',
  };
  const venues = {
    ...NO_VENUES,
    spot: [
      venue,
      { ...venue, name: 'C', url: 'javascript://a.example/%0aalert(1)', us_available: true },
    ],
  };
  const markup = await markupOf(
    ASSET_PAGE,
    given({
      venues,
      venues_checked_at: '2026-09-21T03:00:00Z',
      venues_notice: 'One venue gave no list.',
    }),
  );
  assert.match(
    markup,
    /<a href="https:\/\/a\.example\/\?x=1&amp;y" rel="noopener nofollow">A &amp; B<\/a> <span class="dim">not for customers in the United States/,
  );
  assert.doesNotMatch(markup, /javascript:|Perpetuals/);
  assert.match(
    markup,
    /One venue gave no list\. Checked against the lists of the venues on 21 September 2026, 03:00 UTC\./,
  );
});

test('asset: an asset that is not there is no page', async () => {
  const answers = { '/v1/asset/a%2Fb': { status: 404, detail: 'There is no asset "a/b" here.' } };
  const made = await madeOf(ASSET_PAGE, { answers, params: { symbol: 'a/b' } });
  assert.deepEqual(made, { missing: 'There is no asset "a/b" here.' });
});

test('asset: a week and a day of the scores are plain links, and anything else is 30 days', async () => {
  const scores_30d = Array.from({ length: 720 }, (_, at) => ({
    ts: new Date(Date.UTC(2026, 7, 22, at)).toISOString().replace('.000', ''),
    score: 5,
  }));
  for (const [query, days, hours] of [
    ['', 30, 720],
    ['days=7', 7, 169],
    ['days=1', 1, 25],
    ['days=-1', 30, 720],
    ['days=__proto__', 30, 720],
  ] as const) {
    const asked = Object.assign({}, given({ scores_30d }), { query }) as never;
    const markup = await markupOf(ASSET_PAGE, asked);
    assert.match(markup, new RegExp(`\\?days=${days}#scores" aria-current="true"`), query);
    const [, byDays = ''] = markup.split('The same by days');
    const counted = [...byDays.matchAll(/2026<\/td> <td class="figure">(\d+)<\/td>/g)];
    assert.equal(
      counted.reduce((sum, [, n]) => sum + Number(n), 0),
      hours,
      query,
    );
  }
});
