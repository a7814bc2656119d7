import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash';
import { otsHashes } from '@assay/core/ots/hashes';
import { type AnchorParts, lookEveryMs } from './anchor/anchor-parts.ts';
import { Anchoring } from './anchor/anchoring.ts';
import {
  ANCHOR_LIMITS,
  anchorConcerns,
  type AnchorLimits,
  closeConcerns,
  latenessConcerns,
  recordConcerns,
  roundConcerns,
  type StatusInput,
  type StatusLimits,
} from './api/concern.ts';
import { ClockWatch } from './api/clock-watch.ts';
import { ConcernLog } from './api/concern-log.ts';
import { Publication } from './api/publication.ts';
import type { BlobStore } from './blob-store.ts';
import { type Clock, monotone, processClock } from './clock.ts';
import { runClose } from './close-round.ts';
import type { Signer } from './ledger/checkpoint-signer.ts';
import { Ledger, type LedgerOptions } from './ledger/ledger.ts';
import { Metrics } from './metrics.ts';
import type { Openings } from './openings.ts';
import { Scheduler } from './scheduler.ts';
import { type Address, type NodePlaces, type RunningService, startService } from './service.ts';
import type { SettlementFolder } from './settlement-mirror.ts';
import type { Source } from './source/source.ts';

/** Milliseconds between two looks for what is wrong, so that the operator is told of it. */
const CONCERNS_MS = 30_000;

/** Everything a node stands on: the world comes in here and nowhere else. */
export interface NodeParts extends Address {
  readonly ledger: Omit<LedgerOptions, 'onPublish' | 'sha256' | 'now'>;
  readonly blobs: BlobStore;
  /** Calendars and Bitcoin headers, and where the batch that is out is kept. */
  readonly anchor: Pick<AnchorParts, 'calendars' | 'headers' | 'network' | 'timing' | 'openBatch'>;
  /** Milliseconds between two looks for what is to be stamped; as `anchor.timing` demands without. */
  readonly anchorMs?: number;
  /** When a stamp is missing for too long; `ANCHOR_LIMITS` without. */
  readonly anchorLimits?: AnchorLimits;
  readonly openings: Openings;
  /** Where settlement files are written. */
  readonly settlements: SettlementFolder;
  readonly places: NodePlaces;
  readonly source: Source;
  readonly reportSigner: Signer;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Seconds without steps; the process's own without. */
  readonly elapsed?: Clock;
  readonly log: Logger;
  readonly metrics: boolean;
  readonly pollMs: number;
  readonly notice: string | null;
  readonly limits: StatusLimits;
  /** Runs between opening the ledger and listening: genesis, rules, a replay. */
  readonly prepare: (ledger: Ledger, scheduler: Scheduler, anchoring: Anchoring) => Promise<void>;
}

/** A service with the ledger behind it. `close` stops rounds, requests and ledger, in that order, each once. */
export interface RunningNode extends RunningService {
  readonly ledger: Ledger;
}

/** Starts a node: ledger, rounds, API. When it throws, what was opened is closed again. */
export async function startNode(given: NodeParts): Promise<RunningNode> {
  const parts: NodeParts = { ...given, now: monotone(given.now) };
  const { sha256, now, log, elapsed = processClock } = parts;
  let publication: Publication | undefined;
  const ledger = await openLedger(parts, (size, tables) => publication?.changed(size, tables));
  try {
    if (ledger.blocked !== undefined) log.warn({ reason: ledger.blocked.message }, 'read-only');
    publication = new Publication(ledger, sha256);
    const metrics = new Metrics();
    metrics.watchLedger(ledger);
    const scheduler = new Scheduler(
      {
        ledger,
        signer: parts.reportSigner,
        source: parts.source,
        blobs: parts.blobs,
        openings: parts.openings,
        sha256,
        now,
        random: randomBytes,
      },
      parts.pollMs,
      {
        onRound(ticker, period, { report, revisions, reads }) {
          metrics.round(ticker, report?.status ?? 'nothing');
          const outcomes = reads.map(({ read }) => `${read.provider} ${read.outcome}`);
          const line = { ticker, period, outcomes, revisions, value: report?.value };
          if (report === undefined && revisions === 0) log.debug(line, 'round: nothing new');
          else log.info({ ...line, status: report?.status }, 'round');
        },
        onRoundFailed(ticker, period, error) {
          metrics.round(ticker, 'failed');
          log.error({ ticker, period, reason: messageOf(error) }, 'round failed');
        },
      },
      async () => {
        if (ledger.blocked !== undefined) return;
        try {
          const close = await runClose({
            ledger,
            signer: parts.reportSigner,
            mirror: parts.settlements,
            sha256,
            now,
          });
          if (close === undefined) return;
          const { content, version } = close;
          log.info({ day: content.day, version, indices: content.items.length }, 'closed');
        } catch (error) {
          log.error({ reason: messageOf(error) }, 'the Close failed');
        }
      },
    );
    const anchoring = new Anchoring(
      {
        ...parts.anchor,
        ledger,
        blobs: parts.blobs,
        sha256,
        hashes: otsHashes(sha256),
        now,
        elapsed,
        random: randomBytes,
      },
      parts.anchorMs ?? lookEveryMs(parts.anchor.timing),
      {
        onStamped(batch, calendars) {
          metrics.stamped();
          log.info({ batch, calendars }, 'stamped');
        },
        onUpgraded(batch, heights) {
          metrics.upgraded();
          log.info({ batch, heights }, 'stamp upgraded');
        },
        onCalendarFailed(calendar, reason) {
          metrics.calendarFailed(calendar);
          log.warn({ calendar, reason }, 'a calendar failed');
        },
        onBeacon: (height) => log.debug({ height }, 'beacon'),
        onTrouble: (what, reason) => log.warn({ what, reason }, 'anchoring'),
      },
    );
    if (parts.anchor.headers?.sufficient === false) {
      log.warn(
        'one Bitcoin explorer alone: no block is recorded and no beacon written before there are two, or a ' +
          'node or a file of your own (bitcoin_explorers, bitcoin_rpc, bitcoin_headers)',
      );
    }
    metrics.watchStamps(() => anchoring.standing);
    await parts.prepare(ledger, scheduler, anchoring);
    const clocks = new ClockWatch(given.now, elapsed, () => ledger.nextAt);
    const inputs: readonly StatusInput[] = [
      () => recordConcerns(ledger),
      () => clocks.concerns(),
      () => roundConcerns(scheduler.failures),
      () => latenessConcerns(ledger, now(), parts.limits),
      () => closeConcerns(ledger, now(), parts.limits),
      () => anchoring.concerns(),
      () => anchorConcerns(ledger, now(), anchoring.questions, anchorLimits(parts)),
    ];
    const concerns = new ConcernLog(inputs, (change, { reason }) => {
      if (change === 'begun') log.warn({ reason }, 'something is wrong');
      else log.info({ reason }, 'no longer wrong');
    });
    const service = await startService({
      record: ledger,
      publication,
      blobs: parts.blobs,
      settlements: parts.settlements.read,
      reportKey: parts.reportSigner.publicKey,
      places: parts.places,
      sha256,
      now,
      inputs,
      notice: parts.notice,
      metrics: parts.metrics ? metrics : undefined,
      log,
      address: parts,
    });
    scheduler.start();
    anchoring.start();
    concerns.look();
    const looking = setInterval(() => concerns.look(), CONCERNS_MS);
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      clearInterval(looking);
      await Promise.all([scheduler.stop(), anchoring.stop()]);
      await service.close();
      await ledger.close();
      log.info('stopped');
    };
    return { ...service, ledger, close: () => (closed ??= close()) };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** Where nothing is stamped, no record waits for it; a batch of earlier may still wait for its block. */
function anchorLimits({ anchor, anchorLimits: limits = ANCHOR_LIMITS }: NodeParts): AnchorLimits {
  const unstampedAfterS = Number.POSITIVE_INFINITY;
  return anchor.calendars === undefined ? { ...limits, unstampedAfterS } : limits;
}

/** The ledger; store and guard that it refuses are closed, so that another process may look at them. */
async function openLedger(
  { ledger, sha256, now }: NodeParts,
  changed: (size: number, tables: ReadonlySet<string>) => void,
): Promise<Ledger> {
  try {
    return await Ledger.open({
      ...ledger,
      sha256,
      now,
      onPublish: ({ size }, tables) => changed(size, tables),
    });
  } catch (error) {
    await ledger.store.close();
    await ledger.guard.close();
    throw error;
  }
}
