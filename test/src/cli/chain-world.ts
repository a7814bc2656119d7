import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { DEVELOPMENT_PROGRAM, feedAddress, pageAddress } from '@assay/chain/addresses';
import { chainId, httpRpc } from '@assay/chain/client/rpc';
import type { ChainRpc } from '@assay/chain/client/rpc';
import { type StartedChain, startDevelopmentChain } from '@assay/chain/development/server';
import { type FeedParameters, initFeed, openPage, publish } from '@assay/chain/instructions';
import type { HashHex } from '@assay/core/hash';
import { ordinalOf, pagePlace } from '@assay/core/onchain/ordinal';
import { formatPrint, type Print, seriesId } from '@assay/core/print';
import type { Ticker } from '@assay/core/ticker';
import { formatHex } from '@assay/core/hex';
import { type Address, type Instruction } from '@solana/kit';
import { dataFolder, keyPath } from '@assay/node/data-folder';
import { appendGenesis } from '@assay/node/genesis';
import { NO_POLICIES } from '@assay/node/init';
import { createKey } from '@assay/node/keystore';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { FileHeadGuard } from '@assay/node/ledger/file-head-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/level-store';
import { enactRule, readRuleFile } from '@assay/node/rule-file';
import { ROOT, sha256 } from '../core/fixture.ts';
import { sendNow } from '../chain/deploy/world.ts';
import { commitmentTo, hashOf, type Party, partyOf, seedOf } from '../chain/party.ts';
import { PROGRAM_BYTES, proof } from '../chain/world.ts';
import { scratch } from './run.ts';

export const LAYOFFS = 'LAYOFFS' as Ticker;
/** A week that is long over by any clock. */
export const PERIOD = 19_728;
export const PERIOD_DATE = '2024-01-06';

/** A chain on loopback with a rich payer, whose key lies in `payer.json` as Solana's command line writes it. */
export interface ChainWorld {
  readonly folder: string;
  readonly url: string;
  readonly chain: string;
  readonly rpc: ChainRpc;
  readonly started: StartedChain;
  readonly payer: Party;
  readonly program: Address;
  /** Has so many seconds pass on chain. */
  readonly pass: (seconds: number) => void;
  readonly send: (...instructions: readonly Instruction[]) => Promise<void>;
}

/** With `program` it is there from the start. Its clock begins with this machine's, and goes on by a slot with each call. */
export async function chainWorld(t: TestContext, program = true): Promise<ChainWorld> {
  const folder = await scratch(t);
  let time = Date.now() / 1000;
  const started = await startDevelopmentChain({
    port: 0,
    now: () => (time += 0.4),
    tickMs: 0,
    programs: program ? [{ address: DEVELOPMENT_PROGRAM, elf: PROGRAM_BYTES }] : [],
  });
  t.after(() => started.close());
  const payer = await partyOf('a payer');
  started.ledger.airdrop(payer.signer.address, 10_000_000_000n);
  await keyFile(join(folder, 'payer.json'), payer);
  const rpc = httpRpc(started.rpc, { timeoutMs: 10_000 });
  return {
    folder,
    url: started.rpc,
    chain: await chainId(rpc),
    rpc,
    started,
    payer,
    program: DEVELOPMENT_PROGRAM,
    pass(seconds) {
      time += seconds;
    },
    async send(...instructions) {
      await sendNow(rpc, payer.signer, instructions);
    },
  };
}

/** Writes a key as Solana's command line does. */
export async function keyFile(path: string, party: Party, mode = 0o600): Promise<void> {
  const bytes = [...seedOf(party.name), ...Buffer.from(party.key, 'hex')];
  await writeFile(path, JSON.stringify(bytes), { mode });
}

/** A feed with one final. */
export interface FeedWorld extends ChainWorld {
  readonly publisher: Party;
  readonly cosigners: readonly Party[];
  readonly parameters: FeedParameters;
  readonly feed: Address;
  readonly page: Address;
  /** Publishes a print of the period, signed by the publisher and so many co-signers. */
  readonly print: (print: Partial<Print>, cosigners: number) => Promise<void>;
}

/** A world with the feed of LAYOFFS, three co-signers, and the page of the period. */
export async function feedWorld(t: TestContext): Promise<FeedWorld> {
  const world = await chainWorld(t);
  const { program, payer, send } = world;
  const publisher = await partyOf('a publisher');
  const cosigners = await Promise.all([1, 2, 3].map((i) => partyOf(`co-signer no. ${i}`)));
  const log = hashOf('a log of tests');
  const rule = hashOf('a rule of tests');
  const parameters: FeedParameters = {
    cadence: 'week_ending_saturday',
    decimals: 1,
    ticker: LAYOFFS,
    log,
    nextHash: commitmentTo(await partyOf('the next publisher')),
    recoveryHash: commitmentTo(await partyOf('the recovery')),
    rule,
    first: 2,
    threshold: 2,
    cosigners: cosigners.map(({ key }) => key),
  };
  const [feed] = await feedAddress(program, publisher.key, LAYOFFS);
  const { index } = pagePlace(ordinalOf('week_ending_saturday', PERIOD));
  const [page] = await pageAddress(program, feed, index);
  await send(
    initFeed(program, payer.signer, publisher.signer, feed, parameters),
    openPage(program, payer.signer, feed, page, index),
  );
  return {
    ...world,
    publisher,
    cosigners,
    parameters,
    feed,
    page,
    async print(print, count) {
      const message = formatPrint({
        series: formatHex(seriesId(sha256, log, LAYOFFS)) as HashHex,
        rule,
        report: hashOf('a report'),
        value: 2115n,
        publishedAt: BigInt(Math.floor(Date.now() / 1000)),
        period: PERIOD,
        status: 'final',
        decimals: 1,
        settleable: true,
        withheld: false,
        issue: 0,
        ...print,
      });
      await send(
        proof(message, [publisher, ...cosigners.slice(0, count)]),
        publish(program, feed, page, 0),
      );
    },
  };
}

/** A log's data folder, `data` in the world's folder: its feeds belong on the world's chain. With three co-signers. */
export async function feedData(world: ChainWorld): Promise<{ readonly publisher: string }> {
  const place = dataFolder(join(world.folder, 'data'));
  const open = { passphrase: undefined };
  const report = await createKey(keyPath(place, 'report'), open);
  const checkpoint = await createKey(keyPath(place, 'checkpoint'), open);
  const nextReport = await createKey(keyPath(place, 'next-report'), open);
  const recovery = await createKey(keyPath(place, 'recovery'), open);
  const origin = 'development/chain-test';
  const signer = checkpointSigner(sha256, origin, checkpoint);
  const ledger = await Ledger.open({
    sha256,
    store: await openLevelStore(place.ledger),
    guard: await FileHeadGuard.open(place.guard),
    signer,
    now: () => Math.floor(Date.now() / 1000),
    askHeads: null,
  });
  await appendGenesis(
    ledger,
    sha256,
    { report, nextReport, recovery },
    {
      origin,
      checkpointVkey: signer.vkey,
      chain: world.chain,
      program: world.program,
      policies: NO_POLICIES,
    },
  );
  const cosigners = await Promise.all([1, 2, 3].map((i) => partyOf(`co-signer no. ${i}`)));
  const set = cosigners
    .map(({ key }, i) => ({ name: `Recounter ${i}`, key }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const body = { number: 0, threshold: 2, cosigners: set };
  await ledger.append([{ kind: 'cosigners/1', body }], ledger.nextSeq);
  const rules = join(ROOT, 'samples', 'rules', 'LAYOFFS.1.json');
  await enactRule(ledger, sha256, await readRuleFile(sha256, rules));
  await ledger.close();
  return { publisher: formatHex(report.publicKey) };
}
