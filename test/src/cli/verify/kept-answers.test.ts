import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { KeptAnswers } from '@assay/cli/verify/kept-answers';
import { type Asked, type Resumption, resumedVerdict } from '@assay/cli/verify/resumed-verdict';
import { VisitStore } from '@assay/cli/verify/visit-store';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
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
import { assay, scratch, serve } from '../fixture/run.ts';

const ADDRESS = 'http://log';
/** Time that is not over. */
const TIME = { aborted: false };
const ground = await makeGround();
const { log } = ground;
const prefix = (size: number): Site =>
  siteOf(publish(log.entries.slice(0, size), log.blobs, log.checkpoints));

interface Counted extends LogReader {
  readonly paths: string[];
}

function counted(site: ReadonlyMap<string, Answer>): Counted {
  const { get, live } = siteReader(site);
  const paths: string[] = [];
  return {
    live,
    paths,
    get: (path) => {
      paths.push(path);
      return get(path);
    },
  };
}

const judged = (reader: LogReader): Promise<Verdict> =>
  verify({ kind: 'log', reader }, OPEN_POLICY, { environment: ENVIRONMENT });

test('kept answers: a second visit asks for what is new, and its verdict is that of a whole visit', async (t) => {
  const path = join(await scratch(t), 'resume');
  const whole = await withPacks(siteOf(ground.published));
  const expected = await judged(siteReader(whole));
  for (const cut of [1, 255, 256, 300]) {
    const first = await KeptAnswers.open(path, ADDRESS);
    await first.clear();
    await judged(first.reader(counted(await withPacks(prefix(cut)))));
    await first.close();
    const again = await KeptAnswers.open(path, ADDRESS);
    const reader = counted(whole);
    const verdict = await judged(again.reader(reader));
    await again.close();
    assert.deepEqual(verdict, expected, `cut at ${cut}`);
    const isAsked = (each: string): boolean => reader.paths.includes(each);
    assert.equal(isAsked('/tile/entries/000'), cut < 256, `cut at ${cut}`);
    assert.equal(isAsked('/pack/0/000'), cut < 256, `cut at ${cut}`);
    assert.equal(isAsked('/tile/0/000'), cut < 256, `cut at ${cut}`);
  }
});

const of = (reader: LogReader): Asked => ({ log: reader, chain: undefined });

/** Answers alone, of a visit that kept nothing else. */
const alone = (answers: KeptAnswers): Resumption => ({
  answers,
  visit: new VisitStore('/nonexistent/visit'),
});

const CODES = [
  'blob_differs',
  'chain_broken',
  'entry_missing',
  'read_differs',
  'report_bad_signature',
  'revision_missing',
  'root_differs',
  'tile_differs',
] as const;

test('kept answers: a misdeed after an honest visit has the findings of a whole visit', async (t) => {
  const sites: ReadonlyMap<string, Answer>[] = [];
  const keep = (each: ReadonlyMap<string, Answer>): void => void sites.push(new Map(each));
  siteListeners.add(keep);
  const one = new Map(MISDEEDS.map((misdeed) => [misdeed.code, misdeed]));
  for (const code of CODES) await one.get(code)?.verdict(ground);
  siteListeners.delete(keep);
  const path = join(await scratch(t), 'resume');
  let findings = 0;
  for (const site of sites) {
    const kept = await KeptAnswers.open(path, ADDRESS);
    await kept.clear();
    await judged(kept.reader(siteReader(siteOf(ground.published))));
    const verdict = await resumedVerdict(
      alone(kept),
      of(siteReader(site)),
      ({ log: each }) => judged(each),
      TIME,
    );
    await kept.close();
    if (verdict.outcome !== 'findings') continue;
    findings += 1;
    assert.deepEqual(verdict, await judged(siteReader(site)));
  }
  assert.ok(findings > 1, `${findings}`);
});

test('kept answers: a visit that the file cuts short is made again with what the server shows', async (t) => {
  const path = join(await scratch(t), 'resume');
  const site = siteOf(ground.published);
  const expected = await judged(siteReader(site));
  const bundle = site.get('/tile/entries/000') as Answer;
  const bad = new Map(site).set('/tile/entries/000', { ...bundle, body: new Uint8Array(77) });
  const fails = new Error('it fails on what was kept');
  /** A verifier that fails on the answer that the file has, and on no other. */
  const interrupted = (reader: LogReader): Promise<Verdict> =>
    judged({
      ...reader,
      get: async (each) => {
        const answer = await reader.get(each);
        if (answer.body.length === 77) throw fails;
        return answer;
      },
    });
  const broken = async (reader: LogReader): Promise<Verdict> => {
    const verdict = await interrupted(reader);
    if (verdict.outcome === 'incomplete') throw fails;
    return verdict;
  };
  const begin = async (): Promise<KeptAnswers> => {
    const first = await KeptAnswers.open(path, ADDRESS);
    await first.clear();
    await judged(first.reader(siteReader(bad)));
    await first.close();
    return KeptAnswers.open(path, ADDRESS);
  };
  for (const walk of [interrupted, broken]) {
    const kept = await begin();
    assert.deepEqual(
      await resumedVerdict(alone(kept), of(siteReader(site)), ({ log: each }) => walk(each), TIME),
      expected,
    );
    await kept.close();
  }
  const late = { aborted: true };
  const kept = await begin();
  const verdict = await resumedVerdict(
    alone(kept),
    of(siteReader(site)),
    ({ log: each }) => interrupted(each),
    late,
  );
  assert.equal(verdict.outcome, 'incomplete', 'there is no time for another walk');
  await assert.rejects(
    resumedVerdict(alone(kept), of(siteReader(site)), ({ log: each }) => broken(each), late),
    fails,
  );
  assert.ok(kept.used > 0);
  await kept.close();
});

test('kept answers: a server that gives no answer costs nothing of what was kept', async (t) => {
  const kept = await KeptAnswers.open(join(await scratch(t), 'resume'), ADDRESS);
  const site = siteOf(ground.published);
  await judged(kept.reader(siteReader(site)));
  const { get } = siteReader(site);
  const down: LogReader = {
    ...siteReader(site),
    get: (path) =>
      path.startsWith('/indices') ? Promise.reject(new Error('it is down')) : get(path),
  };
  let walks = 0;
  const walk = (reader: LogReader): Promise<Verdict> => {
    walks += 1;
    return judged(reader);
  };
  assert.equal(
    (await resumedVerdict(alone(kept), of(down), ({ log: each }) => walk(each), TIME)).outcome,
    'incomplete',
  );
  assert.equal(walks, 1);
  assert.ok(kept.used > 0);
  await kept.close();
});

test('kept answers: bytes that were damaged, cut or added are asked for again', async (t) => {
  const path = join(await scratch(t), 'resume');
  const site = await withPacks(siteOf(ground.published));
  const expected = await judged(siteReader(site));
  const first = await KeptAnswers.open(path, ADDRESS);
  await judged(first.reader(siteReader(site)));
  await first.close();
  const good = await readFile(path);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const changes: readonly Buffer[] = [
    ...[30, 1000].map((at) => {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 1;
      return bad;
    }),
    good.subarray(0, good.length - 5),
    good.subarray(0, 20),
    Buffer.concat([good, Buffer.from('more')]),
  ];
  for (const [i, bad] of changes.entries()) {
    await writeFile(path, bad);
    const kept = await KeptAnswers.open(path, ADDRESS);
    assert.deepEqual(await judged(kept.reader(siteReader(site))), expected, `change ${i}`);
    await kept.close();
  }
});

test('kept answers: a file of another log, or of something else, is refused and not touched', async (t) => {
  const path = join(await scratch(t), 'resume');
  await (await KeptAnswers.open(path, ADDRESS)).close();
  await assert.rejects(KeptAnswers.open(path, 'http://other'), {
    code: 'refused',
    message: /http:\/\/log/,
  });
  await writeFile(path, 'a file of mine');
  await chmod(path, 0o600);
  await assert.rejects(KeptAnswers.open(path, ADDRESS), { code: 'refused' });
  assert.equal(await readFile(path, 'utf8'), 'a file of mine');
});

test('kept answers: two visits at once do not share a file', async (t) => {
  const path = join(await scratch(t), 'resume');
  const first = await KeptAnswers.open(path, ADDRESS);
  await assert.rejects(KeptAnswers.open(path, ADDRESS), { code: 'refused' });
  await first.close();
  await (await KeptAnswers.open(path, ADDRESS)).close();
});

test('assay verify --resume: two visits, a lie in between, and what it is not for', async (t) => {
  const folder = await scratch(t);
  const site = new Map(await withPacks(siteOf(ground.published)));
  const url = await serve(t, site);
  const command = ['verify', url, '--no-pin', '--json', '--resume', 'resume'];
  const first = await assay(folder, command);
  const second = await assay(folder, command);
  assert.deepEqual([first.code, second.code], [0, 0]);
  const earlierIn = (out: string): readonly unknown[] =>
    (JSON.parse(out) as Verdict).not_checked.filter(({ remedy }) => remedy === 'from_start');
  assert.deepEqual(earlierIn(first.out), []);
  const [earlier] = earlierIn(second.out) as Verdict['not_checked'];
  assert.match(earlier?.what ?? '', /^the first \d+ entries once more$/);
  assert.match(earlier?.why ?? '', /^a visit of 20\d\d-\S+Z checked them/);
  const again = await assay(folder, [...command, '--from-start']);
  assert.equal(again.out, first.out);
  const bundle = site.get('/tile/entries/000') as Answer;
  const changed = new Uint8Array(bundle.body);
  changed[2000] = (changed[2000] as number) ^ 1;
  site.set('/tile/entries/000', { ...bundle, body: changed });
  const kept = await assay(folder, command);
  assert.equal(kept.code, 0, 'what was read at the first visit is not asked for again');
  const fresh = await assay(folder, ['verify', url, '--no-pin', '--json']);
  assert.equal(fresh.code, 1);
  const without = await assay(folder, ['verify', url, '--from-start']);
  assert.equal(without.code, 2);
  assert.match(without.err, /--from-start is for a visit with --resume/);
  const local = await assay(folder, ['verify', folder, '--resume', 'resume']);
  assert.equal(local.code, 2);
  assert.match(local.err, /--resume is for the address of a log/);
});
