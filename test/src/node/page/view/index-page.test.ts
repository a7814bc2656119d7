import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { PeriodPayload } from '@assay/core/answer/period';
import { Assets } from '@assay/node/page/asset';
import { type Asked, PageFailure, type PageView } from '@assay/node/page/page';
import { INDEX_PAGE } from '@assay/node/page/view/index-page';
import { serveWorld } from '../../api/world-service.ts';
import { type ClosesWorld, closesWorld, HIDDEN_RULE } from '../../fixture/closes-world.ts';
import { CLAIMS_RULE } from '../../fixture/round-fixture.ts';

/** Changes the answer of a target before the page has it. */
type Change = (target: string, answer: Asked<unknown>) => Asked<unknown>;

interface Shown {
  readonly world: ClosesWorld;
  /** The page of a slug; what is missing where there is none. */
  readonly page: (slug: string, query?: string, change?: Change) => Promise<PageView | string>;
}

/**
 * Four weeks of claims: a final one with a correction beside it, whose source now has a third figure; a void one; one that
 * was loaded as history; and a provisional one. And an index whose level is withheld.
 */
async function shown(t: TestContext): Promise<Shown> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  t.after(() => rm(folder, { recursive: true }));
  const world = await closesWorld(folder);
  await world.week(0);
  world.shown.sample['2026-07-04'] = 219_000;
  await world.correct('2026-07-04');
  world.at('2026-07-30T12:30:01Z');
  await world.round(CLAIMS_RULE, '2026-07-11');
  Object.assign(world.shown.sample, {
    '2026-07-04': 221_000,
    '2026-07-18': 216_000,
    '2026-07-25': 197_000,
  });
  world.at('2026-07-30T12:40:00Z');
  await world.round(CLAIMS_RULE, '2026-07-25');
  const { base } = await serveWorld(t, world, 'node');
  return { world, page: (slug, query = '', change) => made(base, slug, query, change) };
}

/** The page as it is made of the answers of a service. */
async function made(
  base: string,
  slug: string,
  query: string,
  change: Change = (_, answer) => answer,
): Promise<PageView | string> {
  const view = await INDEX_PAGE.make({
    params: { slug },
    query: new URLSearchParams(query),
    now: 0,
    publicUrl: 'https://assay.example',
    assets: new Assets(),
    bytes: () => Promise.reject(new Error('no page of a number asks for bytes')),
    ask: async <Body>(target: string): Promise<Asked<Body>> => {
      const answer = await fetch(`${base}${target}`);
      const body = (await answer.json()) as Readonly<Record<string, unknown>>;
      const asked =
        answer.status === 200
          ? { status: 200, body, detail: undefined }
          : {
              status: answer.status,
              body: undefined,
              detail: String(body['detail']),
              problem: body,
            };
      return change(target, asked) as Asked<Body>;
    },
  });
  return 'missing' in view ? view.missing : view;
}

/** What a page says is not there. */
function missing(view: PageView | string): string {
  return typeof view === 'string' ? view : `the page ${view.title}`;
}

/** What a reader reads: the text of a page without its markup. */
function textOf(view: PageView | string): string {
  assert.ok(typeof view !== 'string', missing(view));
  return view.body.text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' .', '.');
}

/** The state of a page, as its class and its text. */
function stateOf(view: PageView | string): readonly [string, string] {
  assert.ok(typeof view !== 'string', missing(view));
  const [, tone = '', text = ''] =
    /<p class="state (\w+)"><span data-live="[^"]+">([^<]+)</.exec(view.body.text) ?? [];
  return [tone, text];
}

function numberOf(view: PageView | string): string | undefined {
  assert.ok(typeof view !== 'string', missing(view));
  return /<p class="number large">(?:<span[^>]*>)?([^<]*)</.exec(view.body.text)?.[1];
}

/** Changes the first period of each page of periods. */
function withPeriod(changes: Partial<PeriodPayload>): Change {
  return (target, answer) => {
    if (!target.includes('/periods?')) return answer;
    const { periods, ...rest } = answer.body as { readonly periods: readonly PeriodPayload[] };
    return {
      ...answer,
      body: { ...rest, periods: periods.map((each) => ({ ...each, ...changes })) },
    };
  };
}

test('index page: a number is found by its slug and its ticker in any letter case, and no other', async (t) => {
  const { page } = await shown(t);
  for (const slug of ['layoffs', 'LAYOFFS', 'LayOffs']) {
    const view = await page(slug);
    assert.ok(typeof view !== 'string');
    assert.equal(view.canonical, '/i/layoffs', slug);
  }
  for (const slug of ['none', '..', '<b>', 'layoffs ', '%']) {
    assert.match(missing(await page(slug)), /^There is no index "/, slug);
  }
  for (const period of ['2026-07-05', '1999-01-02', 'x', '', '2026-07-04&limit=9']) {
    const view = await page('layoffs', `period=${encodeURIComponent(period)}`);
    assert.match(missing(view), /^There is no period "/, period);
  }
});

test('index page: where the state of a period changes on an open page, its number, its time and its colour do, too', async (t) => {
  const { page } = await shown(t);
  const view = await page('layoffs', 'period=2026-07-25');
  assert.ok(typeof view !== 'string');
  assert.equal(view.body.live.get('2026-07-25.value'), '197,000');
  assert.equal(view.body.live.get('2026-07-25.published'), ', published 30 July 2026, 12:40 UTC');
  assert.match(view.body.live.get('2026-07-25.state') ?? '', /^Not settled yet/);
  assert.equal(view.body.live.get('2026-07-25.state tone'), 'wait');
});

test('index page: a recounter who counted another number is in the state of the number, which is then not green', async (t) => {
  const { page } = await shown(t);
  const view = await page('layoffs', 'period=2026-07-25', (target, answer) => {
    return target.includes('/recount')
      ? { ...answer, body: { ...(answer.body as object), dissents: [dissent(), dissent()] } }
      : withPeriod({ unsettled: null })(target, answer);
  });
  const [tone, text] = stateOf(view);
  assert.equal(tone, 'wait');
  assert.match(text, / 2 recounters counted another number\.$/);
});

/** A statement of a recounter who came to another number. */
function dissent(): object {
  const found = { own: null, kept: null, reason: null };
  const statement = { verdict: 'dissent', basis: 'own_read', signed_at: '2026-07-30T13:00:00Z' };
  return { name: 'other', key: 'ab', seq: 3, statement: { ...statement, ...found } };
}

test('index page: what settles is the first final, whatever is corrected or revised later', async (t) => {
  const { page } = await shown(t);
  const view = await page('layoffs', 'period=2026-07-04');
  assert.equal(numberOf(view), '215,000');
  const [tone, state] = stateOf(view);
  assert.equal(tone, 'good');
  assert.match(state, /^By its rule this number is settled: it is final, and no recount/);
  assert.match(state, /no money may rest on it\.$/, 'it is a development network');
  const text = textOf(view);
  assert.match(text, /the publisher now gives 219,000\. Money settles on the first final all the/);
  assert.match(text, /This is the trail of the correction\./);
  assert.match(text, /week to 4 July 2026: 219,000 claims \(corrected\)\. Report sha256/);
  assert.match(text, /week to 4 July 2026 215,000 221,000, 30 July 2026 final, corrected later/);
});

test('index page: on a production network a settled number is settled, and one without its quorum is not', async (t) => {
  const { page } = await shown(t);
  const production: Change = (target, answer) =>
    target === '/v1/indices?view=light'
      ? {
          ...answer,
          body: (answer.body as readonly object[]).map((each) => ({
            ...each,
            network: 'production',
          })),
        }
      : answer;
  const at = 'period=2026-07-04';
  assert.deepEqual(stateOf(await page('layoffs', at, production)), [
    'good',
    'Settled: the number is final, and no recount of it is required: nobody but its publisher has counted it.',
  ]);
  const waiting = withPeriod({
    unsettled: 'quorum',
    settleable: false,
    quorum: { required: 2, have: 1 },
  });
  assert.deepEqual(stateOf(await page('layoffs', at, waiting)), [
    'wait',
    'Not settled yet: the number is final, and 1 of 2 required recounters have signed it.',
  ]);
  const closed = withPeriod({ unsettled: 'terms', settleable: false });
  assert.match(
    stateOf(await page('layoffs', at, closed)).join(' '),
    /^none Not settled: .*let no money/,
  );
  const unknown = withPeriod({ unsettled: undefined });
  assert.deepEqual(stateOf(await page('layoffs', at, unknown))[0], 'wait');
});

test('index page: a void, a provisional, a loaded and a withheld number are none of them settled', async (t) => {
  const { page } = await shown(t);
  const none = await page('layoffs', 'period=2026-07-11');
  assert.equal(numberOf(none), '—');
  assert.deepEqual(stateOf(none), [
    'none',
    'Void: there is no number for this period, because no number came before the deadline. A signed report says so.',
  ]);
  assert.match(textOf(none), /week to 11 July 2026: void, no number\. Report sha256 [0-9a-f]{64}/);
  assert.match(textOf(none), /it had no number yet/);

  const open = await page('layoffs', 'period=2026-07-25');
  assert.equal(numberOf(open), '197,000');
  assert.deepEqual(stateOf(open), [
    'wait',
    'Not settled yet: the number is provisional and can still change, because its source may still correct it.',
  ]);

  const loaded = await page('layoffs', 'period=2026-07-18');
  assert.equal(numberOf(loaded), '216,000');
  assert.match(stateOf(loaded).join(' '), /^none Not settled, and never will be/);
  assert.match(textOf(loaded), /There is no report of this period\. Its figure was loaded/);
  assert.match(textOf(loaded), /so that there is nothing to cite/);

  const hidden = await page(HIDDEN_RULE.slug);
  assert.equal(numberOf(hidden), 'withheld');
  assert.match(stateOf(hidden).join(' '), /^none Not settled: the terms of its source keep/);
  assert.match(textOf(hidden), /There is no listing kit\. The level is withheld\./);
  assert.doesNotMatch((hidden as PageView).body.text, /987654/);
});

test('index page: the newest complete period is shown, and the provisional one after it is named', async (t) => {
  const { page } = await shown(t);
  const view = await page('layoffs');
  assert.equal(numberOf(view), '216,000');
  assert.match(textOf(view), /week to 25 July 2026 is provisional\./);
});

test('index page: a recounter that does not agree is named as that, and a silent one as well', async (t) => {
  const { page } = await shown(t);
  const key = (digit: string): string => digit.repeat(64);
  const statement = {
    basis: 'own_read',
    kept: null,
    signed_at: '2026-07-30T15:00:00Z',
    set: key('0'),
  };
  const recounted: Change = (target, answer) =>
    target.includes('/recount')
      ? {
          ...answer,
          body: {
            ...(answer.body as object),
            required: 2,
            quorum: { required: 2, have: 1, reached_at: null },
            cosigners: [
              { name: 'one', key: key('1') },
              { name: 'two', key: key('2') },
              { name: 'three', key: key('3') },
            ],
            cosignatures: [
              {
                name: 'one',
                seq: 7,
                key: key('1'),
                statement: {
                  ...statement,
                  cosigner: key('1'),
                  verdict: 'agree',
                  reason: null,
                  own: { value: '197000', status: 'provisional', reads: [] },
                },
              },
            ],
            dissents: [
              {
                name: 'two',
                seq: 8,
                key: key('2'),
                statement: {
                  ...statement,
                  cosigner: key('2'),
                  verdict: 'dissent',
                  reason: 'value',
                  own: { value: '198000', status: 'provisional', reads: [] },
                },
              },
            ],
          },
        }
      : answer;
  const text = textOf(await page('layoffs', 'period=2026-07-25', recounted));
  assert.match(text, /1 of 2 required recounters have signed it\./);
  assert.match(text, /one read the sources itself and agrees , with 197,000 of its own\./);
  assert.match(
    text,
    /two read the sources itself and does not agree , with 198,000 of its own, because: value\./,
  );
  assert.match(text, /three has stated nothing about it yet\. 3{64}/);
});

test('index page: each step of the trail is linked to where it is served', async (t) => {
  const { world, page } = await shown(t);
  const view = await page('layoffs', 'period=2026-07-25');
  assert.ok(typeof view !== 'string');
  const { text } = view.body;
  const links = [...text.matchAll(/href="(\/[^"]+)"/g)].map(([, href]) => href ?? '');
  const blobs = links.filter((href) => href.startsWith('/blob/'));
  assert.equal(blobs.length, 4, 'a manifest and an answer of each source');
  for (const href of blobs) assert.ok(await world.blobs.has(href.slice(6) as never), href);
  assert.ok(links.includes('/v1/indices/LAYOFFS/report?period=2026-07-25'));
  assert.ok(links.includes('/v1/indices/LAYOFFS/rule'));
  assert.match(text, /the hash waits to be stamped/);
});

test('index page: nothing that a source, a rule or a recounter wrote is markup', async (t) => {
  const { page } = await shown(t);
  const evil = '<img src=x onerror=alert(1)>"\'&';
  const hostile = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => hostile(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        [
          'title',
          'clause',
          'attribution',
          'text',
          'name',
          'unit',
          'source',
          'on',
          'question',
        ].includes(name) && typeof each === 'string'
          ? evil
          : hostile(each),
      ]),
    );
  };
  const view = await page('layoffs', 'period=2026-07-25', (_, answer) => ({
    ...answer,
    body: answer.body === undefined ? undefined : hostile(answer.body),
  }));
  assert.ok(typeof view !== 'string');
  assert.ok(view.body.text.includes('&lt;img src=x onerror=alert(1)&gt;'));
  assert.doesNotMatch(view.body.text, /<img/);
});

test('index page: the chart has the pale line of loaded periods and a ring for a later figure', async (t) => {
  const { page } = await shown(t);
  const view = await page('layoffs');
  assert.ok(typeof view !== 'string');
  assert.equal(view.body.text.match(/class="revised"/g)?.length, 1);
  assert.match(textOf(view), /A ring is the figure that the source gives today/);
  assert.match(textOf(view), /All 4 periods as a table/);
});

test('index page: an answer that cannot be had is the status of the page', async (t) => {
  const { page } = await shown(t);
  const halted: Change = (target, answer) =>
    target.includes('/rule')
      ? { status: 503, body: undefined, detail: 'It cannot be read.' }
      : answer;
  await assert.rejects(
    page('layoffs', '', halted),
    (error) => error instanceof PageFailure && error.status === 503,
  );
});
