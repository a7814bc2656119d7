// Settles one market off chain: reads its final with `finalOf` against the market's own list of co-signers, and pays the winner.
//
//     node samples/venue/settle.mjs FOLDER --rpc URL
//
// FOLDER has the terms, market.json, and the venue's key, venue.key. Exit code 0: the winner is paid, once, however often this is
// run. 1: nobody is paid, and why. 3: it is not known yet; run it again.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Fault, finalOf } from '@assay/chain';
import {
  AccountRole,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rpc: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined || values.rpc === undefined) {
  console.error('usage: node samples/venue/settle.mjs FOLDER --rpc URL');
  process.exit(2);
}
const rpc = createSolanaRpc(values.rpc);
const market = JSON.parse(readFileSync(join(folder, 'market.json'), 'utf8'));
const RECORD = join(folder, 'payout.json');

/** Who wins, by the final. Throws a `Fault` with the demand of the terms that is not met. */
async function winnerOf() {
  const { over, under, strike, decimals, maxAgeDays, ...terms } = market;
  const final = await finalOf(rpc, {
    ...terms,
    maxAge: maxAgeDays * 86_400,
    now: Math.floor(Date.now() / 1000),
  });
  if (final.decimals !== decimals) {
    throw new Fault('unmet', 'final', { at: 'decimals', expected: String(decimals), found: String(final.decimals) });
  }
  const side = final.value >= BigInt(strike) ? 'over' : 'under';
  console.log(
    `The final of ${terms.ticker} ${terms.period} is ${final.value}, the strike ${strike}: ${side} wins. ` +
      `${final.counted.length} of the market's own co-signers have signed it, ${terms.required} were asked for.`,
  );
  return { side, to: side === 'over' ? over : under, value: String(final.value), report: final.reportHash };
}

/** The System program's transfer. */
function transfer(from, to, lamports) {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  return {
    programAddress: '11111111111111111111111111111111',
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  };
}

/** Signs the payment and writes it down before anybody can have it, so that a second one is never made beside it. */
async function decide() {
  const winner = await winnerOf();
  const seed = Buffer.from(readFileSync(join(folder, 'venue.key'), 'utf8').trim(), 'hex');
  const venue = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(seed));
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (each) => setTransactionMessageFeePayerSigner(venue, each),
    (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
    (each) => appendTransactionMessageInstruction(transfer(venue.address, winner.to, 2n * BigInt(market.stake)), each),
  );
  const signed = await signTransactionMessageWithSigners(message);
  const payout = {
    ...winner,
    signature: getSignatureFromTransaction(signed),
    transaction: getBase64EncodedWireTransaction(signed),
    lastValidBlockHeight: String(lifetime.lastValidBlockHeight),
  };
  const file = openSync(RECORD, 'wx');
  writeSync(file, `${JSON.stringify(payout, null, 2)}\n`);
  fsyncSync(file);
  closeSync(file);
  return payout;
}

/** Sends the payment until it has run, or can never run any more. */
async function pay({ side, to, signature, transaction, lastValidBlockHeight }) {
  for (let attempt = 1; attempt <= 60; attempt += 1) {
    // The height first: what has not run by a height after its last one never will.
    const height = await rpc.getBlockHeight({ commitment: 'finalized' }).send();
    const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
    const [status] = value;
    if (status?.err) {
      console.error(`Nobody is paid: the chain refuses ${signature}. Look at the venue's balance, then remove ${RECORD}.`);
      return 1;
    }
    if (status?.confirmationStatus === 'finalized') {
      console.log(`${side} is paid: ${2n * BigInt(market.stake)} lamports to ${to}, transaction ${signature}`);
      return 0;
    }
    if (!status && height > BigInt(lastValidBlockHeight)) {
      rmSync(RECORD);
      console.error(`Nobody is paid yet: ${signature} came too late for the chain and never ran. Run this again.`);
      return 3;
    }
    // The same bytes run once, however often they are sent.
    if (!status) await rpc.sendTransaction(transaction, { encoding: 'base64', skipPreflight: true }).send().catch(() => undefined);
    await sleep(1000);
  }
  console.error(`It is not known yet whether ${signature} has run. Run this again.`);
  return 3;
}

try {
  const payout = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : await decide();
  process.exitCode = await pay(payout);
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  const isKnown = error.code !== 'unreachable';
  console.error(`Nobody is paid${isKnown ? '' : ' yet'}: ${error.message} [${error.code}]`);
  process.exitCode = isKnown ? 1 : 3;
}
