import type { Logger } from 'pino';
import { Fault, type FaultCode, messageOf } from '@assay/core/fault';
import { anchorWorld } from './anchor/anchor-config.ts';
import { FileOpenBatch } from './anchor/open-batch.ts';
import { trustedProxies } from './http/address.ts';
import { systemClock } from './clock.ts';
import { type Config, type Environment, readSecrets } from './config.ts';
import { dataFolder, type DataFolder, keyPath } from './data-folder.ts';
import type { CheckpointSigner } from './ledger/checkpoint-signer.ts';
import { fetchNote, mirrorHeads } from './ledger/mirror-heads.ts';
import type { AskHeads } from './ledger/start.ts';
import { FileBlobStore } from './file-blob-store.ts';
import { readPublicKey } from './keystore.ts';
import { Metrics } from './metrics.ts';
import { nodeSha256 } from './node-sha256.ts';
import { type RunningNode, startNode } from './node.ts';
import { startHalted } from './halted.ts';
import type { Address, NodePlaces, RunningService } from './service.ts';
import { type OpenData, openData } from './open-data.ts';
import type { Rule } from '@assay/core/rule/rule';
import { enactRule, readRuleFile } from './rule-file.ts';
import { firstMirror, mirrorAt, SettlementFolder } from './settlement-mirror.ts';
import type { Source } from './source/source.ts';
import { httpSource, systemSleep } from './source/http-source.ts';

/** What a record that cannot be read says of itself. Anything else is for the operator to put right first. */
const UNREADABLE: ReadonlySet<string> = new Set<FaultCode>([
  'ledger_behind',
  'ledger_differs',
  'ledger_corrupt',
  'guard_conflict',
  'storage_failed',
]);

/**
 * Starts the node that a config describes: real clock, real sources. Where its record cannot be read it
 * serves without it: `halted`, with listing kits from the mirror.
 */
export async function startFromConfig(
  config: Config,
  environment: Environment,
  log: Logger,
): Promise<RunningNode | RunningService> {
  const rules: Rule[] = [];
  for (const path of config.rules) rules.push(await readRuleFile(nodeSha256, path));
  const address: Address = {
    host: config.host,
    port: config.port,
    transport: config.transport,
    server: { trustedProxies: trustedProxies(config.trusted_proxies) },
    quotas: { default: config.requests_per_minute, log: config.log_requests_per_minute },
  };
  const places: NodePlaces = { publicUrl: config.public_url, mirrorUrl: config.mirror_url };
  const folder = dataFolder(config.data);
  const settlements = new SettlementFolder(folder.mirror);
  try {
    return await startPublisher(config, environment, log, { rules, address, places, settlements });
  } catch (error) {
    if (!(error instanceof Fault) || !UNREADABLE.has(error.code)) throw error;
    log.error({ reason: error.message }, 'the record cannot be read: serving without it');
    const elsewhere = config.mirror_url === null ? [] : [mirrorAt(config.mirror_url, MIRROR_MS)];
    return startHalted({
      settlements: firstMirror([settlements.read, ...elsewhere]),
      places,
      sha256: nodeSha256,
      now: systemClock,
      notice: null,
      reportKey: await reportKey(folder, log),
      blobs: FileBlobStore.reader(folder.blobs),
      metrics: config.metrics ? new Metrics() : undefined,
      log,
      address,
      reason: error,
    });
  }
}

/** The key that signs Closes, from its file; undefined where that cannot be read. */
async function reportKey(folder: DataFolder, log: Logger): Promise<Uint8Array | undefined> {
  try {
    return await readPublicKey(keyPath(folder, 'report'));
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the report key cannot be read');
    return undefined;
  }
}

/** Milliseconds for one file of a settlement mirror. */
const MIRROR_MS = 5000;

interface PublisherParts {
  readonly rules: readonly Rule[];
  readonly address: Address;
  readonly places: NodePlaces;
  readonly settlements: SettlementFolder;
}

async function startPublisher(
  config: Config,
  environment: Environment,
  log: Logger,
  { rules, address, places, settlements }: PublisherParts,
): Promise<RunningNode> {
  const source = sourceOf(config, environment, log);
  const data = await dataOf(config, environment);
  return startNode({
    ledger: {
      store: data.store,
      guard: data.guard,
      signer: data.checkpoints,
      askHeads: askHeads(config, data.checkpoints, log),
    },
    blobs: data.blobs,
    anchor: {
      ...anchorWorld(config, environment, data.network),
      openBatch: new FileOpenBatch(dataFolder(config.data).stamps, (reason) =>
        log.warn({ reason }, 'the open batch cannot be read: its records go with the next'),
      ),
    },
    openings: data.openings,
    settlements,
    places,
    source,
    reportSigner: data.report,
    sha256: nodeSha256,
    now: systemClock,
    log,
    ...address,
    metrics: config.metrics,
    pollMs: config.poll_s * 1000,
    notice: null,
    limits: { degradedAfterS: config.degraded_after_s, haltedAfterS: config.halted_after_s },
    async prepare(ledger) {
      if (ledger.blocked !== undefined) return;
      for (const rule of rules) await enactRule(ledger, nodeSha256, rule);
    },
  });
}

/** The real sources, as the config asks them. */
export function sourceOf(config: Config, environment: Environment, log: Logger): Source {
  return httpSource({
    contact: config.contact,
    secrets: readSecrets(environment),
    now: systemClock,
    sleep: systemSleep,
    random: Math.random,
    limits: {
      totalMs: config.source_timeout_s * 1000,
      readMs: config.source_read_timeout_s * 1000,
      maxBytes: config.source_max_bytes,
      maxReadBytes: config.source_read_max_bytes,
    },
    onRetry: (retry) => log.warn(retry, 'a source is asked again'),
  });
}

/** The node's data, its keys unlocked with what the environment says. */
export function dataOf(config: Config, environment: Environment): Promise<OpenData> {
  const passphrase = environment['ASSAY_PASSPHRASE'];
  return openData(dataFolder(config.data), nodeSha256, {
    passphrase: passphrase === '' ? undefined : passphrase,
  });
}

/** Heads from the mirrors; where none is required, none of them reached is only told. */
export function askHeads(config: Config, signer: CheckpointSigner, log: Logger): AskHeads | null {
  if (config.mirrors.length === 0 && !config.mirrors_required) return null;
  const ask = mirrorHeads(config.mirrors, signer, fetchNote);
  if (config.mirrors_required) return ask;
  return async () => {
    try {
      return await ask();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'no mirror could be asked for its head');
      return [];
    }
  };
}
