// A publisher that is made to fail: works on the data folder that its arguments name, and tells on
// standard output what it has acknowledged and shown.
//
//     worker.js init FOLDER          begins a log there
//     worker.js endless FOLDER SEED  appends and runs rounds until it is killed
//     worker.js once FOLDER          appends and runs two rounds, then closes; on the same folder it
//                                    makes the same calls on the same files each time
import crypto from 'node:crypto';
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { faultCode, messageOf } from '@assay/core/fault';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import { parseEntryBundle, tilesOf } from '@assay/core/log/tile';
import { parseDate, parseTime } from '@assay/core/time/time';
import { rootOf } from '@assay/core/log/tree';
import { periodRow } from '@assay/core/view/periods';
import { newestPrinted } from '@assay/core/view/reports';
import { parseEntry } from '@assay/core/log/entry';
import { dataFolder } from '@assay/node/platform/data-folder';
import { readClaimsSample } from '@assay/node/dev/site/claims-sample';
import { DevelopmentClock } from '@assay/node/dev/development-clock';
import { ClaimsSource } from '../src/node/fixture/claims-source.ts';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { type EntryDraft, Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { enactRule, readRuleFile } from '@assay/node/rule/rule-file';
import { Scheduler } from '@assay/node/round/scheduler';
import { MemoryOpenings } from '@assay/node/data/openings';
import { randomBytes } from 'node:crypto';

const SAMPLES = new URL('../../../samples/', import.meta.url);
const START = parseDate('2026-07-30') * 86_400;

/** In one piece, and given to the system before anything else happens. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

interface Work {
  readonly ledger: Ledger;
  readonly append: (drafts: readonly EntryDraft[]) => Promise<void>;
  /** Prints the next week: provisional, then final. */
  readonly week: () => Promise<void>;
}

async function open(root: string): Promise<Work> {
  const data = await openData(dataFolder(root), nodeSha256, { passphrase: undefined });
  const clock = new DevelopmentClock(START, 1);
  let ledger: Ledger;
  try {
    ledger = await Ledger.open({
      sha256: nodeSha256,
      store: data.store,
      guard: data.guard,
      signed: data.signed,
      signer: data.checkpoints,
      now: clock.now,
      askHeads: null,
      onPublish: ({ size, root: head }) => tell(`head ${size} ${hashHex(head)}`),
    });
  } catch (error) {
    await data.store.close();
    throw error;
  }
  const newest = await ledger.entry((ledger.published?.size ?? 1) - 1);
  if (newest !== undefined) clock.advanceTo(parseTime(parseEntry(newest).at));
  if (ledger.published !== undefined) {
    tell(`head ${ledger.published.size} ${hashHex(ledger.published.root)}`);
  }
  const [sample, synthetic] = await Promise.all(
    ['rules/LAYOFFS.1.json', 'rules/LAYOFFS.2.json'].map((name) =>
      readRuleFile(nodeSha256, fileURLToPath(new URL(name, SAMPLES))),
    ),
  );
  const vintages = await readClaimsSample(new URL('claims/initial-claims.json', SAMPLES));
  for (const rule of [sample, synthetic]) await enactRule(ledger, nodeSha256, rule as Rule);
  const source = new ClaimsSource(vintages, synthetic as Rule, clock.now);
  const { blobs, report: signer } = data;
  const scheduler = new Scheduler(
    {
      ledger,
      signer,
      source,
      blobs,
      sha256: nodeSha256,
      now: clock.now,
      openings: new MemoryOpenings(),
      random: randomBytes,
    },
    0,
    {
      onRound: (_, period, { report }) => tell(`round ${period} ${report?.status ?? 'none'}`),
      onRoundFailed: (_, period, error) =>
        tell(`round-failed ${period} ${faultCode(error) ?? 'none'} ${messageOf(error)}`),
    },
  );
  return {
    ledger,
    async append(drafts) {
      for (const { seq, leaf } of await ledger.write(() => drafts)) {
        tell(`ack ${seq} ${leaf}`);
      }
    },
    async week() {
      const rule = synthetic as Rule;
      const week = nextWeek(ledger, rule);
      const release = releaseTime(rule.release, rule.period, week);
      clock.advanceTo(release);
      await scheduler.runDue();
      clock.advanceTo(release + rule.revision.freeze_after_s);
      await scheduler.runDue();
    },
  };
}

function nextWeek(ledger: Ledger, rule: Rule): number {
  const newest = newestPrinted(ledger.tip, rule.ticker);
  if (newest === undefined || newest < rule.applies_from) return parseDate(rule.applies_from);
  const open_ = periodRow(ledger.tip, rule.ticker, newest)?.status === 'provisional';
  return parseDate(newest) + (open_ ? 0 : 7);
}

/** Demands that what is served is the tree of the published head. */
async function requireServed({ ledger }: Work): Promise<void> {
  const { published } = ledger;
  if (published === undefined) return;
  const leaves = [];
  for (const tile of tilesOf(published.size)) {
    const bytes = await ledger.tile(tile);
    if (bytes === undefined) return tell(`torn ${tile.level}/${tile.index} is not there`);
    if (tile.level !== 'entries') continue;
    for (const entry of parseEntryBundle(bytes, tile.width))
      leaves.push(leafHash(nodeSha256, entry));
  }
  if (hashHex(rootOf(nodeSha256, leaves)) !== hashHex(published.root)) {
    tell(`torn ${published.size} entries are not under the head`);
  }
}

/** Names of staged files are random: here they are counted. */
function countRandomBytes(): void {
  let count = 0;
  const counted = (size: number): Buffer => {
    count += 1;
    return Buffer.alloc(size, count);
  };
  Object.assign(crypto, { randomBytes: counted });
  syncBuiltinESMExports();
}

const note = (text: string): EntryDraft => ({ kind: 'note/1', body: { text } });

async function endless(work: Work, seed: number): Promise<never> {
  let state = seed >>> 0;
  const draw = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
  for (;;) {
    const batches = Array.from({ length: 1 + draw(4) }, () =>
      work.append(
        Array.from({ length: 1 + draw(draw(4) === 0 ? 200 : 8) }, (_, i) =>
          note(`note ${i} ${'x'.repeat(draw(600))}`),
        ),
      ),
    );
    await Promise.all(batches);
    if (draw(6) === 0) await work.week();
    if (work.ledger.blocked !== undefined) throw work.ledger.blocked;
  }
}

async function once(work: Work): Promise<void> {
  await work.append([note('one')]);
  await work.append([note('two'), note('three')]);
  await work.week();
  await work.append(Array.from({ length: 300 }, (_, i) => note(`many ${i}`)));
  await Promise.all([work.append([note('a')]), work.append([note('b')])]);
  await work.week();
  await work.append([note('last')]);
}

const [, , mode, folder = '', seed = '1'] = process.argv;
let work: Work | undefined;
try {
  if (mode === 'init') {
    const { log } = await initData(dataFolder(folder), nodeSha256, () => START, {
      origin: 'development/fault',
      passphrase: undefined,
      policies: NO_POLICIES,
    });
    tell(`ack 0 ${log}`);
  } else {
    if (mode === 'once') countRandomBytes();
    work = await open(folder);
    if (mode === 'endless') await endless(work, Number(seed));
    await once(work);
    if (work.ledger.blocked !== undefined) throw work.ledger.blocked;
    await requireServed(work);
    await work.ledger.close();
  }
  tell('done');
} catch (error) {
  if (work !== undefined) {
    await requireServed(work).catch((torn: unknown) => tell(`unread ${messageOf(torn)}`));
  }
  tell(`refused ${faultCode(error) ?? 'none'} ${messageOf(error)}`);
  process.exitCode = 3;
}
