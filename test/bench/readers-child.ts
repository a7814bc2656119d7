// The publisher of `readers.ts` in a process of its own: a log of claims that grows as it is told, and so many readers.
import { fileURLToPath } from 'node:url';
import { parseEntry } from '@assay/core/log/entry';
import { parseGenesis } from '@assay/core/kind/genesis';
import { Publication } from '@assay/node/api/publication';
import type { Quotas } from '@assay/node/http/limiter';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ReaderProcesses } from '@assay/node/readers/reader-processes';
import { startService } from '@assay/node/service';
import { EntryFrames } from '@assay/node/stream/entry-frames';
import { EventHub } from '@assay/node/stream/event-hub';
import { noteDraft } from './bench-ledger.ts';
import { claimsLog } from './claims-log.ts';

/** What the publisher is told: begin to publish so often a second, or stop and tell how often it did. */
export type PublisherOrder = { readonly publish: number } | { readonly stop: true };

export type PublisherWord =
  | { readonly port: number; readonly pids: readonly number[] }
  /** An entry is published, at milliseconds of the clock of the machine. */
  | { readonly seq: number; readonly at: number }
  | { readonly published: number; readonly seconds: number };

/** A load test is to measure answers, not refusals. */
const QUOTA: Quotas = { default: 1_000_000_000, log: 1_000_000_000 };
const HOST = '127.0.0.1';
const TOKEN = 'the-token-of-the-readers-of-the-benchmark';
const PROGRAM = fileURLToPath(import.meta.resolve('@assay/node/serve/reader-process'));

const count = Number(process.argv[2] ?? '0');
let publication: Publication | undefined;
const { ledger, blobs } = await claimsLog(0, () => publication);
publication = new Publication(ledger, nodeSha256);
const hub = new EventHub(new EntryFrames(ledger, nodeSha256));
const first = await ledger.entry(0);
if (first === undefined) throw new Error('a log without entries');
const vkey = parseGenesis(parseEntry(first).body, 'entry 0').checkpoint_vkey;
const service = await startService({
  record: ledger,
  publication,
  blobs,
  settlements: () => Promise.resolve(undefined),
  reportKey: undefined,
  places: { publicUrl: null, mirrorUrl: null },
  sha256: nodeSha256,
  now: () => Math.floor(Date.now() / 1000),
  inputs: [],
  notice: null,
  events: hub,
  readers: {
    host: HOST,
    port: 0,
    token: TOKEN,
    vkey,
    entries: (start, end) => ledger.entries(start, end),
    isAlone: count > 0,
  },
  metrics: undefined,
  log: makeLogger('silent'),
  address: { host: HOST, port: 0, transport: 'auto', server: {}, quotas: QUOTA },
});
const readers =
  count === 0
    ? undefined
    : new ReaderProcesses({
        count,
        program: PROGRAM,
        host: HOST,
        port: 0,
        settingOf: (_, port) => ({
          publisher: { url: `http://${HOST}:${service.readersPort}`, token: TOKEN },
          folder: null,
          vkey,
          host: HOST,
          port,
          transport: 'auto',
          server: {},
          quotas: QUOTA,
          logLevel: 'silent',
          pollMs: 1000,
        }),
        log: makeLogger('silent'),
      });
const port = (await readers?.open()) ?? service.port;
while (readers?.status.some(({ listens }) => !listens) === true) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const pids = readers?.status.map(({ pid }) => pid ?? 0) ?? [process.pid];

function say(word: PublisherWord): void {
  process.send?.(word);
}

let publishing: Promise<void> | undefined;
/** Publications a second; 0 to publish nothing. */
const asked = { rate: 0 };

/** Publishes an entry, and the next one when its time has come: never two at once, so that a busy process publishes less. */
async function publish(): Promise<void> {
  const began = performance.now();
  let done = 0;
  while (asked.rate > 0) {
    await ledger.write(() => [noteDraft()]);
    hub.published(ledger.nextSeq, new Set());
    publication?.changed(ledger.nextSeq, new Set(['notes']));
    say({ seq: ledger.nextSeq - 1, at: Number(process.hrtime.bigint()) / 1e6 });
    done += 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 / asked.rate));
  }
  say({ published: done, seconds: (performance.now() - began) / 1000 });
}

process.on('disconnect', () => {
  void readers?.stop().then(() => process.exit(0));
  if (readers === undefined) process.exit(0);
});
process.on('message', (order: PublisherOrder) => {
  asked.rate = 'publish' in order ? order.publish : 0;
  if (asked.rate > 0) publishing = (publishing ?? Promise.resolve()).then(publish);
});
say({ port, pids });
