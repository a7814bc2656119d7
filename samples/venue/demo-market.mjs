// Makes a market on a period of the demo, with play money: market.json and venue.key in a new folder.
//
//     node samples/venue/demo-market.mjs URL --rpc URL --period DATE --strike VALUE -o FOLDER
//
// It takes program, publisher's key, rule and list of co-signers from the demo itself, for want of anybody else. A venue never does:
// it agrees on all four before a market opens, with people whom it knows.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createKeyPairSignerFromPrivateKeyBytes, createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rpc: { type: 'string' },
    period: { type: 'string' },
    strike: { type: 'string' },
    output: { type: 'string', short: 'o' },
  },
});
const [site] = positionals;
const { rpc: url, period, strike, output } = values;
if ([site, url, period, strike, output].includes(undefined)) {
  console.error('usage: node samples/venue/demo-market.mjs URL --rpc URL --period DATE --strike VALUE -o FOLDER');
  process.exit(2);
}
const read = async (path) => (await fetch(new URL(path, site))).json();
const signer = await read('/.well-known/assay-signer.json');
const rule = await read('/v1/indices/LAYOFFS/rule');
const cosigners = signer.cosigner_sets.at(-1).cosigners.map(({ key }) => key);

const seed = randomBytes(32);
const venue = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(seed));
const [over, under] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
const stake = 50_000_000n;
await createSolanaRpc(url).requestAirdrop(venue.address, lamports(2n * stake + 10_000_000n)).send();

mkdirSync(output, { mode: 0o700 });
writeFileSync(join(output, 'venue.key'), `${seed.toString('hex')}\n`, { mode: 0o600 });
const market = {
  program: signer.program,
  publisher: signer.report_key.public_key,
  ticker: 'LAYOFFS',
  period,
  ruleHash: rule.hash,
  cosigners,
  required: 2,
  maxAgeDays: 3650,
  strike,
  decimals: 0,
  stake: String(stake),
  over: over.address,
  under: under.address,
};
writeFileSync(join(output, 'market.json'), `${JSON.stringify(market, null, 2)}\n`);
console.log(`${output}: LAYOFFS ${period} at ${strike}, ${stake} lamports of each side at ${venue.address}`);
