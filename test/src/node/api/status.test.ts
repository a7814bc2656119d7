import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import { Fault } from '@assay/core/fault';
import { recordConcerns, roundConcerns } from '@assay/node/health/concern';
import { readStatus, type StatusParts, statusRoute } from '@assay/node/api/status';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { TimeText } from '@assay/core/time/time';
import { recountedLog } from '../../core/fixture/cosigner-fixture.ts';
import {
  appendAttested,
  appendBatch,
  appendBeacon,
  blockAt,
} from '../../core/fixture/anchor-fixture.ts';
import { smallLog } from '../../core/view/small-log.ts';

function parts(
  ledger: Partial<Ledger>,
  failures: readonly (readonly [string, string])[] = [],
): StatusParts {
  return {
    ledger: { shown: new MemoryViews(), ...ledger } as Ledger,
    now: () => 1_767_225_600,
    transport: () => 'node:http',
    inputs: [() => recordConcerns(ledger as Ledger), () => roundConcerns(new Map(failures))],
    notice: null,
    storage: () => ({ damaged: 0, repaired: 0, found: [], scrub: null }),
  };
}

const PUBLISHED = { size: 3, root: new Uint8Array(32), note: new Uint8Array(0) } as never;

test('status: ok, degraded and halted, with reasons as text', () => {
  const fine = readStatus(parts({ published: PUBLISHED, blocked: undefined }));
  assert.deepEqual([fine.state, fine.reasons, fine.now], ['ok', [], '2026-01-01T00:00:00Z']);
  const blocked = new Fault('read_only', 'ledger', { found: 'no witness' });
  const still = readStatus(parts({ published: PUBLISHED, blocked }));
  assert.equal(still.state, 'degraded');
  assert.match(
    still.reasons.join(),
    /Nothing is written: the newest head could not be compared with mirrors and witnesses/,
  );
  const failing = readStatus(parts({ published: PUBLISHED, blocked: undefined }, [['X', 'why']]));
  assert.equal(failing.state, 'degraded');
  assert.match(failing.reasons.join(), /newest round of X failed: why/);
  assert.equal(readStatus(parts({ published: undefined, blocked: undefined })).state, 'halted');
});

test('status: halted is a 503 problem with the status in it', async () => {
  const route = statusRoute(parts({ published: undefined, blocked: undefined }));
  const reply = await route.handle({ path: '/status', query: '' } as never);
  assert.equal(reply.status, 503);
  assert.ok(reply.kind === 'whole');
  const body = JSON.parse(reply.body as string) as Record<string, unknown>;
  assert.equal(body['error'], 'halted');
  assert.equal(body['state'], 'halted');
  assert.equal(body['status'], 503);
  assert.equal(body['log_size'], 0);
});

test('status: a halt with a record that can be read does not say that it cannot', async () => {
  const reason = 'No index has had a report for 604800 seconds after its release.';
  const late = {
    ...parts({ published: PUBLISHED, blocked: undefined }),
    inputs: [() => [{ level: 'halted', reason } as const]],
  };
  const reply = await statusRoute(late).handle({ path: '/status', query: '' } as never);
  assert.ok(reply.kind === 'whole');
  const body = JSON.parse(reply.body as string) as Record<string, unknown>;
  assert.deepEqual(
    [reply.status, body['title'], body['detail'], body['log_size']],
    [503, 'The service is halted', reason, 3],
  );
});

test('status: how far the stamps are', () => {
  const log = smallLog();
  const anchors = (): unknown =>
    readStatus(parts({ published: PUBLISHED, shown: log.views })).anchors;
  const none = {
    newest_batch: null,
    stamped_at: null,
    stamped_size: null,
    newest_attested: null,
    bitcoin_height: null,
    beacon_height: null,
    beacon_hash: null,
  };
  assert.deepEqual(anchors(), none);
  appendBatch(log, 5);
  appendBatch(log, 9);
  appendBeacon(log, 7);
  appendAttested(log, 0, [blockAt(8), blockAt(9)]);
  assert.deepEqual(anchors(), {
    newest_batch: 1,
    stamped_at: '2026-08-22T00:10:00Z',
    stamped_size: 9,
    newest_attested: 0,
    bitcoin_height: 8,
    beacon_height: 7,
    beacon_hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  });
});

test('status: the chain of the log, what is on it last, and what waits', () => {
  const log = recountedLog();
  const bare = readStatus(parts({ shown: log.views, published: PUBLISHED, blocked: undefined }));
  assert.deepEqual(bare.feeds, {
    chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    program: '6jBSQZ8V4cNqfXy6Sg1M5kP3mV9k7m9uM2d3rQ1cT4wE',
    slot: null,
    newest_posted: null,
    waiting: null,
    waiting_since: null,
  });
  log.append('print/1', {
    of: 'close',
    ticker: 'LAYOFFS',
    period: '2026-07-30',
    digest: '1'.repeat(64),
    feed: '5'.repeat(44),
    account: '6'.repeat(44),
    transaction: null,
    slot: 77,
    cosigners: [],
  });
  const progress = { slot: 80, waiting: 2, waiting_since: '2026-07-30T14:30:00Z' as TimeText };
  const posting = readStatus({
    ...parts({ shown: log.views, published: PUBLISHED, blocked: undefined }),
    feeds: () => progress,
  });
  assert.deepEqual(posting.feeds, {
    ...bare.feeds,
    ...progress,
    newest_posted: { of: 'close', ticker: 'LAYOFFS', period: '2026-07-30', slot: 77, seq: 2 },
  });
});
