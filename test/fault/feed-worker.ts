// A publisher whose finals go on chain, over real HTTP, and is made to die:
//
//     feed-worker.js FOLDER EPOCH RPC endless          until it is killed
//     feed-worker.js FOLDER EPOCH RPC finish           until everything stands
//     feed-worker.js FOLDER EPOCH RPC PLACE COUNT      dies at a place, the COUNTth time
//
// EPOCH is what both processes take for the start of their quick clock. What stands it tells on standard
// output.
import { setTimeout as sleep } from 'node:timers/promises';
import { httpRpc } from '@assay/chain/client/rpc';
import { SENDER_LIMITS } from '@assay/chain/client/sender';
import { faultCode, messageOf } from '@assay/core/fault';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, formatTime, parseDate, toDate } from '@assay/core/time/time';
import { cosignersAt } from '@assay/core/view/cosigner-sets';
import { dueBack } from '@assay/core/view/onchain';
import { ruleVersions } from '@assay/core/view/rules';
import { processClock } from '@assay/node/platform/clock';
import { dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { FEED_LIMITS } from '@assay/node/feed/feed-parts';
import { Feeds } from '@assay/node/feed/feeds';
import { FileOutgoing } from '@assay/node/feed/outgoing';
import { openKey } from '@assay/node/key/keystore';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { cosignerSet, cosignOf, HANDS } from '../src/core/fixture/cosigner-fixture.ts';
import { layoffsRule, sampleReport } from '../src/core/fixture/fixture.ts';
import { bound } from '../src/node/ledger/ledger-fixture.ts';
import { anchorClock } from './anchor-clock.ts';
import { dyingAt, tell } from './place-to-die.ts';

const [, , folder = '', epoch = '0', rpc = '', place = '', count = '1'] = process.argv;
const TICKER = 'LAYOFFS' as Ticker;
const NEWEST = parseDate(toDate('2026-07-25'));

const around = dyingAt(place, Number(count));
const root = dataFolder(folder);
const now = anchorClock(Number(epoch));
const data = await openData(root, nodeSha256, { passphrase: undefined });
const store = bound(data.store);
let ledger: Ledger | undefined;
try {
  const log = await Ledger.open({
    sha256: nodeSha256,
    store: {
      ...store,
      commit: (batch) =>
        batch.views.some(({ table }) => table === 'onchain')
          ? around('append', () => store.commit(batch))
          : store.commit(batch),
    },
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now,
    askHeads: null,
  });
  ledger = log;
  const kept = new FileOutgoing(root.outgoing);
  let out = 0;
  const feeds = new Feeds(
    {
      ledger,
      rpc: httpRpc(rpc, { timeoutMs: 5000 }),
      payer: await openKey(keyPath(root, 'payer')),
      publisher: data.report,
      outgoing: {
        get: kept.get,
        set: (outgoing) => {
          const name = outgoing.out.length > out ? 'keep' : 'forget';
          out = outgoing.out.length;
          return around(name, () => kept.set(outgoing));
        },
      },
      sha256: nodeSha256,
      now,
      elapsed: processClock,
      // Between sending and looking: the transaction is out.
      sleep: (ms) => around('out', () => sleep(ms)),
      limits: {
        ...FEED_LIMITS,
        gatherS: 0,
        dailyLamports: 100_000_000_000n,
        sender: { ...SENDER_LIMITS, pollMs: 5, resendSeconds: 0.05, patienceSeconds: 5 },
      },
    },
    1000,
    {
      onPosted: (_of, _ticker, period, transaction) => tell(`posted ${period} ${transaction}`),
      onSpent: () => undefined,
      onError: (what, reason) => tell(`trouble ${what} ${reason}`),
    },
  );
  tell('open');
  const append = async (kind: string, body: object): Promise<void> => {
    await log.write(() => [{ kind, body } as never]);
  };
  if (ruleVersions(log.tip, TICKER).length === 0) {
    await append('rule/1', { rule: layoffsRule({ applies_from: '2015-01-03' }) });
  }
  if (cosignersAt(log.tip, now()) === undefined) await append('cosigners/1', cosignerSet());

  const publish = async (): Promise<void> => {
    const written = [...dueBack(log.tip)].length;
    const [rule] = ruleVersions(log.tip, TICKER);
    const set = cosignersAt(log.tip, now());
    const report = sampleReport('final', {
      log: log.log,
      period: formatDate(NEWEST - 7 * written),
      rule: { hash: rule?.hash, version: 1 },
      cosigners: { set: set?.hash, required: set?.threshold },
      published_at: formatTime(now()),
      supersedes: null,
    });
    const message = formatPrint(printOf(nodeSha256, report));
    const signature = formatHex(await data.report.sign(message, { of: 'print', report }));
    const seq = log.nextSeq;
    const agreements = HANDS.slice(0, 2).map((hand) => ({
      kind: 'cosign/1' as const,
      body: cosignOf(report, hand, {
        entry: { seq, leaf: hashHex(leafHash(nodeSha256, message)) },
        head: { size: seq + 1, root: hashHex(leafHash(nodeSha256, message)) },
        set: set?.hash,
        signed_at: formatTime(now()),
      }),
    }));
    await log.write(() => [{ kind: 'report/1', body: { report, signature } }, ...agreements]);
    tell(`report ${report.period}`);
  };
  if (place === 'finish') {
    await publish();
    await feeds.poll();
    while (feeds.progress.waiting > 0) {
      await sleep(50);
      await feeds.poll();
    }
    await feeds.poll();
    for (const { reason } of feeds.concerns()) tell(`concern ${reason}`);
    await feeds.stop();
    await log.close();
    tell('done');
  } else {
    for (;;) {
      await publish();
      await feeds.poll();
      if (log.blocked !== undefined) throw log.blocked;
    }
  }
} catch (error) {
  tell(`refused ${faultCode(error) ?? 'none'} ${messageOf(error)}`);
  process.exitCode = 3;
  await ledger?.close();
}
