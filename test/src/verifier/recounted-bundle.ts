import assert from 'node:assert/strict';
import type { Bundle } from '@assay/core/bundle';
import { parseUtf8 } from '@assay/core/utf8';
import { makeBundle } from '@assay/cli/bundle-maker';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { NumberFacts, Verdict } from '@assay/verifier/verdict';
import { accountsOf, type Chained, lookupOf, TICKER } from './chained-log.ts';
import { siteOf, siteReader } from './published.ts';

/** The bundle of a period, with its accounts unless told otherwise. */
export async function bundleFor(
  log: Chained,
  period: string,
  accounts: ReturnType<typeof accountsOf> | null = accountsOf(log),
): Promise<Bundle> {
  const bytes = await makeBundle(
    siteReader(siteOf(log.published)),
    { index: TICKER, period },
    nodeSha256,
    accounts === null ? undefined : lookupOf(accounts),
  );
  return JSON.parse(parseUtf8(bytes)) as Bundle;
}

/** The number of a verdict that must be yes. */
export function numberOf(verdict: Verdict): NumberFacts {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.ok(verdict.outcome === 'verified' && verdict.number !== null);
  return verdict.number;
}
