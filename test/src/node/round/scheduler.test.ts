import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { formatDate, parseDate } from '@assay/core/time/time';
import { periodRow } from '@assay/core/view/periods';
import type { WireObject } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { RoundParts } from '@assay/node/round/round';
import { enactRule } from '@assay/node/rule/rule-file';
import { Scheduler } from '@assay/node/round/scheduler';
import type { SourceAnswer } from '@assay/node/source/source';
import { Gate, turns } from '../ledger/ledger-fixture.ts';
import {
  CLAIMS_RULE,
  MIRROR,
  page,
  RECORD,
  requireVerified,
  type TestNode,
  testNode,
} from '../fixture/round-fixture.ts';

const { ticker } = CLAIMS_RULE;
const HTML = page('<!doctype html><title>Sorry</title>');

interface Told {
  readonly scheduler: Scheduler;
  /** What the scheduler told, in order. */
  readonly events: string[];
}

function schedule(node: TestNode, everyMs = 0, change: Partial<RoundParts> = {}): Told {
  const events: string[] = [];
  const scheduler = new Scheduler({ ...node.parts, ...change }, everyMs, {
    onRound: (of, period, { report, revisions }) =>
      events.push(`${of} ${period} ${report?.status ?? 'nothing'} ${revisions}`),
    onRoundFailed: (of, period, error) =>
      events.push(`${of} ${period} failed: ${(error as Error).message}`),
  });
  return { scheduler, events };
}

/** The claims rule under another name, asking other hosts. */
function otherRule(name: string): Rule {
  const text = JSON.stringify({
    ...CLAIMS_RULE,
    ticker: name,
    display: name,
    slug: `other-${name.toLowerCase()}`,
  });
  const value = JSON.parse(text.replaceAll('sample.invalid', `${name.toLowerCase()}.invalid`));
  return parseRule(nodeSha256, value as WireObject);
}

const settled = ({ ledger }: TestNode, week: string): string | null | undefined =>
  periodRow(ledger.tip, ticker, formatDate(parseDate(week)))?.settlement_value;

test('scheduler: the due weeks of a poll, newest first; what was missed is history', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node);
  await scheduler.runDue();
  assert.deepEqual(events, []);
  node.source.show({ '2026-07-18': 1000, '2026-07-25': 2000, '2026-08-01': 3000 });
  node.at('2026-08-06T12:30:00Z');
  await scheduler.runDue();
  assert.deepEqual(events.splice(0), ['LAYOFFS 2026-08-01 provisional 2']);
  node.at('2026-08-06T14:30:00Z');
  await scheduler.runDue();
  assert.deepEqual(events, ['LAYOFFS 2026-08-01 final 0']);
  assert.equal(settled(node, '2026-07-25'), null);
  assert.equal(settled(node, '2026-08-01'), '3000');
  await requireVerified(node);
});

test('scheduler: named rounds alone, in the order given, and never a settled one again', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node);
  node.source.show({ '2026-07-18': 1000, '2026-07-25': 2000 });
  node.at('2026-07-30T14:30:00Z');
  const weeks = ['2026-07-11', '2026-07-25'].map((week) => ({ ticker, period: parseDate(week) }));
  await scheduler.run(weeks);
  assert.deepEqual(events.splice(0), [
    'LAYOFFS 2026-07-11 nothing 1',
    'LAYOFFS 2026-07-25 final 0',
  ]);
  await scheduler.run(weeks.slice(1));
  assert.deepEqual(events, []);
});

test('scheduler: a source that is late leaves the older week to be printed', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node);
  node.source.show({ '2026-07-18': 1000 });
  node.at('2026-07-30T12:30:00Z');
  await scheduler.runDue();
  assert.deepEqual(events, ['LAYOFFS 2026-07-25 nothing 0', 'LAYOFFS 2026-07-18 final 0']);
});

test('scheduler: hostile sources are reported, and it goes on; well again, it is well again', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node);
  const size = node.ledger.nextSeq;
  node.at('2026-07-30T12:30:00Z');
  const failed: SourceAnswer = { kind: 'failed', reason: 'too_large', detail: '' };
  for (const [record, mirror, words] of [
    [HTML, HTML, 'sample-claims-csv malformed, sample-claims-json malformed'],
    [failed, page('', 500), 'sample-claims-csv too_large, sample-claims-json bad_status'],
    [page('a\u0000b'), page('['.repeat(1000)), 'malformed, sample-claims-json too_large'],
  ] as const) {
    node.source.say(RECORD, record);
    node.source.say(MIRROR, mirror);
    await scheduler.runDue();
    assert.match(scheduler.failures.get(ticker) ?? '', new RegExp(words));
    assert.deepEqual(events.splice(0), [
      'LAYOFFS 2026-07-25 nothing 0',
      'LAYOFFS 2026-07-18 nothing 0',
    ]);
    assert.equal(node.ledger.nextSeq, size);
  }
  node.source.show({ '2026-07-25': 2000 });
  await scheduler.runDue();
  assert.equal(events[0], 'LAYOFFS 2026-07-25 provisional 0');
  assert.equal(scheduler.failures.size, 0);
});

test('scheduler: a round that throws is reported and tried again', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node);
  node.at('2026-07-23T12:30:00Z');
  node.source.show({ '2026-07-18': 1000 });
  node.source.say(MIRROR, Promise.reject(new Error('a bug in a source')));
  await scheduler.runDue();
  assert.deepEqual(events.splice(0), ['LAYOFFS 2026-07-18 failed: a bug in a source']);
  assert.equal(
    scheduler.failures.get(ticker),
    'an error that is in the log of the operator; it is tried again',
  );
  node.source.show({ '2026-07-18': 1000 });
  await scheduler.runDue();
  assert.deepEqual(events, ['LAYOFFS 2026-07-18 provisional 0']);
  assert.equal(scheduler.failures.size, 0);
});

test('scheduler: no index waits for another that is broken or slow', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const other = otherRule('OTHER');
  await enactRule(node.ledger, nodeSha256, other);
  const { scheduler, events } = schedule(node);
  node.at('2026-07-23T12:30:00Z');
  node.source.show({ '2026-07-18': 1000 });
  const gate = new Gate();
  gate.shut();
  const slow = gate.pass().then(() => HTML);
  for (const provider of other.providers) node.source.say(provider, slow);
  const look = scheduler.runDue();
  await turns(10);
  assert.deepEqual(events, ['LAYOFFS 2026-07-18 provisional 0']);
  gate.open();
  await look;
  assert.deepEqual(events, ['LAYOFFS 2026-07-18 provisional 0', 'OTHER 2026-07-18 nothing 0']);
  assert.deepEqual([...scheduler.failures.keys()], ['OTHER']);
});

test('scheduler: once the ledger is stopped nothing is asked any more', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node);
  node.at('2026-07-30T12:30:00Z');
  node.source.show({ '2026-07-18': 1000, '2026-07-25': 2000 });
  node.place.guard.fail = 'failed';
  await scheduler.runDue();
  assert.equal(events.length, 1);
  assert.match(events[0] ?? '', /2026-07-25 failed: .*restart/);
  const asked = node.source.asked.length;
  await scheduler.runDue();
  assert.equal(node.source.asked.length, asked);
});

function clocked(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] });
}

test('scheduler: started, it polls at once and then again after each poll', async (t) => {
  clocked(t);
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node, 1000);
  node.source.show({ '2026-07-18': 1000 });
  scheduler.start();
  scheduler.start();
  await turns(10);
  assert.deepEqual(events, []);
  node.at('2026-07-23T12:30:00Z');
  t.mock.timers.tick(999);
  await turns(10);
  assert.deepEqual(events, []);
  t.mock.timers.tick(1);
  await turns(10);
  assert.deepEqual(events, ['LAYOFFS 2026-07-18 provisional 0']);
  await scheduler.stop();
  node.at('2026-07-23T14:30:00Z');
  t.mock.timers.tick(100_000);
  await turns(10);
  assert.equal(events.length, 1, 'once stopped, none follows');
  scheduler.start();
  await turns(10);
  assert.equal(events.length, 1);
});

test('scheduler: a source that says nothing new is asked less and less often', async (t) => {
  clocked(t);
  let ms = 0;
  t.mock.method(performance, 'now', () => ms);
  const node = await testNode('2026-07-20T00:00:00Z');
  const { scheduler, events } = schedule(node, 1000);
  node.source.show({ '2026-07-11': 1000 });
  node.at('2026-07-23T12:30:00Z');
  scheduler.start();
  const asked: number[] = [];
  for (let look = 0; look < 130; look += 1) {
    await turns(4);
    if (events.splice(0).length > 0) asked.push(look);
    ms += 1000;
    t.mock.timers.tick(1000);
  }
  await turns(4);
  assert.deepEqual(asked, [0, 1, 3, 7, 15, 31, 63, 95, 127]);
  await scheduler.runDue();
  assert.equal(events.length, 1, 'asked for by hand, it looks whatever it said last');
  await scheduler.stop();
});

test('scheduler: stop gives up what is under way and waits for its round', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const given: string[] = [];
  const read: RoundParts['source']['read'] = (_, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        given.push('up');
        reject(signal.reason as Error);
      });
    });
  const { scheduler, events } = schedule(node, 1000, { source: { read } });
  node.at('2026-07-23T12:30:00Z');
  scheduler.start();
  await turns(5);
  await scheduler.stop();
  assert.deepEqual(given, ['up', 'up']);
  assert.deepEqual(events, [], 'a round that was given up is no failure');
  assert.equal(scheduler.failures.size, 0);
});

test('scheduler: a simulated clock stands still for each round', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  node.source.show({ '2026-07-18': 1000, '2026-07-25': 2000 });
  node.at('2026-07-30T14:30:00Z');
  const told: string[] = [];
  let holders = 0;
  const tell = (): void => void told.push(`${holders} holding`);
  const scheduler = new Scheduler(
    node.parts,
    0,
    { onRound: tell, onRoundFailed: tell },
    () => Promise.resolve(),
    () => {
      holders += 1;
      return () => {
        holders -= 1;
      };
    },
  );
  await scheduler.run([{ ticker, period: parseDate('2026-07-25') }]);
  assert.deepEqual(told, ['1 holding']);
  assert.equal(holders, 0);
});

test('scheduler: a round without room is left for a later poll, and a claim is given back', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const told: string[] = [];
  let full = true;
  let claimed = 0;
  const scheduler = new Scheduler(
    node.parts,
    0,
    {
      onRound: (of, period) => told.push(`${of} ${period}`),
      onRoundFailed: (_of, _period, error) => told.push((error as Error).message),
    },
    undefined,
    undefined,
    (of, providers) => {
      assert.deepEqual([of, providers], [ticker, CLAIMS_RULE.providers.length]);
      if (full) return Promise.reject(new Fault('no_room', 'disk'));
      claimed += 1;
      return Promise.resolve(() => {
        claimed -= 1;
      });
    },
  );
  node.source.show({ '2026-07-18': 1000, '2026-07-25': 2000 });
  node.at('2026-07-30T12:30:00Z');
  const before = node.ledger.nextSeq;
  await scheduler.runDue();
  assert.deepEqual([told, node.ledger.nextSeq, scheduler.failures.size], [[], before, 0]);
  full = false;
  await scheduler.runDue();
  assert.ok(told.length > 0 && node.ledger.nextSeq > before);
  assert.equal(claimed, 0);
});
