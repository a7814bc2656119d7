import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Fault, messageOf } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { networkOf } from '@assay/core/network';
import { NOTE_COSIGNATURE, type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { systemClock } from '../platform/clock.ts';
import type { Environment } from '../production/config.ts';
import { trustedProxies } from '../http/address.ts';
import { configuredGathering } from '../witness/client/configured-gathering.ts';
import { fetchNote, headsElsewhere } from '../witness/client/mirror-heads.ts';
import { httpLogReader } from '../mirror/http-log-reader.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { sourceOf } from '../production/production.ts';
import { metricsAddress } from '../metrics-listener.ts';
import { scrubFile } from '../scrub/scrub-memory.ts';
import { AddressGuard } from '../source/address-guard.ts';
import { SourceHosts } from '../source/source-hosts.ts';
import { openRecounter } from './recounter-data.ts';
import { postTo } from './publisher-post.ts';
import { startRecounter } from './recounter.ts';
import type { FollowedConfig, RecounterConfig } from './recounter-config.ts';
import { recounterFolder } from './recounter-folder.ts';
import type { FollowedAddress, RunningRecounter } from './recounter-parts.ts';

/**
 * Starts the recounter that a configuration describes, with the real clock and the real sources. Throws
 * `bad_config` and what opening throws.
 */
export async function startRecounterFromConfig(
  config: RecounterConfig,
  environment: Environment,
  log: Logger,
): Promise<RunningRecounter> {
  const publisher = followed(config.publisher, 'publisher');
  const witnesses = config.publisher.witnesses.map((text, i) =>
    readKey(text, NOTE_COSIGNATURE, `publisher.witnesses.${i}`),
  );
  const peers = config.peers.map((peer, i) => followed(peer, `peers.${i}`));
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const data = await openRecounter(config.data, nodeSha256, {
    passphrase: passphrase === '' ? undefined : passphrase,
  });
  try {
    const gathering = configuredGathering(
      config.witnesses,
      data,
      recounterFolder(config.data).shown,
      systemClock,
    );
    const hosts = new SourceHosts(config.source_hosts, config.secrets);
    // The key's name determines the network, and the operator has it from elsewhere than the log.
    const addresses = new AddressGuard({
      network: networkOf(publisher.key.name),
      privateHosts: config.private_hosts,
    });
    return await startRecounter({
      data,
      name: config.name,
      publisher: { ...publisher, post: postTo(publisher.url), witnesses },
      peers,
      witness: config.witness,
      ...(gathering === undefined ? {} : { witnesses: gathering }),
      askHeads: headsElsewhere({
        mirrors: config.mirrors,
        mirrorsRequired: config.mirrors_required,
        witnesses: config.witnesses,
        required: data.policies.witnesses_required > 0,
        signer: data.checkpoints,
        fetchNote,
        onSilent: (reason) => log.warn({ reason }, 'no head of the log from there'),
      }),
      source: sourceOf(config, environment, log, { hosts, addresses }),
      sourceHosts: hosts,
      sourceAddresses: addresses,
      copyLimits: { entries: config.copy_max_entries, bytes: config.copy_max_bytes },
      now: systemClock,
      random: randomBytes,
      sha256: nodeSha256,
      log,
      metrics: config.metrics,
      metricsAt: metricsAddress(config),
      scrub: {
        roundS: config.scrub_round_s,
        memory: scrubFile(recounterFolder(config.data).scrub),
      },
      pollMs: config.poll_s * 1000,
      notice: null,
      host: config.host,
      port: config.port,
      transport: config.transport,
      server: { trustedProxies: trustedProxies(config.trusted_proxies) },
      quotas: { default: config.requests_per_minute, log: config.log_requests_per_minute },
    });
  } catch (error) {
    await data.close();
    throw error;
  }
}

function followed(
  { url, checkpoint_vkey: vkey, log_id }: FollowedConfig,
  at: string,
): FollowedAddress {
  return {
    url,
    reader: httpLogReader(url),
    key: readKey(vkey, undefined, `${at}.checkpoint_vkey`),
    logId: log_id === null ? null : toHashHex(log_id),
  };
}

function readKey(text: string, type: typeof NOTE_COSIGNATURE | undefined, at: string): NoteKey {
  try {
    return parseNoteKey(nodeSha256, text, type);
  } catch (cause) {
    const expected = `name+keyid+base64 of a key of type 0x0${type ?? 1}`;
    throw new Fault('bad_config', 'config', { at, expected, found: messageOf(cause), cause });
  }
}
