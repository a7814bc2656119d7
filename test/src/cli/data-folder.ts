import { rmSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { releaseTime } from '@assay/core/rule/release';
import { readClaimsSample } from '@assay/node/demo/claims-sample';
import { DevelopmentClock } from '@assay/node/demo/development-clock';
import { ClaimsSource } from '../node/claims-source.ts';
import { dataFolder } from '@assay/node/data-folder';
import { initData, NO_POLICIES } from '@assay/node/init';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/node-sha256';
import { openData } from '@assay/node/open-data';
import { runRound } from '@assay/node/round';
import { enactRule, readRuleFile } from '@assay/node/rule-file';
import { ROOT } from '../verifier/sample-log.ts';
import { scratch } from './run.ts';
import { randomBytes } from 'node:crypto';

let made: Promise<string> | undefined;

/** A node's data folder with the demo's typed-in weeks and over a tile of entries, at rest. */
async function make(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'assay-data-'));
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
  const folder = dataFolder(join(home, 'data'));
  const rule = await readRuleFile(nodeSha256, join(ROOT, 'samples', 'rules', 'LAYOFFS.1.json'));
  const samples = join(ROOT, 'samples', 'claims', 'initial-claims.json');
  const vintages = await readClaimsSample(samples);
  const clock = new DevelopmentClock((vintages[0]?.asOf ?? 0) * 86_400, 1, () => 0);
  const origin = 'development/folder';
  const options = { origin, passphrase: undefined, policies: NO_POLICIES };
  await initData(folder, nodeSha256, clock.now, options);
  const data = await openData(folder, nodeSha256, { passphrase: undefined });
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: data.store,
    guard: data.guard,
    signer: data.checkpoints,
    now: clock.now,
    askHeads: null,
  });
  const parts = {
    ledger,
    signer: data.report,
    source: new ClaimsSource(vintages, rule, clock.now),
    blobs: data.blobs,
    openings: data.openings,
    random: randomBytes,
    sha256: nodeSha256,
    now: clock.now,
  };
  await enactRule(ledger, nodeSha256, rule);
  const text = 'Nothing to say.';
  const notes = Array.from({ length: 260 }, () => ({ kind: 'note/1' as const, body: { text } }));
  await ledger.append(notes, ledger.nextSeq);
  for (const { weeks } of vintages) {
    const period = weeks.at(-1)?.period ?? 0;
    const release = releaseTime(rule.release, rule.period, period);
    clock.advanceTo(release);
    await runRound(rule.ticker, period, parts);
    clock.advanceTo(release + rule.revision.freeze_after_s);
    await runRound(rule.ticker, period, parts);
  }
  await ledger.close();
  return folder.root;
}

/** A copy of a data folder of one's own, as `data` in a folder that goes with the test. */
export async function ownData(t: TestContext): Promise<string> {
  const folder = await scratch(t);
  await cp(await (made ??= make()), join(folder, 'data'), { recursive: true });
  return folder;
}
