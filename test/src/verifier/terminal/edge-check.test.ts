import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { STUDY_HORIZONS } from '@assay/core/terminal/study/study-blob';
import { NO_LIMIT } from '@assay/core/work-budget';
import { formatWire, type WireObject } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { checkEdgeStudy, type EdgeRange } from '@assay/verifier/terminal/edge-check';
import { StatedReturns } from '@assay/verifier/terminal/moment-values';
import { Findings } from '@assay/verifier/verdict/finding';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { edgeLog } from '../fixture/edge-log.ts';
import { type StudiedRange, studiedRanges } from '../fixture/edge-range.ts';
import { runs } from '../fixture/flip.ts';
import type { Loose } from '../fixture/forge.ts';
import { ENVIRONMENT, publish } from '../fixture/published.ts';

const LOG = edgeLog();
const { views: STATE } = publish(LOG.entries, LOG.blobs, LOG.checkpoints);
const [MAY, JUNE] = studiedRanges(LOG) as [StudiedRange, StudiedRange];

/** A study as JSON that a test may change. */
function studyOf({ study }: StudiedRange): Loose {
  return JSON.parse(new TextDecoder().decode(LOG.blobs.get(study.blob))) as Loose;
}

/** The findings about a study with these bytes, and what of it is not checked. */
async function found(
  { study, range }: StudiedRange,
  bytes: Uint8Array = LOG.blobs.get(study.blob) as Uint8Array,
  change: Partial<EdgeRange> = {},
  stated = new StatedReturns(),
) {
  const blob = hashHex(contentHash(nodeSha256, bytes));
  const [findings, notChecked, tally] = [new Findings(), new NotCheckedList(), emptyTally()];
  const read = (hash: HashHex) => Promise.resolve(hash === blob ? bytes : undefined);
  const evidence = new EvidenceReader(read, ENVIRONMENT, findings, tally, NO_LIMIT);
  await checkEdgeStudy(
    { ...study, blob },
    'entry 9',
    { ...range, ...change },
    { state: STATE, grid: utcGrid, sha256: nodeSha256, stated },
    { evidence, findings, notChecked, work: NO_LIMIT, tally },
  );
  return {
    places: findings.list.map(({ code, place }) => `${code} ${place}`),
    list: findings.list,
    notChecked: notChecked.list.map(({ what }) => what),
  };
}

const foundIn = async (study: Loose): Promise<readonly string[]> =>
  (await found(MAY, formatWire(study as WireObject))).places;

/** A place of a JSON value that holds no other. */
type Path = readonly string[];

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const members = Object.entries(value);
  if (members.length === 0) return [at];
  return members.flatMap(([name, each]) => pathsOf(each, [...at, name]));
}

/** The study with the value at a place made another one. */
function bent(path: Path, by: number): Loose {
  const study = studyOf(MAY);
  let parent: Loose = study;
  for (const name of path.slice(0, -1)) parent = parent[name];
  const last = path.at(-1) as string;
  const value: unknown = parent[last];
  if (typeof value === 'number') parent[last] = value + by;
  else if (typeof value === 'boolean') parent[last] = !value;
  else if (typeof value === 'string')
    parent[last] = `${value.slice(0, -1)}${value.endsWith('0') ? 1 : 0}`;
  else parent[last] = value === null ? 0 : ['few_weeks'];
  return study;
}

const PATHS = pathsOf(studyOf(MAY));
/** Whether a place is of a number that rests on prices. */
const isPriced = (path: Path): boolean =>
  path[0] === 'moments' && /^(?:ret|base|base_lost)$/.test(path.at(-1) ?? '');

test('edge check: a study is made again from entries and leaves, and what rests on prices is named', async () => {
  for (const each of [MAY, JUNE]) {
    const { places, notChecked } = await found(each);
    assert.deepEqual(places, []);
    assert.deepEqual(notChecked, ['ret, base and base_lost of each moment of a study']);
  }
  const { left_out, moments } = studyOf(JUNE) as unknown as EdgeStudy;
  assert.ok(left_out.few_controls > 0 && left_out.no_entry > 0 && left_out.not_over > 0);
  assert.ok(moments.some(({ returns }) => returns['30d'] === null));
  assert.ok(moments.some(({ returns }) => returns['7d']?.gone === true));
  const month = moments.flatMap(({ returns }) => returns['30d'] ?? []);
  assert.ok(month.some((each) => each.gone_controls > 1 && each.unpriced_controls === 0));
  assert.ok(
    month.some(
      (each) => each.gone_controls > each.unpriced_controls + 1 && each.unpriced_controls > 0,
    ),
  );
});

test('edge check: whatever member is changed that needs no price, is found', async () => {
  const paths = PATHS.filter((path) => !isPriced(path));
  assert.ok(paths.length > 2000, `${paths.length} places`);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), async (path) => {
      const places = await foundIn(bent(path, 1));
      assert.ok(places.length > 0, path.join('/'));
      assert.match(places[0] as string, /^study_(?:differs|malformed) entry 9/);
    }),
    runs(200, 5000),
  );
});

test('edge check: a return or a base that its groups do not rest on is found', async () => {
  // A hundred percent moves every mean of the fewer than 10,000 moments of a group.
  const paths = PATHS.filter((path) => isPriced(path) && path.at(-1) !== 'base_lost');
  assert.ok(paths.length > 400, `${paths.length} places`);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), async (path) => {
      const places = await foundIn(bent(path, 10_000));
      assert.ok(places.length > 0, path.join('/'));
    }),
    runs(100, 1000),
  );
});

test('edge check: of what is lost with the controls that are gone, the seven days are in groups', async () => {
  const paths = PATHS.filter((path) => path.at(-1) === 'base_lost' && path.includes('7d'));
  for (const path of paths.slice(0, 20)) {
    assert.ok((await foundIn(bent(path, -1000))).length > 0, path.join('/'));
  }
});

/** The study with its groups made again from its moments. */
function regrouped(study: Loose): Loose {
  const { class: of, number, moments } = study as unknown as EdgeStudy;
  return { ...study, ...edgeGroups(nodeSha256, of, number, moments) };
}

test('edge check: a return that its groups follow is found by nobody without prices, and named', async () => {
  // Those of BTC are held against benchmarks.
  const own = studyOf(MAY)['moments'].findIndex(
    ({ symbol, returns }: Loose) => symbol !== 'BTC' && returns['7d'].gone === false,
  );
  for (const by of [1, -1, 5000]) {
    const study = studyOf(MAY);
    study['moments'][own].returns['7d'].ret += by;
    const { places, notChecked } = await found(MAY, formatWire(regrouped(study) as WireObject));
    assert.deepEqual(places, []);
    assert.deepEqual(notChecked, ['ret, base and base_lost of each moment of a study']);
  }
});

test('edge check: a return that its groups follow is found where the log states it a second time', async () => {
  const study = studyOf(MAY);
  const own = study['moments'].findIndex(({ symbol }: Loose) => symbol === 'BTC');
  study['moments'][own].returns['7d'].ret += 1;
  const { list } = await found(MAY, formatWire(regrouped(study) as WireObject));
  assert.deepEqual(
    list.map(({ place }) => place),
    [`entry 9, blob/moments/${own}/returns/7d/ret`],
  );
  assert.match(list[0]?.expected ?? '', /as the benchmark of event .* states/);
});

test('edge check: the move of an event over the two ticks of a return is that return', async () => {
  const study = studyOf(MAY);
  const own = study['moments'].findIndex(({ symbol }: Loose) => symbol === 'LTC');
  study['moments'][own].returns['1d'].ret -= 1;
  const bytes = formatWire(regrouped(study) as WireObject);
  const { list } = await found(MAY, bytes);
  assert.deepEqual(
    list.map(({ place }) => place),
    [`entry 9, blob/moments/${own}/returns/1d/ret`],
  );
  assert.match(list[0]?.expected ?? '', /^2917, as the move_24h of event .* states over the same/);
  assert.deepEqual((await found(MAY, bytes, { moves: [] })).places, []);
});

test('edge check: whoever states that nothing was lost with controls that have no price is found', async () => {
  const study = studyOf(MAY);
  const own = study['moments'].findIndex(
    ({ returns }: Loose) => returns['1d'].unpriced_controls > 0,
  );
  for (const { returns } of study['moments'].filter(
    ({ returns: { '1d': day } }: Loose) => day.unpriced_controls > 0,
  )) {
    returns['1d'].base_lost = returns['1d'].base - 1;
  }
  for (const change of [{}, { made: undefined }]) {
    const bytes = formatWire(regrouped(study) as WireObject);
    assert.deepEqual((await found(MAY, bytes, change)).places, [
      `study_differs entry 9, blob/moments/${own}/returns/1d/base_lost`,
    ]);
  }
});

test('edge check: a study repeats what the one before it stated', async () => {
  const stated = new StatedReturns();
  assert.deepEqual((await found(MAY, undefined, {}, stated)).places, []);
  assert.deepEqual((await found(JUNE, undefined, {}, stated)).places, []);
  const study = studyOf(JUNE);
  // That moment of May has had its month since.
  const own = study['moments'].findIndex(
    ({ symbol, returns }: Loose) => symbol !== 'BTC' && returns['30d'].gone === false,
  );
  for (const horizon of STUDY_HORIZONS) study['moments'][own].returns[horizon].ret += 7;
  const { list } = await found(JUNE, formatWire(regrouped(study) as WireObject), {}, stated);
  assert.deepEqual(
    list.map(({ place }) => place),
    [`entry 9, blob/moments/${own}/returns/1d/ret`],
  );
});

test('edge check: a moment left out, one too many, and groups without them', async () => {
  for (const change of [
    (moments: Loose[]) => void moments.splice(4, 1),
    (moments: Loose[]) => void moments.pop(),
    (moments: Loose[]) => {
      const last = moments.at(-1) as Loose;
      moments.push({ ...last, opened_at: last['opened_at'] + 900 });
    },
  ]) {
    const study = studyOf(MAY);
    change(study['moments']);
    const places = await foundIn(regrouped(study));
    assert.match(places.join(), /blob\/moments\/\d+/);
  }
});

test('edge check: another rule and another number are another study, and a lost blob is none', async () => {
  const bytes = LOG.blobs.get(MAY.study.blob);
  assert.deepEqual((await found(MAY, bytes, { rule: 'ab'.repeat(32) as HashHex })).places, [
    'study_differs entry 9/rule',
  ]);
  assert.deepEqual((await found(MAY, bytes, { number: 7 })).places, [
    'study_differs entry 9, blob/number',
  ]);
  const { places } = await found(MAY, new Uint8Array([123]));
  assert.match(places.join(), /^study_malformed entry 9, blob/);
});

test('edge check: without a tick that could be read moments are not checked, and groups are', async () => {
  const { places, notChecked } = await found(MAY, undefined, { made: undefined });
  assert.deepEqual(places, []);
  assert.deepEqual(notChecked, [
    'which events of crypto are moments of a study, and when they were entered',
    'ret, base and base_lost of each moment of a study',
  ]);
  const study = studyOf(MAY);
  study['groups'][0].whole.n += 1;
  const bytes = formatWire(study as WireObject);
  assert.deepEqual((await found(MAY, bytes, { made: undefined })).places, [
    'study_differs entry 9, blob/groups/0/whole/n',
  ]);
});

test('edge check: whatever leaves cannot be read, moments are those of the events, and all events are counted', async () => {
  const isOfEntry = ([name, , member = '']: Path): boolean =>
    name === 'left_out' ||
    (name === 'moments' && /^(?:id|symbol|opened_at|bucket|breadth)$/.test(member));
  const paths = PATHS.filter(isOfEntry);
  assert.ok(paths.length > 300, `${paths.length} places`);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), async (path) => {
      const bytes = formatWire(regrouped(bent(path, 900)) as WireObject);
      const { places } = await found(MAY, bytes, { made: undefined });
      assert.match(places[0] ?? '', /^study_(?:differs|malformed) entry 9/, path.join('/'));
    }),
    runs(50, 400),
  );
  const study = studyOf(MAY);
  study['moments'].splice(4, 1);
  const bytes = formatWire(regrouped(study) as WireObject);
  assert.deepEqual((await found(MAY, bytes, { made: undefined })).places, [
    'study_differs entry 9, blob/left_out',
  ]);
});
