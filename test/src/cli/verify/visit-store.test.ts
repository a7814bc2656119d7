import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { KeptAnswers } from '@assay/cli/verify/kept-answers';
import { resumedVerdict } from '@assay/cli/verify/resumed-verdict';
import { VisitStore } from '@assay/cli/verify/visit-store';
import type { Answer } from '@assay/verifier/reader/log-reader';
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
}

/** Visits a site as `assay verify --resume` does. */
async function visit(
  path: string,
  site: ReadonlyMap<string, Answer>,
  options: VerifyOptions = {},
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
    siteReader(site),
    (reader, memory) => {
      const get = (each: string): Promise<Answer> => {
        if (each.startsWith('/tile/entries/')) bundles.push(each);
        return reader.get(each);
      };
      const subject = { kind: 'log', reader: { ...reader, get } } as const;
      return verify(subject, OPEN_POLICY, { environment, memory, ...options });
    },
    TIME,
  );
  await answers.close();
  assert.equal(store.trouble, undefined);
  return { verdict, signatures, bundles };
}

/** A verdict without the count of fetched bytes, which depends on what was still in memory. */
function plain(verdict: Verdict): object {
  return { ...verdict, checked: { ...verdict.checked, blobs: 0 } };
}

const alone = async (
  site: ReadonlyMap<string, Answer>,
  options?: VerifyOptions,
): Promise<Verdict> =>
  verify({ kind: 'log', reader: siteReader(site) }, OPEN_POLICY, {
    environment: ENVIRONMENT,
    ...options,
  });

const resumePath = async (t: TestContext): Promise<string> => join(await scratch(t), 'resume');

test('visit store: a visit goes on from the one before, and says what a whole one says', async (t) => {
  const expected = plain(await alone(whole));
  const all = (await visit(await resumePath(t), whole)).signatures;
  for (const cut of [1, 255, 256, 300, log.entries.length]) {
    const path = await resumePath(t);
    const first = await visit(path, await prefix(cut));
    assert.equal(first.verdict.outcome, 'verified', `cut at ${cut}`);
    const again = await visit(path, whole);
    assert.deepEqual(plain(again.verdict), expected, `cut at ${cut}`);
    // Of what was checked before, only what every head needs is checked again.
    assert.ok(again.signatures <= all - first.signatures + 4, `cut at ${cut}`);
    // The first bundle has entry 0, by which the log is known; the walk takes it only for entries that are new.
    const firsts = again.bundles.filter((each) => each === '/tile/entries/000').length;
    assert.equal(firsts, cut < 256 ? 2 : 1, `cut at ${cut}`);
    const third = await visit(path, whole);
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
  const good = new Map<string, Buffer>();
  for (const name of await readdir(folder)) good.set(name, await readFile(join(folder, name)));
  let tried = 0;
  for (const [name, bytes] of good) {
    if (bytes.length === 0) continue;
    for (const part of [0.1, 0.5, 0.9]) {
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

test('visit store: a pinned head below the place where it would go on is held against the entries', async (t) => {
  const path = await resumePath(t);
  await visit(path, await prefix(300));
  const pin = { ...ground.pin, size: 200, vouched: false };
  const options: VerifyOptions = { pins: () => Promise.resolve(pin) };
  const { verdict } = await visit(path, whole, options);
  assert.equal(verdict.outcome, 'findings');
  assert.deepEqual(plain(verdict), plain(await alone(whole, options)));
});
