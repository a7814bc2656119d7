// A recounter of a scenario's publisher: the process as it runs in production, over sample sources of its own and a
// clock that the scenario sets.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hashHex, leafHash, toHashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatNoteKey, NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { readClaimsSample } from '@assay/node/dev/site/claims-sample';
import { claimsSite, syntheticClaims } from '@assay/node/dev/site/claims-site';
import { developmentNetwork } from '@assay/node/dev/development-indices';
import { developmentHost } from '@assay/node/dev/development-rule';
import type { Site } from '@assay/node/dev/site/site';
import { SiteSource } from '@assay/node/dev/site/site-source';
import { NO_POLICIES } from '@assay/node/data/init';
import { makeLogger } from '@assay/node/production/logger';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { stat } from 'node:fs/promises';
import { initRecounter, openRecounter } from '@assay/node/recounter/recounter-data';
import { postTo } from '@assay/node/recounter/publisher-post';
import { startRecounter } from '@assay/node/recounter/recounter';
import { recounterFolder } from '@assay/node/recounter/recounter-folder';
import type { FollowedAddress } from '@assay/node/recounter/recounter-parts';
import type { RecounterData } from '@assay/node/recounter/recounter-data';
import { ROOT } from '../../src/core/fixture/fixture.ts';
import { serveScenario, shiftedClock } from './machine-program.ts';
import type {
  BeginRecounter,
  FromMachine,
  KnownLog,
  OpenRecounter,
  ToRecounter,
} from './messages.ts';

const SAMPLES = join(ROOT, 'samples');
const TIMEOUT_MS = 5000;
const POLL_MS = 100;
const log = makeLogger(process.env['SCENARIO_LOG'] ?? 'silent');

let data: RecounterData | undefined;

async function open({ data: root, origin }: OpenRecounter): Promise<FromMachine> {
  if ((await stat(recounterFolder(root).ledger).catch(() => undefined)) === undefined) {
    const choices = { origin, passphrase: undefined, policies: NO_POLICIES };
    await initRecounter(root, nodeSha256, shiftedClock, choices);
  }
  data = await openRecounter(root, nodeSha256, { passphrase: undefined });
  const first = (await data.store.entry(0)) ?? new Uint8Array();
  return {
    kind: 'opened',
    vkey: data.checkpoints.vkey,
    logId: hashHex(leafHash(nodeSha256, first)),
    key: formatHex(data.statement.publicKey),
    witnessVkey: formatNoteKey(nodeSha256, origin, data.witness.publicKey, NOTE_COSIGNATURE),
  };
}

const followed = ({ url, vkey, logId }: KnownLog): FollowedAddress => ({
  url,
  reader: httpLogReader(url, { timeoutMs: TIMEOUT_MS }),
  key: parseNoteKey(nodeSha256, vkey),
  logId: toHashHex(logId),
});

/** The sites of the network; of one who lies, with a thousand more in each week. */
async function sitesOf(lies: boolean): Promise<ReadonlyMap<string, Site>> {
  const { indices, sites } = await developmentNetwork(nodeSha256, ['LAYOFFS']);
  const rule = indices[0]?.rules.at(-1);
  if (!lies || rule === undefined) return sites;
  const vintages = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));
  const claims = syntheticClaims(vintages, rule);
  const more = claimsSite(
    (now) => claims(now).map((week) => ({ ...week, claims: week.claims + 1000 })),
    rule.release,
  );
  const hosts = ['oui.doleta.gov', 'web.archive.org'].map((host) =>
    developmentHost(host, 'synthetic'),
  );
  return new Map([...sites].map(([host, site]) => [host, hosts.includes(host) ? more : site]));
}

async function begin(told: BeginRecounter): Promise<FromMachine> {
  const sites = await sitesOf(told.lies);
  await startRecounter({
    data: data as RecounterData,
    name: 'scenario',
    publisher: {
      ...followed(told.publisher),
      post: postTo(told.publisher.url, TIMEOUT_MS * 3),
      witnesses: told.witnesses.map((key) => parseNoteKey(nodeSha256, key, NOTE_COSIGNATURE)),
    },
    peers: told.peers.map(followed),
    witness: true,
    askHeads: null,
    source: new SiteSource(sites, shiftedClock),
    now: shiftedClock,
    random: randomBytes,
    sha256: nodeSha256,
    log,
    metrics: false,
    pollMs: POLL_MS,
    notice: null,
    host: told.host,
    port: told.port,
    transport: 'auto',
    server: {},
    quotas: { default: 1_000_000, log: 1_000_000 },
  });
  return { kind: 'begun' };
}

serveScenario<ToRecounter>((message) => (message.kind === 'open' ? open(message) : begin(message)));
