import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { openDataFolder } from '@assay/cli/reader/data-reader';
import { openGuard } from '@assay/node/ledger/guard/open-guard';
import { dataFolder } from '@assay/node/platform/data-folder';
import { Ledger, type Repaired } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { chained } from '../src/verifier/fixture/chained-log.ts';
import { anchoredLog } from '../src/verifier/fixture/anchored-log.ts';
import { closedLog } from '../src/verifier/fixture/closed-log.ts';
import {
  Forge,
  type Forgeable,
  type LooseDraft,
  wireBytes,
} from '../src/verifier/fixture/forge.ts';
import { bundleOf } from '../src/verifier/fixture/misdeeds.ts';
import {
  codesOf,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  publish,
  type Published,
  siteOf,
  youngLog,
} from '../src/verifier/fixture/published.ts';
import { bundleFor } from '../src/verifier/fixture/recounted-bundle.ts';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import { tickedLog } from '../src/verifier/fixture/ticked-log.ts';
import { EarlierRelease, lacksHistory } from './earlier-release.ts';

// An auditor does not install a release on the day on which a publisher does. The verifier of an earlier release reads what
// today's code writes, today's reads what an earlier release wrote, and where one cannot, it says so.

let folder = '';
let earlier: EarlierRelease;
let lacking: string | undefined;

before(async () => {
  lacking = await lacksHistory();
  if (lacking !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'assay-earlier-'));
  earlier = await EarlierRelease.make(folder);
});

after(() => rm(folder, { recursive: true, force: true }));

function skipped(t: TestContext): boolean {
  if (lacking !== undefined) t.skip(lacking);
  return lacking !== undefined;
}

function published({ entries, blobs, checkpoints }: Forgeable): Published {
  return publish(entries, blobs, checkpoints);
}

/** The young log with one entry more, of the time of its newest. */
async function withEntry(kind: string, body: LooseDraft['body']): Promise<Published> {
  const log = await sampleLog();
  const { entries } = youngLog(log);
  const forge = new Forge({ ...log, entries });
  const at = (forge.drafts.at(-1) as LooseDraft).at;
  forge.drafts.push({ at, kind, body });
  return forge.publish();
}

test('earlier release: its verifier reads the logs and the bundles that are written today', async (t) => {
  if (skipped(t)) return;
  const logs = {
    numbers: published(await sampleLog()),
    ticks: published(tickedLog()),
    anchors: published(await anchoredLog()),
    closes: published(await closedLog()),
    statements: chained().published,
  };
  const sites = Object.entries(logs).map(([name, each]) => [name, siteOf(each)] as const);
  const bundles = new Map([
    ['bundle', wireBytes(await bundleOf(youngLog(await sampleLog())))],
    ['recounted bundle', wireBytes(await bundleFor(chained(), '2026-07-18', null))],
  ]);
  const verdicts = await earlier.verify(new Map(sites), bundles);
  assert.deepEqual(Object.keys(verdicts), [...Object.keys(logs), ...bundles.keys()]);
  for (const [name, verdict] of Object.entries(verdicts)) {
    assert.equal(verdict.outcome, 'verified', `${name}: ${JSON.stringify(verdict.findings)}`);
  }
});

test('earlier release: logs that it wrote are read today, to the last answer', async (t) => {
  if (skipped(t)) return;
  const { logs, data } = await earlier.logs();
  assert.deepEqual([...logs.keys()].sort(), [
    'anchors',
    'closes',
    'numbers',
    'statements',
    'ticks',
  ]);
  for (const [name, site] of logs) {
    assert.ok(site.size > 10, name);
    const verdict = await judgeSite(site);
    assert.equal(verdict.outcome, 'verified', `${name}: ${codesOf(verdict).join(' ')}`);
  }
  assert.equal(await earlier.opens(data), 'size 555');
  // A node of today goes on with the folder of an earlier one. That one kept its rows without digests, so that they are derived again.
  const repaired: Repaired[] = [];
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: await openLevelStore(join(data, 'ledger'), { sync: false }),
    ...(await openGuard(dataFolder(data), { sync: false })),
    signer: (await sampleLog()).checkpoints,
    now: () => 0,
    askHeads: null,
    onRepaired: (each) => repaired.push(each),
  });
  assert.equal(ledger.published?.size, 555);
  assert.deepEqual(repaired, [{ part: 'row', name: 'all' }]);
  await ledger.write(() => [{ kind: 'note/1', body: { text: 'by a later release' } }]);
  await ledger.close();
  assert.equal(await sizeAtRest(data), 556);
  // From then on the earlier node refuses the folder: it would move the head without the guard. This early it had no code
  // of its own for a damaged guard, which 0.1.0 calls `guard_corrupt`.
  assert.equal(await earlier.opens(data), 'malformed');
});

/** How many entries a data folder holds in which the verifier finds nothing. */
async function sizeAtRest(data: string): Promise<number | undefined> {
  const { folder: atRest, close } = await openDataFolder(data);
  try {
    const verdict = await judge({ kind: 'folder', folder: atRest });
    const codes = codesOf(verdict).join(' ');
    assert.equal(verdict.outcome, 'verified', codes);
    return verdict.log?.size;
  } finally {
    await close();
  }
}

test('earlier release: its verifier does not vouch for entries that it cannot read', async (t) => {
  if (skipped(t)) return;
  const logs = new Map([
    ['a kind announced', siteOf(await withEntry('question/1', {}))],
    ['a kind of its list in a later version', siteOf(await withEntry('note/2', {}))],
    ['a kind outside its list', siteOf(await withEntry('unseal/1', {}))],
    [
      'a rule of a later format',
      siteOf(await withEntry('rule/1', { rule: { spec: 'assay-rule/3' } })),
    ],
    ['nothing', siteOf(await withEntry('note/1', { text: 'known' }))],
  ]);
  const verdicts = await earlier.verify(logs);
  const found = Object.fromEntries(
    Object.entries(verdicts).map(([name, { outcome, findings = [] }]) => [
      name,
      [outcome, ...findings.map(({ code, place }) => `${code} at ${place}`)],
    ]),
  );
  assert.deepEqual(found, {
    'a kind announced': ['findings', 'not_understood at entry 8'],
    'a kind of its list in a later version': ['findings', 'not_understood at entry 8'],
    'a kind outside its list': ['findings', 'not_understood at entry 8'],
    'a rule of a later format': ['findings', 'entry_malformed at entry 8'],
    nothing: ['verified'],
  });
});

test('this release: of a kind that nobody announced it knows no release, and vouches for nothing', async () => {
  const log = await withEntry('question/2', {});
  for (const verdict of [await judgeSite(siteOf(log)), await judgeFolder(folderOf(log))]) {
    assert.equal(verdict.outcome, 'findings');
    const [finding, ...others] = verdict.outcome === 'findings' ? verdict.findings : [];
    assert.deepEqual(others, []);
    assert.equal(finding?.code, 'not_understood');
    assert.match(finding?.expected ?? '', /knows of no release that reads this one$/);
  }
});
