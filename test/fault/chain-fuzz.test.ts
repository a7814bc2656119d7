import { test } from 'node:test';
import { fuzzAccounts } from '../src/chain/fuzz/accounts.ts';
import { fuzzData } from '../src/chain/fuzz/data.ts';
import { fuzzKeys } from '../src/chain/fuzz/keys.ts';
import { fuzzProofs } from '../src/chain/fuzz/proofs.ts';
import { needsSvm } from '../src/chain/fixture/world.ts';
import { LONG } from './told.ts';

const RUNS = LONG ? 20_000 : 1000;

for (const [name, fuzz] of Object.entries({ fuzzProofs, fuzzAccounts, fuzzData, fuzzKeys })) {
  test(`chain: ${name}, ${RUNS} transactions`, needsSvm, async (t) => {
    const seen = await fuzz(RUNS);
    for (const [outcome, count] of seen) t.diagnostic(`${outcome}: ${count}`);
  });
}
