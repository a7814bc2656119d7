import { randomBytes } from 'node:crypto';
import { contentHash, hashHex } from '@assay/core/hash';
import type { SourceRequest } from '@assay/core/request';
import { type Provider, parseRule, type Rule } from '@assay/core/rule/rule';
import { parseDate, parseTime } from '@assay/core/time';
import type { WireObject } from '@assay/core/wire';
import type { Clock } from '@assay/node/clock';
import { type CloseParts, runClose } from '@assay/node/close-round';
import { claimsCsv, claimsJson } from './claims-pages.ts';
import type { Ledger } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { MemoryOpenings, type Openings } from '@assay/node/openings';
import { type RoundParts, type RoundResult, runCorrection, runRound } from '@assay/node/round';
import { enactRule } from '@assay/node/rule-file';
import { SettlementFolder } from '@assay/node/settlement-mirror';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import {
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
} from './ledger/ledger-fixture.ts';
import { CLAIMS_RULE, page, weeksOf } from './round-fixture.ts';

/** An index like the claims one, whose terms keep its level out of the log. */
export const HIDDEN_RULE: Rule = parseRule(nodeSha256, {
  ...(CLAIMS_RULE as unknown as WireObject),
  ticker: 'HIDDEN',
  display: 'hidden',
  slug: 'hidden-level',
  title: 'A level that terms keep out of the log',
  grade: 'C',
  rights: { ...CLAIMS_RULE.rights, level: 'withhold', settlement: 'no' },
  baseline: { window: 52, min: 3, split: 'none' },
  revision: { ...CLAIMS_RULE.revision, freeze_after_s: 0, provider: null },
  listing: { ...CLAIMS_RULE.listing, no_kit: 'The level is withheld.' },
  providers: CLAIMS_RULE.providers.map((provider) => hidden(provider)),
} as unknown as WireObject);

function hidden(provider: Provider): Provider {
  const url = provider.request.url.replace('.sample.', '.hidden.');
  return { ...provider, retain: 'none', request: { ...provider.request, url } };
}

/** The weeks of the world: the period, its release, the claims, and the level that is withheld. */
export const WEEKS: readonly (readonly [string, string, number, number])[] = [
  ['2026-07-04', '2026-07-09T12:30:00Z', 215_000, 987_654_321_098],
  ['2026-07-11', '2026-07-16T12:30:00Z', 209_000, 987_654_328_098],
  ['2026-07-18', '2026-07-23T12:30:00Z', 216_000, 987_654_320_098],
  ['2026-07-25', '2026-07-30T12:30:00Z', 197_000, 987_654_350_098],
];

/** Two indexes, the level of one of them withheld, over sources that say what a test has them say. */
export interface ClosesWorld {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly blobs: MemoryBlobStore;
  readonly openings: Openings;
  readonly mirror: SettlementFolder;
  readonly parts: RoundParts;
  readonly closeParts: CloseParts & { readonly now: Clock };
  /** Weeks that each index's sources show, by the host of their addresses. */
  readonly shown: { sample: Record<string, number>; hidden: Record<string, number> };
  /** Hosts that do not answer. */
  readonly silent: Set<string>;
  readonly at: (time: string) => void;
  readonly round: (rule: Rule, period: string) => Promise<RoundResult>;
  readonly correct: (period: string, why?: string) => Promise<RoundResult>;
  readonly close: () => ReturnType<typeof runClose>;
  /** Lives one of the weeks: both indexes final, and the day closed 10 seconds after its end. */
  readonly week: (i: number) => Promise<void>;
}

export async function closesWorld(
  folder: string,
  change: {
    readonly openings?: Openings;
    readonly random?: RoundParts['random'];
    readonly place?: Place;
  } = {},
): Promise<ClosesWorld> {
  let now = parseTime('2026-07-01T00:00:00Z');
  const clock = (): number => now;
  const place = change.place ?? (await memoryPlace());
  const ledger = await openAt(place, { now: clock });
  await ledger.append([GENESIS_DRAFT], 0);
  await enactRule(ledger, nodeSha256, CLAIMS_RULE);
  await enactRule(ledger, nodeSha256, HIDDEN_RULE);
  const blobs = new MemoryBlobStore();
  const openings = change.openings ?? new MemoryOpenings();
  const shown: ClosesWorld['shown'] = { sample: {}, hidden: {} };
  const silent = new Set<string>();
  const source: Source = {
    read: ({ url }: SourceRequest): Promise<SourceAnswer> => {
      if (silent.has(new URL(url).hostname)) {
        return Promise.resolve({ kind: 'failed', reason: 'timeout', detail: 'silent' });
      }
      const weeks = weeksOf(url.includes('.hidden.') ? shown.hidden : shown.sample);
      return Promise.resolve(page(url.endsWith('.csv') ? claimsCsv(weeks) : claimsJson(weeks)));
    },
  };
  const common = { ledger, signer: REPORT_SIGNER, sha256: nodeSha256, now: clock };
  const random = change.random ?? randomBytes;
  const parts: RoundParts = { ...common, source, blobs, openings, random };
  const mirror = new SettlementFolder(folder);
  const closeParts: ClosesWorld['closeParts'] = { ...common, mirror };
  const at = (time: string): void => {
    now = parseTime(time);
  };
  const round = (rule: Rule, period: string): Promise<RoundResult> =>
    runRound(rule.ticker, parseDate(period), parts);
  const close = (): ReturnType<typeof runClose> => runClose(closeParts);
  return {
    place,
    ledger,
    blobs,
    openings,
    mirror,
    parts,
    closeParts,
    shown,
    silent,
    at,
    round,
    correct: (period, why = 'a wrong column was read') =>
      runCorrection(CLAIMS_RULE.ticker, parseDate(period), why, parts),
    close,
    async week(i) {
      const [period, release, claims, level] = WEEKS[i] as (typeof WEEKS)[number];
      shown.sample[period] = claims;
      shown.hidden[period] = level;
      at(release);
      await round(CLAIMS_RULE, period);
      await round(HIDDEN_RULE, period);
      at(release.replace('12:30', '14:30'));
      await round(CLAIMS_RULE, period);
      now = parseTime(release.replace('12:30:00', '00:00:10')) + 86_400;
      await close();
    },
  };
}

export function sha256Of(bytes: Uint8Array): string {
  return hashHex(contentHash(nodeSha256, bytes));
}
