// A publisher that only notes and stamps, over real HTTP, and is made to die:
//
//     anchor-worker.js FOLDER EPOCH RPC CALENDARS endless          until it is killed
//     anchor-worker.js FOLDER EPOCH RPC CALENDARS finish           until everything is in a block
//     anchor-worker.js FOLDER EPOCH RPC CALENDARS PLACE COUNT      dies at a place, the COUNTth time
//
// EPOCH is what both processes take for the start of their quick clock; CALENDARS are separated by
// commas. What it has acknowledged it tells on standard output.
import { randomBytes } from 'node:crypto';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { faultCode, messageOf } from '@assay/core/fault';
import { otsHashes } from '@assay/core/ots/hashes';
import { newestAnchor } from '@assay/core/view/anchors';
import { Anchoring } from '@assay/node/anchor/anchoring';
import { FileOpenBatch } from '@assay/node/anchor/open-batch';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { coreRpc } from '@assay/node/bitcoin/core-rpc';
import { HeaderFollower } from '@assay/node/bitcoin/header-follower';
import { dataFolder } from '@assay/node/platform/data-folder';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { bound, note } from '../src/node/ledger/ledger-fixture.ts';
import { anchorClock } from './anchor-clock.ts';
import { dyingAt, tell } from './place-to-die.ts';

const [, , folder = '', epoch = '0', rpc = '', list = '', place = '', count = '1'] = process.argv;
const calendars = list.split(',');

const around = dyingAt(place, Number(count));
const root = dataFolder(folder);
const now = anchorClock(Number(epoch));
const data = await openData(root, nodeSha256, { passphrase: undefined });
const store = bound(data.store);
let ledger: Ledger | undefined;
try {
  ledger = await Ledger.open({
    sha256: nodeSha256,
    store: {
      ...store,
      commit: (batch) =>
        batch.views.some(({ table }) => table === 'anchors')
          ? around('append', () => store.commit(batch))
          : store.commit(batch),
    },
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now,
    askHeads: null,
  });
  const log = ledger;
  const kept = new FileOpenBatch(root.stamps, (reason) => tell(`unreadable ${reason}`));
  const anchoring = new Anchoring(
    {
      ledger,
      blobs: { ...data.blobs, put: (bytes) => around('put', () => data.blobs.put(bytes)) },
      openBatch: {
        get: kept.get,
        set: (batch) => around(batch === undefined ? 'forget' : 'keep', () => kept.set(batch)),
      },
      calendars: new CalendarClient({
        fetch: (request) =>
          around(request.method === 'POST' ? 'submit' : 'ask', () => calendarFetch(request)),
        pool: calendars,
        attestors: calendars,
        timeoutMs: 5000,
        sha256: nodeSha256,
      }),
      headers: new HeaderFollower({
        network: DEVELOPMENT,
        sources: [coreRpc({ url: rpc, timeoutMs: 5000 })],
      }),
      network: DEVELOPMENT,
      sha256: nodeSha256,
      hashes: otsHashes(nodeSha256),
      now,
      elapsed: now,
      random: (length) => new Uint8Array(randomBytes(length)),
      timing: {
        required: 2,
        stampEveryS: 60,
        beaconEveryS: 3600,
        upgradeAfterS: 60,
        expireAfterS: 30 * 86_400,
        silentAfterS: 3600,
        staleAfterS: 6 * 3600,
      },
    },
    1000,
    {
      onStamped: (batch) => tell(`stamped ${batch}`),
      onUpgraded: (batch) => tell(`upgraded ${batch}`),
      onBeacon: (height) => tell(`beacon ${height}`),
      onError: (what, reason) => tell(`trouble ${what} ${reason}`),
      onCalendarFailed: (calendar, reason) => tell(`failed ${calendar} ${reason}`),
    },
  );
  tell('open');
  let size = log.nextSeq;
  const live = async (): Promise<void> => {
    for (const { seq, leaf } of await log.write(() => [note('something new')])) {
      tell(`ack ${seq} ${leaf}`);
      size = seq + 1;
    }
    await anchoring.poll();
    if (log.blocked !== undefined) throw log.blocked;
  };
  if (place === 'finish') await live();
  else for (;;) await live();
  while ((newestAnchor(log.tip)?.to ?? 0) < size || anchoring.progress.pending > 0) {
    await anchoring.poll();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await anchoring.stop();
  await log.close();
  tell('done');
} catch (error) {
  tell(`refused ${faultCode(error) ?? 'none'} ${messageOf(error)}`);
  process.exitCode = 3;
  await ledger?.close();
}
