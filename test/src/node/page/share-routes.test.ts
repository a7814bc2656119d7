import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { numberBadge } from '@assay/node/page/badge';
import { CardGallery } from '@assay/node/page/card-gallery';
import { serveWorld } from '../api/world-service.ts';
import { closesWorld, type ClosesWorld } from '../fixture/closes-world.ts';

async function served(
  t: TestContext,
  publicUrl: string | null = 'https://assay.example',
): Promise<{ readonly base: string; readonly world: ClosesWorld }> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  t.after(() => rm(folder, { recursive: true }));
  const world = await closesWorld(folder);
  await world.week(0);
  const { base } = await serveWorld(t, world, 'node', { places: { publicUrl, mirrorUrl: null } });
  return { base, world };
}

const INDEX: LightIndexPayload = {
  ticker: 'LAYOFFS',
  slug: 'layoffs',
  title: 'Claims',
  network: 'production',
  unit: 'claims',
  format: 'count',
  decimals: 0,
  cadence: 'weekly',
  grade: 'A',
  newest_complete: {
    period: '2026-07-04' as never,
    status: 'final',
    value: '215000',
    settlement_value: '215000',
    settleable: true,
    unsettled: null,
    withheld: false,
    required: 2,
    have: 2,
    report_hash: null,
    seq: 5,
    cosigners: [],
  },
  next_period: '2026-07-11',
  next_release_at: '2026-07-16T12:30:00Z',
};

function badgeOf(change: Partial<NonNullable<LightIndexPayload['newest_complete']>>): string {
  const { newest_complete: newest } = INDEX;
  assert.ok(newest !== null);
  return numberBadge({ ...INDEX, newest_complete: { ...newest, ...change } });
}

/** The texts of a badge, from left to right. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text]) => text ?? '');
}

const GOOD = '#17663a';

test('badge: the number, its period, its state and its quorum', () => {
  const svg = badgeOf({});
  assert.deepEqual(textsOf(svg), ['LAYOFFS 2026-07-04', '215,000 · final 2/2']);
  assert.match(
    svg,
    /role="img" aria-label="LAYOFFS, week to 4 July 2026\. 215,000 claims\. Final: 2 of 2 recounters have signed it"/,
  );
  assert.ok(svg.includes(GOOD));
});

test('badge: nothing looks settled that is not', () => {
  const states = [
    [{ unsettled: 'quorum', have: 1, settleable: false }, '215,000 · waits for recounters 1/2'],
    [{ unsettled: 'terms', settleable: false }, '215,000 · final, never settles'],
    [
      { unsettled: 'history', settlement_value: null, settleable: false },
      '215,000 · loaded, not printed',
    ],
    [{ unsettled: 'void', value: null, settlement_value: null, settleable: false }, '— · void'],
    [
      { unsettled: 'withheld', withheld: true, value: null, settleable: false },
      'withheld · never settles',
    ],
    [{ unsettled: 'provisional', settleable: false }, '215,000 · provisional'],
  ] as const;
  for (const [change, text] of states) {
    const svg = badgeOf(change);
    assert.equal(textsOf(svg)[1], text);
    assert.ok(!svg.includes(GOOD), text);
  }
  assert.deepEqual(textsOf(numberBadge({ ...INDEX, newest_complete: null })), [
    'LAYOFFS',
    '— · nothing published',
  ]);
  const development = numberBadge({ ...INDEX, network: 'development' });
  assert.deepEqual(textsOf(development)[1], 'DEVELOPMENT · 215,000 · final 2/2');
  assert.ok(!development.includes(GOOD));
  assert.match(
    development,
    /aria-label="[^"]*Development network: nothing here may be settled on"/,
  );
});

/** How wide letters of Verdana are, in parts of an em of 2048. */
const VERDANA: Readonly<Record<string, number>> = {
  ' ': 720,
  '-': 930,
  ',': 745,
  '/': 930,
  '·': 745,
  W: 2025,
  i: 562,
  m: 1992,
  D: 1578,
  O: 1612,
  a: 1230,
  f: 720,
  l: 562,
  n: 1296,
};
const DIGIT = 1302;

function verdanaWidth(text: string): number {
  const units = text
    .split('')
    .reduce((sum, each) => sum + (/\d/.test(each) ? DIGIT : (VERDANA[each] ?? Number.NaN)), 0);
  return (units / 2048) * 11;
}

test('badge: each text has its place, inside of its part and wide enough for it', () => {
  for (const ticker of ['8888888888', 'WWWWWWWWWW', 'iiiiiiiiii', 'mOmD']) {
    const svg = numberBadge({ ...INDEX, ticker });
    const [, width = ''] = /<svg [^>]*?width="(\d+)"/.exec(svg) ?? [];
    let end = 0;
    for (const [, x = '', length = '', text = ''] of svg.matchAll(
      /<text x="(\d+)" y="14" textLength="(\d+)">([^<]*)</g,
    )) {
      assert.ok(Number(x) > end, text);
      end = Number(x) + Number(length);
      const real = verdanaWidth(text);
      assert.ok(
        Number(length) >= real && Number(length) <= 1.3 * real,
        `${text}: ${length}, ${real}`,
      );
    }
    assert.ok(end < Number(width), ticker);
  }
});

test('badge: what a rule says is no markup', () => {
  const svg = numberBadge({ ...INDEX, ticker: '"><script>', unit: '<a href="x">' });
  assert.doesNotMatch(svg, /<script|<a /);
});

test('share: a badge is found in any letter case, may be kept for 5 minutes, and runs nothing', async (t) => {
  const { base } = await served(t);
  for (const path of ['/badge/layoffs.svg', '/badge/LAYOFFS.svg']) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/svg+xml');
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=300');
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'");
    assert.match(await answer.text(), /DEVELOPMENT · 215,000 · final/);
  }
  for (const path of ['/badge/none.svg', '/badge/layoffs', '/badge/layoffs.png', '/badge/.svg']) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 404, path);
    await answer.body?.cancel();
  }
});

test('share: the site map has every page by its whole address, and each is there', async (t) => {
  const { base } = await served(t);
  const answer = await fetch(`${base}/sitemap.xml`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/xml/);
  const places = [
    ...(await answer.text()).matchAll(/<loc>https:\/\/assay\.example([^<]*)<\/loc>/g),
  ];
  const paths = places.map(([, path]) => path ?? '');
  for (const path of ['/', '/record', '/docs', '/i/layoffs', '/i/hidden-level']) {
    assert.ok(paths.includes(path), path);
  }
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) {
    const page = await fetch(base + path, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200, path);
    await page.body?.cancel();
  }
});

test('share: without an address there is no site map and no picture, and no search engine is let into a development network', async (t) => {
  const { base } = await served(t, null);
  for (const path of ['/sitemap.xml', '/card.png', '/card/layoffs.png']) {
    const missing = await fetch(base + path);
    assert.equal(missing.status, 404, path);
    await missing.body?.cancel();
  }
  const robots = await fetch(`${base}/robots.txt`);
  assert.equal(await robots.text(), 'User-agent: *\nDisallow: /\n');
});

test('share: the card of a number is a picture of the size that previews have', async (t) => {
  const { base } = await served(t);
  if (!(await new CardGallery().canDraw())) return t.skip('no package draws on this platform');
  for (const path of ['/card/layoffs.png', '/card/LAYOFFS.png', '/card.png']) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('content-type'), 'image/png');
    const png = Buffer.from(await answer.arrayBuffer());
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
  }
  for (const path of ['/card/none.png', '/card/layoffs.svg', '/card/.png']) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 404, path);
    await answer.body?.cancel();
  }
});
