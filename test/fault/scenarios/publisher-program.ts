// A publisher of LAYOFFS on a machine of a scenario: the node as it runs in production, over sample sources and a
// clock that the scenario sets.
import { createServer, request } from 'node:http';
import { formatHex } from '@assay/core/bytes/hex';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { dataFolder } from '@assay/node/platform/data-folder';
import { developmentNetwork } from '@assay/node/dev/development-indices';
import { SiteSource } from '@assay/node/dev/site/site-source';
import { initData } from '@assay/node/data/init';
import { headsElsewhere } from '@assay/node/witness/client/mirror-heads';
import { fetchNote } from '@assay/node/witness/client/mirror-heads';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { startNode } from '@assay/node/node';
import { hasData, type OpenData, openData } from '@assay/node/data/open-data';
import { RECEPTION_LIMITS } from '@assay/node/cosign/reception-limits';
import { enactCosigners } from '@assay/node/cosign/enact-cosigners';
import { enactRule } from '@assay/node/rule/rule-file';
import { SettlementFolder } from '@assay/node/day/settlement-mirror';
import { Gathering } from '@assay/node/witness/client/gathering';
import { readWitnesses, witnessFetch } from '@assay/node/witness/client/witness-client';
import { NO_ANCHORING } from '../../src/node/fixture/no-anchoring.ts';
import { serveScenario, shiftedClock } from './machine-program.ts';
import type { BeginPublisher, FromMachine, OpenPublisher, ToPublisher } from './messages.ts';

const INDEX = 'LAYOFFS';
const POLL_MS = 100;
const PLENTY = { default: 1_000_000, log: 1_000_000 };
const log = makeLogger(process.env['SCENARIO_LOG'] ?? 'silent');

let data: OpenData | undefined;
let root = '';

async function open(told: OpenPublisher): Promise<FromMachine> {
  root = told.data;
  const folder = dataFolder(root);
  if (!(await hasData(folder))) {
    await initData(folder, nodeSha256, shiftedClock, {
      origin: told.origin,
      passphrase: undefined,
      policies: {
        cosigners_required: 2,
        witnesses_required: told.witnessesRequired,
        witness_max_age_s: 3600,
      },
    });
  }
  data = await openData(folder, nodeSha256, { passphrase: undefined });
  const first = (await data.store.entry(0)) ?? new Uint8Array();
  return {
    kind: 'opened',
    vkey: data.checkpoints.vkey,
    logId: hashHex(leafHash(nodeSha256, first)),
    key: formatHex(data.report.publicKey),
    witnessVkey: null,
  };
}

async function begin(told: BeginPublisher): Promise<FromMachine> {
  const { store, guard, signed, checkpoints, blobs, openings, report, policies } = data as OpenData;
  const { indices, sites } = await developmentNetwork(nodeSha256, [INDEX]);
  const { witnesses } = told;
  const required = policies.witnesses_required;
  await startNode({
    ledger: {
      store,
      guard,
      signed,
      signer: checkpoints,
      askHeads: headsElsewhere({
        mirrors: [],
        mirrorsRequired: false,
        witnesses,
        required: required > 0,
        signer: checkpoints,
        fetchNote,
        onSilent: () => undefined,
      }),
    },
    ...(witnesses.length === 0
      ? {}
      : {
          witnesses: new Gathering({
            witnesses: readWitnesses(nodeSha256, witnesses, checkpoints.vkey),
            required,
            maxAgeS: policies.witness_max_age_s,
            fetch: witnessFetch,
            now: shiftedClock,
            timing: { everyMs: 500 },
            shownNote: dataFolder(root).shown,
          }),
        }),
    blobs,
    openings,
    ...NO_ANCHORING,
    reception: { ...RECEPTION_LIMITS, publishMs: 2000 },
    settlements: new SettlementFolder(dataFolder(root).mirror),
    places: { publicUrl: null, mirrorUrl: null },
    source: new SiteSource(sites, shiftedClock),
    reportSigner: report,
    sha256: nodeSha256,
    now: shiftedClock,
    log,
    host: told.host,
    port: told.port,
    transport: 'auto',
    quotas: PLENTY,
    server: {},
    metrics: false,
    pollMs: POLL_MS,
    notice: null,
    limits: { degradedAfterS: 7200, haltedAfterS: 7 * 86_400 },
    async prepare(ledger) {
      if (ledger.blocked !== undefined) return;
      for (const rule of indices.flatMap(({ rules }) => rules)) {
        await enactRule(ledger, nodeSha256, rule);
      }
      const cosigners = [...told.cosigners].sort((a, b) => (a.key < b.key ? -1 : 1));
      await enactCosigners(ledger, nodeSha256, { number: 0, threshold: 2, cosigners });
    },
  });
  if (told.hidingPort !== null) await hideDissents(told, told.hidingPort);
  return { kind: 'begun' };
}

/** A front that passes everything on, but loses dissents: it says that they are welcome and will be taken later. */
async function hideDissents({ host, port }: BeginPublisher, front: number): Promise<void> {
  const server = createServer((incoming, answer) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      if (incoming.method === 'POST' && body.includes('"verdict":"dissent"')) {
        answer.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      const { url, method, headers } = incoming;
      const onward = request({ host, port, path: url, method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(front, host, listening));
}

serveScenario<ToPublisher>((message) => (message.kind === 'open' ? open(message) : begin(message)));
