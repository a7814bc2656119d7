import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash';
import { closeRoutes } from './api/close-routes.ts';
import { documentRoutes, listedIndices } from './api/document-routes.ts';
import {
  closeConcerns,
  latenessConcerns,
  recordConcerns,
  roundConcerns,
  type StatusLimits,
} from './api/concern.ts';
import { indexRoutes } from './api/index-routes.ts';
import { listingRoute } from './api/listing-route.ts';
import { logRoutes } from './api/log-routes.ts';
import { Publication } from './api/publication.ts';
import { statusRoute } from './api/status.ts';
import type { BlobStore } from './blob-store.ts';
import { type Clock, monotone } from './clock.ts';
import { runClose } from './close-round.ts';
import { pipeline } from './http/pipeline.ts';
import type { Endpoint } from './http/route.ts';
import { httpServer, type TransportChoice } from './http/server.ts';
import type { ServerOptions, TransportName } from './http/transport.ts';
import type { Signer } from './ledger/checkpoint-signer.ts';
import { Ledger, type LedgerOptions } from './ledger/ledger.ts';
import { Metrics } from './metrics.ts';
import type { Openings } from './openings.ts';
import { Scheduler } from './scheduler.ts';
import type { SettlementFolder } from './settlement-mirror.ts';
import type { Source } from './source/source.ts';

/** Everything a node stands on: the world comes in here and nowhere else. */
export interface NodeParts {
  readonly ledger: Omit<LedgerOptions, 'onPublish' | 'sha256' | 'now'>;
  readonly blobs: BlobStore;
  readonly openings: Openings;
  /** Where settlement files are written. */
  readonly settlements: SettlementFolder;
  readonly places: NodePlaces;
  readonly source: Source;
  readonly reportSigner: Signer;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly log: Logger;
  readonly host: string;
  readonly port: number;
  readonly transport: TransportChoice;
  readonly server: ServerOptions;
  readonly metrics: boolean;
  readonly pollMs: number;
  readonly notice: string | null;
  readonly limits: StatusLimits;
  /** Runs between opening the ledger and listening: genesis, rules, a replay. */
  readonly prepare: (ledger: Ledger, scheduler: Scheduler) => Promise<void>;
}

/** Where else the node's things are, by its own word. */
export interface NodePlaces {
  /** The service's address, without a slash at its end. */
  readonly publicUrl: string | null;
  /** Address of a public copy of the settlement files. */
  readonly mirrorUrl: string | null;
}

export interface RunningNode {
  readonly port: number;
  readonly transport: TransportName;
  readonly ledger: Ledger;
  /** Everything that it answers. */
  readonly endpoints: readonly Endpoint[];
  /** Stops rounds, drains requests, closes the ledger: in that order, each once. */
  readonly close: () => Promise<void>;
}

/** Starts a node: ledger, rounds, API. When it throws, what was opened is closed again. */
export async function startNode(given: NodeParts): Promise<RunningNode> {
  const parts: NodeParts = { ...given, now: monotone(given.now) };
  const { sha256, now, log } = parts;
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
    await parts.prepare(ledger, scheduler);
    let transport: TransportName = 'node:http';
    const routes = [
      ...indexRoutes(ledger, publication),
      ...closeRoutes(ledger, publication, parts.settlements.read),
      listingRoute({
        publication,
        record: () => (ledger.published === undefined ? undefined : ledger.shown),
        mirror: parts.settlements.read,
        sha256,
        ...parts.places,
        onMirrorFailed: (reason) => log.error({ reason }, 'the settlement mirror failed'),
      }),
      ...logRoutes(ledger, parts.blobs),
      statusRoute({
        ledger,
        now,
        transport: () => transport,
        inputs: [
          () => recordConcerns(ledger),
          () => roundConcerns(scheduler.failures),
          () => latenessConcerns(ledger, now(), parts.limits),
          () => closeConcerns(ledger, now(), parts.limits),
        ],
        notice: parts.notice,
      }),
      ...(parts.metrics ? [metrics.route()] : []),
    ];
    const documents = documentRoutes(routes, () => listedIndices(ledger.shown));
    const served = pipeline([...routes, ...documents], {
      requestId: randomUUID,
      now: () => performance.now() / 1000,
      onError: (error, line) => log.error({ ...line, reason: messageOf(error) }, 'request failed'),
      ...(parts.metrics ? { onRequest: (line) => metrics.request(line) } : {}),
    });
    const server = await httpServer(parts.transport, served, parts.server);
    ({ transport } = server);
    const listening = await server.listen({ host: parts.host, port: parts.port });
    scheduler.start();
    log.info({ host: parts.host, port: listening.port, transport }, 'listening');
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await scheduler.stop();
      await listening.close();
      await ledger.close();
      log.info('stopped');
    };
    return {
      port: listening.port,
      transport,
      ledger,
      endpoints: served.endpoints,
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** The ledger; a store that it refuses is closed, so that another process may look at it. */
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
    throw error;
  }
}
