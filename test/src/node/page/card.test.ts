import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { CARD_WIDTH, numberCard, serviceCard } from '@assay/node/page/card';
import { openPainter } from '@assay/node/page/painter';

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

function cardOf(change: Partial<LightIndexPayload> = {}): string {
  return numberCard({
    index: { ...INDEX, ...change },
    at: '2026-07-10T08:00:00Z',
    host: 'assay.example',
  });
}

function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text]) => text ?? '').filter(Boolean);
}

const GOOD = '#17663a';

test('card: the number, its period, its state, the time of the picture, and where to check it', () => {
  assert.deepEqual(textsOf(cardOf()), [
    'LAYOFFS',
    'Claims',
    '215,000',
    'claims, week to 4 July 2026',
    'Final: 2 of 2 recounters have signed it',
    'As of 10 July 2026, 08:00 UTC. A picture proves nothing:',
    'check the number at assay.example',
  ]);
  assert.ok(cardOf().includes(GOOD));
});

test('card: a development network is named first, and nothing looks settled on it', () => {
  const card = cardOf({ network: 'development' });
  assert.equal(textsOf(card)[0], 'DEVELOPMENT: nothing here may be settled on');
  assert.ok(!card.includes(GOOD));
  assert.match(serviceCard(true, 'assay.example'), /DEVELOPMENT/);
  assert.doesNotMatch(serviceCard(false, 'assay.example'), /DEVELOPMENT/);
});

test('card: what never settles has no number that looks as if it did', () => {
  assert.ok(INDEX.newest_complete !== null);
  const withheld = { ...INDEX.newest_complete, withheld: true, unsettled: 'withheld' as const };
  const card = cardOf({ newest_complete: withheld });
  assert.ok(textsOf(card).includes('withheld'));
  assert.ok(!card.includes('215') && !card.includes(GOOD));
  assert.ok(textsOf(cardOf({ newest_complete: null })).includes('Nothing is published yet'));
});

test('card: a long title takes two lines, and markup in it is text', () => {
  const card = cardOf({ title: `${'Claims of a long week '.repeat(9)}<script>` });
  const [, first = '', second = ''] = textsOf(card);
  assert.ok(first.startsWith('Claims of a long') && second.endsWith('…'), second);
  assert.doesNotMatch(card, /<script/);
});

test('card: the widest texts stay inside of the picture, by the font that draws them', async (t) => {
  const paint = await openPainter();
  if (paint === null) return t.skip('no package draws on this platform');
  const { Resvg } = await import('@resvg/resvg-js');
  assert.ok(INDEX.newest_complete !== null);
  const newest = {
    ...INDEX.newest_complete,
    value: '-888888888.88888888',
    settlement_value: '-888888888.88888888',
  };
  const card = cardOf({ ticker: 'W'.repeat(32), unit: 'W'.repeat(60), newest_complete: newest });
  for (const [text] of card.matchAll(/<text .*?<\/text>/g)) {
    const alone = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="630" font-family="Inter">${text}</svg>`;
    const fonts = ['inter-400.ttf', 'inter-600.ttf'].map(
      (name) => new URL(`../../../../../node/browser/font/${name}`, import.meta.url).pathname,
    );
    const drawn = new Resvg(alone, { font: { fontFiles: fonts, loadSystemFonts: false } });
    const box = drawn.getBBox();
    assert.ok(box === undefined || box.x + box.width <= CARD_WIDTH, `${text}: ${box?.width}`);
  }
  assert.ok((await paint(card)).length > 1000);
});
