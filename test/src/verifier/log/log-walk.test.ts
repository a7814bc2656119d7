import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NO_LIMIT } from '@assay/core/work-budget';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { Findings } from '@assay/verifier/verdict/finding';
import { LogWalk } from '@assay/verifier/log/log-walk';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { ENVIRONMENT, publish, siteOf, judgeSite, youngLog } from '../fixture/published.ts';
import { Forge, type Loose } from '../fixture/forge.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();

function walkOf(verifySignature = ENVIRONMENT.verifySignature): {
  readonly walk: LogWalk;
  readonly findings: Findings;
  readonly tally: ReturnType<typeof emptyTally>;
} {
  const findings = new Findings();
  const tally = emptyTally();
  const read = async (hash: string): Promise<Uint8Array | undefined> =>
    log.blobs.get(hash as never);
  const evidence = new EvidenceReader(read, ENVIRONMENT, findings, tally, NO_LIMIT);
  const context = { evidence, findings, tally, notChecked: new NotCheckedList(), work: NO_LIMIT };
  return { walk: new LogWalk({ ...ENVIRONMENT, verifySignature }, context), findings, tally };
}

test('a walk has the tree, the tiles and the rows that the publisher had', async () => {
  const { walk, findings, tally } = walkOf();
  const filled: string[] = [];
  for (const entry of log.entries) {
    for (const { level, index, hashes } of await walk.entry(entry)) {
      filled.push(`${level}/${index} ${hashes.length}`);
    }
  }
  await walk.settle();
  assert.equal(findings.count, 0, JSON.stringify(findings.list));
  assert.deepEqual(filled, ['0/0 256', '0/1 256']);
  assert.equal(walk.size, log.entries.length);
  assert.equal(walk.log, hashHex(leafHash(nodeSha256, log.entries[0] as Uint8Array)));
  const { views, checkpoint } = publish(log.entries, log.blobs, log.checkpoints);
  assert.equal(checkpoint.length > 0, true);
  for (const table of views.tables()) {
    assert.deepEqual([...walk.views.list(table)], [...views.list(table)], table);
  }
  assert.equal(tally.entries, log.entries.length);
  assert.equal(tally.reports, tally.signatures);
});

test('notes cost no memory, what is folded is counted', async () => {
  const { walk } = walkOf();
  let folded = 0;
  for (const entry of log.entries.slice(0, 40)) {
    const before = walk.reached.foldedBytes;
    await walk.entry(entry);
    const text = new TextDecoder().decode(entry);
    assert.equal(
      walk.reached.foldedBytes - before,
      text.includes('"kind":"note/1"') ? 0 : entry.length,
    );
    folded += walk.reached.foldedBytes - before;
  }
  assert.equal(walk.reached.foldedBytes, folded);
});

test('a signature that could not be checked is thrown at the end, not lost', async () => {
  const { walk } = walkOf(() => Promise.reject(new Error('no crypto')));
  for (const entry of log.entries.slice(0, 20)) await walk.entry(entry);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await assert.rejects(walk.settle(), /no crypto/);
});

test('entries that nobody can read do not stop the rest', async () => {
  const { walk, findings } = walkOf();
  walk.prefetch([formatUtf8('{}'), new Uint8Array(0), ...log.entries.slice(0, 8)]);
  for (const entry of log.entries.slice(0, 3)) await walk.entry(entry);
  await walk.entry(formatUtf8('nonsense'));
  await walk.entry(log.entries[4] as Uint8Array);
  await walk.settle();
  assert.deepEqual(findings.list.map(({ code }) => code).slice(0, 2), [
    'entry_malformed',
    'chain_broken',
  ]);
  assert.equal(walk.size, 5);
});

function named(verdict: Verdict): readonly string[] {
  return verdict.not_checked.map(({ what }) => what);
}

test('a round that was left open is named, and is no finding', async () => {
  const forge = new Forge(log);
  const { report } = forge.report('provisional').draft.body as { readonly report: Loose };
  // Its final never comes, and the log goes on beyond its deadline.
  forge.drafts.splice(forge.report('final').seq);
  const at = '2028-01-01T00:00:00Z';
  forge.drafts.push({ at, kind: 'note/1', body: { text: 'much later' } });
  const words = `LAYOFFS of ${report['period']}: no final though the deadline has passed`;
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'verified');
  assert.equal(named(verdict).includes(words), true);
  const young = await judgeSite(siteOf(youngLog(log)));
  assert.equal(
    named(young).some((what) => what.includes('deadline')),
    false,
  );
});
