import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closeAddress,
  DEVELOPMENT_PROGRAM,
  feedAddress,
  pageAddress,
} from '@assay/chain/addresses';
import { keySigner } from '@assay/chain/client/key-signer';
import { closeMessage } from '@assay/core/report/close';
import { formatHex } from '@assay/core/bytes/hex';
import { formatCloseAccount, parseCloseAccount } from '@assay/core/feed/close-account';
import { formatPage, parsePage } from '@assay/core/feed/page-account';
import { formatPrint, printOf } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseDate, toDate } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { Comparison } from '@assay/node/feed/comparison';
import { DueQueue } from '@assay/node/feed/due-queue';
import { initialFeed } from '@assay/node/feed/feed-plan';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { SKIP } from '../../chain/development/world.ts';
import { withheldRule } from '../../core/fixture/fixture.ts';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';
import { FeedWorld, TICKER, WEEK } from './feed-world.ts';

const STRANGER = '11111111111111111111111111111111' as const;

/** One look of a comparison that knows nothing yet. */
async function words(world: FeedWorld, comparison = new Comparison()): Promise<readonly string[]> {
  const queue = new DueQueue();
  queue.update(world.ledger.shown);
  await comparison.compare({
    client: world.client(),
    rpc: world.rpc,
    program: DEVELOPMENT_PROGRAM,
    queue,
    state: () => world.ledger.shown,
    sha256: nodeSha256,
    now: world.now(),
    signal: new AbortController().signal,
  });
  return comparison.words;
}

test(
  'comparison: what the log says to stand, and the chain does not show',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-08-01T00:00:10Z');
    const final = await world.final();
    const old = await world.final('2025-03-01');
    const close = await world.close('2026-07-30', reportHash(nodeSha256, final));
    await world.poll();
    assert.equal(world.posted().length, 3);
    assert.deepEqual(await words(world), []);
    const { ledger } = world.chain;
    const [feed] = await feedAddress(
      DEVELOPMENT_PROGRAM,
      formatHex(REPORT_SIGNER.publicKey),
      TICKER,
    );
    const change = (address: typeof feed, data: Uint8Array, owner = DEVELOPMENT_PROGRAM): void => {
      ledger.setAccount({ address, owner, lamports: 100_000_000n, data });
    };
    // A page that was emptied, newest and old alike; each comparison looks at one of the old ones.
    for (const [index, report] of [
      [92, final],
      [89, old],
    ] as const) {
      const [page] = await pageAddress(DEVELOPMENT_PROGRAM, feed, index);
      const bytes = ledger.account(page)?.data;
      assert.ok(bytes !== undefined, `page ${index}`);
      change(
        page,
        formatPage({ ...parsePage(bytes), slots: Array.from({ length: 32 }, () => null) }),
      );
      const hash = reportHash(nodeSha256, report);
      assert.deepEqual(await words(world), [
        `The log says that report ${hash} of LAYOFFS ${report.period} stands on chain, and ${page} does not show it.`,
      ]);
      change(page, bytes);
    }
    const [account] = await closeAddress(
      DEVELOPMENT_PROGRAM,
      feed,
      parseDate(toDate('2026-07-30')),
    );
    const held = ledger.account(account)?.data;
    assert.ok(held !== undefined);
    const strange = 'e'.repeat(64);
    change(account, formatCloseAccount({ ...parseCloseAccount(held), hashes: [strange as never] }));
    assert.deepEqual(await words(world), [
      `The Close of 2026-07-30 on chain, at ${account}, has ${strange}, which the log does not have.`,
      `The log says that the Close ${close} of 2026-07-30 stands on chain, and it does not.`,
    ]);
    change(account, held);
    // Bytes that the program does not write, and an account of somebody else.
    const own = ledger.account(feed)?.data ?? new Uint8Array();
    change(feed, new Uint8Array(own.length));
    assert.match(
      (await words(world)).join(),
      /^On chain the feed of LAYOFFS cannot be read: feed account/,
    );
    change(feed, own, STRANGER as never);
    assert.match(
      (await words(world)).join(),
      /feed of LAYOFFS cannot be read: feed account at owner/,
    );
    await world.poll();
    assert.deepEqual(world.posted().length, 3, 'posting stops there, and does not fall over it');
    await world.end();
  },
);

test('comparison: a feed that is gone is not made again', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  await world.final();
  await world.poll();
  const [feed] = await feedAddress(DEVELOPMENT_PROGRAM, formatHex(REPORT_SIGNER.publicKey), TICKER);
  const data = new Uint8Array();
  world.chain.ledger.setAccount({ address: feed, owner: STRANGER as never, lamports: 1n, data });
  await world.feeds.stop();
  world.feeds = world.makeFeeds();
  await world.final('2026-07-18');
  const ran = world.ran();
  await world.poll();
  assert.equal(world.ran(), ran);
  assert.match(
    world.reasons().join(),
    new RegExp(
      `The log says that prints of LAYOFFS stand on chain, and there is no feed at ${feed}`,
    ),
  );
  assert.equal(world.posted().filter(({ period }) => period !== WEEK).length, 0);
  await world.end();
});

/** Whoever has the publisher's key brings a print that the log does not have. */
async function bringForeign(world: FeedWorld, period: string): Promise<string> {
  const foreign = world.report('provisional', period, { value: '666' });
  const message = formatPrint(printOf(nodeSha256, foreign));
  const { publicKey: key, sign } = REPORT_SIGNER;
  await world.client().publish(TICKER, message, [{ key, signature: sign(message) }]);
  return reportHash(nodeSha256, foreign);
}

test(
  'comparison: in turn all pages and all days are seen, whatever the log has there',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final();
    await world.poll();
    assert.deepEqual(world.reasons(), []);
    const report = await bringForeign(world, '2015-01-10');
    const { log } = world.ledger;
    assert.ok(log !== undefined);
    const hash = '9'.repeat(64) as never;
    for (const day of ['2026-07-10', '1970-01-02']) {
      const message = closeMessage(log, toDate(day), hash);
      const { publicKey: key, sign } = REPORT_SIGNER;
      await world.client().close(TICKER, message, { key, signature: sign(message) });
    }
    let looks = 0;
    for (; looks < 110 && world.reasons().length < 3; looks += 1) {
      world.go(601);
      await world.poll();
      if (looks === 8) {
        const told = world.reasons().join();
        assert.match(
          told,
          new RegExp(`LAYOFFS 2015-01-10 on chain, at \\w+, is of report ${report}`),
        );
        assert.match(told, /The Close of 2026-07-10 on chain, at \w+, has 9{64}/);
      }
    }
    assert.match(world.reasons().join(), /The Close of 1970-01-02 on chain, at \w+, has 9{64}/);
    assert.ok(looks > 8);
    world.go(601);
    await world.poll();
    assert.equal(world.reasons().length, 3, 'and stays told');
    await world.end();
  },
);

test('comparison: a feed of an index that is withheld', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  await world.final();
  const ticker = 'HIDDEN' as Ticker;
  const rule = withheldRule({
    ticker,
    display: ticker,
    slug: 'hidden-level',
    applies_from: '2015-01-03',
  });
  await world.append({ kind: 'rule/1', body: { rule } });
  await world.poll();
  assert.deepEqual(world.reasons(), []);
  const state = world.ledger.shown;
  const log = logRow(state);
  assert.ok(log !== undefined);
  const wanted = initialFeed(state, log, ticker, undefined, world.now(), true);
  assert.ok(wanted !== undefined);
  await world.client().initFeed(keySigner(REPORT_SIGNER), wanted);
  world.go(601);
  await world.poll();
  assert.match(
    world.reasons().join(),
    /^The feed of HIDDEN stands on chain, at \w+, and the index is withheld\.$/,
  );
  await world.end();
});
