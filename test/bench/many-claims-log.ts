import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { SourceRequest } from '@assay/core/source/request';
import { releaseTime } from '@assay/core/rule/release';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { parseDate } from '@assay/core/time/time';
import type { WireValue } from '@assay/core/wire/wire';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { MemoryOpenings } from '@assay/node/data/openings';
import { DevelopmentClock } from '@assay/node/dev/development-clock';
import type { Week } from '@assay/node/dev/site/claims-sample';
import type { Ledger } from '@assay/node/ledger/ledger';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import type { Clock } from '@assay/node/platform/clock';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Scheduler } from '@assay/node/round/scheduler';
import { enactRule, readRuleFile } from '@assay/node/rule/rule-file';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import { claimsCsv, claimsJson } from '../src/node/fixture/claims-pages.ts';
import { benchLedger, throwAwaySigner } from './bench-ledger.ts';

const SAMPLE = fileURLToPath(new URL('../../../samples/rules/LAYOFFS.2.json', import.meta.url));
/** A source answers with so many of its newest weeks, as most that have a number every week do. */
const WINDOW = 30;
const WEEK_DAYS = 7;

/** A log of many indexes, and what its reports rest on. */
export interface ManyClaimsLog {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
}

/**
 * The log of a publisher of `indexes` weekly numbers over `weeks` weeks, with a provisional print, a final, and the
 * revisions that the sources show. Every index has sources of its own, so that its answers are nobody else's.
 */
export async function manyClaimsLog(indexes: number, weeks: number): Promise<ManyClaimsLog> {
  const sample = await readRuleFile(nodeSha256, SAMPLE);
  const rules = Array.from({ length: indexes }, (_, i) => ruleOf(sample, i));
  const first = parseDate(sample.applies_from);
  const clock = new DevelopmentClock((first - WEEK_DAYS) * 86_400, 1);
  const signer = throwAwaySigner();
  const blobs = new MemoryBlobStore();
  const ledger = await benchLedger({
    store: await openMemoryStore(),
    guard: new MemoryHeadGuard(),
    now: clock.now,
    reportSigner: signer,
  });
  for (const rule of rules) await enactRule(ledger, nodeSha256, rule);
  const scheduler = new Scheduler(
    {
      ledger,
      signer,
      source: new ManySources(sample, clock.now),
      blobs,
      openings: new MemoryOpenings(),
      random: randomBytes,
      sha256: nodeSha256,
      now: clock.now,
    },
    1000,
    {
      onRound: () => undefined,
      onRoundFailed: (_ticker, _period, error) => {
        throw error;
      },
    },
  );
  for (let week = 0; week < weeks; week += 1) {
    const release = releaseTime(sample.release, sample.period, first + WEEK_DAYS * week);
    clock.advanceTo(release);
    await scheduler.runDue();
    clock.advanceTo(release + sample.revision.freeze_after_s);
    await scheduler.runDue();
  }
  return { ledger, blobs };
}

/** The sample's rule for an index and sources of its own. */
function ruleOf(sample: Rule, number: number): Rule {
  const own = (url: string): string => url.replace('.invalid/', `.invalid/${number}/`);
  return parseRule(nodeSha256, {
    ...sample,
    ticker: `INDEX${number}`,
    display: `INDEX${number}`,
    slug: `index${number}`,
    version: 1,
    providers: sample.providers.map((provider) => ({
      ...provider,
      request: { ...provider.request, url: own(provider.request.url) },
    })),
  } as unknown as WireValue);
}

/** The sources of all indexes, without a network. */
class ManySources implements Source {
  readonly #rule: Rule;
  readonly #now: Clock;

  constructor(rule: Rule, now: Clock) {
    this.#rule = rule;
    this.#now = now;
  }

  readonly read = (request: SourceRequest): Promise<SourceAnswer> => {
    const { pathname } = new URL(request.url);
    const isCsv = pathname.endsWith('.csv');
    const weeks = this.#weeks(pathname.split('/')[1] ?? '');
    const bytes = isCsv ? claimsCsv(weeks) : claimsJson(weeks);
    const contentType = isCsv ? 'text/csv' : 'application/json';
    return Promise.resolve({ kind: 'pages', pages: [{ status: 200, contentType, bytes }] });
  };

  /** The newest weeks of an index: the last as first printed, those before it revised. */
  #weeks(index: string): readonly Week[] {
    const { release, period } = this.#rule;
    const since = parseDate(this.#rule.applies_from);
    const now = this.#now();
    let newest = since - WEEK_DAYS;
    while (releaseTime(release, period, newest + WEEK_DAYS) <= now) newest += WEEK_DAYS;
    return Array.from({ length: WINDOW }, (_, i): Week => {
      const week = newest - WEEK_DAYS * (WINDOW - 1 - i);
      const [level, up] = drawn(index, week);
      return { period: week, claims: (200 + level + (week === newest ? 0 : up)) * 1000 };
    });
  }
}

/** An invented level, and how much of it is revised, in thousands. */
function drawn(index: string, week: number): readonly [number, number] {
  const digest = createHash('sha256').update(`${index}/${week}`).digest();
  return [digest.readUInt32BE(0) % 32, digest.readUInt32BE(4) % 4];
}
