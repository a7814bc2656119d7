// Payments while the shop and the facilitator are killed at random: the sum of what was charged is the sum of what was served.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Exposure } from '@assay/node/payment/exposure';
import { KeyedLock } from '@assay/node/payment/record/keyed-lock';
import { httpPaymentReader, loadTransferFormat } from '@assay/node/payment/payment-chain';
import { ledgerReport } from '@assay/node/payment/payment-ledger';
import { PaymentResolver } from '@assay/node/payment/payment-resolver';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { Reconciliation } from '@assay/node/payment/reconciliation';
import { loadX402Wire } from '@assay/node/payment/x402-wire';
import { tokenAccountOf } from '@assay/chain/payment/signed-transfer';
import { SKIP, TOKEN } from '../src/chain/development/world.ts';
import { openPaidChain, type PaidChain } from '../src/node/payment/fixture/paid-chain.ts';
import { ed25519Key } from '../src/node/payment/fixture/payment-world.ts';
import { LONG } from './told.ts';

const WORKER = fileURLToPath(new URL('./payment-worker.js', import.meta.url));
const PAYMENTS = LONG ? 500 : 60;
const KILLS = LONG ? 100 : 15;
const BUYERS = 4;
const PRICE = 10_000n;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** A process that is started again whenever it was killed. */
class Mortal {
  kills = 0;
  /** Resolves when it works. */
  ready: Promise<unknown> = Promise.resolve();
  #child: ChildProcess | undefined;
  #isEnded = false;
  readonly #args: readonly string[];

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  start(): void {
    const child = spawn(process.execPath, [WORKER, ...this.#args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    child.once('exit', () => {
      if (!this.#isEnded) this.start();
    });
    this.ready = once(child.stdout, 'data');
  }

  /** Kills it some time after it began to work. */
  async kill(): Promise<void> {
    await this.ready;
    await sleep(Math.random() * 1500);
    this.kills += 1;
    const child = this.#child;
    if (child === undefined || this.#isEnded) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** Buys one answer and asks for it again, whatever happens. Returns the bytes that it got, which are the same each time. */
async function buy(chain: PaidChain, base: string, name: string): Promise<string> {
  const address = `${base}/board/at?ts=${name}`;
  const identifier = `purchase-${name}-0123456789`;
  const headers: string[] = [];
  let body: string | undefined;
  for (let got = 0; got < 2;) {
    try {
      // The first signature, or another one: the buyer has lost it, or is in two places.
      const isNew = headers.length === 0 || Math.random() < 0.1;
      if (isNew) {
        const unpaid = await fetch(address);
        if (unpaid.status !== 402) {
          await sleep(50);
          continue;
        }
        headers.push(await chain.sign(await unpaid.json(), identifier));
      }
      const header = (isNew ? headers.at(-1) : headers[0]) as string;
      const paid = await fetch(address, {
        headers: { 'payment-signature': header },
        signal: AbortSignal.timeout(Math.random() < 0.05 ? 20 : 5000),
      });
      const text = await paid.text();
      if (paid.status === 200) {
        assert.equal(text, body ?? text, 'a repeat has the same bytes');
        body = text;
        got += 1;
      } else assert.ok([402, 503].includes(paid.status), `${paid.status} ${text}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    await sleep(20 + Math.random() * 80);
  }
  return body ?? '';
}

async function reconciled(
  t: TestContext,
  chain: PaidChain,
  folder: string,
  payments: number,
): Promise<void> {
  const store = await PaymentStore.at(folder);
  t.after(() => store.close());
  const reader = await httpPaymentReader(chain.started.rpc, 5000);
  const ignore = (): void => undefined;
  const resolver = new PaymentResolver({
    store,
    reader,
    format: await loadTransferFormat(),
    wire: await loadX402Wire(),
    key: ed25519Key('did:web:tier.example#x402'),
    exposure: new Exposure(0n),
    network: null,
    nowMs: Date.now,
  });
  const reconciliation = new Reconciliation({
    store,
    resolver,
    seller: { concern: () => Promise.resolve(undefined) },
    lock: new KeyedLock(),
    everyMs: 1000,
    keptMs: 1_000_000,
    nowMs: Date.now,
    log: { info: ignore, warn: ignore, error: ignore },
  });
  await reconciliation.round();
  await reconciliation.round();
  const account = await tokenAccountOf(chain.seller, chain.terms.asset, TOKEN);
  const report = await ledgerReport(store.all(), reader.incoming(account, 0));
  assert.deepEqual(report.differences, []);
  assert.deepEqual(report.foreign, []);
  assert.equal(report.states.final.count, payments);
  assert.equal(report.received, String(PRICE * BigInt(payments)));
  assert.equal(report.due, report.received);
  assert.equal(report.states.lost.count, 0);
}

test(
  `payments: ${PAYMENTS} of them under kills of the shop and of the facilitator`,
  { skip: SKIP },
  async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'assay-payment-'));
    t.after(() => rm(root, { recursive: true, force: true }));
    const chain = await openPaidChain({ facilitator: false });
    t.after(() => chain.close());
    const [shopPort, facilitatorPort] = [await freePort(), await freePort()];
    const { rpc } = chain.started;
    const facilitator = new Mortal(['facilitator', String(facilitatorPort), rpc]);
    const url = `http://127.0.0.1:${facilitatorPort}`;
    const shop = new Mortal(['shop', root, String(shopPort), rpc, url, chain.seller]);
    const mortals = [shop, facilitator];
    t.after(() => Promise.all(mortals.map((each) => each.end())));
    for (const each of mortals) each.start();
    await Promise.all(mortals.map(({ ready }) => ready));
    const before = chain.balance(chain.buyer.address);
    let begun = 0;
    const answers: string[] = [];
    const done = new AbortController();
    const killing = (async (): Promise<void> => {
      while (!done.signal.aborted) {
        await mortals[Math.random() < 0.6 ? 0 : 1]?.kill();
        // Something has to be sold between two kills, or on a slow machine nothing ever is.
        const sold = answers.length;
        for (let i = 0; i < 100 && answers.length === sold && !done.signal.aborted; i += 1) {
          await sleep(50);
        }
      }
    })();
    await Promise.all(
      Array.from({ length: BUYERS }, async () => {
        // On a fast machine there are more payments than that, until there were enough kills.
        while (begun < PAYMENTS || shop.kills + facilitator.kills < KILLS) {
          begun += 1;
          answers.push(await buy(chain, `http://127.0.0.1:${shopPort}`, `p${begun}`));
        }
      }),
    );
    done.abort();
    await killing;
    await Promise.all(mortals.map((each) => each.end()));
    t.diagnostic(
      `${begun} payments, ${shop.kills} kills of the shop, ${facilitator.kills} of the facilitator`,
    );
    assert.equal(new Set(answers).size, begun, 'every purchase has its own answer');
    const charged = before - chain.balance(chain.buyer.address);
    assert.equal(charged, PRICE * BigInt(begun), 'what was charged is what was served');
    assert.equal(chain.balance(chain.seller), charged);
    assert.ok(shop.kills + facilitator.kills >= KILLS);
    await reconciled(t, chain, join(root, 'payments'), begun);
  },
);
