import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLoss } from '@assay/core/kind/loss';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { CutWalk, entriesOf } from '../fixture/cut-walk.ts';
import { siteListeners } from '../fixture/judged.ts';
import { makeGround, MISDEEDS } from '../fixture/misdeeds.ts';
import { chain, draftsOf, publish, siteOf } from '../fixture/published.ts';

const ground = await makeGround();
/** How many places right before the first finding are tried, and one in the middle: all with `ASSAY_ALL_CUTS=1`. */
const NEAR = process.env['ASSAY_ALL_CUTS'] === '1' ? Number.POSITIVE_INFINITY : 2;

/** Walks a site whole, and again from cuts before its first finding, and demands the same of all. Returns the cuts. */
async function sameFromCuts(site: ReadonlyMap<string, Answer>): Promise<number> {
  const entries = entriesOf(site);
  if (entries === undefined) return 0;
  const end = entries.length;
  const whole = new CutWalk(site);
  let clean = 0;
  for (let size = 1; size <= end && whole.findings === 0; size += 1) {
    await whole.to(entries, size);
    if (whole.findings === 0) clean = size;
  }
  await whole.to(entries, end);
  const expected = await whole.end();
  const near = Array.from({ length: Math.min(NEAR, clean) }, (_, i) => clean - i);
  const sizes = [...new Set([Math.ceil(clean / 2), ...near])].filter((size) => size > 0);
  sizes.sort((a, b) => a - b);
  const prefix = new CutWalk(site);
  for (const size of sizes) {
    await prefix.to(entries, size);
    const cut = await prefix.cut();
    assert.ok(cut !== undefined, `a cut at ${size}`);
    const again = new CutWalk(site, cut);
    await again.to(entries, end);
    assert.deepEqual(await again.end(), expected, `cut at ${size} of ${end}`);
  }
  return sizes.length;
}

test('kept walk: an honest log is the same from every kind of place in it', async () => {
  assert.ok((await sameFromCuts(siteOf(ground.published))) > 2);
});

test('kept walk: has the parts that its form says', async () => {
  const site = siteOf(ground.published);
  const walk = new CutWalk(site);
  await walk.to(entriesOf(site) ?? [], 1);
  // Whoever adds a part, or changes what one means, raises `FORM` in kept-visit.ts: an older state is then not gone on from.
  const parts =
    'arena at chain closing declared firstAt foldedBytes genesis index log owed prevLeaf records referee revised rules ' +
    'signedReports statements terminal tiles times tree unstamped';
  assert.equal(
    Object.keys((await walk.cut())?.kept ?? {})
      .sort()
      .join(' '),
    parts,
  );
});

test('kept walk: what a log declared before the place is still known', async () => {
  const { log } = ground;
  const drafts = draftsOf(log.entries.slice(0, 40));
  const { at } = drafts.at(-1) as (typeof drafts)[number];
  const loss = formatLoss({ from: 40, to: null, root: null, known: 'nobody' });
  for (const text of [loss, 'after it', 'and after that']) {
    drafts.push({ at, kind: 'note/1', body: { text } });
  }
  assert.ok((await sameFromCuts(siteOf(publish(chain(drafts), log.blobs, log.checkpoints)))) > 2);
});

/**
 * Codes of what no walk over entries that are served finds: of a head, a folder, a bundle, the answers of the API, the
 * accounts on chain, and demands of whoever asks; and of entries that are not there.
 */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'bundle_differs',
  'bundle_incomplete',
  'bundle_malformed',
  'bundle_other',
  'checkpoint_malformed',
  'entry_missing',
  'guard_differs',
  'guard_missing',
  'head_differs',
  'index_contradicts',
  'index_proof_invalid',
  'print_differs',
  'proof_differs',
  'proof_invalid',
  'quorum_below_policy',
  'row_unknown',
  'view_differs',
  'view_missing',
  'view_unknown',
]);
/** Misdeeds of a code of which another comes first, that rest on what a walk remembers. */
const ALSO: ReadonlySet<string> = new Set(['a revision read before the one before it']);

/** One misdeed of each other code; all of them with `ASSAY_ALL_MISDEEDS=1`, as far as they are in entries that are served. */
const isAll = process.env['ASSAY_ALL_MISDEEDS'] === '1';
const chosen = MISDEEDS.filter(({ code, name }, i) => {
  if (isAll) return true;
  const isFirst = MISDEEDS.findIndex((each) => each.code === code) === i;
  return (isFirst && !ELSEWHERE.has(code)) || ALSO.has(name);
});

for (const { name, code, verdict } of chosen) {
  test(`kept walk: from a place before it, the same findings for ${code}: ${name}`, async () => {
    const sites: ReadonlyMap<string, Answer>[] = [];
    const take = (site: ReadonlyMap<string, Answer>): void => void sites.push(new Map(site));
    siteListeners.add(take);
    await verdict(ground).finally(() => siteListeners.delete(take));
    let cuts = 0;
    for (const site of sites.slice(0, 1)) cuts += await sameFromCuts(site);
    assert.ok(isAll || cuts > 0, 'it is in the entries of a log that is served');
  });
}
