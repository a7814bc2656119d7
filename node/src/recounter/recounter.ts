import { randomBytes } from 'node:crypto';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { formatNoteKey } from '@assay/core/log/note';
import { reportKeyAt } from '@assay/core/view/key/keys';
import { formatTime } from '@assay/core/time/time';
import { type LogRow, logRow } from '@assay/core/view/log';
import { type Concern, recordConcerns, type StatusInput } from '../health/concern.ts';
import type { HashHex } from '@assay/core/hash/hash';
import { logRoutes } from '../api/log-routes.ts';
import type { BlobReader } from '../blob/blob-store.ts';
import { limiter } from '../http/limiter.ts';
import { pipeline } from '../http/pipeline.ts';
import { requestIds } from '../http/request-id.ts';
import type { Route } from '../http/route.ts';
import { httpServer } from '../http/server.ts';
import { Ledger } from '../ledger/ledger.ts';
import { Metrics } from '../metrics.ts';
import { listenWithMetrics } from '../metrics-listener.ts';
import { LogMirror } from '../mirror/log-mirror.ts';
import { mirrorRoutes } from './mirror-routes.ts';
import { LocalRecounter } from '../cosign/local-recounter.ts';
import { DamageLog } from '../scrub/damage-log.ts';
import { recounterScrub } from './recounter-scrub.ts';
import type { Scrub } from '../scrub/scrub.ts';
import { storageStatus } from '../scrub/storage-status.ts';
import type { KnownKey } from '../witness/server/known-log.ts';
import { Witness } from '../witness/server/witness.ts';
import { witnessRoutes } from '../witness/server/witness-routes.ts';
import { CalendarReads } from './poll/calendar-reads.ts';
import { DiskWatch } from './disk-watch.ts';
import { Polls } from './poll/polls.ts';
import { type CopyData, requireRemembered } from './recounter-data.ts';
import { PEER_COMMIT_ENTRIES, PEER_TURN_ENTRIES } from './poll/peer-follower.ts';
import { Outbox } from './post-statement.ts';
import { isOfAnother, receiptIn, receiptOf } from './poll/receipts.ts';
import type { FollowedAddress, RecounterParts, RunningRecounter } from './recounter-parts.ts';
import { recounterRoutes } from './recounter-routes.ts';
import { soundBlob } from './served-blobs.ts';
import { Silence } from './poll/silence.ts';
import { Statements } from './poll/statements.ts';

/** Statements on the logs' own bytes that a mirror asks its publisher for. */
const KEPT_FAILED = 'bytes that the publisher keeps could not be had';

/**
 * Starts a recounter: its own log compared with its memory and with the heads known elsewhere, polls, API. If
 * it throws, what was opened is closed again.
 */
export async function startRecounter(parts: RecounterParts): Promise<RunningRecounter> {
  try {
    return await start(parts);
  } catch (error) {
    await parts.data.close();
    throw error;
  }
}

async function start(parts: RecounterParts): Promise<RunningRecounter> {
  const { data, log } = parts;
  const base = await openBase(parts);
  const { ledger, mirror, peers, metrics, damage } = base;
  const calendar = makeCalendar(base);
  const cosigner = makeCosigner(base, calendar);
  metrics.watchLedger(ledger);
  const scrub = recounterScrub(parts, ledger, { publisher: mirror, peers }, damage);
  metrics.watchStorage(damage, () => scrub?.status);
  const statements = makeStatements(base, cosigner);
  if (ledger.blocked === undefined) await statements.recover();
  const outbox = makeOutbox(base);
  const polls = makePolls(base, { calendar, statements, outbox });
  base.holding.polls = polls;
  const disk = new DiskWatch({
    measure: data.disk,
    now: parts.now,
    onFailed: (error) => log.warn({ reason: messageOf(error) }, 'the disk could not be measured'),
  });
  const witness = parts.witness ? witnessOf(parts, mirror) : undefined;
  const workers = { statements, outbox, polls, disk, scrub, witness };
  const service = await listen(parts, routesOf(base, workers), metrics);
  parts.witnesses?.follow(ledger);
  let timer: NodeJS.Timeout | undefined;
  const again = (pollMs: number): void => {
    void disk.poll();
    polls.begin((error) => log.error({ reason: messageOf(error) }, 'a poll failed'));
    timer = setTimeout(() => again(pollMs), pollMs);
  };
  if (parts.pollMs !== null) again(parts.pollMs);
  scrub?.start();
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    await scrub?.stop();
    await polls.stop();
    await parts.witnesses?.stop();
    await service.close();
    for (const each of [mirror, ...peers.values()]) await each.close();
    await ledger.close();
    await data.close();
    log.info('stopped');
  };
  let closed: Promise<void> | undefined;
  return {
    ...service,
    log: base.own.log,
    key: base.key,
    checkpointVkey: data.checkpoints.vkey,
    witnessVkey: witness?.vkey ?? null,
    follow: () => polls.poll(),
    close: () => (closed ??= close()),
  };
}

/**
 * What all parts of a recounter need: the log of its statements, and the copies of the logs that it follows.
 */
interface Base {
  readonly parts: RecounterParts;
  readonly damage: DamageLog;
  readonly ledger: Ledger;
  readonly own: LogRow;
  /** The key of its statements, in hex. */
  readonly key: string;
  readonly mirror: LogMirror;
  /** The other recounters' logs, by their addresses. */
  readonly peers: ReadonlyMap<string, LogMirror>;
  readonly metrics: Metrics;
  readonly holding: Holding;
}

/** Who is notified of what a copy shows; nobody before there are polls. */
interface Holding {
  polls?: Pick<Polls, 'hold'>;
}

async function openBase(parts: RecounterParts): Promise<Base> {
  const { data, publisher, sha256, now, log } = parts;
  const damage = new DamageLog(now, (found) => log.error(found, 'damage at rest'), 'recounter');
  const ledger = await Ledger.open({
    sha256,
    store: data.store,
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now,
    askHeads: parts.askHeads,
    onRepaired: ({ part, name }) => damage.note(part, name, 'repaired'),
    ...(parts.witnesses === undefined ? {} : { witness: parts.witnesses }),
  });
  // It may be waiting for its witnesses, and then nobody has been shown entry 0.
  const own = logRow(ledger.tip);
  const key = formatHex(data.statement.publicKey);
  if (own === undefined || own.report_key !== key) {
    throw new Fault('ledger_differs', 'ledger', {
      expected: `a log of the statement key ${key}`,
      found: own?.report_key ?? 'none',
    });
  }
  if (ledger.blocked !== undefined) log.warn({ reason: ledger.blocked.message }, 'read-only');
  await requireRemembered(sha256, ledger.tip, data.memory);
  const holding: Holding = {};
  const opening = { parts, damage, holding };
  const mirror = await openMirror(opening, publisher, data.mirror, 'publisher');
  // Space is made while it is stopped.
  await data.findings.end('copy_full', 'publisher/blobs', formatTime(now()));
  const peers = new Map<string, LogMirror>();
  for (const peer of parts.peers) {
    const copy = await data.peer(peer.url);
    peers.set(peer.url, await openMirror(opening, peer, copy, peer.url));
  }
  return { parts, damage, ledger, own, key, mirror, peers, metrics: new Metrics(), holding };
}

/** The copy of a followed log, the publisher's or a peer's. */
function openMirror(
  { parts, damage, holding }: Pick<Base, 'parts' | 'damage' | 'holding'>,
  of: FollowedAddress,
  copy: CopyData,
  about: string,
): Promise<LogMirror> {
  const { publisher, data, sha256 } = parts;
  return LogMirror.open({
    reader: of.reader,
    store: copy.store,
    accepted: copy.accepted,
    closing: copy.closing,
    blobs: of === publisher ? data.kept : null,
    key: of.key,
    logId: of.logId,
    sha256,
    ...(parts.copyLimits === undefined ? {} : { limits: parts.copyLimits }),
    onRepaired: ({ part, name }) => damage.note(part, name, 'repaired', about),
    // Whether a statement can be based on a head is checked for each statement. Everything that is signed is
    // copied.
    witnesses: null,
    listed: of === publisher ? publisher.witnesses : [],
    ...(of === publisher
      ? {}
      : { batchEntries: PEER_COMMIT_ENTRIES, mostEntries: PEER_TURN_ENTRIES }),
    onFork: (evidence) =>
      holding.polls?.hold(
        'fork',
        evidence,
        about,
        `The key of ${of.key.name} signed two histories.`,
      ),
  });
}

/** Reads by the calendar, however slow others are. */
function makeCalendar({ parts }: Base): CalendarReads {
  const { data, sha256, now, log } = parts;
  return new CalendarReads({
    source: parts.source,
    sha256,
    now,
    random: parts.random,
    blobs: data.blobs,
    store: data.reads,
    onFailed: (ticker, period, reason) => log.error({ ticker, period, reason }, 'own read failed'),
  });
}

/** What makes its statements. */
function makeCosigner({ parts, mirror, holding }: Base, calendar: CalendarReads): LocalRecounter {
  const { data, sha256, now, log } = parts;
  return new LocalRecounter({
    signer: data.statement,
    source: parts.source,
    now,
    memory: data.memory,
    kept: (hash, seq) =>
      mirror.blob(hash, seq).catch(async (error: unknown) => {
        const reason = messageOf(error);
        log.debug({ hash, reason }, KEPT_FAILED);
        if (faultCode(error) !== 'copy_full') return undefined;
        const says = `Bytes under the publisher's reports are not kept any more: ${reason}`;
        await holding.polls?.hold('copy_full', null, 'publisher/blobs', says);
        return undefined;
      }),
    publisher: (seq) => reportKeyAt(mirror.shown, seq),
    checkpointKey: mirror.keyOf,
    sha256,
    random: parts.random,
    reads: calendar,
    ...(parts.patience === undefined ? {} : { keptMs: parts.patience.keptMs }),
  });
}

function makeStatements(
  { parts, ledger, key, mirror, metrics }: Base,
  cosigner: LocalRecounter,
): Statements {
  const { data, publisher, sha256, now, log } = parts;
  return new Statements(
    {
      mirror,
      ledger,
      cosigner,
      memory: data.memory,
      witnesses: publisher.witnesses,
      findings: data.findings,
      acknowledged: data.acknowledged,
      sha256,
      now,
    },
    {
      onStatement(about, { verdict }, reason) {
        metrics.cosignerSaid(key, verdict);
        if (reason === null) log.info({ about, verdict }, 'a statement');
        else log.warn({ about, verdict, reason }, 'a statement');
      },
      onFailed(about, reason) {
        log.warn({ about, reason }, 'a report could not be recounted');
      },
    },
  );
}

/** Sends its statements to the publisher. */
function makeOutbox({ parts, ledger, key, mirror }: Base): Outbox {
  const { data, publisher, sha256, now, log } = parts;
  return new Outbox({
    sha256,
    post: publisher.post,
    log: () => mirror.log,
    own: ledger.shown,
    shown: () => mirror.shown,
    findings: data.findings,
    now,
    onReceipt: async (report, answer) => {
      const receipt = receiptIn(sha256, mirror.keyOf, answer);
      if (receipt === undefined) return true;
      if (await isOfAnother(sha256, mirror, receipt, { report, key })) return false;
      await data.receipts.keep(receiptOf(report, receipt, now()));
      return true;
    },
    onPosted: ({ report, verdict }, answer) => log.debug({ report, verdict, answer }, 'posted'),
  });
}

function makePolls(
  { parts, ledger, key, mirror, peers }: Base,
  {
    calendar,
    statements,
    outbox,
  }: {
    readonly calendar: CalendarReads;
    readonly statements: Statements;
    readonly outbox: Outbox;
  },
): Polls {
  const { data, publisher, sha256, now, log } = parts;
  const { findings } = data;
  return new Polls({
    mirror,
    ...(parts.patience === undefined ? {} : { followMs: parts.patience.followMs }),
    ...(parts.everyDay === undefined ? {} : { everyDay: parts.everyDay }),
    peers,
    calendar,
    words: statements,
    outbox,
    receipts: data.receipts,
    witnessKeys: publisher.witnesses,
    silence: new Silence({
      key,
      own: ledger.shown,
      findings,
      entry: (seq) => mirror.entry(seq),
      sha256,
      now,
    }),
    findings,
    evidence: data.evidence,
    sha256,
    now,
    onError: (what, reason) => log.warn({ what, reason }, 'a log could not be followed'),
  });
}

/** What the API of a recounter shows in addition to its log. */
interface Workers {
  readonly statements: Statements;
  readonly outbox: Outbox;
  readonly polls: Polls;
  readonly disk: DiskWatch;
  readonly scrub: Scrub | undefined;
  readonly witness: Witness | undefined;
}

/** What is wrong, for readers. */
function concernsOf(
  { parts, damage, ledger }: Base,
  { scrub, polls, statements, disk }: Workers,
): readonly StatusInput[] {
  return [
    () => recordConcerns(ledger),
    damage.concerns,
    () => scrub?.concerns() ?? [],
    () => parts.witnesses?.concerns() ?? [],
    () => degraded(polls.trouble),
    () => degraded(statements.held && `Nothing is signed: ${statements.held}`),
    () =>
      (parts.sourceHosts?.waiting ?? []).flatMap((host) =>
        degraded(`A rule asks ${host}, which is not in source_hosts: it waits for the operator.`),
      ),
    () =>
      (parts.sourceAddresses?.refused ?? []).flatMap((host) =>
        degraded(`${host} leads to an address that is not public, and is not in private_hosts.`),
      ),
    () => statements.ahead.flatMap(degraded),
    () => degraded(disk.concern),
    () => findingConcerns(parts.data.findings),
  ];
}

function routesOf(base: Base, workers: Workers): readonly Route[] {
  const { parts, damage, ledger, key, mirror, peers, metrics } = base;
  const { data, publisher, sha256 } = parts;
  const { statements, outbox, polls, disk, scrub, witness } = workers;
  const inputs = concernsOf(base, workers);
  metrics.watchStatus(() => inputs.flatMap((input) => input()));
  const checked = (hash: HashHex): Promise<BlobReader | undefined> =>
    soundBlob(
      [
        { of: null, blobs: data.blobs },
        { of: 'publisher', blobs: data.kept },
      ],
      hash,
      damage,
    );
  return [
    ...recounterRoutes({
      name: parts.name,
      key,
      witnessVkey: witness?.vkey ?? null,
      record: ledger,
      mirror,
      publisherUrl: publisher.url,
      findings: data.findings,
      evidence: data.evidence,
      status: () => ({
        followedAt: polls.followedAt,
        waiting: statements.waiting,
        unposted: outbox.unposted,
      }),
      disk: () => disk.use,
      inputs,
      storage: () => storageStatus(damage, scrub),
      notice: parts.notice,
      now: parts.now,
    }),
    // It also serves what it stored of the publisher's, so that a publisher that has lost its disk can get it
    // from here.
    ...logRoutes(ledger, {
      checked,
      has: async (hash) => (await data.blobs.has(hash)) || data.kept.has(hash),
    }),
    ...mirrorRoutes(sha256, [
      { origin: publisher.key.name, record: mirror, blobs: { checked } },
      ...[...peers.values()].map((peer) => ({ origin: peer.origin, record: peer })),
    ]),
    ...(witness === undefined ? [] : witnessRoutes({ witness })),
    ...(parts.metrics && parts.metricsAt === undefined ? [metrics.route()] : []),
  ];
}

/**
 * It cosigns the publisher's checkpoints under the name of its own log, with a key that is used for nothing
 * else.
 */
function witnessOf(
  { data, publisher, sha256, now }: RecounterParts,
  mirror: Pick<LogMirror, 'objection' | 'terms'>,
): Witness {
  const { name, publicKey } = publisher.key;
  const given = { vkey: formatNoteKey(sha256, name, publicKey), lastSize: null };
  const keys = (): readonly KnownKey[] => {
    const { terms } = mirror;
    if (terms.length === 0) return [given];
    return terms.map(({ vkey, last_size: lastSize }) => ({ vkey, lastSize }));
  };
  return new Witness({
    name: data.checkpoints.origin,
    signer: data.witness,
    logs: [{ origin: name, keys }],
    memory: data.cosigned,
    objection: (_, note) => mirror.objection(note),
    sha256,
    now,
  });
}

/** How many findings /status lists in full. */
const MAX_SAID = 20;

function findingConcerns(findings: RecounterParts['data']['findings']): readonly Concern[] {
  const open = findings.open();
  const more = open.length - MAX_SAID + findings.more();
  return [
    ...open.slice(0, MAX_SAID).flatMap(({ says }) => degraded(says)),
    ...degraded(more > 0 ? `/findings has ${more} more.` : undefined),
  ];
}

function degraded(reason: string | undefined): readonly Concern[] {
  return reason === undefined ? [] : [{ level: 'degraded', reason }];
}

async function listen(
  parts: RecounterParts,
  routes: readonly Route[],
  metrics: Metrics,
): Promise<Pick<RunningRecounter, 'port' | 'metricsPort' | 'transport' | 'endpoints' | 'close'>> {
  const { transport, server: options, quotas, log } = parts;
  const served = pipeline(routes, {
    ...requestIds(randomBytes),
    now: () => performance.now() / 1000,
    onError: (error, line) => log.error({ ...line, reason: messageOf(error) }, 'request failed'),
    onRequest: (line) => metrics.request(line),
    admit: limiter(quotas, randomBytes).admit,
  });
  const server = await httpServer(transport, served, options);
  const listening = await listenWithMetrics(
    server,
    parts,
    parts.metrics ? metrics : undefined,
    log,
  );
  return { ...listening, transport: server.transport, endpoints: served.endpoints };
}
