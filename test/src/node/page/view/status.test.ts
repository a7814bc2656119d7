import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asked, PageView } from '@assay/node/page/page';
import { Assets } from '@assay/node/page/asset';
import { STATUS_PAGE } from '@assay/node/page/view/status';

const STATUS = {
  state: 'ok',
  reasons: [],
  notice: null,
  origin: 'example.org/assay',
  log_size: 12,
  log_root: null,
  transport: 'node',
  now: '2026-08-01T00:00:00Z',
  indices: { LAYOFFS: { newest_printed: '2026-07-25' } },
  anchors: {
    newest_batch: null,
    stamped_at: null,
    newest_attested: null,
    bitcoin_height: null,
    beacon_height: null,
  },
  feeds: { chain: null, program: null, newest_posted: null, waiting: null, waiting_since: null },
  storage: { damaged: 0, repaired: 0, found: [], scrub: null },
};

async function page(answer: Asked<unknown>): Promise<PageView> {
  const made = await STATUS_PAGE.make({
    params: {},
    query: new URLSearchParams(),
    now: 0,
    publicUrl: null,
    assets: new Assets(),
    ask: <Body>() => Promise.resolve(answer as Asked<Body>),
    bytes: () => Promise.reject(new Error('no bytes are asked for here')),
  });
  assert.ok(!('missing' in made));
  return made;
}

test('status: a service that is well says so in the colour of that', async () => {
  const { status, body } = await page({ status: 200, body: STATUS, detail: undefined });
  assert.equal(status, 200);
  assert.equal(body.live.get('headline'), 'All is well');
  assert.equal(body.live.get('headline tone'), 'good');
});

test('status: a halted service says that it is, and why, with the status of its answer', async () => {
  const reasons = ['The disk is full.'];
  const problem = { type: 'halted', status: 503, ...STATUS, state: 'halted', reasons };
  const detail = 'The disk is full.';
  const { status, body } = await page({ status: 503, body: undefined, detail, problem });
  assert.equal(status, 503);
  assert.match(body.text, /class="lead bad"><span[^>]*>Halted: nothing is published now</);
  assert.equal(body.live.get('headline tone'), 'bad');
  assert.equal(body.live.get('reasons'), 'The disk is full.');
  assert.match(body.text, /LAYOFFS/);
});

test('status: an answer that is no status is a failure of the page', async () => {
  const detail = 'The record cannot be read.';
  await assert.rejects(page({ status: 503, body: undefined, detail, problem: { detail } }), {
    name: 'PageFailure',
    status: 503,
  });
});
