import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAdded } from '@assay/core/answer/routes';
import { formatEntry } from '@assay/core/log/entry';
import { type Hash, hashHex, type HashHex, leafHash } from '@assay/core/hash/hash';
import { formatEntryBundle, formatHashTile, parseTilePath, TILE_WIDTH } from '@assay/core/log/tile';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { accountsOf, chained, lookupOf } from '../fixture/chained-log.ts';
import { runs } from '../fixture/flip.ts';
import { Forge, type LooseDraft } from '../fixture/forge.ts';
import {
  codesOf,
  judge,
  judgeSite,
  publish,
  type Site,
  siteOf,
  siteReader,
  youngLog,
} from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();
const young = youngLog(log);
const site: ReadonlyMap<string, Answer> = siteOf(young);
const genesis = log.entries[0] as Uint8Array;

function ok(body: Uint8Array): Answer {
  return { status: 200, body, logSize: undefined };
}

const NOTHING: Answer = { status: 404, body: new Uint8Array(0), logSize: undefined };

/** A reader that counts, and gives up on the test after too many requests. */
function counted(
  get: (path: string, asked: number) => Answer | Promise<Answer>,
  most = 3000,
): { readonly reader: LogReader; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    reader: {
      live: true,
      async get(path) {
        asked.push(path);
        assert.equal(asked.length <= most, true, `over ${most} requests: a verifier without end`);
        return get(path, asked.length);
      },
    },
  };
}

function judgeReader(reader: LogReader, options = {}): Promise<Verdict> {
  return judge({ kind: 'log', reader }, {}, options);
}

test('a server that answers everything alike is found out or left open, and never trusted', async () => {
  const answers: readonly (readonly [string, Answer, string])[] = [
    ['HTML', ok(formatUtf8('<!doctype html><p>Sign in\n\n— x AAAAAAAA\n')), 'checkpoint_malformed'],
    ['the checkpoint', ok(young.checkpoint), 'bundle_differs'],
  ];
  for (const [name, answer, code] of answers) {
    const { reader, asked } = counted(() => answer);
    assert.deepEqual(codesOf(await judgeReader(reader)), [code], name);
    assert.equal(asked.length <= 2, true);
  }
});

test('an address without a log says nothing about anybody, and is no yes', async () => {
  const answers: readonly (readonly [string, Answer, RegExp])[] = [
    ['404', NOTHING, /found status 404/],
    ['an error', { ...NOTHING, status: 500 }, /found status 500/],
    ['a page', ok(formatUtf8('<!doctype html>\n\n<p>Sign in\n')), /found something else/],
    ['nothing', ok(new Uint8Array(0)), /found something else/],
    ['zeros', ok(new Uint8Array(1_000_000)), /found something else/],
    ['a dash too late', ok(formatUtf8(`${'x'.repeat(70_000)}\n\n\u2014 a b\n`)), /something/],
  ];
  for (const [name, answer, why] of answers) {
    const verdict = await judgeReader(counted(() => answer).reader);
    assert.equal(verdict.outcome, 'incomplete', name);
    if (verdict.outcome !== 'incomplete') return;
    assert.deepEqual([verdict.cause, verdict.findings], ['no_log', []], name);
    assert.match(verdict.reason, why);
  }
});

test('a reader that throws leaves it open, whenever that is', async () => {
  const { asked, reader } = counted((path) => site.get(path) ?? NOTHING);
  assert.equal((await judgeReader(reader)).outcome, 'verified');
  for (let last = 0; last < asked.length; last += 1) {
    const breaking = counted((path, n) => {
      if (n > last) throw new Error('connection reset\u001b[2J');
      return site.get(path) ?? NOTHING;
    });
    const verdict = await judgeReader(breaking.reader);
    assert.equal(verdict.outcome, 'incomplete', `after ${last} answers`);
    assert.equal(verdict.outcome === 'incomplete' && verdict.reason, 'connection reset\\u{1b}[2J');
  }
});

test('what was found before a reader throws stays found', async () => {
  const changed = new Map(site).set('/tile/entries/000.p/8', {
    ...(site.get('/tile/entries/000.p/8') as Answer),
  });
  changed.set('/tile/0/000.p/8', ok(new Uint8Array(256)));
  const { reader } = counted((path) => {
    if (path === '/indices') throw new Error('connection reset');
    return changed.get(path) ?? NOTHING;
  });
  const verdict = await judgeReader(reader);
  assert.deepEqual(codesOf(verdict), ['tile_differs']);
  assert.equal(
    verdict.not_checked.some(({ what }) => what === 'everything after this point'),
    true,
  );
});

test('a log whose checkpoint goes missing while it is verified: a finding', async () => {
  const honest = chained();
  const served = siteOf(honest.published);
  let heads = 0;
  const { reader } = counted((path) => {
    if (path === '/checkpoint') heads += 1;
    return path === '/checkpoint' && heads > 1 ? NOTHING : (served.get(path) ?? NOTHING);
  });
  const verdict = await judgeReader(reader, { chain: lookupOf(accountsOf(honest)) });
  assert.deepEqual([heads, codesOf(verdict)], [2, ['checkpoint_missing']]);
});

test('any answers in any order: a verdict, and no yes', async () => {
  const bodies = [...site.values()].map(({ body }) => body);
  const body = fc.oneof(fc.constantFrom(...bodies), fc.uint8Array({ maxLength: 300 }));
  const answer = fc.record({
    status: fc.constantFrom(200, 200, 404, 500, 304, 0),
    body,
    logSize: fc.constantFrom(undefined, 0, 7, 8, 9, Number.MAX_SAFE_INTEGER),
  });
  const path = fc.constantFrom(...site.keys());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(path, answer), { minLength: 1, maxLength: 5 }),
      async (changes) => {
        const changed: Site = new Map([...site, ...changes]);
        const { reader } = counted((each) => changed.get(each) ?? NOTHING);
        const verdict = await judgeReader(reader);
        const same = [...changed].every(([each, { status, body: given, logSize }]) => {
          const was = site.get(each) as Answer;
          const sized = was.logSize === undefined || was.logSize === logSize;
          return status === was.status && sized && Buffer.compare(given, was.body) === 0;
        });
        const isGone = verdict.outcome === 'incomplete' && verdict.cause === 'no_log';
        assert.ok(isGone ? !same : verdict.outcome === (same ? 'verified' : 'findings'));
      },
    ),
    runs(300, 20_000),
  );
});

/** A log without end: bundle after bundle, made when it is asked for. */
function endless(
  size: number,
  entry: (seq: number, prev: HashHex) => Uint8Array,
): ReturnType<typeof counted> {
  const checkpoint = log.checkpoints.sign(size, leafHash(nodeSha256, genesis));
  const bundles: { readonly entries: readonly Uint8Array[]; readonly leaves: readonly Hash[] }[] =
    [];
  const grow = (index: number): void => {
    const entries: Uint8Array[] = index === 0 ? [genesis] : [];
    let last = index === 0 ? leafHash(nodeSha256, genesis) : bundles[index - 1]?.leaves.at(-1);
    const leaves: Hash[] = index === 0 ? [last as Hash] : [];
    while (entries.length < TILE_WIDTH) {
      const bytes = entry(index * TILE_WIDTH + entries.length, hashHex(last as Hash));
      last = leafHash(nodeSha256, bytes);
      entries.push(bytes);
      leaves.push(last);
    }
    bundles[index] = { entries, leaves };
  };
  return counted((path) => {
    if (path === '/checkpoint') return ok(checkpoint);
    const { level, index } = parseTilePath(path.slice(1));
    if (bundles[index] === undefined) grow(index);
    const { entries, leaves } = bundles[index] as (typeof bundles)[number];
    return ok(level === 'entries' ? formatEntryBundle(entries) : formatHashTile(leaves));
  });
}

function note(seq: number, prev: HashHex): Uint8Array {
  const at = '2027-01-01T00:00:00Z' as never;
  return formatEntry({ v: 1, seq, prev, at, kind: 'note/1', body: { text: 'and so on' } });
}

test('a log as large as a number can say is not begun with', async () => {
  for (const size of [Number.MAX_SAFE_INTEGER, 50_000_001]) {
    const { reader, asked } = endless(size, note);
    const verdict = await judgeReader(reader);
    assert.equal(verdict.outcome, 'incomplete');
    assert.match(
      verdict.outcome === 'incomplete' ? verdict.reason : '',
      /limit of this verification/,
    );
    assert.equal(asked.length, 2);
  }
});

test('a log without end is left when the caller has had enough', async () => {
  const { reader, asked } = endless(40_000_000, note);
  const stop = new AbortController();
  const verdict = await judgeReader(
    {
      live: true,
      get(path) {
        if (asked.length > 20) stop.abort();
        return reader.get(path);
      },
    },
    { limits: { signal: stop.signal } },
  );
  assert.equal(verdict.outcome, 'incomplete');
  assert.equal(asked.length < 30, true);
});

test('a log of nothing but faults is left after a thousand of them', async () => {
  const { reader, asked } = endless(40_000_000, () => formatUtf8('nonsense'));
  const verdict = await judgeReader(reader);
  assert.equal(verdict.outcome, 'findings');
  if (verdict.outcome !== 'findings') return;
  assert.equal(verdict.findings.length, 1000);
  assert.equal(
    verdict.not_checked.some(({ what }) => what.startsWith('entries from ')),
    true,
  );
  assert.equal(asked.length < 20, true);
});

test('rules and reports beyond the room for them leave it open', async () => {
  const verdict = await judgeSite(site, {}, { limits: { folded_bytes: 5000 } });
  assert.equal(verdict.outcome, 'incomplete');
  assert.match(
    verdict.outcome === 'incomplete' ? verdict.reason : '',
    /5000 bytes of rules, reports and revisions/,
  );
});

/** The log as it was at a size. */
function siteAt(size: number): Site {
  return siteOf(publish(log.entries.slice(0, size), log.blobs, log.checkpoints));
}

test('a server that grows with every request is verified at what it was, without end', async () => {
  let size = 196;
  const sites = new Map<number, Site>();
  const { reader, asked } = counted((path) => {
    size = Math.min(size + 1, log.entries.length);
    const now = sites.get(size) ?? siteAt(size);
    sites.set(size, now);
    const found = now.get(path);
    if (found !== undefined) return found;
    // A partial tile of a size that it once had is still served, as C2SP lets it.
    for (const older of sites.values()) if (older.has(path)) return older.get(path) as Answer;
    return NOTHING;
  });
  const verdict = await judgeReader(reader);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.outcome === 'verified' && verdict.log.size > 220, true);
  assert.equal(asked.filter((path) => path === '/checkpoint').length, 2);
});

test('a first entry that is shown once and another that is walked: found', async () => {
  // The same keys, another log: only the first entry tells them apart.
  const forge = new Forge(log, 1);
  (forge.drafts[0] as LooseDraft).body['next_report_key_sha256'] = 'cd'.repeat(32);
  const other = forge.publish();
  const served = siteOf(other);
  const mine = publish([genesis], new Map(), log.checkpoints);
  let shown = 0;
  const { reader } = counted((path) => {
    if (path !== '/tile/entries/000.p/1') return served.get(path) ?? NOTHING;
    shown += 1;
    return (shown === 1 ? siteOf(mine) : served).get(path) as Answer;
  });
  const log_id = hashHex(leafHash(nodeSha256, genesis));
  const verdict = await judge({ kind: 'log', reader }, { log_id });
  assert.deepEqual(codesOf(verdict), ['log_id_differs']);
  assert.equal(shown, 2);
});

test('a server that shrinks between requests: found', async () => {
  const large = siteAt(300);
  const less = siteAt(250);
  // The API answers for less than the checkpoint said.
  const behind = new Map([...large, ...[...less].filter(([path]) => path.startsWith('/indices'))]);
  assert.equal(codesOf(await judgeSite(behind)).includes('api_behind'), true);
  // The API is ahead, and then the next checkpoint is behind both.
  const ahead = siteAt(310);
  let visits = 0;
  const { reader } = counted((path) => {
    if (path === '/checkpoint') {
      visits += 1;
      return (visits === 1 ? large : less).get(path) as Answer;
    }
    if (path.startsWith('/indices') || path.startsWith('/.well')) return ahead.get(path) as Answer;
    return large.get(path) ?? less.get(path) ?? NOTHING;
  });
  assert.deepEqual(codesOf(await judgeReader(reader)), ['api_differs']);
});

test('answers for a size to come are compared at that size, not before', async () => {
  const now = siteAt(300);
  const later = siteAt(310);
  let visits = 0;
  const serve = (lie: boolean) =>
    counted((path) => {
      if (path === '/checkpoint') {
        visits += 1;
        return (visits === 1 ? now : later).get(path) as Answer;
      }
      const answer = later.get(path) ?? now.get(path) ?? NOTHING;
      if (!lie || path !== '/indices/LAYOFFS/history.csv') return answer;
      return { ...answer, body: formatUtf8('ticker,period\n') };
    });
  assert.equal((await judgeReader(serve(false).reader)).outcome, 'verified');
  visits = 0;
  assert.deepEqual(codesOf(await judgeReader(serve(true).reader)), ['api_differs']);
});

test('answers ahead of the checkpoint are not hoarded without bound', async () => {
  const { reader } = counted((path) =>
    path.startsWith('/indices')
      ? { status: 200, body: new Uint8Array(30_000_000), logSize: 1000 }
      : (site.get(path) ?? NOTHING),
  );
  const verdict = await judgeReader(reader);
  assert.equal(verdict.outcome, 'incomplete');
  assert.match(verdict.outcome === 'incomplete' ? verdict.reason : '', /ahead of the checkpoint/);
});

test('an answer cannot write into the verdict', async () => {
  const path = '/indices/LAYOFFS/history.csv';
  const body = formatUtf8('\u001b[2J\u001b[1;1H\u009b32mVERIFIED\u001b[0m\nmore\n');
  const verdict = await judgeSite(new Map(site).set(path, { ...(site.get(path) as Answer), body }));
  assert.deepEqual(codesOf(verdict), ['api_differs']);
  assert.doesNotMatch(JSON.stringify(verdict), /\p{Cc}|\\u00/u);
});

test('deep and large JSON in an answer is one finding', async () => {
  const path = '/indices/LAYOFFS';
  for (const text of [
    '['.repeat(5_000_000),
    `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`,
    `{"ticker":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
  ]) {
    const changed = new Map(site);
    changed.set(path, { ...(site.get(path) as Answer), body: formatUtf8(text) });
    assert.deepEqual(codesOf(await judgeSite(changed)), ['api_differs']);
  }
});

test('a static export has no sizes to name, and is held to its checkpoint', async () => {
  const files = new Map(
    [...site].map(([path, answer]) => [path, { ...answer, logSize: undefined }]),
  );
  const verdict = await judge({ kind: 'log', reader: siteReader(files, false) });
  assert.equal(verdict.outcome, 'verified');
});

test('answers that release 0.1 did not have: not checked where a server has none, found where it hides one', async () => {
  const all = siteAt(300);
  const added = [...all.keys()].filter((path) => isAdded(path));
  assert.ok(added.includes('/indices?view=light') && added.length > 4);
  const earlier = new Map([...all].filter(([path]) => !isAdded(path)));
  const verdict = await judgeSite(earlier);
  assert.equal(verdict.outcome, 'verified');
  const [line] = verdict.not_checked.filter(({ what }) =>
    what.includes('the server does not have'),
  );
  assert.match(
    line?.what ?? '',
    /^answers that the server does not have of \/indices\?view=light, /,
  );
  for (const path of ['/indices?view=light', '/indices/LAYOFFS/settlement.csv']) {
    const hidden = new Map(all);
    hidden.delete(path);
    assert.deepEqual(codesOf(await judgeSite(hidden)), ['api_no_size'], path);
    const { body } = all.get(path) as Answer;
    const other = { ...(all.get(path) as Answer), body: Uint8Array.of(...body, 0x0a) };
    assert.deepEqual(
      codesOf(await judgeSite(new Map(all).set(path, other))),
      ['api_differs'],
      path,
    );
  }
});
