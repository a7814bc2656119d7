import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { ClosePayload } from '@assay/core/answer/close';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { Fault } from '@assay/core/fault';
import type { RecordedOperation } from '@assay/node/api/document/recorded-answers';
import { IndexRound } from '@assay/node/day/completeness-round';
import { recordConcerns } from '@assay/node/health/concern';
import { unreadableRecord } from '@assay/node/ledger/record';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { parseTime } from '@assay/core/time/time';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { Deliveries } from '@assay/node/webhook/deliveries';
import { MessageReader } from '@assay/node/webhook/message-reader';
import { Signups } from '@assay/node/webhook/signups';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import { SubscriptionStore } from '@assay/node/webhook/subscription-store';
import { SIGNATURE } from '../../../core/view/small-log.ts';
import { answersChallenges, netOf, Receiver } from '../../webhook/receiver.ts';
import { ArenaLog, keyForecaster, secretForecaster } from '../../../core/arena/arena-log.ts';
import { blockAt } from '../../../core/fixture/anchor-fixture.ts';
import { layoffsRule, sampleReport, SOME_HASH } from '../../../core/fixture/fixture.ts';
import { edgeStudyWith } from '../../../core/terminal/edge/edge-study.ts';
import { marketEvent } from '../../../core/terminal/terminal-log.ts';
import { CosignedWorld, FROZEN, RELEASE, SEEDS } from '../../cosign/cosigner-fixture.ts';
import { closesWorld } from '../../fixture/closes-world.ts';
import {
  filledLedger,
  memoryPlace,
  REPORT_SIGNER,
  temporaryFolder,
} from '../../ledger/ledger-fixture.ts';
import { AnswerWorld } from '../../referee/answer-fixture.ts';
import { freezeStudy, hotWorld } from '../hot-world.ts';
import { attestMarket, stampMarket } from '../stamped-market.ts';
import { attest, stamp } from '../stamped-world.ts';
import { shownRecord, terminalWorld } from '../terminal-world.ts';
import { serveWorld } from '../world-service.ts';
import { AnswerRecorder } from './answer-recorder.ts';

const PLACES = { publicUrl: 'https://assay.example', mirrorUrl: 'https://mirror.example' };

/** Bytes that are the same in each run, in the place of random ones. */
function repeatable(): (size: number) => Uint8Array {
  let calls = 0;
  return (size) => {
    calls += 1;
    return createHash('shake256', { outputLength: size }).update(`example ${calls}`).digest();
  };
}

/**
 * Serves small logs with a fixed clock and development keys, and asks for every operation of the API that reads. Each run gives the
 * same answers.
 */
export async function answerRun(
  t: TestContext,
): Promise<Readonly<Record<string, RecordedOperation>>> {
  const recorder = new AnswerRecorder();
  await numbers(t, recorder);
  await statements(t, recorder);
  await market(t, recorder);
  await rates(t, recorder);
  await arena(t, recorder);
  await referee(t, recorder);
  await stream(t, recorder);
  await webhooks(t, recorder);
  await halted(t, recorder);
  return recorder.all;
}

/** Indexes, Closes, proofs and the log itself. */
async function numbers(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const world = await closesWorld(await temporaryFolder(t), { random: repeatable() });
  for (const week of [0, 1, 2]) await world.week(week);
  await world.week(3);
  const days = new IndexRound(world.ledger, nodeSha256, world.closeParts.now);
  await days.run();
  await stamp(world);
  await attest(world, 0, blockAt(9));
  const { base } = await serveWorld(t, world, 'node', { places: PLACES });
  const service = await recorder.of(base);
  const ticker = { ticker: 'LAYOFFS' };
  await service.ask('listIndices', { each: { view: 'light' } });
  await service.refused('listIndices', 'bad_request', {}, 'colour=red');
  await service.ask('getIndex', { always: ticker });
  for (const id of ['getIndex', 'getRule', 'getHistory', 'getSettlementCsv', 'listPeriods']) {
    await service.refused(id, 'not_found', { ticker: 'NOPE' });
  }
  for (const id of ['getRule', 'getHistory', 'getSettlementCsv'])
    await service.ask(id, { always: ticker });
  const report = (await service.ask('getReport', {
    always: ticker,
    each: { period: '2026-07-25' },
  })) as {
    readonly hash: string;
    readonly report: { readonly reads: readonly { readonly snapshot: string }[] };
  };
  await service.refused('getReport', 'no_report', { ...ticker, period: '1999-01-02' });
  await service.refused('getReport', 'not_found', { ticker: 'NOPE' });
  const first = await fetch(`${base}/indices/LAYOFFS/periods?limit=1`);
  const { next_cursor: cursor } = (await first.json()) as { next_cursor: string };
  await service.ask('listPeriods', {
    always: ticker,
    each: { from: '2026-07-11', to: '2026-07-18', limit: '100', cursor },
  });
  const { day } = (await service.ask('getClose')) as ClosePayload;
  await service.ask('getClose', { each: { day } });
  await service.refused('getClose', 'not_found', { day: '1999-01-01' });
  await service.ask('getSettlementIndex');
  for (const format of ['csv', 'json']) {
    await service.ask('getSettlementFile', { always: { path: `${day}/LAYOFFS.${format}` } });
  }
  await service.refused('getSettlementFile', 'not_found', { path: '1999-01-01/LAYOFFS.json' });
  await service.ask('getListing', { always: ticker });
  await service.refused('getListing', 'no_kit', { ticker: 'hidden' });
  await service.refused('getListing', 'not_found', { ticker: 'NOPE' });
  await service.ask('getSigner');
  await service.ask('getIndexEntry', { each: { day } });
  await service.refused('getIndexEntry', 'not_found', { day: '1999-01-01' });
  await service.ask('getIndexProof', { always: { report: report.hash } });
  await service.refused('getIndexProof', 'not_found', { report: SOME_HASH });
  await service.ask('listAnchors', { each: { before: '1' } });
  await service.ask('getProof', {
    always: { digest: report.hash },
    also: [{ format: 'ots' }],
    each: { format: 'ots' },
  });
  await service.refused('getProof', 'not_found', { digest: SOME_HASH });
  await service.ask('getCheckpoint');
  await service.refused('getClosingHead', 'not_found', { number: '0' });
  const [tile] = tilesOf(world.ledger.published?.size ?? 0);
  const path = tile === undefined ? '' : formatTilePath(tile).slice('tile/'.length);
  await service.ask('getTile', { always: { path } });
  await service.refused('getTile', 'not_found', { path: '9/000' });
  await service.ask('getPack', { always: { path: '0/000.p/1' } });
  await service.refused('getPack', 'not_found', { path: '0/999' });
  await service.ask('getBlob', { always: { hash: report.report.reads[0]?.snapshot ?? '' } });
  await service.refused('getBlob', 'not_found', { hash: SOME_HASH });
  await service.ask('getStatus');
  await service.ask('getHealth');
  await service.ask('getReadiness');
  const json = { each: { format: 'json' }, also: [{ format: 'json' }] };
  await service.ask('listProblems', json);
  await service.ask('getProblem', { always: { code: 'halted' }, ...json });
  await service.refused('getProblem', 'not_found', { code: 'nope' });
  for (const [id, parameters] of [
    ['getScoreHistory', { symbol: 'ETH' }],
    ['getPastBoard', {}],
    ['listFullReceipts', {}],
  ] as const) {
    await service.refused(id, 'tier_closed', parameters);
  }
}

/** A number with the statements of co-signers. */
async function statements(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const world = await CosignedWorld.open();
  const reception = world.receive();
  world.at(RELEASE);
  const row = await world.round();
  await world.bring([world.recounter(SEEDS[0]).cosigner]);
  const parts = {
    ledger: world.ledger,
    blobs: world.blobs,
    closeParts: { now: () => world.clock.now } as never,
  };
  const { base } = await serveWorld(t, parts, 'node', { reception });
  const service = await recorder.of(base);
  const word = await world.word(world.recounter(SEEDS[1]).cosigner);
  await service.send('postStatement', { body: word });
  world.at(FROZEN);
  await world.round();
  await service.ask('listStatements', { always: { report: row?.hash ?? '' } });
  await service.refused('listStatements', 'not_found', { report: SOME_HASH });
  await service.ask('getRecount', {
    always: { ticker: 'LAYOFFS' },
    each: { period: '2026-07-25' },
  });
  await service.refused('getRecount', 'not_found', { ticker: 'LAYOFFS', period: '1999-01-02' });
}

/** Events of the Terminal and their receipts. */
async function market(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const world = await terminalWorld(t, 'node', 31);
  await stampMarket(world);
  attestMarket(world);
  const service = await recorder.of(world.base);
  const { next_cursor: cursor } = (await (
    await fetch(`${world.base}/receipts?cursor=&limit=1`)
  ).json()) as {
    next_cursor: string;
  };
  const filters = { symbol: 'ETH', from: '2026-08-27', to: '2026-09-26' };
  await service.ask('listReceipts', { each: { ...filters, limit: '30', cursor } });
  const whole = await fetch(`${world.base}/receipts/dataset?cursor=&limit=1`);
  const next = ((await whole.json()) as { next_cursor: string }).next_cursor;
  await service.ask('getDataset', {
    each: {
      ...filters,
      since: '2026-08-27',
      format: 'csv',
      limit: '1000',
      offset: '0',
      cursor: next,
    },
    also: [{ format: 'csv' }],
  });
  const proof = { event_id: marketEvent('ETH', 8), horizon: '24h' };
  await service.ask('getReceiptProof', {
    always: proof,
    each: { format: 'ots' },
    also: [{ format: 'ots' }],
  });
  await service.refused('getReceiptProof', 'not_found', {
    ...proof,
    event_id: marketEvent('SOL', 1),
  });
}

/** The Terminal while an event is open, with a study of those before. */
async function rates(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const world = await hotWorld(t);
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }));
  const service = await recorder.of(world.base);
  await service.ask('getBoard');
  await service.ask('getAsset', { always: { symbol: 'BTC' } });
  await service.ask('getBaseRate', { always: { symbol: 'BTC' } });
  await service.ask('listBaseRates');
  for (const id of ['getAsset', 'getBaseRate'])
    await service.refused(id, 'not_listed', { symbol: 'NOPE' });
  await service.ask('getChangelog', { keep: 'end' });
}

/** Two graded rounds, and one that is open. */
async function arena(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const [ada, key] = [secretForecaster('ada'), keyForecaster('b1')];
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  for (const [period, print] of [
    ['2026-08-02', '1100'],
    ['2026-08-03', '1000'],
  ] as const) {
    log.play(period, print, [
      [ada, BigInt(print)],
      [key, 1000n],
    ]);
  }
  log.open('2026-08-05T02:00:00Z');
  log.take('layoffs-2026-08-04', ada, 1050n, '2026-08-05T02:00:01Z');
  const now = parseTime('2026-08-05T02:00:02Z');
  const record = shownRecord(log);
  const parts = {
    ledger: record as never,
    blobs: new MemoryBlobStore(),
    closeParts: { now: () => now } as never,
  };
  const { base, publication } = await serveWorld(t, parts, 'node', { record });
  publication.changed(log.entries.length, new Set(['rounds']));
  const service = await recorder.of(base);
  const ticker = 'layoffs';
  await service.ask('getArena', { each: { ticker, limit: '20' } });
  await service.refused('getArena', 'not_found', { ticker: 'nope' });
  const { next_cursor: cursor } = (await (await fetch(`${base}/arena/rounds?limit=1`)).json()) as {
    next_cursor: string;
  };
  await service.ask('listArenaRounds', {
    each: { ticker, from: '2026-08-02', to: '2026-08-04', limit: '20', cursor },
  });
  await service.refused('listArenaRounds', 'not_found', { ticker: 'nope' });
  await service.ask('getArenaRound', {
    always: { round: 'layoffs-2026-08-03' },
    each: { place: '0' },
  });
  await service.refused('getArenaRound', 'not_found', { round: 'layoffs-1999-01-01' });
  await service.ask('getArenaHandle', { always: { handle: ada.handle } });
  await service.refused('getArenaHandle', 'not_found', { handle: 'nobody' });
}

/** Questions, one of them resolved. */
async function referee(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const world = await AnswerWorld.open(t, ['SOL', 'ADA'], repeatable());
  const [question] = await world.questions();
  const parts = {
    ledger: world.ledger,
    blobs: world.blobs,
    closeParts: { now: () => world.time } as never,
  };
  const { base } = await serveWorld(t, parts, 'node', { answers: world.intake });
  const service = await recorder.of(base);
  const { next_cursor: cursor } = (await (
    await fetch(`${base}/questions?cursor=&limit=1`)
  ).json()) as {
    next_cursor: string;
  };
  await service.ask('listQuestions', {
    each: {
      state: 'all',
      symbol: 'SOL',
      from: '2026-03-01',
      to: '2026-03-01',
      limit: '50',
      cursor,
    },
  });
  await service.ask('getQuestion', { always: { id: question?.id ?? '' } });
  const nonce = '3c'.repeat(32);
  await service.send('postAnswer', {
    always: { id: question?.id ?? '' },
    body: { answer: 'yes', nonce },
  });
  await service.refused('getQuestion', 'not_found', { id: 'd7d39887-3885-8360-a0be-f81a5cf45c31' });
}

/** The events of a log with a number. */
async function stream(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const ledger = await filledLedger(await memoryPlace(), 0);
  t.after(() => ledger.close());
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  const report = sampleReport('final', { period: '2026-07-25' });
  await ledger.write(() => [{ kind: 'report/1', body: { report, signature: SIGNATURE } }]);
  const frames = new EntryFrames(ledger, nodeSha256);
  const events = new EventHub(frames, { heartbeatMs: 200 });
  t.after(() => events.stop());
  const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
  const { base } = await serveWorld(t, parts, 'node', { events });
  const service = await recorder.of(base);
  await service.stream('getEvents', {
    from: '2',
    after: (await frames.idOf(1)) ?? '',
    kinds: 'report',
    tickers: 'LAYOFFS',
    symbols: 'SOL',
    ticks: 'true',
  });
  await service.refused('getEvents', 'other_history', { after: `1-${'f'.repeat(16)}` });
}

/** A signup whose challenge failed at first. */
async function webhooks(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const ledger = await filledLedger(await memoryPlace(), 3);
  t.after(() => ledger.close());
  const store = await SubscriptionStore.open(await temporaryFolder(t), {
    cipher: new SubscriptionCipher(new Uint8Array(32)),
    sync: false,
  });
  const reader = new MessageReader(ledger, nodeSha256);
  const receiver = await Receiver.start(t, 'hooks.venue.example.com', (_, response) =>
    response.end('no'),
  );
  const nowMs = (): number => Date.parse('2026-08-01T00:00:00Z');
  const common = {
    store,
    nowMs,
    onError: (error: unknown): void => assert.fail(String(error)),
    net: netOf(receiver),
  };
  const deliveries = new Deliveries({ ...common, reader, signer: REPORT_SIGNER });
  t.after(() => deliveries.stop());
  const signups = new Signups({ ...common, size: () => reader.size });
  const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
  const hooks = { store, deliveries, signups };
  const { base } = await serveWorld(t, parts, 'node', { webhooks: hooks });
  const service = await recorder.of(base);
  const signup = await fetch(`${base}/webhooks/subscribe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'desk@venue.example.com', url: receiver.url }),
  });
  const { confirm_token: token } = (await signup.json()) as { confirm_token: string };
  receiver.handle = answersChallenges;
  service.masks.push(
    [token, 'Zq3xH1m8oC0sV4Yd7uKp2bRw5tJn9aLe6gFi1cMh3vE'],
    [/whsec_[\w+/=]+/g, `whsec_${'A'.repeat(43)}=`],
    [/"id":"[0-9a-f]{32}"/g, `"id":"${'4d'.repeat(16)}"`],
    [/msg_test_[0-9a-f]{32}/g, `msg_test_${'9c'.repeat(16)}`],
    [/"ms":\d+/g, '"ms":83'],
    [/"previous_until":"[^"]*"/g, '"previous_until":"2026-08-02T00:00:00Z"'],
  );
  const confirmed = await service.ask('confirmWebhook', { always: { token } });
  const { secret } = confirmed as { readonly secret: string };
  const authorization = `Bearer ${secret}`;
  await service.ask('getSubscription', { headers: { authorization } });
  for (const [id, body] of [
    ['changeSubscription', { types: ['print', 'close'], tickers: ['LAYOFFS'] }],
    ['testSubscription', undefined],
    ['pauseSubscription', undefined],
    ['resumeSubscription', undefined],
    ['replaySubscription', { seq: 1 }],
  ] as const) {
    await service.send(id, { headers: { authorization }, body });
  }
  const rotated = await service.send('rotateSubscription', { headers: { authorization } });
  const next = `Bearer ${(rotated as { readonly secret: string }).secret}`;
  await service.send('unsubscribe', { headers: { authorization: next } });
  await service.send('subscribeWebhook', {
    body: { email: 'desk@venue.example.com', url: receiver.url, types: ['print', 'close'] },
  });
  await service.refused('confirmWebhook', 'not_found', { token: 'x'.repeat(43) });
  await service.refused('getSubscription', 'unauthorized', {});
}

/** A service whose record cannot be read. */
async function halted(t: TestContext, recorder: AnswerRecorder): Promise<void> {
  const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
  const now = parseTime('2026-08-01T00:00:00Z');
  const parts = {
    ledger: record as never,
    blobs: new MemoryBlobStore(),
    closeParts: { now: () => now } as never,
  };
  const { base } = await serveWorld(t, parts, 'node', {
    record,
    inputs: [() => recordConcerns(record)],
  });
  const service = await recorder.of(base);
  await service.refused('listIndices', 'halted', {});
  await service.refused('getBoard', 'halted', {});
  await service.refused('getStatus', 'halted', {});
}
