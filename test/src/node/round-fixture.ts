import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { SourceRequest } from '@assay/core/request';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { parseDate, parseTime } from '@assay/core/time';
import { claimsCsv, claimsJson } from './claims-pages.ts';
import type { Week } from '@assay/node/demo/claims-sample';
import type { Ledger } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/node-signature';
import { type RoundParts, type RoundResult, runRound } from '@assay/node/round';
import { enactRule, readRuleFile } from '@assay/node/rule-file';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import { OPEN_POLICY } from '@assay/verifier/policy';
import type { Verdict } from '@assay/verifier/verdict';
import { verify } from '@assay/verifier/verify';
import { ROOT } from '../core/fixture.ts';
import {
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
} from './ledger/ledger-fixture.ts';
import { MemoryOpenings } from '@assay/node/openings';
import { randomBytes } from 'node:crypto';

export const SAMPLES = `${ROOT}/samples`;

/** The rule of the typed-in weeks, with two sources that must agree. */
export const CLAIMS_RULE: Rule = await readRuleFile(nodeSha256, `${SAMPLES}/rules/LAYOFFS.1.json`);
export const [RECORD, MIRROR] = CLAIMS_RULE.providers as readonly [Provider, Provider];

export function page(bytes: Uint8Array | string, status = 200): SourceAnswer {
  return {
    kind: 'pages',
    pages: [{ status, contentType: 'text/plain', bytes: Buffer.from(bytes as string) }],
  };
}

/** A source that answers what a test has put there. */
export class ScriptedSource implements Source {
  readonly asked: SourceRequest[] = [];
  readonly answers = new Map<string, SourceAnswer | Promise<SourceAnswer>>();
  signal: AbortSignal | undefined;

  readonly read = async (
    request: SourceRequest,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<SourceAnswer> => {
    this.asked.push(request);
    this.signal = options.signal;
    const answer = this.answers.get(request.url);
    if (answer === undefined) throw new TypeError(`nothing is said about ${request.url}`);
    return answer;
  };

  say(provider: Provider, answer: SourceAnswer | Promise<SourceAnswer>): void {
    this.answers.set(provider.request.url, answer);
  }

  /** Both sources show these weeks. */
  show(weeks: Readonly<Record<string, number>>): void {
    this.say(RECORD, page(claimsCsv(weeksOf(weeks))));
    this.say(MIRROR, page(claimsJson(weeksOf(weeks))));
  }
}

export function weeksOf(weeks: Readonly<Record<string, number>>): readonly Week[] {
  return Object.entries(weeks).map(([date, claims]) => ({ period: parseDate(date), claims }));
}

/** A log of the claims rule, all of it in memory, on a clock that a test moves. */
export interface TestNode {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly blobs: MemoryBlobStore;
  readonly source: ScriptedSource;
  readonly parts: RoundParts;
  readonly at: (time: string) => void;
  readonly round: (period: string) => Promise<RoundResult>;
}

export async function testNode(
  start: string,
  change: Partial<RoundParts> = {},
  rule: Rule = CLAIMS_RULE,
): Promise<TestNode> {
  // A rule that is recorded at a release does not govern what is released then.
  let now = parseTime(start) - 1;
  const place = await memoryPlace();
  const ledger = await openAt(place, { now: () => now });
  await ledger.append([GENESIS_DRAFT], 0);
  await enactRule(ledger, nodeSha256, rule);
  now = parseTime(start);
  const blobs = new MemoryBlobStore();
  const source = new ScriptedSource();
  const parts: RoundParts = {
    ledger,
    signer: REPORT_SIGNER,
    source,
    blobs,
    openings: new MemoryOpenings(),
    random: randomBytes,
    sha256: nodeSha256,
    now: () => now,
    ...change,
  };
  return {
    place,
    ledger,
    blobs,
    source,
    parts,
    at(time) {
      now = parseTime(time);
    },
    round: (period) => runRound(CLAIMS_RULE.ticker, parseDate(period), parts),
  };
}

/** The verdict on a node's data at rest. */
export async function verdictOn({
  place,
  blobs,
}: Pick<TestNode, 'place' | 'blobs'>): Promise<Verdict> {
  const folder = {
    rows: () => place.store.rows(),
    guard: () => place.guard.read(),
    blob: blobs.get,
  };
  return verify({ kind: 'folder', folder }, OPEN_POLICY, {
    environment: { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync },
  });
}

export async function requireVerified(node: Pick<TestNode, 'place' | 'blobs'>): Promise<void> {
  const verdict = await verdictOn(node);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
}

export async function blobCount({ blobs }: TestNode): Promise<number> {
  let count = 0;
  for await (const hash of blobs.list()) if (hash !== undefined) count += 1;
  return count;
}

/** A path below the samples. */
export function samplePath(name: string): string {
  return fileURLToPath(new URL(name, `file://${SAMPLES}/`));
}
