import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sealedValue } from '@assay/core/arena/forecast/forecast-message';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { submissionMessage, type SubmissionReceipt } from '@assay/core/intake/submission-receipt';
import { hashHex } from '@assay/core/hash/hash';
import { forecastLeaf } from '@assay/core/kind/forecast-leaf';
import { formatWire } from '@assay/core/wire/wire';
import type { ReceiptFile } from '@assay/core/arena/receipt-file';
import type { Genesis } from '@assay/core/kind/genesis';
import { QUICKNET, roundTime } from '@assay/core/timelock/beacon-chain';
import { requireChain } from '@assay/core/arena/round-chain';
import { signRound } from '@assay/core/timelock/beacon-key';
import { openSealed } from '@assay/core/timelock/sealed';
import { forecastsOf } from '@assay/core/view/forecasts';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { OWN_SECRET } from '../../core/timelock/timelock-vectors.ts';
import { ARENA } from '../../core/arena/arena-log.ts';
import { REPORT_SIGNER, testSigner } from '../../node/ledger/ledger-fixture.ts';
import { ArenaWorld, CLOSE, ROUND } from '../../node/arena/arena-world.ts';
import { assay, type Ran, scratch } from '../fixture/run.ts';
import { arenaServer, type Lies } from './arena-server.ts';

interface Place {
  readonly world: ArenaWorld;
  readonly folder: string;
  readonly url: string;
  readonly lies: Lies;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
}

async function place(t: TestContext): Promise<Place> {
  const world = await ArenaWorld.begin(t);
  await world.openRounds();
  const folder = await scratch(t);
  const lies: Lies = new Map();
  const url = await arenaServer(t, world, lies);
  return { world, folder, url, lies, run: (...args) => assay(folder, ['forecast', ...args]) };
}

/** The values of the sealed forecasts of the round, opened with the secret of its beacon. */
function opened({ world }: Place): readonly (bigint | undefined)[] {
  const signature = signRound(parseHex(OWN_SECRET), world.round().body.drand_round);
  return [...forecastsOf(world.ledger.tip, ROUND)].map(({ body: { handle, sealed } }) => {
    const message = openSealed(signature, parseHex(sealed ?? ''));
    const subject = { log: world.log, round: ROUND, handle };
    return message && sealedValue(nodeSha256, subject, message);
  });
}

test('forecast make: a sealed forecast of a handle with a key, and its receipt', async (t) => {
  const at = await place(t);
  const made = await at.run('key', 'keys/ada.json');
  assert.equal(made.code, 0, made.err);
  const handle = /handle {2}([0-9a-f]{32})/.exec(made.out)?.[1];
  const args = ['make', at.url, ROUND, '231000', '--handle', 'Ada', '--key', 'keys/ada.json'];
  const first = await at.run(...args);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /sealed +to drand round \d+/);
  const [row] = forecastsOf(at.world.ledger.tip, ROUND);
  assert.equal(row?.body.handle, handle);
  assert.ok(row?.body.key !== null && row?.body.sealed !== null);
  // A second one replaces it. Its entry names no key, and the receipt is still found to be good.
  const second = await at.run(...args.with(3, '232500'));
  assert.equal(second.code, 0, second.err);
  assert.deepEqual(opened(at), [231_000n, 232_500n]);
  const file = `${ROUND}-1.receipt.json`;
  assert.equal((await stat(join(at.folder, file))).mode & 0o777, 0o600);

  const early = await at.run('check', file);
  assert.deepEqual([early.code, early.err], [3, '']);
  at.world.time(CLOSE);
  await at.world.poll();
  const late = await at.run('check', file);
  assert.equal(late.code, 0, late.out);
  assert.match(late.out, /the frozen root of the round holds it/);
});

test('forecast make: the secret of a handle is kept by its owner alone, and needed later', async (t) => {
  const at = await place(t);
  const args = [
    'make',
    at.url,
    ROUND,
    '1000',
    '--handle',
    'bob',
    '--secret',
    'bob.json',
    '--plain',
  ];
  const first = await at.run(...args);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /sealed +no: the operator can read it/);
  assert.equal((await stat(join(at.folder, 'bob.json'))).mode & 0o777, 0o600);
  const { secret } = JSON.parse(await readFile(join(at.folder, 'bob.json'), 'utf8')) as {
    readonly secret: string;
  };
  assert.match(secret, /^[0-9a-f]{64}$/);
  // With the secret the second one may be sealed.
  const second = await at.run(...args.slice(0, -1).with(3, '1100'));
  assert.equal(second.code, 0, second.err);
  const rows = [...forecastsOf(at.world.ledger.tip, ROUND)].map(({ body }) => body);
  assert.equal(new Set(rows.map(({ handle }) => handle)).size, 1);
  // Somebody else with the name and another file is refused.
  const stranger = await at.run(...args.with(7, 'other.json'));
  assert.equal(stranger.code, 1);
  assert.match(stranger.err, /refused it: status 409/);
  assert.doesNotMatch(stranger.err + stranger.out, new RegExp(secret));
});

test('forecast make: what cannot be a forecast is refused before anything is sent', async (t) => {
  const at = await place(t);
  const base = ['--handle', 'ada', '--secret', 'ada.json'];
  for (const [value, code] of [
    ['12.5', 3],
    ['1e6', 3],
    ['99999999999999999', 3],
  ] as const) {
    const ran = await at.run('make', at.url, ROUND, value, ...base);
    assert.equal(ran.code, code, value);
    assert.match(ran.err, /at most 0 decimals/);
  }
  assert.equal((await at.run('make', at.url, 'layoffs-2026-08-09', '1', ...base)).code, 3);
  assert.equal((await at.run('make', 'not a url', ROUND, '1', ...base)).code, 2);
  assert.equal((await at.run('make', at.url, ROUND, '1', '--handle', 'ada')).code, 2);
  assert.equal(
    (await at.run('make', at.url, ROUND, '1', '--handle', 'x', '--secret', 'f')).code,
    3,
  );
  assert.deepEqual([...forecastsOf(at.world.ledger.tip, ROUND)], []);
  assert.deepEqual(
    (await readdir(at.folder)).filter((name) => name.endsWith('.json')),
    [],
  );
});

test('forecast make: on a log that is not of the development network only quicknet will do, before its round is out', async (t) => {
  const { world } = await place(t);
  const round = world.round().body;
  const genesis = { network: 'production' } as Genesis;
  const open = { log: world.log, round, rule: ARENA, genesis, keys: [] };
  assert.throws(() => requireChain(open, 0), { code: 'unsupported' });
  const quick = { ...open, rule: { ...ARENA, drand: QUICKNET } };
  const out = roundTime(QUICKNET, round.drand_round);
  assert.equal(requireChain(quick, out - 1), QUICKNET);
  assert.throws(() => requireChain(quick, out), { code: 'out_of_range' });
  assert.equal(
    requireChain({ ...open, genesis: { network: 'development' } as Genesis }, 0),
    ARENA.drand,
  );
});

test('forecast make: what the server says of a round has to be in its log', async (t) => {
  const at = await place(t);
  const path = `/v1/arena/rounds/${ROUND}`;
  const make = (...more: readonly string[]): Promise<Ran> =>
    at.run('make', at.url, ROUND, '1000', '--handle', 'ada', '--secret', 'ada.json', ...more);
  // Another drand round, whose signature may be out, is not believed: the entry decides.
  at.lies.set(path, (answer: { round: object }) => ({
    ...answer,
    round: { ...answer.round, drand_round: 1 },
  }));
  assert.equal((await make()).code, 0);
  assert.deepEqual(opened(at), [1000n]);
  // Neither is another entry in its place, nor another arena rule.
  at.lies.set(path, (answer: { seq: number }) => ({ ...answer, seq: answer.seq - 1 }));
  assert.equal((await make()).code, 3);
  at.lies.set(path, (answer: { rule: { version: number } }) => ({
    ...answer,
    rule: { ...answer.rule, version: 7 },
  }));
  const ruled = await make();
  assert.deepEqual([ruled.code, /the arena rule that it names/.test(ruled.err)], [3, true]);
  at.lies.delete(path);
  const stranger = await make('--log', '00'.repeat(32));
  assert.deepEqual([stranger.code, stranger.err.includes(at.world.log)], [3, true]);
  assert.equal((await make('--log', at.world.log)).code, 0);
});

test('forecast make: a receipt by a key that is not of the log is named', async (t) => {
  const at = await place(t);
  const stranger = testSigner(77);
  at.lies.set('/v1/arena/forecast', (answer: { receipt: SubmissionReceipt }) => {
    const signature = formatHex(stranger.sign(submissionMessage(nodeSha256, answer.receipt)));
    const key = formatHex(stranger.publicKey);
    return { ...answer, receipt: { ...answer.receipt, key, signature } };
  });
  const ran = await at.run('make', at.url, ROUND, '1', '--handle', 'ada', '--secret', 'a.json');
  assert.deepEqual([ran.code, /is no report key of the log/.test(ran.err)], [1, true]);
});

test('forecast make: a receipt for something else is named', async (t) => {
  const at = await place(t);
  at.lies.set('/v1/arena/forecast', (answer: { receipt: { ordinal: number } }) => ({
    ...answer,
    receipt: { ...answer.receipt, ordinal: answer.receipt.ordinal + 1 },
  }));
  const ran = await at.run('make', at.url, ROUND, '1', '--handle', 'ada', '--secret', 'a.json');
  assert.equal(ran.code, 1);
  assert.match(ran.err, /the receipt is not good: its leaf is/);
  assert.match(ran.err, /its signature is not one of/);
});

test('forecast check: a forecast that the log replaced, dropped or did not freeze is named', async (t) => {
  const at = await place(t);
  for (const name of ['ada', 'bob']) {
    await at.run('make', at.url, ROUND, '1000', '--handle', name, '--secret', `${name}.json`);
  }
  at.world.time(CLOSE);
  await at.world.poll();
  const path = `/v1/arena/rounds/${ROUND}`;
  const file = `${ROUND}-1.receipt.json`;
  const lying = async (lie: (answer: Loose) => unknown): Promise<Ran> => {
    at.lies.set(path, lie as never);
    const ran = await at.run('check', file);
    at.lies.delete(path);
    return ran;
  };
  const good = await at.run('check', file);
  assert.equal(good.code, 0, good.out);
  // The entry decides: a server that shows another body in its answer changes nothing.
  const shown = await lying((answer) => {
    const forecast = answer['forecast'] as Loose;
    const body = { ...(forecast['body'] as object), nonce: '00'.repeat(32) };
    return { ...answer, forecast: { ...forecast, body } };
  });
  assert.equal(shown.code, 0, shown.out);
  const replaced = await lying((answer) => {
    const forecast = answer['forecast'] as { readonly seq: number };
    return { ...answer, forecast: { ...forecast, seq: forecast.seq - 1 } };
  });
  assert.deepEqual([replaced.code, /another forecast at place 1/.test(plain(replaced))], [1, true]);
  const unproven = await lying((answer) => ({
    ...answer,
    forecast: { ...(answer['forecast'] as object), proof: [] },
  }));
  assert.deepEqual([unproven.code, /does not hold the forecast/.test(plain(unproven))], [1, true]);
  const receiptPath = join(at.folder, file);
  const kept = JSON.parse(await readFile(receiptPath, 'utf8')) as { readonly receipt: object };
  const key = formatHex(testSigner(77).publicKey);
  await writeFile(receiptPath, JSON.stringify({ ...kept, receipt: { ...kept.receipt, key } }));
  const foreign = await at.run('check', file);
  assert.deepEqual([foreign.code, /is no report key of the log/.test(plain(foreign))], [1, true]);
});

/** What was printed, in one line. */
function plain({ out }: Ran): string {
  return out.replaceAll(/\s+/g, ' ');
}

type Loose = Readonly<Record<string, unknown>>;

test('forecast check: a receipt for a place that the frozen root gives to another is evidence', async (t) => {
  const at = await place(t);
  await at.run('make', at.url, ROUND, '1000', '--handle', 'ada', '--secret', 'ada.json');
  const path = join(at.folder, `${ROUND}-0.receipt.json`);
  const kept = JSON.parse(await readFile(path, 'utf8')) as ReceiptFile;
  // The operator promised one place to two clients, once of the log and once beyond its end.
  for (const ordinal of [0, 7]) {
    const forecast = { ...kept.forecast, ordinal, nonce: 'ee'.repeat(32) };
    const leaf = hashHex(forecastLeaf(nodeSha256, forecast));
    const promised = { ...kept.receipt, ordinal, leaf, nonce: forecast.nonce };
    const signature = formatHex(REPORT_SIGNER.sign(submissionMessage(nodeSha256, promised)));
    const file = { ...kept, forecast, receipt: { ...promised, signature } };
    await writeFile(join(at.folder, `promised-${ordinal}.json`), formatWire(file));
  }
  const early = await at.run('check', 'promised-0.json');
  assert.deepEqual([early.code, early.out.includes('evidence')], [1, false]);
  at.world.time(CLOSE);
  await at.world.poll();
  const ran = await at.run('check', 'promised-0.json');
  assert.deepEqual([ran.code, /does not hold the forecast/.test(plain(ran))], [1, true]);
  const name = 'promised-0.json.evidence.json';
  const proven = await assay(at.folder, ['evidence', 'check', name, '--log', at.world.log]);
  assert.equal(proven.code, 0, proven.out + proven.err);
  const beyond = await at.run('check', 'promised-7.json');
  assert.deepEqual([beyond.code, /no forecast at place 7/.test(plain(beyond))], [1, true]);
  const ended = 'promised-7.json.evidence.json';
  const convicted = await assay(at.folder, ['evidence', 'check', ended, '--log', at.world.log]);
  assert.equal(convicted.code, 0, convicted.out + convicted.err);
});

test('forecast seal: prints what can be posted, and posts nothing', async (t) => {
  const at = await place(t);
  await at.run('key', 'keys/ada.json');
  const args = ['seal', at.url, ROUND, '1234', '--handle', 'ada', '--key', 'keys/ada.json'];
  const ran = await at.run(...args);
  assert.equal(ran.code, 0, ran.err);
  assert.deepEqual([...forecastsOf(at.world.ledger.tip, ROUND)], []);
  const body = JSON.parse(ran.out) as object;
  await at.world.accepted(body);
  assert.deepEqual(opened(at), [1234n]);
});

test('forecast standing: open rounds and standings, also as JSON', async (t) => {
  const at = await place(t);
  const ran = await at.run('standing', at.url);
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.out, new RegExp(`${ROUND} +2026-08-04T07:30:00Z +230000 claims +0`));
  assert.match(ran.out, /none yet/);
  const json = await at.run('standing', at.url, '--json');
  assert.equal((JSON.parse(json.out) as { open: unknown[] }).open.length, 1);
});
