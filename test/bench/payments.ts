// What a paid read costs beside a free one of the same bytes, and what of it is the settlement.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { whole } from '@assay/node/http/reply';
import type { ApiRequest } from '@assay/node/http/request';
import { Exposure } from '@assay/node/payment/exposure';
import type { Facilitator } from '@assay/node/payment/facilitator';
import { KeyedLock } from '@assay/node/payment/record/keyed-lock';
import type { PaidResource } from '@assay/node/payment/paid-resource';
import { httpPaymentReader, loadTransferFormat } from '@assay/node/payment/payment-chain';
import { PaymentEngine } from '@assay/node/payment/payment-engine';
import { PaymentResolver } from '@assay/node/payment/payment-resolver';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { httpFacilitator } from '@assay/node/payment/x402-facilitator';
import { loadX402Wire } from '@assay/node/payment/x402-wire';
import { SKIP } from '../src/chain/development/world.ts';
import { openPaidChain, type PaidChain } from '../src/node/payment/fixture/paid-chain.ts';
import { ed25519Key, requestOf } from '../src/node/payment/fixture/payment-world.ts';
import {
  contest,
  type Contestant,
  type ContestOptions,
  median,
  rateOf,
  ratioOf,
} from './contest.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const FREE = 'free';
const PAID = 'paid';
/** The bytes of the answer. */
const BODY = Buffer.from(JSON.stringify({ points: randomBytes(15_000).toString('base64') }));
/** New purchases, each settled on the development chain. */
const PURCHASES = 40;

const RESOURCE: PaidResource = {
  path: '/board/at',
  operation: { summary: 'The board as it was' } as PaidResource['operation'],
  check: () => Promise.resolve(undefined),
  prepare: () =>
    Promise.resolve({
      kind: 'paid',
      body: BODY,
      contentType: 'application/json; charset=utf-8',
      leafHash: null,
      seq: null,
    }),
  sample: () => whole('application/json', '{}'),
};

/** A paid read beside a free one, in this process, and the settlement of new ones over HTTP. */
export async function paymentRows(options: ContestOptions): Promise<readonly Row[]> {
  const what = 'Paid reads';
  if (SKIP !== false) return [{ what, peer: 'free reads', skipped: SKIP }];
  const folder = await temporaryFolder('payments');
  const chain = await openPaidChain();
  try {
    const times = { settle: [] as number[], whole: [] as number[] };
    const { engine, store } = await openShop(chain, join(folder, 'payments'), times.settle);
    const headers: string[] = [];
    for (let i = 0; i < PURCHASES; i += 1) {
      const unpaid = await engine.answer(RESOURCE, requestOf('/board/at', undefined));
      const body = 'body' in unpaid ? Buffer.from(unpaid.body).toString() : '{}';
      const header = await chain.sign(JSON.parse(body), `bench-purchase-${i}`.padEnd(20, '0'));
      const from = performance.now();
      const paid = await engine.answer(RESOURCE, requestOf('/board/at', header));
      times.whole.push(performance.now() - from);
      if (paid.status !== 200) throw new Error(`not paid: ${paid.status}`);
      headers.push(header);
    }
    const results = await contest([readsOf(FREE, []), readsOf(PAID, headers, engine)], options);
    await store.close();
    const settle = median(times.settle);
    const all = median(times.whole);
    return [
      {
        what: 'Paid reads of 20 KB: the payment checked, and answered from its record',
        unit: 'ms',
        ours: 1000 / rateOf(results, PAID),
        peer: 'free reads of the same bytes, in the same process and without HTTP',
        theirs: 1000 / rateOf(results, FREE),
        ratio: 1 / ratioOf(results, PAID, FREE),
        goal: null,
      },
      {
        what: 'A new paid read without its settlement: verified by the facilitator, its answer and its record synced, seen on the chain',
        unit: 'ms',
        ours: all - settle,
        peer: 'its settlement on the development chain',
        theirs: settle,
        ratio: (all - settle) / settle,
        goal: null,
      },
    ];
  } finally {
    await chain.close();
    await removeFolder(folder);
  }
}

async function openShop(
  chain: PaidChain,
  folder: string,
  settles: number[],
): Promise<{ readonly engine: PaymentEngine; readonly store: PaymentStore }> {
  const store = await PaymentStore.at(folder);
  const parts = {
    store,
    reader: await httpPaymentReader(chain.started.rpc, 5000),
    format: await loadTransferFormat(),
    wire: await loadX402Wire(),
    key: ed25519Key('did:web:tier.example#x402'),
    exposure: new Exposure(0n),
    nowMs: Date.now,
  };
  const elapsed = (): number => performance.now() / 1000;
  const inner = await httpFacilitator({ url: chain.facilitatorUrl, timeoutMs: 20_000, elapsed });
  const facilitator: Facilitator = {
    feePayer: (network) => inner.feePayer(network),
    verify: (payload, terms) => inner.verify(payload, terms),
    async settle(payload, terms) {
      const from = performance.now();
      const settlement = await inner.settle(payload, terms);
      settles.push(performance.now() - from);
      return settlement;
    },
  };
  const ignore = (): void => undefined;
  const engine = new PaymentEngine(
    {
      ...parts,
      terms: { ...chain.terms, origin: 'https://tier.example', prices: { '/board/at': '10000' } },
      facilitator,
      resolver: new PaymentResolver({ ...parts, network: null }),
      confirmMs: 2000,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      log: { info: ignore, warn: ignore, error: ignore },
    },
    new KeyedLock(),
  );
  return { engine, store };
}

/** Reads one after the other: with payments in turn, or, without an engine, what a route without a price would answer. */
function readsOf(name: string, headers: readonly string[], engine?: PaymentEngine): Contestant {
  const free = async (request: ApiRequest): Promise<{ readonly status: number }> => {
    const answer = await RESOURCE.prepare(request);
    if (!('contentType' in answer)) return answer;
    return whole(answer.contentType, answer.body, { cacheControl: 'private, no-store' });
  };
  return {
    name,
    async run(ms) {
      const until = performance.now() + ms;
      const from = performance.now();
      let count = 0;
      while (performance.now() < until) {
        const request = requestOf('/board/at', headers[count % Math.max(1, headers.length)]);
        const { status } = await (engine?.answer(RESOURCE, request) ?? free(request));
        if (status !== 200) throw new Error(`${name}: ${status}`);
        count += 1;
      }
      return (count / (performance.now() - from)) * 1000;
    },
    close: () => Promise.resolve(),
  };
}
