import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewWrite } from '@assay/core/view/view';
import type { TimeText } from '@assay/core/time/time';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import type { KeptVisit, VisitMemory } from '@assay/verifier/subject/kept-visit';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify, type VerifyOptions } from '@assay/verifier/verify';
import { ENVIRONMENT, publish, siteOf, siteReader } from '../fixture/published.ts';
import { CHECKPOINT_VKEYS, PLACES, replaced, replacedSite } from '../fixture/replaced-log.ts';
import { sampleLog } from '../fixture/sample-log.ts';

/** A memory without files. A test changes what it holds. */
class Memory implements VisitMemory {
  visit: KeptVisit | undefined;
  held: readonly ViewWrite[] = [];
  kept = 0;

  take(): Promise<KeptVisit | undefined> {
    return Promise.resolve(structuredClone(this.visit));
  }

  async *rows(): AsyncGenerator<readonly ViewWrite[]> {
    yield this.held;
  }

  async keep(...[kept, views]: Parameters<VisitMemory['keep']>): Promise<void> {
    this.kept += 1;
    this.visit = structuredClone(kept);
    const rows: ViewWrite[] = [];
    for await (const row of views.all()) rows.push(row);
    this.held = structuredClone(rows);
  }
}

interface Seen {
  readonly verdict: object;
  /** Whether the walk began with entry 0. */
  readonly isWhole: boolean;
}

async function visit(
  reader: LogReader,
  memory: VisitMemory | undefined,
  options: VerifyOptions = {},
  policy: Policy = OPEN_POLICY,
): Promise<Seen> {
  const verdict: Verdict = await verify({ kind: 'log', reader }, policy, {
    environment: ENVIRONMENT,
    ...(memory === undefined ? {} : { memory }),
    ...options,
  });
  const earlier = verdict.not_checked.filter(({ remedy }) => remedy === 'from_start');
  const not_checked = verdict.not_checked.filter((each) => !earlier.includes(each));
  const checked = { ...verdict.checked, blobs: 0 };
  return { verdict: { ...verdict, not_checked, checked }, isWhole: earlier.length === 0 };
}

const log = await sampleLog();
const at = (size: number): ReadonlyMap<string, Answer> =>
  siteOf(publish(log.entries.slice(0, size), log.blobs, log.checkpoints));
const whole = at(log.entries.length);

test('kept visit: goes on through changes of the checkpoint key, while the log serves the same closing heads', async () => {
  const site = replacedSite(replaced());
  const expected = await visit(siteReader(site), undefined);
  for (const size of [PLACES.rotation1, PLACES.rotation1 + 1, PLACES.recovery2 + 2, PLACES.size]) {
    const memory = new Memory();
    await visit(siteReader(replacedSite(replaced(undefined, size))), memory);
    assert.equal(memory.kept, 1, `${size}`);
    assert.deepEqual((await visit(siteReader(site), memory)).verdict, expected.verdict, `${size}`);
    const { visit: kept } = memory;
    const bare = new Map(site);
    for (const number of [0, 1, 2]) bare.delete(`/closing-head/${number}`);
    const known: Policy = { ...OPEN_POLICY, checkpoint_keys: [CHECKPOINT_VKEYS[3] as string] };
    const unseen = new Memory();
    await visit(siteReader(bare), unseen, {}, known);
    const seen = await visit(siteReader(site), unseen, {}, known);
    assert.equal(seen.isWhole, true, 'with a closing head that was not there before');
    memory.visit = kept;
    const other = new Map(site);
    other.delete('/closing-head/0');
    assert.deepEqual(
      (await visit(siteReader(other), memory)).verdict,
      (await visit(siteReader(other), undefined)).verdict,
      `${size}, without a closing head`,
    );
  }
});

test('kept visit: of a log that grows during the visit, the state is that of the first head', async () => {
  const memory = new Memory();
  const small = at(300);
  let heads = 0;
  const growing: LogReader = {
    live: true,
    get(path) {
      if (path === '/checkpoint') heads += 1;
      const isEarly = heads < 2 && /^\/(?:checkpoint$|tile\/)/.test(path);
      return siteReader(isEarly ? small : whole).get(path);
    },
  };
  const first = await visit(growing, memory);
  assert.ok(heads > 1);
  assert.equal(memory.visit?.walk.tree.size, 300);
  const expected = await visit(siteReader(whole), undefined);
  assert.deepEqual((first.verdict as Verdict).outcome, 'verified');
  const again = await visit(siteReader(whole), memory);
  assert.deepEqual(again.verdict, expected.verdict);
  assert.equal(memory.visit?.walk.tree.size, log.entries.length);
});

test('kept visit: a state of another form, version or log, of a longer log, or with an asked entry is not gone on from', async () => {
  const memory = new Memory();
  await visit(siteReader(whole), memory);
  const good = memory.visit as KeptVisit;
  assert.equal((await visit(siteReader(whole), memory)).isWhole, false);
  const { terms, walk } = good;
  const production = { ...walk.genesis, network: 'production' } as const;
  const others: readonly KeptVisit[] = [
    { ...good, walk: { ...walk, genesis: production, at: '2999-01-01T00:00:00Z' as TimeText } },
    { ...good, terms: { ...terms, form: terms.form + 1 } },
    { ...good, terms: { ...terms, verifier: '0.0.1' } },
    { ...good, terms: { ...terms, openings: terms.openings + 1 } },
    { ...good, terms: { ...terms, extracts: true } },
    { ...good, before: `${good.before} ` },
    { ...good, walk: { ...walk, log: walk.prevLeaf.toString() as typeof walk.log } },
    { ...good, walk: { ...walk, tree: { ...walk.tree, size: walk.tree.size + 1 } } },
  ];
  for (const [i, other] of others.entries()) {
    memory.visit = other;
    const { isWhole } = await visit(siteReader(whole), memory, { now: 1_800_000_000 });
    assert.equal(isWhole, true, `other ${i}`);
  }
  memory.visit = good;
  const { kept } = memory;
  const headers: HeaderLookup = {
    kind: 'headers',
    network: 'bitcoin',
    first: 0,
    work: null,
    tip: { height: 1, time: 1_300_000_000 },
    header: () => Promise.resolve(undefined),
    description: 'headers of a test',
  };
  for (const options of [{ entries: [3] }, { headers }]) {
    assert.equal((await visit(siteReader(whole), memory, options)).isWhole, true);
  }
  assert.equal(memory.kept, kept, 'and such a visit keeps nothing');
});

test('kept visit: nothing is kept of a walk with a finding', async () => {
  const memory = new Memory();
  const bad = new Map(whole);
  const [path, answer] = [...whole].find(([each]) => each.startsWith('/blob/')) as [string, Answer];
  bad.set(path, { ...answer, body: new Uint8Array(3) });
  const { verdict } = await visit(siteReader(bad), memory);
  assert.equal((verdict as Verdict).outcome, 'findings');
  assert.equal(memory.kept, 0);
});
