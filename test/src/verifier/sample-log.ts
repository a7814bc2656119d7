import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HashHex } from '@assay/core/hash';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import { formatDate, parseDate } from '@assay/core/time';
import { readClaimsSample } from '@assay/node/demo/claims-sample';
import { DevelopmentClock } from '@assay/node/demo/development-clock';
import { ClaimsSource } from '../node/claims-source.ts';
import { appendGenesis } from '@assay/node/genesis';
import { NO_POLICIES } from '@assay/node/init';
import {
  type CheckpointSigner,
  checkpointSigner,
  type Signer,
} from '@assay/node/ledger/checkpoint-signer';
import { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/memory-head-guard';
import type { LedgerStore } from '@assay/node/ledger/store';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { enactRule, readRuleFile } from '@assay/node/rule-file';
import { runRound } from '@assay/node/round';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import { MemoryOpenings } from '@assay/node/openings';
import { randomBytes } from 'node:crypto';

/** The repository, from test/dist/src/verifier, where this file runs. */
export const ROOT: string = fileURLToPath(new URL('../../../..', import.meta.url));
const SAMPLES = join(ROOT, 'samples');

export const ORIGIN = 'development/tamper';

/** The keys of the sample log, made from words so that every run has the same bytes. */
export interface SampleKeys {
  readonly report: Signer;
  readonly checkpoint: Signer;
}

/** A log as its publisher holds it. */
export interface SampleLog {
  readonly origin: string;
  readonly keys: SampleKeys;
  readonly checkpoints: CheckpointSigner;
  readonly entries: readonly Uint8Array[];
  readonly blobs: ReadonlyMap<HashHex, Uint8Array>;
  readonly rules: { readonly sample: Rule; readonly synthetic: Rule };
  /** Still open, for what reads a node's own parts. */
  readonly ledger: Ledger;
  readonly store: LedgerStore;
  readonly guard: MemoryHeadGuard;
  readonly blobStore: MemoryBlobStore;
}

/** A week without a figure, by the word of both sources. */
const VOID_WEEK = parseDate('2026-09-05');
/** A week whose mirror answers only at the second look. */
const LATE_WEEK = parseDate('2026-09-19');
const SYNTHETIC_WEEKS = 36;
/** With it the log has two full tiles and bundles and the edge of a third. */
const ENTRIES = 560;

/** An Ed25519 key from a word: a test's only. */
export function signerFrom(word: string): Signer {
  const seed = hash('sha256', `assay test key ${word}`, 'buffer');
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return {
    publicKey: new Uint8Array(Buffer.from(x as string, 'base64url')),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}

/** The development sources, with a week that has no figure and a mirror that is late once. */
function uneven(source: Source, now: () => number, lateUntil: number): Source {
  return {
    async read(request): Promise<SourceAnswer> {
      const day = formatDate(VOID_WEEK);
      const [year, month, date] = day.split('-');
      if (request.url.includes('mirror') && now() < lateUntil && now() >= lateUntil - 7200) {
        return { kind: 'failed', reason: 'timeout', detail: 'late' };
      }
      const answer = await source.read(request);
      if (answer.kind !== 'pages') return answer;
      return {
        kind: 'pages',
        pages: answer.pages.map((page) => {
          const text = new TextDecoder()
            .decode(page.bytes)
            .replace(new RegExp(`${day},[0-9]+`), `${day},-`)
            .replace(
              new RegExp(`(${month}/${date}/${year}","initial_claims_sa":)"[0-9,]+"`),
              '$1"-"',
            );
          return { ...page, bytes: new TextEncoder().encode(text) };
        }),
      };
    },
  };
}

/**
 * A log like the demo's, lived through on a clock that stands where it is put: the typed-in weeks,
 * a new rule version, invented weeks (one void, one with a late mirror), and notes between them.
 */
export async function makeSampleLog(origin: string = ORIGIN): Promise<SampleLog> {
  const sample = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.1.json'));
  const synthetic = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.2.json'));
  const vintages = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));
  const start = ((vintages[0]?.asOf ?? 0) - 1) * 86_400;
  const clock = new DevelopmentClock(start, 1, () => 0);
  const keys: SampleKeys = {
    report: signerFrom(`${origin} report`),
    checkpoint: signerFrom(`${origin} checkpoint`),
  };
  const checkpoints = checkpointSigner(nodeSha256, origin, keys.checkpoint);
  const store = await openMemoryStore();
  const guard = new MemoryHeadGuard();
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store,
    guard,
    signer: checkpoints,
    now: clock.now,
    askHeads: null,
  });
  await appendGenesis(
    ledger,
    nodeSha256,
    {
      report: keys.report,
      nextReport: signerFrom(`${origin} next`),
      recovery: signerFrom(`${origin} recovery`),
    },
    {
      origin,
      checkpointVkey: checkpoints.vkey,
      chain: null,
      program: null,
      policies: NO_POLICIES,
    },
  );
  const blobStore = new MemoryBlobStore();
  const lateUntil =
    releaseTime(synthetic.release, synthetic.period, LATE_WEEK) + synthetic.revision.freeze_after_s;
  const parts = {
    ledger,
    signer: keys.report,
    source: uneven(new ClaimsSource(vintages, synthetic, clock.now), clock.now, lateUntil),
    blobs: blobStore,
    openings: new MemoryOpenings(),
    random: randomBytes,
    sha256: nodeSha256,
    now: clock.now,
  };
  const weeks: { readonly rule: Rule; readonly period: number }[] = [
    ...vintages.map(({ weeks: own }) => ({ rule: sample, period: own.at(-1)?.period ?? 0 })),
    ...Array.from({ length: SYNTHETIC_WEEKS }, (_, i) => ({
      rule: synthetic,
      period: parseDate(synthetic.applies_from) + 7 * i,
    })),
  ];
  const notesEach = Math.ceil((ENTRIES - 115) / weeks.length);
  await enactRule(ledger, nodeSha256, sample);
  for (const [i, { rule, period }] of weeks.entries()) {
    if (rule === synthetic) await enactRule(ledger, nodeSha256, synthetic);
    const release = releaseTime(rule.release, rule.period, period);
    clock.advanceTo(release);
    await runRound(rule.ticker, period, parts);
    clock.advanceTo(release + rule.revision.freeze_after_s);
    await runRound(rule.ticker, period, parts);
    const notes = Array.from({ length: notesEach }, (_, k) => ({
      kind: 'note/1' as const,
      body: { text: `Week ${formatDate(period)}, note ${k + 1} of the operator: nothing to say.` },
    }));
    if (i < weeks.length - 1) await ledger.append(notes, ledger.nextSeq);
  }
  const entries: Uint8Array[] = [];
  for await (const entry of store.entries(0, ledger.nextSeq)) entries.push(new Uint8Array(entry));
  const blobs = new Map<HashHex, Uint8Array>();
  for await (const each of blobStore.list()) {
    blobs.set(each, (await blobStore.get(each)) as Uint8Array);
  }
  return {
    origin,
    keys,
    checkpoints,
    entries,
    blobs,
    rules: { sample, synthetic },
    ledger,
    store,
    guard,
    blobStore,
  };
}

let shared: Promise<SampleLog> | undefined;

/** The sample log, made once in a process. Nobody writes to it. */
export function sampleLog(): Promise<SampleLog> {
  return (shared ??= makeSampleLog());
}
