// The verifier of the pages, in the workers that run it: the same verdicts as the command's, and never a yes by default.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { ROOT } from '../src/core/fixture/fixture.ts';
import type { Hash } from '@assay/core/hash/hash';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import type { JudgedBundle } from '../src/verifier/fixture/judged.ts';
import { findChromium, withBrowserPage } from './browser.ts';
import { serveSample } from './sample-node.ts';

/** What a worker answers, as node/browser/src/answer.ts has it. */
interface Answer {
  readonly ok: boolean;
  readonly code: string;
  readonly why: string;
  readonly verdict: Verdict | null;
  readonly head: string | null;
}

/** One check as the pages run it, and the files that its request has the bytes of. */
interface Run {
  readonly worker: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

/** Runs in the page: checks, one after another, with the code of the pages. */
async function runInPage(runs: readonly Run[]): Promise<Answer[]> {
  const { runCheck } = globalThis as unknown as {
    readonly runCheck: (run: object) => Promise<Answer>;
  };
  const answers: Answer[] = [];
  for (const { worker, request, files = {}, limitMs = 60_000 } of runs) {
    const given: Record<string, unknown> = { ...request };
    for (const [name, path] of Object.entries(files)) {
      given[name] = await (await fetch(path)).arrayBuffer();
    }
    answers.push(await runCheck({ worker, request: given, limitMs }));
  }
  return answers;
}

/** The files of the pages' code: the workers as they are served, and the modules of the page. */
async function codeFiles(): Promise<Map<string, Uint8Array | string>> {
  const files = new Map<string, Uint8Array | string>([['/exposed.js', EXPOSED]]);
  for (const name of ['verify-worker.js', 'number-worker.js', 'log-worker.js']) {
    files.set(`/${name}`, await readFile(join(ROOT, 'node', 'dist', 'browser', name)));
  }
  for (const name of ['answer.js', 'run-check.js', 'script-url.js']) {
    files.set(`/${name}`, await readFile(join(ROOT, 'node', 'browser', 'dist', name)));
  }
  return files;
}

/** Gives the page the function that runs checks. */
const EXPOSED = "import { runCheck } from '/run-check.js'; globalThis.runCheck = runCheck;";

/** The answers to checks in a page. */
async function answersTo(page: Page, runs: readonly Run[]): Promise<Answer[]> {
  await page.addScriptTag({ url: '/exposed.js', type: 'module' });
  return page.evaluate(runInPage, runs);
}

const TERMS = { key: null, index: null, period: null, head: null };

/** Every forged bundle of the command's tests, with the command's verdict. */
async function forgedBundles(t: TestContext): Promise<readonly JudgedBundle[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-judged-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  process.env['ASSAY_JUDGED'] = folder;
  const { BUNDLES, makeGround } = await import('../src/verifier/fixture/misdeeds.ts');
  const ground = await makeGround();
  for (const { verdict } of BUNDLES) await verdict(ground);
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return texts
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as JudgedBundle);
}

test('the verifier of the pages finds every forgery that the command finds', async (t) => {
  const chromium = findChromium();
  if (chromium === undefined) return t.skip('Chromium is not here');
  const judged = await forgedBundles(t);
  const forged = judged.filter(({ outcome }) => outcome === 'findings');
  assert.ok(forged.length >= 20, `${forged.length} forgeries`);
  const files = await codeFiles();
  const runs = judged.map(({ bundle, number }, i): Run => {
    files.set(`/bundle/${i}`, Buffer.from(bundle, 'base64'));
    const { index = null, period = null } = number ?? {};
    const request = { ...TERMS, kind: 'bundle', index, period };
    return { worker: '/verify-worker.js', request, files: { bytes: `/bundle/${i}` } };
  });
  await withBrowserPage(chromium, files, async ({ page, errors }) => {
    const answers = await answersTo(page, runs);
    for (const [i, { ok, code, verdict }] of answers.entries()) {
      const { outcome, codes } = judged[i] as JudgedBundle;
      assert.equal(verdict?.outcome, outcome, `bundle ${i}`);
      assert.equal(ok, outcome === 'verified', `bundle ${i}`);
      assert.equal(code, codes[0] ?? 'verified', `bundle ${i}`);
      const found = verdict?.outcome === 'findings' ? verdict.findings : [];
      assert.deepEqual(
        found.map((each) => each.code),
        codes,
        `bundle ${i}`,
      );
    }
    assert.deepEqual(errors, []);
  });
});

/** Workers that do not do their part. */
const LIARS: Readonly<Record<string, readonly [code: string, expected: string]>> = {
  'one that never answers': ['onmessage = () => undefined;', 'timeout'],
  'one that never ends': ['onmessage = () => { for (;;); };', 'timeout'],
  'one that ends itself': ['onmessage = () => close();', 'timeout'],
  'one that fails as it starts': ['throw new Error("no");', 'no_verifier'],
  'one that is no code': ['const const;', 'no_verifier'],
  'one that fails at a message': ['onmessage = () => { throw new Error("no"); };', 'no_verifier'],
  'one that rejects': ['onmessage = () => { Promise.reject(new Error("no")); };', 'timeout'],
  'a bare yes': ['onmessage = () => postMessage({ ok: true });', 'malformed_answer'],
  'a word': ['onmessage = () => postMessage("verified");', 'malformed_answer'],
  'nothing at all': ['onmessage = () => postMessage(null);', 'malformed_answer'],
  'a yes beside findings': [
    'onmessage = () => postMessage({ ok: true, code: "verified", why: "", stamp: null, head: null, verdict: { outcome: "findings", log: {}, checked: {}, not_checked: [], findings: [] } });',
    'malformed_answer',
  ],
  'a yes without a verdict': [
    'onmessage = () => postMessage({ ok: true, code: "verified", why: "", stamp: null, head: null, verdict: null });',
    'malformed_answer',
  ],
  'a yes with a verdict of one word': [
    'onmessage = () => postMessage({ ok: true, code: "verified", why: "", stamp: null, head: null, verdict: { outcome: "verified" } });',
    'malformed_answer',
  ],
};

test('a verifier that hangs, dies, is not there or lies has verified nothing', async (t) => {
  const chromium = findChromium();
  if (chromium === undefined) return t.skip('Chromium is not here');
  const files = await codeFiles();
  const liars = Object.entries(LIARS);
  for (const [i, [, [code]]] of liars.entries()) files.set(`/liar-${i}.js`, code);
  const runs: Run[] = liars.map((_, i) => ({
    worker: `/liar-${i}.js`,
    request: {},
    limitMs: 1500,
  }));
  runs.push(
    { worker: '/not-there.js', request: {}, limitMs: 5000 },
    { worker: 'https://elsewhere.example/worker.js', request: {}, limitMs: 5000 },
    { worker: '/verify-worker.js', request: {} },
    {
      worker: '/verify-worker.js',
      request: { kind: 'ots', bytes: new ArrayBuffer(0), file: null },
    },
    {
      worker: '/number-worker.js',
      request: { ...TERMS, url: 'http://127.0.0.1:9', index: 'LAYOFFS' },
      limitMs: 10_000,
    },
    {
      worker: '/log-worker.js',
      request: { ...TERMS, url: 'http://127.0.0.1:9' },
      limitMs: 10_000,
    },
  );
  const expected = [
    ...liars.map(([, [, code]]) => code),
    'no_verifier',
    'no_verifier',
    'verifier_failed',
    'bad_proof',
    'verifier_failed',
    'incomplete',
  ];
  await withBrowserPage(chromium, files, async ({ page }) => {
    const answers = await answersTo(page, runs);
    assert.deepEqual(
      answers.map(({ ok }) => ok),
      expected.map(() => false),
    );
    assert.deepEqual(
      answers.map(({ code }) => code),
      expected,
    );
    assert.deepEqual(
      answers.filter(({ verdict }) => verdict !== null && verdict.outcome !== 'incomplete'),
      [],
    );
  });
});

test('a number and a whole log of a server, with the key, without one, and with another', async (t) => {
  const chromium = findChromium();
  if (chromium === undefined) return t.skip('Chromium is not here');
  const url = await serveSample(t);
  const signer = await fetch(`${url}/.well-known/assay-signer.json`);
  const { checkpoint_vkey: key } = (await signer.json()) as { readonly checkpoint_vkey: string };
  const other = 'development/sample+00000000+AAAA';
  const asked = { ...TERMS, url, index: 'LAYOFFS', period: '2025-04-26' };
  const number = (request: object): Run => ({
    worker: '/number-worker.js',
    request: { ...asked, ...request },
  });
  const whole = (request: object): Run => ({
    worker: '/log-worker.js',
    request: { ...TERMS, url, ...request },
    limitMs: 300_000,
  });
  await withBrowserPage(chromium, await codeFiles(), async ({ page }) => {
    const [keyed, unkeyed, wrong, none, newest, log, keyedLog] = await answersTo(page, [
      number({ key }),
      number({}),
      number({ key: other }),
      number({ key, period: '2001-01-06' }),
      number({ key, period: null }),
      whole({}),
      whole({ key }),
    ]);
    assert.deepEqual([keyed?.ok, keyed?.code], [true, 'verified'], keyed?.why);
    const first = keyed?.verdict;
    assert.ok(first?.outcome === 'verified' && first.number !== null);
    assert.deepEqual([first.number.value, first.trust], ['241000', 'policy']);
    assert.match(keyed?.head ?? '', /^development\//);

    assert.equal(unkeyed?.ok, true, unkeyed?.why);
    assert.ok(unkeyed?.verdict?.outcome === 'verified');
    assert.equal(unkeyed.verdict.trust, 'first_use', 'the key of a server vouches for nothing');

    assert.deepEqual([wrong?.ok, wrong?.code], [false, 'verifier_failed']);
    assert.deepEqual([none?.ok, none?.verdict], [false, null]);
    assert.ok(newest?.ok === true && newest.verdict?.outcome === 'verified');
    assert.deepEqual([log?.ok, keyedLog?.ok], [true, true], log?.why);
    const trust = (answer: Answer | undefined): unknown =>
      answer?.verdict?.outcome === 'verified' ? answer.verdict.trust : undefined;
    assert.deepEqual([trust(log), trust(keyedLog)], ['first_use', 'policy']);

    // Heads that the key has signed, and that the server's log does not continue.
    const { checkpoints } = await sampleLog();
    assert.equal(checkpoints.vkey, key);
    const { size } = checkpoints.open(Buffer.from(keyed?.head ?? ''));
    const headOf = (of: number): string =>
      Buffer.from(checkpoints.sign(of, new Uint8Array(32) as Hash)).toString();
    const [again, changed, shrunk] = await answersTo(page, [
      number({ key, head: keyed?.head }),
      number({ key, head: headOf(size) }),
      number({ key, head: headOf(size + 1000) }),
    ]);
    assert.equal(again?.ok, true, again?.why);
    assert.deepEqual([changed?.ok, changed?.code], [false, 'history_changed']);
    assert.deepEqual([shrunk?.ok, shrunk?.code], [false, 'log_shrunk']);
  });
});
