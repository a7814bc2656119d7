import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatNote, NOTE_ED25519, noteKeyId, parseNote } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Answer } from '@assay/verifier/reader/log-reader';
import type { Pin } from '@assay/verifier/verdict/policy';
import { assertFound, flip, places, runs } from './fixture/flip.ts';
import {
  codesOf,
  judge,
  folderOf,
  judgeFolder,
  judgeSite,
  publish,
  relink,
  type Site,
  siteOf,
  siteReader,
  youngLog,
} from './fixture/published.ts';
import { sampleLog, signerFrom } from './fixture/sample-log.ts';

const log = await sampleLog();
const whole = publish(log.entries, log.blobs, log.checkpoints);
const site: ReadonlyMap<string, Answer> = siteOf(whole);
const small = youngLog(log);

/** A verdict on a site with one answer's body changed. */
function withBody(base: ReadonlyMap<string, Answer>, path: string, body: Uint8Array): Site {
  const changed = new Map(base);
  changed.set(path, { ...(base.get(path) as Answer), body });
  return changed;
}

/** Where a kit says that its things are is the server's own word: all bytes before that are the log's. */
function checkedLength(path: string, body: Uint8Array): number {
  return path.endsWith('/listing.json') ? Buffer.from(body).indexOf('"where"') : body.length;
}

/** The kinds of things that a server gives, so that each is tampered with as often as the others. */
const KINDS: Readonly<Record<string, RegExp>> = {
  entries: /^\/tile\/entries\//,
  tile: /^\/tile\/[0-9]\//,
  blob: /^\/blob\//,
  api: /^\/(indices|\.well-known)/,
};

test('the sample log has full tiles and bundles, and is verified large and small', async () => {
  assert.equal(site.has('/tile/0/001'), true);
  assert.equal(site.has('/tile/entries/001'), true);
  assert.equal(log.entries.length > 512 && log.entries.length % 256 > 0, true);
  assert.equal((await judgeSite(site)).outcome, 'verified');
  assert.equal((await judgeSite(siteOf(small))).outcome, 'verified');
});

/** The paths that a verifier asks for: older reports are looked at in the log alone. */
async function askedOf(base: ReadonlyMap<string, Answer>): Promise<ReadonlySet<string>> {
  const asked = new Set<string>();
  const { live, get } = siteReader(base);
  const reader = {
    live,
    get(path: string) {
      asked.add(path);
      return get(path);
    },
  };
  assert.equal((await judge({ kind: 'log', reader })).outcome, 'verified');
  return asked;
}

const asked = await askedOf(site);

for (const [kind, pattern] of Object.entries(KINDS)) {
  const paths = [...site.keys()].filter((path) => asked.has(path) && pattern.test(path));
  test(`one bit of the large log, ${kind}: found`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.nat(), fc.nat(7), async (path, where, bit) => {
        const { body } = site.get(path) as Answer;
        const at = where % checkedLength(path, body);
        const verdict = await judgeSite(withBody(site, path, flip(body, at, bit)));
        assertFound(verdict, `${path} byte ${at} bit ${bit}`);
      }),
      runs(20, 2000),
    );
  });
}

test('every bit of the checkpoint: found', async () => {
  const { body } = site.get('/checkpoint') as Answer;
  for (let at = 0; at < body.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const verdict = await judgeSite(withBody(site, '/checkpoint', flip(body, at, bit)));
      assertFound(verdict, `checkpoint byte ${at} bit ${bit}`);
    }
  }
});

test('bits all over the small log: found', { timeout: 3_600_000 }, async () => {
  const base = siteOf(small);
  for (const [path, { body }] of base) {
    for (const { at, bit } of places(checkedLength(path, body), 31)) {
      const verdict = await judgeSite(withBody(base, path, flip(body, at, bit)));
      assertFound(verdict, `${path} byte ${at} bit ${bit}`);
    }
  }
});

test('bytes cut off or added anywhere: found', async () => {
  const base = siteOf(small);
  for (const [path, { body }] of base) {
    for (const other of [
      body.subarray(1),
      body.subarray(0, -1),
      Uint8Array.of(...body, 0x0a),
      new Uint8Array(0),
    ]) {
      const verdict = await judgeSite(withBody(base, path, other));
      assertFound(verdict, `${path} of ${other.length} bytes`);
    }
    const gone = new Map(base);
    gone.delete(path);
    assertFound(await judgeSite(gone), `${path} gone`);
  }
});

test('two answers exchanged: found', async () => {
  const base = siteOf(small);
  const paths = [...base.keys()];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.constantFrom(...paths), async (a, b) => {
      const [one, two] = [base.get(a) as Answer, base.get(b) as Answer];
      fc.pre(Buffer.compare(one.body, two.body) !== 0);
      const changed = new Map(base).set(a, two).set(b, one);
      assertFound(await judgeSite(changed), `${a} and ${b}`);
    }),
    runs(100, 5000),
  );
});

test('the size that an answer names, one off either way: found', async () => {
  for (const [path, answer] of siteOf(small)) {
    if (answer.logSize === undefined) continue;
    for (const logSize of [answer.logSize - 1, answer.logSize + 1, undefined]) {
      const changed = new Map(siteOf(small)).set(path, { ...answer, logSize });
      assertFound(await judgeSite(changed), `${path} for ${logSize}`);
    }
  }
});

test('a line of a stranger under the checkpoint: named, and a finding where the policy is strict', async () => {
  const note = parseNote(whole.checkpoint);
  const stranger = signerFrom('a stranger');
  const line = {
    name: 'witness.example',
    keyId: noteKeyId(nodeSha256, 'witness.example', NOTE_ED25519, stranger.publicKey),
    signature: stranger.sign(formatUtf8(note.text)),
  };
  for (const signatures of [
    [...note.signatures, line],
    [line, ...note.signatures],
  ]) {
    const changed = withBody(siteOf(small), '/checkpoint', new Uint8Array(0));
    const own = parseNote(small.checkpoint);
    changed.set('/checkpoint', {
      status: 200,
      body: formatNote({
        text: own.text,
        signatures: signatures.map((each) => (each === line ? line : own.signatures[0]) as never),
      }),
      logSize: undefined,
    });
    const lenient = await judgeSite(changed);
    assert.equal(lenient.outcome, 'verified');
    const named = lenient.not_checked.filter(({ what }) => what.includes('witness.example'));
    assert.equal(named.length, 1);
    assert.deepEqual(codesOf(await judgeSite(changed, { strict: true })), [
      'checkpoint_unlisted_signature',
    ]);
  }
});

/** Ways to rewrite what happened: the entries that are left, unlinked as yet. */
const REWRITES = {
  drop: (entries: readonly Uint8Array[], i: number) => entries.toSpliced(i, 1),
  swap: (entries: readonly Uint8Array[], i: number) =>
    entries.toSpliced(i, 2, entries[i + 1] as Uint8Array, entries[i] as Uint8Array),
  duplicate: (entries: readonly Uint8Array[], i: number) =>
    entries.toSpliced(i, 0, entries[i] as Uint8Array),
  move: (entries: readonly Uint8Array[], i: number) => [
    ...entries.toSpliced(i, 1),
    entries[i] as Uint8Array,
  ],
  truncate: (entries: readonly Uint8Array[], i: number) => entries.slice(0, i),
} as const;

const rewrite = fc.constantFrom(...(Object.keys(REWRITES) as (keyof typeof REWRITES)[]));
/** Not the genesis: without it there is another log. Not the last: behind it is nothing to swap with. */
const position = fc.integer({ min: 1, max: log.entries.length - 2 });

test('history rewritten and linked anew under the old checkpoint: found', async () => {
  await fc.assert(
    fc.asyncProperty(rewrite, position, fc.boolean(), async (how, i, linked) => {
      const left = REWRITES[how](log.entries, i);
      const entries = linked ? relink(left) : left;
      fc.pre(entries.some((entry, k) => entry !== log.entries[k]) || how === 'truncate');
      const changed = siteOf(publish(entries, log.blobs, log.checkpoints));
      changed.set('/checkpoint', site.get('/checkpoint') as Answer);
      assertFound(await judgeSite(changed), `${how} at ${i}`);
    }),
    runs(25, 1000),
  );
});

test('history rewritten and signed by its own publisher: found by whoever was there before', async () => {
  const first = await judgeSite(site);
  assert.equal(first.outcome, 'verified');
  const pin = first.outcome === 'verified' ? (first.pin as Pin) : assert.fail();
  const pins = { pins: async () => pin };
  await fc.assert(
    fc.asyncProperty(rewrite, position, async (how, i) => {
      const left = relink(REWRITES[how](log.entries, i));
      // As many entries as before at least, or the size alone gives it away.
      const filler = log.entries.slice(-3);
      const entries = how === 'truncate' ? left : relink([...left, ...filler]);
      fc.pre(
        entries.some((entry, k) => Buffer.compare(entry, log.entries[k] ?? entry) !== 0) ||
          how === 'truncate',
      );
      const forged = publish(entries, log.blobs, log.checkpoints);
      const served = await judgeSite(siteOf(forged), {}, pins);
      assertFound(served, `${how} at ${i}`);
      const code = how === 'truncate' ? 'log_shrunk' : 'history_changed';
      assert.equal(
        codesOf(served).includes(code),
        true,
        `${how} at ${i}: ${codesOf(served).join()}`,
      );
      const folder = folderOf(forged);
      folder.guard = whole.checkpoint;
      const stored = await judgeFolder(folder);
      assert.equal(codesOf(stored).includes('guard_differs'), true, `${how} at ${i}, folder`);
    }),
    runs(8, 300),
  );
});

test('a note dropped and all signed again: only a pin can tell', async () => {
  const at = log.entries.findLastIndex((entry) =>
    new TextDecoder().decode(entry).includes('note/1'),
  );
  const forged = publish(relink(log.entries.toSpliced(at, 1)), log.blobs, log.checkpoints);
  assert.equal((await judgeSite(siteOf(forged))).outcome, 'verified');
});
