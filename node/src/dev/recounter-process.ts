// A recounter of the demo in its own process:
//
//     recounter-process.js SETTING
//
// SETTING is a `RecounterSetting`. The demo that started it sends it messages, and it ends when the demo does.
import { randomBytes } from 'node:crypto';
import { messageOf } from '@assay/core/fault';
import { type HashHex, hashHex, leafHash, toHashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { parseNoteKey } from '@assay/core/log/note';
import { NO_POLICIES } from '../data/init.ts';
import { makeLogger } from '../production/logger.ts';
import { httpLogReader } from '../mirror/http-log-reader.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { hasData } from '../data/open-data.ts';
import { initRecounter, openRecounter } from '../recounter/recounter-data.ts';
import { postTo } from '../recounter/publisher-post.ts';
import { recounterFolder } from '../recounter/recounter-folder.ts';
import { startRecounter } from '../recounter/recounter.ts';
import type { FollowedAddress, RunningRecounter } from '../recounter/recounter-parts.ts';
import { machineMs, readClockFile } from './clock-file.ts';
import { developmentNetwork } from './development-indices.ts';
import type {
  FromRecounter,
  RecounterSetting,
  PublisherAddress,
  ToRecounter,
} from './recounter-messages.ts';
import { SiteSource } from './site/site-source.ts';

/** Milliseconds of real time for a request to others on the same machine. */
const TIMEOUT_MS = 10_000;
/** Milliseconds after which a process that was asked to end is ended by force. */
const END_MS = 5000;

/** An address at which nobody listens: port 0. */
const NOWHERE = 'http://127.0.0.1:0';
/** Seconds of a round of the scrub. */
const SCRUB_S = 86_400;

const setting = JSON.parse(process.argv[2] ?? 'null') as RecounterSetting;
const log = makeLogger(setting.logLevel);
const now = readClockFile(setting.clock, machineMs);
/** Where the other recounters are, by name. */
const addresses = new Map<string, string>();
let recounter: RunningRecounter | undefined;
let ending = false;

const tell = (message: FromRecounter): void => {
  if (process.connected) process.send?.(message);
};

/** Ends the process, in order unless that takes too long. */
function end(): void {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(1), END_MS).unref();
  void (recounter?.close() ?? Promise.resolve()).finally(() => process.exit(0));
}

// A Ctrl-C goes to every process of the terminal, but the demo decides when to end.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.on('SIGTERM', end);
process.on('disconnect', end);

const { data: root, origin } = setting;
if (!(await hasData(recounterFolder(root)))) {
  const choices = { origin, passphrase: undefined, policies: NO_POLICIES };
  await initRecounter(root, nodeSha256, now, choices);
}
const data = await openRecounter(root, nodeSha256, { passphrase: undefined, sync: false });
const { sites } = await developmentNetwork(nodeSha256, setting.indices ?? undefined);

/** The id of its own log: the leaf hash of entry 0. */
async function logId(): Promise<HashHex> {
  const first = await data.store.entry(0);
  if (first === undefined) throw new TypeError('recounter: a log without genesis');
  return hashHex(leafHash(nodeSha256, first));
}

async function begin({
  publisher,
  peers,
  host,
  port,
}: Extract<ToRecounter, { kind: 'begin' }>): Promise<void> {
  const followed = (
    name: string,
    url: () => string,
    { vkey, logId: id }: Pick<PublisherAddress, 'vkey' | 'logId'>,
  ): FollowedAddress => ({
    url: name,
    reader: {
      get: (path, maxBytes, signal) =>
        httpLogReader(url(), { timeoutMs: TIMEOUT_MS }).get(path, maxBytes, signal),
    },
    key: parseNoteKey(nodeSha256, vkey),
    logId: toHashHex(id),
  });
  recounter = await startRecounter({
    data,
    name: setting.name,
    publisher: {
      ...followed(publisher.url, () => publisher.url, publisher),
      post: postTo(publisher.url, TIMEOUT_MS),
      witnesses: [],
    },
    peers: peers.map((peer) =>
      // Known by its name, because its port changes with each start.
      followed(peer.name, () => addresses.get(peer.name) ?? NOWHERE, peer),
    ),
    witness: true,
    everyDay: false,
    askHeads: null,
    source: new SiteSource(sites, now),
    now,
    random: randomBytes,
    sha256: nodeSha256,
    log,
    metrics: true,
    scrub: { roundS: SCRUB_S },
    pollMs: null,
    notice: 'Development network: the clock is simulated. Nothing here may be settled on.',
    host,
    port,
    transport: 'auto',
    server: {},
    quotas: { default: setting.requestsPerMinute, log: setting.requestsPerMinute },
  });
  tell({ kind: 'begun', port: recounter.port, witnessVkey: recounter.witnessVkey });
}

async function receive(message: ToRecounter): Promise<void> {
  switch (message.kind) {
    case 'begin':
      return begin(message);
    case 'peer':
      addresses.set(message.name, message.url);
      return;
    case 'follow':
      if (recounter !== undefined) tell({ kind: 'followed', looked: await recounter.follow() });
      return;
    case 'close':
      end();
  }
}

process.on('message', (message) => {
  receive(message as ToRecounter).catch((error: unknown) => {
    tell({ kind: 'failed', reason: messageOf(error) });
    end();
  });
});

tell({
  kind: 'opened',
  key: formatHex(data.statement.publicKey),
  vkey: data.checkpoints.vkey,
  logId: await logId(),
});
