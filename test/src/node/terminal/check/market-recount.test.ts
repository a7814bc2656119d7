import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Asset } from '@assay/core/kind/asset';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { formatStudyBlob, type StudyBlob } from '@assay/core/terminal/study/study-blob';
import { formatEdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { formatTickLeaves, parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { formatTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { MarketRecount, type Recounted } from '@assay/node/terminal/check/market-recount';
import { replaySeed } from '@assay/node/terminal/replay/replay-keys';
import { recordedReads } from '@assay/node/terminal/replay/recorded-reads';
import { ALL, market, RULE, SECOND_RULE, stepsOf, THIRTEEN } from '../replay-world.ts';

const TICKS = 300;

type Loose = { -readonly [K in keyof TickDraft]: TickDraft[K] };
/** With the time, in unix seconds, that its entry says. */
type Said = TickDraft & { readonly at: number };

/** A replay's entries and blobs, to be changed, and the files that they are of. */
interface World {
  readonly drafts: readonly Said[];
  readonly blobs: Map<HashHex, Uint8Array>;
  readonly folder: MarketFolder;
}

async function world(t: TestContext): Promise<World> {
  return worldOf(await market(t, TICKS), RULE);
}

/** A replay of a folder under a rule. */
async function worldOf(root: string, rule: ScoreRule): Promise<World> {
  const blobs = new Map<HashHex, Uint8Array>();
  const drafts: Said[] = [];
  for (const step of await stepsOf(root, ALL, rule)) {
    for (const blob of step.blobs) blobs.set(hashHex(contentHash(nodeSha256, blob)), blob);
    drafts.push(...step.drafts.map((draft) => ({ ...structuredClone(draft), at: step.at })));
  }
  return { drafts, blobs, folder: await MarketFolder.open(root, CRYPTO_FORMAT) };
}

/** The same without its study, which counts the entries before it. */
async function unstudied(t: TestContext): Promise<World> {
  const all = await world(t);
  return { ...all, drafts: all.drafts.filter(({ kind }) => kind !== 'study/1') };
}

async function recounted(
  { blobs, folder }: World,
  drafts: readonly Said[],
  options: { readonly hasFiles?: boolean; readonly rule?: ScoreRule } = {},
): Promise<{ readonly recount: MarketRecount; readonly found: readonly string[] }> {
  const { hasFiles = true, rule = RULE } = options;
  const rules = new Set([scoreRuleHash(nodeSha256, rule)]);
  const found: string[] = [];
  const recount = new MarketRecount({
    sha256: nodeSha256,
    seed: replaySeed(nodeSha256, 'salts'),
    markets: new Map(hasFiles ? [['crypto', { folder, grid: CRYPTO_FORMAT.grid, rules }]] : []),
    blob: (hash) => Promise.resolve(blobs.get(hash)),
    onDifference: ({ of, place }) => found.push(`${of} ${place}`),
  });
  for (const [seq, { at, ...draft }] of drafts.entries()) {
    await recount.entry(draft as KnownBody, `entry ${seq}`, formatTime(at));
  }
  await recount.finish();
  return { recount, found };
}

/** The newest place of a kind; of receipts and benchmarks one with a return. */
function newest(drafts: readonly TickDraft[], kind: string): number {
  const at = drafts.findLastIndex((draft) => {
    const { ret = 0 } = draft.body as { readonly ret?: number | null };
    return draft.kind === kind && ret !== null;
  });
  assert.ok(at >= 0, kind);
  return at;
}

test('market recount: a replay is what its files make, to the last return and commitment', async (t) => {
  const all = await world(t);
  const { recount, found } = await recounted(all, all.drafts);
  assert.deepEqual(found, []);
  const { ticks, leaves, events, closes, receipts, benchmarks } = recount.checked;
  assert.equal(ticks, TICKS);
  assert.ok(leaves > 3 * TICKS, String(leaves));
  const dues = [events, closes, receipts, benchmarks];
  assert.ok(
    dues.every((each) => each > 0),
    dues.join(),
  );
  assert.deepEqual([recount.checked.rules, recount.checked.assets], [1, 4]);
  const times = all.drafts.flatMap(({ kind, body }) => (kind === 'tick/1' ? [body.ts] : []));
  const followed = { rule: RULE, from: times[0], to: times.at(-1) };
  assert.deepEqual(recount.followed('crypto'), followed);
  assert.equal(recount.followed('stock'), undefined);
});

test('market recount: a value that no public leaf decides is found', async (t) => {
  const all = await unstudied(t);
  const changes: readonly (readonly [kind: string, of: Recounted, change: object, at: string])[] = [
    ['receipt/1', 'receipts', { ret: 12_345 }, '/ret'],
    ['receipt/1', 'receipts', { price: 'ab'.repeat(32) }, '/price'],
    ['benchmark/1', 'benchmarks', { ret: 12_345 }, '/ret'],
    ['benchmark/1', 'benchmarks', { from_price: 'ab'.repeat(32) }, '/from_price'],
    ['event/1', 'events', { move_24h: 12_345 }, '/move_24h'],
    ['event/1', 'events', { breadth: { up: 0, down: 4, of: 4 } }, '/breadth'],
    ['event-close/1', 'closes', { peak_score: 1 }, '/peak_score'],
  ];
  for (const [kind, of, change, at] of changes) {
    const seq = newest(all.drafts, kind);
    const draft = all.drafts[seq] as Said & Loose;
    const bent = { ...draft, body: { ...draft.body, ...change } } as Said;
    const { found } = await recounted(all, all.drafts.with(seq, bent));
    assert.equal(found.length, 1, `${kind} ${found.join('\n')}`);
    assert.match(found[0] as string, new RegExp(`^${of} entry ${seq} .*${at}`));
  }
});

test('market recount: entries that are left out, added or made twice are found', async (t) => {
  const all = await unstudied(t);
  for (const [kind, of] of [
    ['event/1', 'events'],
    ['event-close/1', 'closes'],
    ['receipt/1', 'receipts'],
    ['benchmark/1', 'benchmarks'],
  ] as const) {
    const seq = newest(all.drafts, kind);
    const gone = await recounted(all, all.drafts.toSpliced(seq, 1));
    const tick = all.drafts.findLastIndex((each, i) => i < seq && each.kind === 'tick/1');
    assert.deepEqual(gone.found, [`${of} entry ${tick}`], kind);
    const twice = await recounted(all, all.drafts.toSpliced(seq, 0, all.drafts[seq] as Said));
    assert.deepEqual(twice.found, [`${of} entry ${seq + 1}`], kind);
  }
  const tick = newest(all.drafts, 'tick/1');
  const missed = await recounted(
    all,
    all.drafts.filter((_, i) => i < tick - 1 || i >= tick).toSpliced(tick - 1, 0),
  );
  assert.ok(missed.found[0]?.startsWith('ticks before entry '), missed.found.join('\n'));
});

test('market recount: a study is that of the files, to the last byte', async (t) => {
  const all = await world(t);
  const seq = all.drafts.length - 1;
  const last = all.drafts[seq] as Said;
  assert.equal(last.kind, 'study/1');
  if (last.kind !== 'study/1') return;
  const { recount, found } = await recounted(all, all.drafts);
  assert.deepEqual([recount.checked.studies, found], [1, []]);
  const study = JSON.parse(new TextDecoder().decode(all.blobs.get(last.body.blob))) as StudyBlob;
  const bent = (change: object): Said => {
    const blob = formatStudyBlob({ ...study, ...change });
    const hash = hashHex(contentHash(nodeSha256, blob));
    all.blobs.set(hash, blob);
    return { ...last, body: { ...last.body, blob: hash } };
  };
  const excess_7d = { ...study.ordinary.excess_7d, sum: '-77' };
  const cases: readonly (readonly [said: Said, places: readonly string[]])[] = [
    [bent({ ordinary: { ...study.ordinary, excess_7d } }), [', blob/ordinary/excess_7d/sum']],
    [bent({ data: 'ab'.repeat(32) }), [', blob/data']],
    [{ ...last, body: { ...last.body, to: seq - 1 } }, ['/to']],
    [{ ...last, body: { ...last.body, from: 1 } }, ['/from']],
    [{ ...last, body: { ...last.body, class: 'stock' } }, ['']],
  ];
  for (const [said, places] of cases) {
    const { found: differences } = await recounted(all, all.drafts.with(seq, said));
    assert.deepEqual(
      differences,
      places.map((place) => `studies entry ${seq}${place}`),
    );
  }
  const { found: twice } = await recounted(all, [...all.drafts, last]);
  assert.deepEqual(twice, [`studies entry ${seq + 1}`]);
  all.blobs.delete(last.body.blob);
  const { found: lost } = await recounted(all, all.drafts);
  assert.deepEqual(lost, [`studies entry ${seq}`]);
});

test('market recount: a study of version 2 is that of the files, to the last byte', async (t) => {
  const root = await market(t, 12 * 96, { symbols: THIRTEEN });
  const all = await worldOf(root, SECOND_RULE);
  const seq = all.drafts.length - 1;
  const last = all.drafts[seq] as Said;
  if (last.kind !== 'study/2') return assert.fail(last.kind);
  const tried = async (drafts: readonly Said[]): Promise<readonly string[]> =>
    (await recounted(all, drafts, { rule: SECOND_RULE })).found;
  assert.deepEqual(await tried(all.drafts), []);
  const study = parseEdgeStudy(all.blobs.get(last.body.blob) as Uint8Array);
  assert.ok(study.moments.length > 3, `${study.moments.length} moments`);
  const [moment, ...moments] = study.moments;
  const week = moment?.returns['7d'];
  assert.ok(moment !== undefined && week != null);
  for (const name of ['ret', 'base', 'base_lost', 'unpriced_controls'] as const) {
    const returns = { ...moment.returns, '7d': { ...week, [name]: week[name] + 1 } };
    const blob = formatEdgeStudy({ ...study, moments: [{ ...moment, returns }, ...moments] });
    const hash = hashHex(contentHash(nodeSha256, blob));
    all.blobs.set(hash, blob);
    const bent: Said = { ...last, body: { ...last.body, blob: hash } };
    assert.deepEqual(await tried(all.drafts.with(seq, bent)), [
      `studies entry ${seq}, blob/moments/0/returns/7d/${name}`,
    ]);
  }
  const first: Said = { ...last, kind: 'study/1' };
  assert.deepEqual(await tried(all.drafts.with(seq, first)), [`studies entry ${seq}/kind`]);
  const early: Said = { ...last, body: { ...last.body, to: seq - 1 } };
  assert.deepEqual(await tried(all.drafts.with(seq, early)), [`studies entry ${seq}/to`]);
});

test('market recount: a leaf that the files do not make is found, with its asset', async (t) => {
  const all = await unstudied(t);
  const seq = newest(all.drafts, 'tick/1');
  const draft = all.drafts[seq] as Extract<Said, { readonly kind: 'tick/1' }>;
  const bytes = Uint8Array.from(all.blobs.get(draft.body.blob) as Uint8Array);
  bytes[40] = (bytes[40] as number) ^ 1;
  const blob = hashHex(contentHash(nodeSha256, bytes));
  all.blobs.set(blob, bytes);
  const bent: Said = { ...draft, body: { ...draft.body, blob } };
  const { found } = await recounted(all, all.drafts.with(seq, bent));
  assert.deepEqual(found, [`leaves entry ${seq} ADA`, `ticks entry ${seq}/blob`]);
  all.blobs.delete(blob);
  const lost = await recounted(all, all.drafts.with(seq, bent));
  assert.deepEqual(lost.found, [`leaves entry ${seq}`, `ticks entry ${seq}/blob`]);
});

test('market recount: an asset that the log leaves out, and a class without files, are reported', async (t) => {
  const all = await unstudied(t);
  const ada = all.drafts.findIndex(
    ({ kind, body }) => kind === 'asset/1' && (body as { symbol: string }).symbol === 'ADA',
  );
  const { found } = await recounted(all, all.drafts.toSpliced(ada, 1));
  assert.match(found[0] as string, /^assets before entry \d+$/);
  assert.equal(found.filter((each) => each.startsWith('assets')).length, 1);
  const { recount, found: none } = await recounted(all, all.drafts, { hasFiles: false });
  assert.deepEqual(none, []);
  assert.deepEqual([...recount.without], ['crypto']);
  const { entries, ticks, ...rest } = recount.checked;
  assert.deepEqual([entries, ticks], [all.drafts.length, TICKS]);
  assert.deepEqual(new Set(Object.values(rest)), new Set([0]));
});

/** All that a replay of the folder writes, by one who believes a split and has other decimals. */
async function forged(
  { folder, blobs, drafts }: World,
  lie: { readonly split?: boolean; readonly decimals?: number },
): Promise<readonly Said[]> {
  const seed = replaySeed(nodeSha256, 'salts');
  const { grid } = CRYPTO_FORMAT;
  const terminal = new Terminal({ sha256: nodeSha256, seed, rule: RULE, grid });
  const listed = new Set<string>();
  const said = drafts.slice(0, 2);
  let opened: string | undefined;
  for await (const instant of folder.instants(ALL)) {
    const { ts, readings } = instant;
    const now: TickDraft[] = [];
    for (const symbol of readings.keys()) {
      if (listed.has(symbol)) continue;
      listed.add(symbol);
      const body = { ...(folder.assets('crypto').get(symbol) as Asset) };
      if (lie.decimals !== undefined && symbol === 'SOL') body.decimals = lie.decimals;
      now.push({ kind: 'asset/1', body });
      terminal.list(body, ts - 1);
    }
    if (lie.split === true && opened !== undefined) {
      const effective_at = formatTime(ts);
      const body = { symbol: opened, effective_at, numerator: 3, denominator: 1 };
      now.push({ kind: 'split/1', body } as never);
      terminal.split(body);
      opened = '';
    }
    const { drafts: made, blob } = terminal.step(ts, recordedReads(instant));
    for (const { kind, body } of made) if (kind === 'event/1') opened ??= body.symbol;
    if (opened === '') lie = {};
    blobs.set(hashHex(contentHash(nodeSha256, blob)), blob);
    said.push(...[...now, ...made].map((draft) => ({ ...draft, at: ts + 60 })));
  }
  return said;
}

test('market recount: a split, which no file states, is found, and what rests on it', async (t) => {
  const all = await unstudied(t);
  // The same log where nothing is forged: its study is left out.
  const whole = all.drafts.filter(({ kind }) => kind !== 'study/1');
  assert.deepEqual(await forged(all, {}), whole);
  const bent = await forged(all, { split: true });
  const at = bent.findIndex(({ kind }) => (kind as string) === 'split/1');
  const { found } = await recounted(all, bent);
  assert.equal(found[0], `splits entry ${at}`);
  assert.ok(
    found.some((each) => each.startsWith('receipts')),
    found.join('\n'),
  );
});

test('market recount: an asset with other decimals or another name, listed early, late, twice or out of order', async (t) => {
  const all = await unstudied(t);
  const none = await forged(all, { decimals: 9 });
  const { found } = await recounted(all, none);
  assert.match(found[0] as string, /^assets entry \d+ SOL\/decimals$/);
  const isAsset = ({ kind }: Said): boolean => kind === 'asset/1';
  const first = all.drafts.findIndex(isAsset);
  const asset = all.drafts[first] as Said & { body: Asset };
  const bent = async (drafts: readonly Said[]): Promise<readonly string[]> =>
    (await recounted(all, drafts)).found;
  const named = { ...asset, body: { ...asset.body, name: 'Ada' } } as Said;
  assert.deepEqual(await bent(all.drafts.with(first, named)), [`assets entry ${first} ADA/name`]);
  const other = all.drafts[first + 1] as Said;
  const swapped = all.drafts.with(first, other).with(first + 1, asset);
  assert.deepEqual(await bent(swapped), [`assets entry ${first + 1}`]);
  const tick = newest(all.drafts, 'tick/1');
  const again = all.drafts.toSpliced(tick, 0, { ...asset, at: (all.drafts[tick] as Said).at });
  assert.deepEqual(await bent(again), [`assets entry ${tick}`]);
  const gone = { ...asset.body, listed: false };
  const delisted = all.drafts.toSpliced(tick, 0, {
    ...asset,
    body: gone,
    at: (all.drafts[tick] as Said).at,
  } as Said);
  assert.deepEqual(await bent(delisted), [`assets entry ${tick}`]);
  const last = [...all.drafts, { ...asset, at: (all.drafts.at(-1) as Said).at }];
  assert.deepEqual(await bent(last), [`assets entry ${last.length - 1}`]);
  const second = all.drafts.findIndex(({ kind }, i) => kind === 'tick/1' && i > first + 8);
  const late = all.drafts.toSpliced(second, 0, { ...asset, at: (all.drafts[second] as Said).at });
  const places = (await bent(late.toSpliced(first, 1))).filter((each) => each.startsWith('assets'));
  assert.equal(places.length, 2, places.join('\n'));
  assert.equal(places[1], `assets entry ${second - 1}`);
});

test('market recount: an entry that says another time than its tick makes it is found', async (t) => {
  const all = await world(t);
  for (const kind of ['genesis/1', 'score-rule/1', 'asset/1', 'tick/1', 'receipt/1', 'study/1']) {
    const seq = all.drafts.findLastIndex((each) => each.kind === kind);
    const draft = all.drafts[seq] as Said;
    const { found } = await recounted(all, all.drafts.with(seq, { ...draft, at: draft.at + 1 }));
    assert.deepEqual(found, [`entries entry ${seq}/at`], kind);
  }
});

test('market recount: another first entry, and entries that no replay has, are found', async (t) => {
  const all = await world(t);
  const genesis = all.drafts[0] as Said & { readonly body: object };
  const other = { ...genesis, body: { ...genesis.body, origin: 'development/other' } } as Said;
  assert.deepEqual((await recounted(all, all.drafts.with(0, other))).found, [
    'entries entry 0/origin',
  ]);
  const { recount, found } = await recounted(all, all.drafts);
  assert.deepEqual([found, recount.checked.entries], [[], all.drafts.length]);
  const at = (all.drafts.at(-1) as Said).at;
  const twice = [...all.drafts, { ...genesis, at }, { kind: 'note/1', body: {}, at } as never];
  assert.deepEqual(
    (await recounted(all, twice)).found.map((each) => each.split('/')[0]),
    [twice.length - 2, twice.length - 1].map((seq) => `entries entry ${seq}`),
  );
});

test('market recount: another rule, and a second one, are found', async (t) => {
  const all = await unstudied(t);
  const rule = { ...RULE, event: { ...RULE.event, open: 99 } };
  const other = await recounted(all, all.drafts, { rule });
  assert.deepEqual(other.found, ['rules entry 1']);
  const twice = await recounted(all, all.drafts.toSpliced(1, 0, all.drafts[1] as Said));
  assert.deepEqual(twice.found, ['rules entry 2']);
});

test('market recount: bytes of leaves that the log does not have, or has with others, are found', async (t) => {
  const all = await unstudied(t);
  const ticks = all.drafts.flatMap((each, seq) =>
    each.kind === 'tick/1' ? [{ seq, blob: each.body.blob }] : [],
  );
  const [first, second, last] = [ticks[0], ticks[40], ticks.at(-1)];
  assert.ok(first !== undefined && second !== undefined && last !== undefined);
  const bytes = all.blobs.get(second.blob) as Uint8Array;
  all.blobs.delete(first.blob);
  all.blobs.set(second.blob, bytes.with(40, (bytes[40] as number) ^ 1));
  all.blobs.delete(last.blob);
  const { found } = await recounted(all, all.drafts);
  assert.deepEqual(
    found,
    [first, second, last].map(({ seq }) => `leaves entry ${seq}`),
  );
  const failing: World = { ...all, blobs: { get: () => assert.fail('no disk') } as never };
  await assert.rejects(recounted(failing, all.drafts), /no disk/);
});

test('market recount: a leaf too many is found', async (t) => {
  const all = await unstudied(t);
  const seq = newest(all.drafts, 'tick/1');
  const draft = all.drafts[seq] as Extract<Said, { readonly kind: 'tick/1' }>;
  const leaves = parseTickLeaves(all.blobs.get(draft.body.blob) as Uint8Array);
  const [leaf] = leaves.slice(-1);
  assert.ok(leaf !== undefined);
  const more = formatTickLeaves([...leaves, { ...leaf, symbol: 'ZZZ' }]);
  const blob = hashHex(contentHash(nodeSha256, more));
  all.blobs.set(blob, more);
  const bent: Said = { ...draft, body: { ...draft.body, blob } };
  const { found } = await recounted(all, all.drafts.with(seq, bent));
  assert.deepEqual(found, [`leaves entry ${seq} ZZZ`, `ticks entry ${seq}/blob`]);
});

test('market recount: what the last tick makes due, and is not there, is found at the end', async (t) => {
  const all = await unstudied(t);
  const due = newest(all.drafts, 'receipt/1');
  const tick = all.drafts.findLastIndex((each, i) => i < due && each.kind === 'tick/1');
  const { found } = await recounted(all, all.drafts.slice(0, tick + 1));
  assert.ok(found.length > 0);
  assert.deepEqual(
    found.filter((each) => !each.endsWith(` entry ${tick}`)),
    [],
  );
});
