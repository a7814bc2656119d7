import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Fault, messageOf } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { parseNoteKey } from '@assay/core/log/note';
import { FileBlobStore } from '../blob/file-blob-store.ts';
import { nodeServer } from '../http/node-server.ts';
import { pipeline } from '../http/pipeline.ts';
import { NO_STORE, whole } from '../http/reply.ts';
import { requestIds } from '../http/request-id.ts';
import { route, type Route } from '../http/route.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { metricsAddress } from '../metrics-listener.ts';
import { httpLogReader } from '../mirror/http-log-reader.ts';
import { LogMirror } from '../mirror/log-mirror.ts';
import { type DataFolder, dataFolder } from '../platform/data-folder.ts';
import { ensureFolder } from '../platform/durable-file.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { FollowerMark } from '../postgres/followers.ts';
import { guardOptions, type PostgresGuardConfig } from '../postgres/guard-config.ts';
import type { Config, Environment } from '../production/config.ts';
import type { StandbyConfig } from '../production/standby-config.ts';
import { BlobFollower } from './blob-follower.ts';
import { promoteFolder } from './folder-promotion.ts';
import type { Promoted } from './promotion.ts';
import {
  answerPromoted,
  answerRefused,
  type PromotionRequest,
  takeRequest,
} from './promotion-request.ts';
import { Standby } from './standby.ts';
import { StandbyMetrics } from './standby-metrics.ts';

/** A standby that runs. */
export interface RunningStandby {
  readonly port: number;
  /** Resolves when this folder has become the writer's, and everything here is closed; never if it is closed before. */
  readonly promoted: Promise<Promoted>;
  readonly close: () => Promise<void>;
}

/** What follows, as long as it follows. */
interface Following {
  readonly standby: Standby;
  readonly stop: () => Promise<void>;
}

/**
 * Follows the publisher that a configuration names, and serves `/healthz`, `/readyz` and `/metrics`. An operator's request
 * for a promotion ends the following: then this folder is the writer's, or it follows again. Throws `bad_config` without a
 * `standby`, and what opening the folder throws.
 */
export async function startStandby(
  config: Config,
  environment: Environment,
  log: Logger,
): Promise<RunningStandby> {
  const { standby: own, head_guard: guard } = config;
  if (own === null) {
    throw new Fault('bad_config', 'config', { at: 'standby', expected: 'what is followed' });
  }
  if (guard.kind !== 'postgres') {
    const expected = 'a guard in a database, which a standby can take over';
    throw new Fault('bad_config', 'config', { at: 'head_guard', expected, found: guard.kind });
  }
  const folder = dataFolder(config.data);
  const closing = new AbortController();
  /** Why nothing is followed although no promotion is under way. */
  let trouble: string | undefined;
  let following: Following | undefined;
  let turn: Promise<void> = Promise.resolve();
  let resolvePromoted: (promoted: Promoted) => void = () => undefined;
  const promoted = new Promise<Promoted>((resolve) => {
    resolvePromoted = resolve;
  });

  const follow = async (): Promise<void> => {
    following = await startFollowing(guard, own, folder, environment, log, (request) => {
      turn = handle(request).catch((error: unknown) =>
        log.error({ reason: messageOf(error) }, 'the standby cannot go on'),
      );
    });
  };
  /** Follows again after a promotion that was refused, however long that takes: nobody else would begin it. */
  const followAgain = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await follow();
        trouble = undefined;
        return;
      } catch (error) {
        trouble = messageOf(error);
        log.error({ reason: trouble }, 'the standby cannot follow');
        await sleep(FOLLOW_AGAIN_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  };
  const http = await serve(
    config,
    log,
    () => following?.standby,
    () => trouble,
  );
  const handle = async (request: PromotionRequest): Promise<void> => {
    log.warn({ fenced: request.fenced }, 'a promotion is asked for');
    await following?.stop();
    following = undefined;
    let done: Promoted | undefined;
    try {
      const store = await openLevelStore(folder.ledger);
      try {
        const fenced = request.fenced ?? undefined;
        done = await promoteFolder(config, environment, nodeSha256, store, fenced);
      } finally {
        await store.close();
      }
    } catch (error) {
      const fault = error instanceof Fault ? error : undefined;
      const refusal = { code: fault?.code ?? 'storage_failed', message: messageOf(error) };
      log.error({ reason: refusal.message }, 'no promotion');
      await answerRefused(folder.root, request.id, refusal);
      await followAgain();
      return;
    }
    log.warn({ epoch: done.epoch, size: done.size, before: done.before }, 'promoted');
    await answerPromoted(folder.root, request.id, done);
    await http.close();
    resolvePromoted(done);
  };
  try {
    await follow();
  } catch (error) {
    await http.close();
    throw error;
  }
  return {
    port: http.port,
    promoted,
    async close() {
      closing.abort();
      await turn;
      await following?.stop();
      await http.close();
    },
  };
}

async function startFollowing(
  guard: PostgresGuardConfig,
  { name, publisher, checkpoint_vkey: vkey, log_id: logId, poll_s: pollS }: StandbyConfig,
  folder: DataFolder,
  environment: Environment,
  log: Logger,
  onRequest: (request: PromotionRequest) => void,
): Promise<Following> {
  const key = parseNoteKey(nodeSha256, vkey);
  await ensureFolder(folder.root, { mode: 0o700 });
  const store = await openLevelStore(folder.ledger);
  const reader = httpLogReader(publisher);
  const stopping = new AbortController();
  let accepted: FileNoteSlot | undefined;
  let mirror: LogMirror;
  try {
    accepted = await FileNoteSlot.open(folder.accepted);
    mirror = await LogMirror.open({
      reader: {
        // What is under way ends with the following, blobs included: a publisher that hangs must not hold up a promotion.
        get: (path, maxBytes, signal) =>
          reader.get(
            path,
            maxBytes,
            signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]),
          ),
      },
      store,
      accepted,
      closing: new ClosingHeads(folder.root),
      blobs: await FileBlobStore.open(folder.blobs),
      key,
      logId: logId === null ? null : toHashHex(logId),
      sha256: nodeSha256,
      witnesses: null,
      onFork: () => log.error('the key of the log has signed two histories'),
    });
  } catch (error) {
    await accepted?.close();
    await store.close();
    throw error;
  }
  const options = await guardOptions(guard, environment, key.name);
  const mark = new FollowerMark(options, key.name, name);
  const standby = new Standby({
    mirror,
    blobs: new BlobFollower({
      sha256: nodeSha256,
      entry: (seq) => mirror.entry(seq),
      blob: (hash, seq) => mirror.blob(hash, seq),
    }),
    confirm: (size) => mark.confirm(size),
    async onTurn() {
      const request = await takeRequest(folder.root);
      if (request !== undefined) onRequest(request);
    },
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, { signal });
    },
    pollMs: pollS * 1000,
    elapsed: () => performance.now() / 1000,
    onError: (what, reason) => log.warn({ reason }, what),
  });
  standby.start();
  return {
    standby,
    async stop() {
      stopping.abort();
      await standby.stop();
      mark.end();
      await mirror.close();
    },
  };
}

const TEXT = 'text/plain; charset=utf-8';
/** Between two tries to follow again. */
const FOLLOW_AGAIN_MS = 5000;

function notFollowing(trouble: string | undefined): string {
  if (trouble === undefined) return 'A promotion is under way.';
  return `The promotion was refused, and following the publisher again fails: ${trouble}`;
}

async function serve(
  config: Config,
  log: Logger,
  standby: () => Standby | undefined,
  trouble: () => string | undefined,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const within = config.standby?.ready_within ?? 0;
  const isReady = (): boolean => {
    const { behind, covered } = standby()?.status ?? {};
    const isHalted =
      standby()
        ?.concerns()
        .some(({ level }) => level === 'halted') ?? true;
    return behind !== undefined && behind <= within && covered === true && !isHalted;
  };
  const options = { unversioned: true, budget: 'none' } as const;
  const routes: readonly Route[] = [
    route('GET', '/healthz', () => whole(TEXT, 'ok\n', { cacheControl: NO_STORE }), options),
    route(
      'GET',
      '/readyz',
      () => {
        const reasons = standby()
          ?.concerns()
          .map(({ reason }) => reason) ?? [notFollowing(trouble())];
        const body = [isReady() ? 'following' : 'not ready', ...reasons].join('\n');
        return whole(TEXT, `${body}\n`, { cacheControl: NO_STORE, status: isReady() ? 200 : 503 });
      },
      options,
    ),
  ];
  const answer = (all: readonly Route[]): ReturnType<typeof nodeServer> =>
    nodeServer(
      pipeline(all, {
        ...requestIds(randomBytes),
        now: () => performance.now() / 1000,
        onError: (error, line) =>
          log.error({ ...line, reason: messageOf(error) }, 'request failed'),
      }),
    );
  const listening = await answer(routes).listen({ host: config.host, port: config.port });
  const none = {
    size: 0,
    behind: undefined,
    confirmed: 0,
    covered: false,
    missing: 0,
    polledS: undefined,
  };
  const metrics = new StandbyMetrics(() => standby()?.status ?? none);
  const metricsRoute = route(
    'GET',
    '/metrics',
    async () => whole(metrics.contentType, await metrics.text(), { cacheControl: NO_STORE }),
    options,
  );
  try {
    const own = config.metrics
      ? await answer([metricsRoute]).listen(metricsAddress(config))
      : undefined;
    log.info(
      { host: config.host, port: listening.port, metrics: own?.port },
      'a standby is listening',
    );
    return {
      port: listening.port,
      async close() {
        await Promise.all([listening.close(), own?.close()]);
      },
    };
  } catch (error) {
    await listening.close();
    throw error;
  }
}
