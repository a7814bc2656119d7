import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { formatEntryBundle } from '@assay/core/log/tile';
import { contentHash } from '@assay/core/hash/hash';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { ChainLookup } from '@assay/verifier/feed/chain-lookup';
import { KeptAnswers } from '@assay/cli/verify/kept-answers';
import { resumedVerdict } from '@assay/cli/verify/resumed-verdict';
import { VisitStore } from '@assay/cli/verify/visit-store';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify, type VerifyOptions } from '@assay/verifier/verify';
import { siteListeners } from '../../verifier/fixture/judged.ts';
import { makeGround, MISDEEDS } from '../../verifier/fixture/misdeeds.ts';
import { withPacks } from '../../verifier/fixture/packed-site.ts';
import {
  ENVIRONMENT,
  publish,
  type Site,
  siteOf,
  siteReader,
} from '../../verifier/fixture/published.ts';
import { scratch } from '../fixture/run.ts';

const ADDRESS = 'http://log';
const TIME = { aborted: false };
const ground = await makeGround();
const { log } = ground;
const whole = await withPacks(siteOf(ground.published));
const prefix = async (size: number): Promise<Site> =>
  withPacks(siteOf(publish(log.entries.slice(0, size), log.blobs, log.checkpoints)));

/** What one visit came to, and what it cost. */
interface Visited {
  readonly verdict: Verdict;
  readonly signatures: number;
  /** How many of the entries were asked for or taken from the answers kept. */
  readonly bundles: readonly string[];
  readonly trouble: string | undefined;
}

/** Visits a site as `assay verify --resume` does. */
async function visit(
  path: string,
  site: ReadonlyMap<string, Answer>,
  options: VerifyOptions = {},
  time: { readonly aborted: boolean } = TIME,
  { live = true, requests = [] }: { readonly live?: boolean; readonly requests?: string[] } = {},
): Promise<Visited> {
  const answers = await KeptAnswers.open(path, ADDRESS);
  const store = new VisitStore(`${path}.visit`);
  let signatures = 0;
  const environment = {
    ...ENVIRONMENT,
    verifySignature: (...of: Parameters<typeof ENVIRONMENT.verifySignature>) => {
      signatures += 1;
      return ENVIRONMENT.verifySignature(...of);
    },
  };
  const bundles: string[] = [];
  const verdict = await resumedVerdict(
    { answers, visit: store },
    { log: countedReader(siteReader(site, live), requests), chain: options.chain },
    ({ log: reader, chain, memory }) => {
      const get = (each: string): Promise<Answer> => {
        if (each.startsWith('/tile/entries/')) bundles.push(each);
        return reader.get(each);
      };
      const subject = { kind: 'log', reader: { ...reader, get } } as const;
      return verify(subject, OPEN_POLICY, {
        environment,
        ...(memory === undefined ? {} : { memory }),
        ...options,
        ...(chain === undefined ? {} : { chain }),
      });
    },
    time,
  );
  await answers.close();
  return { verdict, signatures, bundles, trouble: store.trouble };
}

/** A verdict without the count of fetched bytes, which depends on what was still in memory, and without what it went on from. */
function plain(verdict: Verdict): object {
  const not_checked = verdict.not_checked.filter(({ remedy }) => remedy !== 'from_start');
  return { ...verdict, not_checked, checked: { ...verdict.checked, blobs: 0 } };
}

/** What a verdict says of the visits that it went on from; undefined where it began with entry 0. */
const earlierIn = ({ not_checked }: Verdict): string | undefined =>
  not_checked.find(({ remedy }) => remedy === 'from_start')?.what;

const alone = async (
  site: ReadonlyMap<string, Answer>,
  options?: VerifyOptions,
): Promise<Verdict> =>
  verify({ kind: 'log', reader: siteReader(site) }, OPEN_POLICY, {
    environment: ENVIRONMENT,
    ...options,
  });

const resumePath = async (t: TestContext): Promise<string> => join(await scratch(t), 'resume');

/** The same log, with what it is asked for. */
function countedReader(reader: LogReader, requests: string[]): LogReader {
  return {
    ...reader,
    get(path) {
      requests.push(path);
      return reader.get(path);
    },
  };
}

test('visit store: a copy is asked ahead for what was asked for before, once, and is held to it all the same', async (t) => {
  const path = await resumePath(t);
  const first: string[] = [];
  await visit(path, whole, {}, TIME, { live: false, requests: first });
  const isAnswer = (each: string): boolean => !/^\/(?:tile|pack|blob|checkpoint)\b/.test(each);
  const answers = first.filter(isAnswer);
  assert.ok(answers.length > 20, `${answers.length}`);
  const again: string[] = [];
  const { verdict } = await visit(path, whole, {}, TIME, { live: false, requests: again });
  assert.equal(verdict.outcome, 'verified');
  assert.deepEqual(again.filter(isAnswer).sort(), answers.sort(), 'each of them once');
  assert.equal(again[0], '/checkpoint');
  const wrong = new Map(whole);
  const indices = wrong.get('/indices') as Answer;
  wrong.set('/indices', { ...indices, body: Buffer.from('{}') });
  const found = await visit(path, wrong, {}, TIME, { live: false });
  assert.ok(found.verdict.outcome === 'findings');
  assert.deepEqual(
    found.verdict.findings.map(({ code, place }) => `${code} ${place}`),
    ['api_differs /indices /'],
  );
  const after = await visit(path, whole, {}, TIME, { live: false });
  assert.equal(after.verdict.outcome, 'verified');
});

test('visit store: a visit goes on from the one before, and says what a whole one says', async (t) => {
  const expected = plain(await alone(whole));
  const all = (await visit(await resumePath(t), whole)).signatures;
  for (const cut of [1, 255, 256, 300, log.entries.length]) {
    const path = await resumePath(t);
    const first = await visit(path, await prefix(cut));
    assert.equal(first.verdict.outcome, 'verified', `cut at ${cut}`);
    const again = await visit(path, whole);
    assert.equal(earlierIn(again.verdict), `the first ${cut} entries once more`);
    assert.deepEqual(plain(again.verdict), expected, `cut at ${cut}`);
    // Of what was checked before, only what every head needs is checked again.
    assert.ok(again.signatures <= all - first.signatures + 4, `cut at ${cut}`);
    // The first bundle has entry 0, by which the log is known; the walk takes it only for entries that are new.
    const firsts = again.bundles.filter((each) => each === '/tile/entries/000').length;
    assert.equal(firsts, cut < 256 ? 2 : 1, `cut at ${cut}`);
    const third = await visit(path, whole);
    assert.equal(earlierIn(third.verdict), `the first ${log.entries.length} entries once more`);
    assert.deepEqual(plain(third.verdict), expected, `cut at ${cut}, again`);
    assert.ok(third.signatures < 4, `${third.signatures}`);
  }
});

/** Codes of which a walk, a signature, a read, the tree or an answer can be the cause. */
const CODES: ReadonlySet<string> = new Set([
  'chain_broken',
  'entry_missing',
  'report_bad_signature',
  'revision_missing',
  'root_differs',
  'tile_differs',
]);

test('visit store: the misdeed of each code after an honest visit has the findings of a whole visit', async (t) => {
  const found = new Set<string>();
  for (const { code, name, verdict: judged } of MISDEEDS) {
    if (!CODES.has(code) || found.has(code)) continue;
    const sites: ReadonlyMap<string, Answer>[] = [];
    const take = (site: ReadonlyMap<string, Answer>): void => void sites.push(new Map(site));
    siteListeners.add(take);
    await judged(ground).finally(() => siteListeners.delete(take));
    for (const site of sites) {
      const path = await resumePath(t);
      await visit(path, await prefix(200));
      const { verdict } = await visit(path, site);
      assert.deepEqual(plain(verdict), plain(await alone(site)), name);
      if (verdict.outcome !== 'findings') continue;
      found.add(code);
      // What such a visit saw is nothing to go on from.
      const after = await visit(path, whole);
      assert.deepEqual(plain(after.verdict), plain(await alone(whole)), name);
    }
  }
  assert.deepEqual([...found].sort(), [...CODES].sort());
});

test('visit store: damage in any of its files changes no verdict', async (t) => {
  const expected = plain(await alone(whole));
  const path = await resumePath(t);
  await visit(path, await prefix(300));
  const folder = `${path}.visit`;
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const good = new Map<string, Buffer>();
  for (const name of await readdir(folder)) {
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
    good.set(name, await readFile(join(folder, name)));
  }
  let tried = 0;
  for (const [name, bytes] of good) {
    if (bytes.length === 0) continue;
    for (const part of [0.1, 0.5, 0.9]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const [each, content] of good) await writeFile(join(folder, each), content);
      const bad = Buffer.from(bytes);
      const at = Math.floor(bytes.length * part);
      bad[at] = (bad[at] as number) ^ 4;
      await writeFile(join(folder, name), bad);
      const { verdict } = await visit(path, whole);
      assert.deepEqual(plain(verdict), expected, `${name} at ${at}`);
      tried += 1;
    }
  }
  assert.ok(tried >= 6, `${tried}`);
});

test('visit store: what is not confirmed is not gone on from', async (t) => {
  const folder = `${await resumePath(t)}.visit`;
  const store = new VisitStore(folder);
  const subject = { kind: 'log', reader: siteReader(whole) } as const;
  await verify(subject, OPEN_POLICY, { environment: ENVIRONMENT, memory: store });
  const again = new VisitStore(folder);
  assert.equal(await again.take(), undefined);
});

test('visit store: other terms are walked from entry 0, and do not spoil what was kept', async (t) => {
  const path = await resumePath(t);
  const { signatures: all } = await visit(path, whole);
  const extractText = (): Promise<undefined> => Promise.resolve(undefined);
  const others: readonly VerifyOptions[] = [
    { entries: [5] },
    { limits: { openings: 3 } },
    { environment: { ...ENVIRONMENT, extractText } },
  ];
  for (const [i, options] of others.entries()) {
    const { verdict, bundles } = await visit(path, whole, options);
    assert.deepEqual(plain(verdict), plain(await alone(whole, options)), `terms ${i}`);
    assert.ok(bundles.length > 2, `terms ${i}`);
  }
  assert.ok(all > 20);
});

test('visit store: a pinned head is held against the entries, below the place where it would go on and at it', async (t) => {
  const { root } = ground.pin;
  const other = `${root.startsWith('0') ? '1' : '0'}${root.slice(1)}` as typeof root;
  for (const [size, of] of [
    [200, root],
    [ground.pin.size, other],
  ] as const) {
    const path = await resumePath(t);
    await visit(path, await prefix(300));
    const pin = { ...ground.pin, size, root: of, vouched: false };
    const options: VerifyOptions = { pins: () => Promise.resolve(pin) };
    const { verdict } = await visit(path, whole, options);
    assert.equal(verdict.outcome, 'findings', `${size}`);
    assert.deepEqual(plain(verdict), plain(await alone(whole, options)), `${size}`);
  }
});

test('visit store: rows that were added and those that were written anew are the same', async (t) => {
  const path = await resumePath(t);
  const sizes: number[] = [];
  for (const size of [20, 120, 121, 200, 330, 331, 460, log.entries.length]) {
    const site = await prefix(size);
    const { verdict } = await visit(path, site);
    assert.deepEqual(plain(verdict), plain(await alone(site)), `${size}`);
    assert.equal(earlierIn(verdict) === undefined, size === 20, `${size}`);
    sizes.push((await stat(join(`${path}.visit`, 'rows'))).size);
  }
  const fresh = await resumePath(t);
  await visit(fresh, whole);
  const once = (await stat(join(`${fresh}.visit`, 'rows'))).size;
  // Of rows that a later one replaced, no more are kept than half.
  assert.ok((sizes.at(-1) as number) <= once * 1.6, `${sizes.join()} ${once}`);
});

test('visit store: files that are not ours, and those that others can write to, are neither used nor touched', async (t) => {
  const expected = plain(await alone(whole));
  const path = await resumePath(t);
  const folder = `${path}.visit`;
  await visit(path, await prefix(300));
  const spoils: readonly (() => Promise<void>)[] = [
    () => chmod(folder, 0o777),
    () => chmod(join(folder, 'state'), 0o666),
    () => writeFile(join(folder, 'rows'), 'years of work'),
  ];
  for (const [i, spoil] of spoils.entries()) {
    await chmod(folder, 0o700);
    await chmod(join(folder, 'state'), 0o600);
    await spoil();
    const rows = await readFile(join(folder, 'rows'));
    const { verdict, trouble } = await visit(path, whole);
    assert.equal(earlierIn(verdict), undefined, `${i}`);
    assert.deepEqual(plain(verdict), expected, `${i}`);
    assert.match(trouble ?? '', /folder of the visit before/, `${i}`);
    assert.deepEqual(await readFile(join(folder, 'rows')), rows, `${i}`);
    await new VisitStore(folder).clear();
    assert.deepEqual(await readFile(join(folder, 'rows')), rows, `${i}`);
  }
});

test('visit store: a state in a form that cannot be read is as good as none', async (t) => {
  const path = await resumePath(t);
  const state = join(`${path}.visit`, 'state');
  for (const bytes of [Uint8Array.of(0xff, 0x7f, 0x6f, 0x22, 0), new Uint8Array(0)]) {
    await visit(path, await prefix(200));
    const mark = (await readFile(state)).subarray(0, 14);
    await writeFile(state, Buffer.concat([mark, contentHash(nodeSha256, bytes), bytes]));
    const { verdict } = await visit(path, await prefix(200));
    assert.equal(verdict.outcome, 'verified');
    assert.equal(earlierIn(verdict), undefined);
    assert.ok(earlierIn((await visit(path, await prefix(200))).verdict) !== undefined);
  }
});

test('visit store: entries before the place that are served otherwise now are found', async (t) => {
  for (const [size, changed] of [
    [log.entries.length, 266],
    [200, 150],
  ] as const) {
    const path = await resumePath(t);
    await visit(path, await prefix(Math.min(size, 300)));
    const site = new Map(await prefix(size));
    const index = Math.floor(changed / 256);
    const name = [...site.keys()].find((each) =>
      each.startsWith(`/tile/entries/00${index}`),
    ) as string;
    const entries = log.entries.slice(256 * index, Math.min(size, 256 * index + 256));
    const other = Uint8Array.from(entries[changed % 256] as Uint8Array);
    other[other.length - 30] = (other.at(-30) as number) ^ 1;
    const body = formatEntryBundle(entries.map((each, i) => (i === changed % 256 ? other : each)));
    site.set(name, { status: 200, body, logSize: undefined });
    const { verdict } = await visit(path, site);
    assert.equal(verdict.outcome, 'findings');
    assert.deepEqual(plain(verdict), plain(await alone(site)));
  }
});

test('visit store: a limit and a chain that gives no answer cost nothing of what was kept', async (t) => {
  const path = await resumePath(t);
  await visit(path, whole);
  const down = (): Promise<never> => Promise.reject(new Error('it is down'));
  const chain: ChainLookup = {
    description: 'a node that is down',
    chain: 'solana:other',
    slot: 1,
    accounts: down,
    feeds: down,
  };
  for (const options of [{ limits: { entries: 100 } }, { chain }] as const) {
    assert.equal((await visit(path, whole, options)).verdict.outcome, 'incomplete');
    assert.ok(earlierIn((await visit(path, whole)).verdict) !== undefined);
  }
});

test('visit store: where the time is over, a finding of a walk that went on is none', async (t) => {
  const path = await resumePath(t);
  await visit(path, await prefix(300));
  const bad = new Map(whole);
  const name = [...bad.keys()].find((each) => each.startsWith('/tile/entries/001')) as string;
  bad.set(name, {
    status: 200,
    body: formatEntryBundle(log.entries.slice(0, 43)),
    logSize: undefined,
  });
  const { verdict } = await visit(path, bad, {}, { aborted: true });
  assert.equal(verdict.outcome, 'incomplete');
});

test('visit store: a record that has its hash, and is not that of this state, is not believed', async (t) => {
  const path = await resumePath(t);
  const file = join(`${path}.visit`, 'rows');
  await visit(path, await prefix(300));
  const rows = await readFile(file);
  const [mark, head] = [14, 36];
  const size = rows.readUInt32BE(mark);
  const record = rows.subarray(mark + head, mark + head + size);
  const at = record.indexOf('"reports/');
  assert.ok(at > 0);
  record[at + 1] = 0x53;
  rows.set(contentHash(nodeSha256, record), mark + 4);
  await writeFile(file, rows);
  const { verdict } = await visit(path, whole);
  assert.equal(earlierIn(verdict), undefined);
  assert.deepEqual(plain(verdict), plain(await alone(whole)));
});
