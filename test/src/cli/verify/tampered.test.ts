import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBase64 } from '@assay/core/bytes/base64';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { formatEntryBundle } from '@assay/core/log/tile';
import { summarize } from '@assay/verifier/summary/summary';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { Loose } from '../../verifier/fixture/forge.ts';
import { bundleOf, judgeBundle } from '../../verifier/fixture/misdeeds.ts';
import { judgeSite, siteOf, youngLog } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';

const young = youngLog(await sampleLog());
const last = young.entries.length - 1;

function headline(verdict: Verdict): string {
  assert.equal(verdict.outcome, 'findings');
  return summarize(verdict).headline;
}

/** The log with one digit of a value in an entry changed, as a server may show it. */
async function tampered(seq: number): Promise<Verdict> {
  const entries = young.entries.map((bytes, i) =>
    i === seq ? formatUtf8(parseUtf8(bytes).replace(/"at":"20(.)/, '"at":"21$1')) : bytes,
  );
  const site = siteOf(young);
  const path = [...site.keys()].find((each) => each.startsWith('/tile/entries/')) ?? assert.fail();
  const answer = site.get(path) ?? assert.fail();
  site.set(path, { ...answer, body: formatEntryBundle(entries) });
  return await judgeSite(site);
}

test('a tampered entry of a log is named in the first line, with its number', async () => {
  for (let seq = 1; seq < last; seq += 1) {
    assert.match(
      headline(await tampered(seq)),
      new RegExp(
        `: entry ${seq} was changed: it is not the one after which entry ${seq + 1} was written`,
      ),
    );
  }
  // No entry follows the last: its hash in the tree tells.
  const verdict = await tampered(last);
  assert.ok(verdict.outcome === 'findings');
  const tile = verdict.findings.find(({ code }) => code === 'tile_differs');
  assert.equal(
    tile?.found,
    `another hash of entry ${last}: that entry was changed, or the tile was`,
  );
});

test('a tampered head is named, and no entry is blamed for it', async () => {
  const bundle = structuredClone(await bundleOf(young)) as unknown as Loose;
  const [origin, size, root = '', ...rest] = String(bundle['checkpoint']).split('\n');
  const other = (root.startsWith('A') ? 'B' : 'A') + root.slice(1);
  bundle['checkpoint'] = [origin, size, other, ...rest].join('\n');
  const verdict = await judgeBundle(bundle);
  assert.ok(verdict.outcome === 'findings');
  assert.ok(verdict.findings.some(({ code }) => code === 'proof_invalid'));
  assert.match(headline(verdict), /: the head of the log is not signed as it must be/);
  assert.doesNotMatch(headline(verdict), /was changed/);
});

test('a tampered entry of a bundle is named in the first line, with its number', async () => {
  const bundle = await bundleOf(young);
  for (const [i, { seq, bytes }] of bundle.entries.entries()) {
    const changed = structuredClone(bundle) as unknown as Loose;
    const text = parseUtf8(Buffer.from(bytes, 'base64')).replace(/"at":"20(.)/, '"at":"21$1');
    changed['entries'][i].bytes = formatBase64(formatUtf8(text));
    assert.match(
      headline(await judgeBundle(changed)),
      new RegExp(`: entry ${seq} was changed, or its proof was`),
    );
  }
});
