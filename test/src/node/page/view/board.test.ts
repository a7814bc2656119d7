import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoardAsset, BoardPayload } from '@assay/node/terminal/answer/board';
import { PageFailure } from '@assay/node/page/page';
import { BOARD_PAGE } from '@assay/node/page/view/board';
import { madeOf, markupOf, textOf } from '../fixture/page-ask.ts';

const BTC: BoardAsset = {
  symbol: 'BTC',
  name: 'Bitcoin <script>',
  class: 'crypto',
  ts: '2026-09-21T14:15:00Z',
  current: true,
  score: 90,
  score_1h: 71,
  measured: true,
  move_24h: 8.42,
  vol_mult: 3.15,
  open_event: {
    id: '3f1d5b7c-9e0a-8b4d-af81-92a3b4c5d6e7',
    opened_at: '2026-09-21T13:00:00Z',
    score_at_open: 72,
    peak_score: 91,
  },
};
const COLD: BoardAsset = {
  ...BTC,
  symbol: 'ETH',
  name: 'Ether',
  ts: '2026-09-20T02:00:00Z',
  current: false,
  score: null,
  score_1h: null,
  measured: false,
  move_24h: null,
  vol_mult: null,
  open_event: null,
};

function board(change: Partial<BoardPayload> = {}): object {
  return {
    answers: {
      '/v1/board': { body: { halted: false, halted_classes: [], assets: [BTC, COLD], ...change } },
    },
  };
}

test('board: the open event and every asset, in the order of the answer', async () => {
  const text = await textOf(BOARD_PAGE, board() as never);
  assert.match(text, /newest reading is of 21 September 2026, 14:15 UTC/);
  assert.match(
    text,
    /BTC Bitcoin &lt;script&gt; 90 Open since 21 September 2026, 13:00 UTC\. It opened at 72, and its highest score so far is 91\./,
  );
  assert.match(text, /BTC Bitcoin &lt;script&gt; 90 71 \+8\.42 % 3\.15 × 21 September/);
  assert.match(text, /ETH Ether — — — — 20 September 2026, 02:00 UTC, not of now/);
  assert.match(text, /did not measure every move/);
  assert.ok(text.lastIndexOf('BTC') < text.lastIndexOf('ETH'));
  assert.doesNotMatch(text, /halted/);
});

test('board: a halted class is named', async () => {
  const text = await textOf(
    BOARD_PAGE,
    board({ halted_classes: ['stock'], assets: [COLD] }) as never,
  );
  assert.match(text, /Stocks are halted: their newest reading is too old/);
  assert.match(text, /No event is open/);
});

test('board: who looks at an event that has closed meanwhile is told so', async () => {
  const made = await madeOf(BOARD_PAGE, board({ assets: [{ ...BTC, open_event: null }] }) as never);
  assert.ok('body' in made);
  assert.equal(made.body.live.get('BTC.event'), 'This event has closed.');
  assert.doesNotMatch(made.body.text, /has closed/);
});

test('board: a halted service is a failure of the page, with its reason', async () => {
  const answers = { '/v1/board': { status: 503, detail: 'No class has a good reading of now.' } };
  await assert.rejects(markupOf(BOARD_PAGE, { answers }), (error: unknown) => {
    assert.ok(error instanceof PageFailure);
    assert.deepEqual([error.status, error.message], [503, 'No class has a good reading of now.']);
    return true;
  });
});
