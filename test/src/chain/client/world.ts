import assert from 'node:assert/strict';
import { feedAddress } from '@assay/chain/addresses';
import { FeedClient } from '@assay/chain/client/feed-client';
import { keySigner } from '@assay/chain/client/key-signer';
import type { ChainRpc } from '@assay/chain/client/rpc';
import {
  type Paid,
  SENDER_LIMITS,
  Sender,
  type SenderLimits,
  type SenderParts,
} from '@assay/chain/client/sender';
import type { DevelopmentChain } from '@assay/chain/development/development-chain';
import { openDevelopmentChain } from '@assay/chain/development/development-chain';
import { kitRpc } from '@assay/chain/development/kit-transport';
import type { KeySignature } from '@assay/chain/ed25519-instruction';
import type { FeedParameters } from '@assay/chain/instructions';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { formatPrint, type Print, seriesId } from '@assay/core/report/print';
import { formatHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import type { Address, TransactionSigner } from '@solana/kit';
import { sha256 } from '../../core/fixture/fixture.ts';
import { commitmentTo, hashOf, type Party, partyOf } from '../fixture/party.ts';
import { NOW, PERIOD, PROGRAM, PROGRAM_BYTES } from '../fixture/world.ts';

export { NOW, PERIOD, PROGRAM };

export const TICKER = 'LAYOFFS' as Ticker;

/** Quick: what it waits for is the clock of the test. */
export const LIMITS: SenderLimits = {
  ...SENDER_LIMITS,
  pollMs: 1000,
  resendSeconds: 3,
  patienceSeconds: 200,
  tries: 2,
  rereads: 3,
};

/** A clock that goes where it is told, and in which every sleep takes its time. */
export class TestTime {
  seconds = Number(NOW);
  readonly now = (): number => this.seconds;
  readonly sleep: SenderParts['sleep'] = async (ms, signal) => {
    this.seconds += ms / 1000;
    await Promise.resolve();
    signal?.throwIfAborted();
  };
}

/** A chain with the program on it, and everybody who acts. */
export interface ClientWorld {
  readonly time: TestTime;
  readonly chain: DevelopmentChain;
  readonly rpc: ChainRpc;
  readonly payer: TransactionSigner;
  readonly publisher: Party;
  readonly cosigners: readonly Party[];
  readonly parameters: FeedParameters;
  readonly feed: Address;
  /** Everything that a sender of this world was told is paid. */
  readonly paid: Paid[];
  sender(parts?: Partial<SenderParts>): Sender;
  client(rpc?: ChainRpc, parts?: Partial<SenderParts>): FeedClient;
  print(fields?: Partial<Print>): Print;
  signed(message: Uint8Array, signers?: readonly Party[]): readonly KeySignature[];
}

const SOL = 1_000_000_000n;

/** Opens a chain; the feed is there unless `begun` is false, its page is not. */
export async function openClientWorld(
  options: { cosigners?: number; begun?: boolean } = {},
): Promise<ClientWorld> {
  const time = new TestTime();
  const chain = await openDevelopmentChain({
    now: time.now,
    tickMs: 0,
    programs: [{ address: PROGRAM, elf: PROGRAM_BYTES }],
  });
  const rpc = kitRpc(chain);
  const parties = await Promise.all(
    ['payer', 'publisher', 'next publisher', 'recovery'].map((name) => partyOf(name)),
  );
  const [payer, publisher, next, recovery] = parties as [Party, Party, Party, Party];
  const cosigners = await Promise.all(
    Array.from({ length: options.cosigners ?? 3 }, (_, i) => partyOf(`co-signer ${i}`)),
  );
  const parameters: FeedParameters = {
    cadence: 'week_ending_saturday',
    decimals: 0,
    ticker: TICKER,
    log: hashOf('a log'),
    nextHash: commitmentTo(next),
    recoveryHash: commitmentTo(recovery),
    rule: hashOf('rule 1'),
    first: 2,
    threshold: Math.floor(cosigners.length / 2) + 1,
    cosigners: cosigners.map(({ key }) => key),
  };
  const [feed] = await feedAddress(PROGRAM, publisher.key, TICKER);
  const signer = keySigner({ publicKey: parseHex(payer.key, 32), sign: payer.sign });
  assert.notEqual(chain.ledger.airdrop(signer.address, 1000n * SOL), undefined);
  const paid: Paid[] = [];
  const world: ClientWorld = {
    time,
    chain,
    rpc,
    payer: signer,
    publisher,
    cosigners,
    parameters,
    feed,
    paid,
    sender: (parts = {}) =>
      new Sender({
        rpc,
        payer: signer,
        limits: LIMITS,
        sleep: time.sleep,
        elapsed: time.now,
        paid: (each) => paid.push(each),
        ...parts,
      }),
    client: (through = rpc, parts = {}) =>
      new FeedClient({
        rpc: through,
        program: PROGRAM,
        genesis: publisher.key,
        sender: world.sender({ rpc: through, ...parts }),
      }),
    print: (fields = {}) => ({
      series: formatHex(seriesId(sha256, parameters.log as HashHex, TICKER)) as HashHex,
      rule: parameters.rule as HashHex,
      report: hashOf('a report'),
      value: 12_345n,
      publishedAt: NOW,
      period: PERIOD,
      status: 'final',
      decimals: 0,
      settleable: (fields.status ?? 'final') === 'final',
      withheld: false,
      issue: fields.status === 'corrected' ? 1 : 0,
      ...fields,
    }),
    signed: (message, signers = [publisher, ...cosigners]) =>
      signers.map((each) => ({ key: parseHex(each.key, 32), signature: each.sign(message) })),
  };
  if (options.begun !== false) {
    const done = await world.client().initFeed(publisher.signer, parameters);
    assert.equal(done.kind, 'sent');
    paid.length = 0;
  }
  return world;
}

/** Publishes a print of a world through a client. */
export function publishPrint(
  { print, signed }: Pick<ClientWorld, 'print' | 'signed'>,
  client: FeedClient,
  fields: Partial<Print> = {},
  options: Parameters<FeedClient['publish']>[3] = {},
): ReturnType<FeedClient['publish']> {
  const message = formatPrint(print(fields));
  return client.publish(TICKER, message, signed(message), options);
}
