import type { HashHex } from '@assay/core/hash';
import { type Provider, type Rule, parseRule } from '@assay/core/rule/rule';
import { parseDate, parseTime } from '@assay/core/time';
import type { WireValue } from '@assay/core/wire';
import { nodeSha256 } from '@assay/node/node-sha256';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { MemoryOpenings } from '@assay/node/openings';
import { runRound } from '@assay/node/round';
import type { SourceRequest } from '@assay/core/request';
import type { SourceAnswer } from '@assay/node/source/source';
import {
  CHECKPOINTS,
  genesisBody,
  memoryPlace,
  note,
  openAt,
  REPORT_SIGNER,
} from '../node/ledger/ledger-fixture.ts';
import { claimsCsv, claimsJson } from '../node/claims-pages.ts';
import { CLAIMS_RULE, MIRROR, page, RECORD, weeksOf } from '../node/round-fixture.ts';
import { SETS } from './chained-log.ts';
import { publish, type Published } from './published.ts';

export const FLOODED_WEEK = '2026-07-04';
/** Indexes that the publisher makes up, and providers of each that never answer. */
const INDEXES = 67;
const SILENT = 15;

/** The rule of an index whose fifteen `check` providers never answer: legal, and none of them counts. */
function floodRule(i: number): Rule {
  const ticker = `AA${String(i).padStart(2, '0')}`;
  const silent = Array.from({ length: SILENT }, (_, k): Provider => ({
    ...MIRROR,
    id: `${ticker.toLowerCase()}-silent-${k}`,
    role: 'check',
    request: { ...MIRROR.request, url: `https://silent.invalid/${ticker}/${k}` },
  }));
  const rule = {
    ...CLAIMS_RULE,
    ticker,
    display: ticker,
    slug: ticker.toLowerCase(),
    providers: [RECORD, ...silent],
    aggregate: { ...CLAIMS_RULE.aggregate, quorum: 1 },
  };
  return parseRule(nodeSha256, JSON.parse(JSON.stringify(rule)) as WireValue);
}

/** LAYOFFS behind 67 indexes of which each has fifteen sources that did not answer, as `silentLog` makes it. */
export function floodedLog(): Promise<Published> {
  return silentLog([...Array.from({ length: INDEXES }, (_, i) => floodRule(i)), CLAIMS_RULE]);
}

/**
 * A whole log of these rules, all over the sources of LAYOFFS, with one week printed. Its co-signers have not said a word by
 * the deadline, though two of them are asked for.
 */
export async function silentLog(rules: readonly Rule[]): Promise<Published> {
  let now = parseTime('2026-07-01T00:00:00Z');
  const clock = (): number => now;
  const place = await memoryPlace();
  const ledger = await openAt(place, { now: clock });
  const policies = { cosigners_required: 2, witnesses_required: 0, witness_max_age_s: 0 };
  await ledger.append([{ kind: 'genesis/1', body: genesisBody({ policies }) }], 0);
  // As it is written, whatever a node's own checks would say of it.
  for (const rule of rules) {
    await ledger.append([{ kind: 'rule/1', body: { rule } }], ledger.nextSeq);
  }
  await ledger.append([{ kind: 'cosigners/1', body: SETS[0] as never }], ledger.nextSeq);
  const weeks = weeksOf({ [FLOODED_WEEK]: 215_000 });
  const answers = new Map<string, SourceAnswer>([
    [RECORD.request.url, page(claimsCsv(weeks))],
    [MIRROR.request.url, page(claimsJson(weeks))],
  ]);
  const source = {
    read: async ({ url }: SourceRequest): Promise<SourceAnswer> =>
      answers.get(url) ?? { kind: 'failed', reason: 'unreachable', detail: 'nobody answers' },
  };
  const blobs = new MemoryBlobStore();
  const parts = {
    ledger,
    signer: REPORT_SIGNER,
    sha256: nodeSha256,
    now: clock,
    source,
    blobs,
    openings: new MemoryOpenings(),
    random: (length: number) => new Uint8Array(length),
  };
  for (const hour of ['12:30', '14:30']) {
    now = parseTime(`2026-07-09T${hour}:00Z` as never);
    for (const { ticker } of rules) await runRound(ticker, parseDate(FLOODED_WEEK), parts);
  }
  // Behind the deadline of the round.
  now = parseTime('2026-07-29T00:00:00Z');
  await ledger.append([note('and so on')], ledger.nextSeq);
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq)) {
    entries.push(new Uint8Array(entry));
  }
  const kept = new Map<HashHex, Uint8Array>();
  for await (const each of blobs.list()) kept.set(each, (await blobs.get(each)) as Uint8Array);
  return publish(entries, kept, CHECKPOINTS);
}
