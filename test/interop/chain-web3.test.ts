import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Address, createSolanaRpc } from '@solana/kit';
import type { DevelopmentAccount } from '@assay/chain/development/development-ledger';
import { type StartedChain, startDevelopmentChain } from '@assay/chain/development/server';
import { finalOf as finalOverKit } from '@assay/chain/venue';
import { finalOf, printOfPeriod } from '@assay/chain/venue-web3';
import { Fault } from '@assay/core/fault';
import { SKIP, TestClock } from '../src/chain/development/world.ts';
import { NOW, PERIOD, PROGRAM, worldOf } from '../src/chain/fixture/world.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { web3Peer } from './chain-peers.ts';

const WEB3 = join(ROOT, 'node_modules', '.cache', 'chain-peers', 'web3.js-1.99.0');

interface PublicKey {
  toBase58(): string;
}

interface Keypair {
  readonly publicKey: PublicKey;
}

interface Transaction {
  add(instruction: object): Transaction;
  recentBlockhash: string;
  feePayer: PublicKey;
  sign(...signers: Keypair[]): void;
  serialize(): Uint8Array;
}

interface AccountInfo {
  readonly lamports: number;
  readonly owner: PublicKey;
  readonly data: Uint8Array;
}

interface SocketClient {
  setAutoReconnect(reconnect: boolean): void;
  connect: () => void;
  close(): void;
}

/** What is called here of `Connection`. */
interface Connection {
  readonly _rpcWebSocket: SocketClient;
  requestAirdrop(to: PublicKey, lamports: number): Promise<string>;
  getLatestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: number }>;
  confirmTransaction(strategy: object, commitment?: string): Promise<{ value: { err: unknown } }>;
  getBalance(of: PublicKey): Promise<number>;
  getAccountInfo(of: PublicKey): Promise<AccountInfo | null>;
  getParsedAccountInfo(of: PublicKey): Promise<{ value: AccountInfo | null }>;
  getMultipleAccountsInfo(of: PublicKey[]): Promise<(AccountInfo | null)[]>;
  getMultipleAccountsInfoAndContext(
    of: PublicKey[],
    config: object,
  ): Promise<{ value: (AccountInfo | null)[] }>;
  getProgramAccounts(of: PublicKey, config: object): Promise<{ pubkey: PublicKey }[]>;
  getTransaction(
    signature: string,
    config?: object,
  ): Promise<{ meta: { fee: number }; slot: number; blockTime: number } | null>;
  getParsedTransaction(
    signature: string,
    config: object,
  ): Promise<{ transaction: { message: { accountKeys: { signer: boolean }[] } } } | null>;
  getSignaturesForAddress(of: PublicKey): Promise<{ signature: string }[]>;
  getSignatureStatuses(list: string[]): Promise<{ value: ({ slot: number } | null)[] }>;
  getEpochInfo(): Promise<{ absoluteSlot: number }>;
  getVersion(): Promise<object>;
  getGenesisHash(): Promise<string>;
  getSlot(): Promise<number>;
  getBlockTime(slot: number): Promise<number | null>;
  getBlockHeight(): Promise<number>;
  getRecentPrioritizationFees(): Promise<{ slot: number }[]>;
  getMinimumBalanceForRentExemption(length: number): Promise<number>;
  getFeeForMessage(message: object): Promise<{ value: number | null }>;
  isBlockhashValid(blockhash: string): Promise<{ value: boolean }>;
  simulateTransaction(transaction: Transaction): Promise<{ value: { err: unknown } }>;
  sendRawTransaction(bytes: Uint8Array, options?: object): Promise<string>;
  onAccountChange(of: PublicKey, callback: (info: AccountInfo) => void): number;
  onProgramAccountChange(of: PublicKey, callback: (info: object) => void): number;
  onLogs(of: PublicKey | 'all', callback: (logs: { signature: string }) => void): number;
  onSlotChange(callback: (slot: { slot: number }) => void): number;
  removeAccountChangeListener(id: number): Promise<void>;
}

/** What is called here of web3.js 1.99. */
interface Web3 {
  readonly Connection: new (url: string, commitment: string) => Connection;
  readonly Keypair: { generate(): Keypair };
  readonly PublicKey: new (text: string) => PublicKey;
  readonly SystemProgram: { readonly programId: PublicKey; transfer(options: object): object };
  readonly Transaction: new () => Transaction & { compileMessage(): object };
  sendAndConfirmTransaction(
    connection: Connection,
    transaction: Transaction,
    signers: Keypair[],
  ): Promise<string>;
}

interface Scene {
  readonly web3: Web3;
  readonly connection: Connection;
  readonly chain: StartedChain;
  readonly clock: TestClock;
  readonly payer: Keypair;
}

const SOL = 1_000_000_000;

async function scene(
  t: TestContext,
  accounts: readonly DevelopmentAccount[] = [],
): Promise<Scene | undefined> {
  const load = await web3Peer();
  if (load === undefined) {
    t.skip('web3.js 1.99.0 could not be installed');
    return undefined;
  }
  const loaded = (await load('@solana/web3.js')) as { readonly default?: Web3 } & Web3;
  const web3 = loaded.default ?? loaded;
  const clock = new TestClock();
  const chain = await startDevelopmentChain({ port: 0, now: clock.now, tickMs: 5, accounts });
  const connection = new web3.Connection(chain.rpc, 'confirmed');
  t.after(async () => {
    ended(connection);
    await chain.close();
  });
  const payer = web3.Keypair.generate();
  const signature = await connection.requestAirdrop(payer.publicKey, 5 * SOL);
  const latest = await connection.getLatestBlockhash();
  const { value } = await connection.confirmTransaction({ signature, ...latest });
  assert.equal(value.err, null);
  return { web3, connection, chain, clock, payer };
}

function transfer({ web3, payer }: Scene, to: PublicKey, lamports: number): Transaction {
  const options = { fromPubkey: payer.publicKey, toPubkey: to, lamports };
  return new web3.Transaction().add(web3.SystemProgram.transfer(options));
}

const OPTIONS = { timeout: 300_000, skip: SKIP };

test('web3.js: it sends, confirms and hears of the account', OPTIONS, async (t) => {
  const at = await scene(t);
  if (at === undefined) return;
  const { web3, connection } = at;
  const to = web3.Keypair.generate().publicKey;
  const changed = new Promise<AccountInfo>((resolve) => {
    connection.onAccountChange(to, resolve);
  });
  const logged = new Promise<{ signature: string }>((resolve) => {
    connection.onLogs(to, resolve);
  });
  const program = new Promise<object>((resolve) => {
    connection.onProgramAccountChange(web3.SystemProgram.programId, resolve);
  });
  const slot = new Promise<{ slot: number }>((resolve) => {
    connection.onSlotChange(resolve);
  });
  // Its subscriptions go out on their own; this confirmation goes out behind them.
  await subscribed(connection, at);
  const signature = await web3.sendAndConfirmTransaction(connection, transfer(at, to, SOL), [
    at.payer,
  ]);
  assert.equal((await changed).lamports, SOL);
  assert.equal((await logged).signature, signature);
  await program;
  at.clock.time += 1;
  assert.ok((await slot).slot > 0);
  const got = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  assert.equal(got?.meta.fee, 5000);
  const parsed = await connection.getParsedTransaction(signature, {
    maxSupportedTransactionVersion: 0,
  });
  assert.deepEqual(
    parsed?.transaction.message.accountKeys.map(({ signer }) => signer),
    [true, false, false],
  );
  const listed = await connection.getSignaturesForAddress(to);
  assert.deepEqual(
    listed.map((each) => each.signature),
    [signature],
  );
});

test('web3.js: every method that it reads with is understood', OPTIONS, async (t) => {
  const at = await scene(t);
  if (at === undefined) return;
  const { web3, connection, chain, payer } = at;
  const nobody = web3.Keypair.generate().publicKey;
  assert.equal(await connection.getBalance(payer.publicKey), 5 * SOL);
  const info = await connection.getAccountInfo(payer.publicKey);
  assert.equal(info?.owner.toBase58(), '1'.repeat(32));
  assert.equal(await connection.getAccountInfo(nobody), null);
  assert.equal((await connection.getParsedAccountInfo(payer.publicKey)).value?.lamports, 5 * SOL);
  const [one, none] = await connection.getMultipleAccountsInfo([payer.publicKey, nobody]);
  assert.equal(one?.lamports, 5 * SOL);
  assert.equal(none, null);
  const filters = [{ dataSize: 82 }];
  const token = new web3.PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  assert.ok(Array.isArray(await connection.getProgramAccounts(token, { filters })));
  const slot = await connection.getSlot();
  assert.equal(slot, chain.ledger.slot);
  assert.equal((await connection.getEpochInfo()).absoluteSlot, slot);
  assert.equal(await connection.getBlockTime(slot), at.clock.time);
  // The first, and that of the payer's airdrop.
  assert.equal(await connection.getBlockHeight(), 2);
  assert.ok('solana-core' in (await connection.getVersion()));
  assert.equal(await connection.getGenesisHash(), chain.ledger.genesisHash);
  assert.equal((await connection.getRecentPrioritizationFees()).length, 1);
  assert.ok((await connection.getMinimumBalanceForRentExemption(0)) > 0);
  const { blockhash } = await connection.getLatestBlockhash();
  assert.equal((await connection.isBlockhashValid(blockhash)).value, true);
  const transaction = transfer(at, nobody, SOL) as Transaction & { compileMessage(): object };
  transaction.recentBlockhash = blockhash;
  transaction.feePayer = payer.publicKey;
  assert.equal((await connection.getFeeForMessage(transaction.compileMessage())).value, 5000);
  assert.equal((await connection.simulateTransaction(transaction)).value.err, null, 'not signed');
  assert.deepEqual((await connection.getSignatureStatuses(['1'.repeat(64)])).value, [null]);
});

test('web3.js: errors of preflight and of expiry are its own', OPTIONS, async (t) => {
  const at = await scene(t);
  if (at === undefined) return;
  const { web3, connection, payer, clock } = at;
  const to = web3.Keypair.generate().publicKey;
  await assert.rejects(
    web3.sendAndConfirmTransaction(connection, transfer(at, to, 100 * SOL), [payer]),
    (error: Error & { logs?: readonly string[] }) =>
      /custom program error: 0x1/.test(error.message) &&
      (error.logs ?? []).some((line) => line.includes('insufficient lamports')),
  );
  const late = transfer(at, to, SOL);
  const latest = await connection.getLatestBlockhash();
  late.recentBlockhash = latest.blockhash;
  late.feePayer = payer.publicKey;
  late.sign(payer);
  clock.time += 61;
  await assert.rejects(connection.sendRawTransaction(late.serialize()), /Blockhash not found/);
  const signature = await connection.sendRawTransaction(late.serialize(), { skipPreflight: true });
  await assert.rejects(connection.confirmTransaction({ signature, ...latest }), {
    name: 'TransactionExpiredBlockheightExceededError',
  });
  // The library goes on to ask for the status of what it has given up.
  await subscribed(connection, at);
  for (let i = 0; i < 3; i += 1) await connection.getSignatureStatuses([signature]);
});

test('web3.js: a venue reads a final, as kit does', OPTIONS, async (t) => {
  const world = await worldOf();
  assert.equal((await world.publish(world.print())).error, null);
  const page = await world.pageOf(PERIOD);
  const accounts = [world.feed, page].map((address) => {
    const found = world.account(address);
    assert.ok(found);
    const { programAddress: owner, lamports, data } = found;
    return { address, owner, lamports, data: Uint8Array.from(data) };
  });
  const at = await scene(t, accounts);
  if (at === undefined) return;
  const { connection, chain } = at;
  const web3 = { connection, PublicKey: at.web3.PublicKey };
  const request = {
    program: PROGRAM,
    publisher: world.publisher.key,
    ticker: 'LAYOFFS',
    period: '2026-07-25',
    ruleHash: world.parameters.rule,
    cosigners: world.cosigners.map(({ key }) => key),
    required: 3,
    maxAge: 86_400,
    now: Number(NOW),
  };
  const final = await finalOf(web3, request);
  assert.deepEqual(final, await finalOverKit(createSolanaRpc(chain.rpc), request));
  assert.equal(final.value, 218_000n);
  assert.equal((await printOfPeriod(web3, request)).settled?.status, 'final');
  const refusal = (place: string) => (error: unknown) =>
    error instanceof Fault && error.code === 'unmet' && error.at === place;
  await assert.rejects(finalOf(web3, { ...request, ticker: 'JOBS' }), refusal('feed'));
  await assert.rejects(finalOf(web3, { ...request, period: '2030-01-05' }), refusal('page'));
  await assert.rejects(finalOf(web3, { ...request, period: '2026-07-18' }), refusal('status'));
});

/** Against the types that the library ships, which no test has in its tree. */
const TYPED = `
import { Connection, PublicKey } from '@solana/web3.js';
import { finalOf, printOfPeriod } from '@assay/chain/venue-web3';
import type { VenueRequest } from '@assay/chain/venue';
declare const request: VenueRequest;
const web3 = { connection: new Connection('http://127.0.0.1:1'), PublicKey };
export const value: bigint = (await finalOf(web3, request)).value;
export const status: string | undefined = (await printOfPeriod(web3, request)).settled?.status;
`;

test('web3.js: its own types fit', OPTIONS, async (t) => {
  if ((await web3Peer()) === undefined) return t.skip('web3.js 1.99.0 could not be installed');
  const folder = mkdtempSync(join(WEB3, 'types-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'venue.mts'), TYPED);
  const options = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--module',
    'nodenext',
  ];
  const target = ['--target', 'es2023', '--types', 'node'];
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, ...options, ...target, 'venue.mts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(done.stdout, '');
  assert.equal(done.status, 0);
});

/** Waits until everything that was subscribed to before has reached the chain. */
async function subscribed(connection: Connection, { web3, chain }: Scene): Promise<void> {
  const probe = web3.Keypair.generate().publicKey;
  const heard = new Promise<number>((resolve) => {
    const id = connection.onAccountChange(probe, () => resolve(id));
  });
  const timer = setInterval(() => {
    chain.ledger.airdrop(probe.toBase58() as Address, 1_000_000n);
  }, 10);
  const id = await heard;
  clearInterval(timer);
  await connection.removeAccountChangeListener(id);
}

/** Closes the socket for good: the library opens a closed one again, and again. */
function ended({ _rpcWebSocket: socket }: Connection): void {
  socket.setAutoReconnect(false);
  socket.connect = () => {};
  socket.close();
}
