import { nodeSha256 } from '../platform/node-sha256.ts';
import { systemClock } from '../platform/clock.ts';
import { dataFolder } from '../platform/data-folder.ts';
import { Ledger } from '../ledger/ledger.ts';
import { SettlementFolder } from '../day/settlement-mirror.ts';
import { type Advance, BucketCopy } from '../objects/bucket-copy.ts';
import { openBucket, type ObjectsConfig } from '../objects/objects-config.ts';
import { ProbedStore } from '../objects/probed-store.ts';
import type { Config, Environment } from './config.ts';
import { dataOf } from './production.ts';

/**
 * Brings the bucket of a stopped node to what it has published; undefined if that is nothing. Throws what opening the
 * log throws, and what `BucketCopy.advance` and the probe throw.
 */
export async function copyOnce(
  config: Config,
  objects: ObjectsConfig,
  environment: Environment,
): Promise<Advance | undefined> {
  const bucket = openBucket(objects, environment);
  const data = await dataOf(config, environment);
  let ledger: Ledger;
  try {
    ledger = await Ledger.open({
      sha256: nodeSha256,
      store: data.store,
      guard: data.guard,
      signed: data.signed,
      signer: data.checkpoints,
      closing: data.closing,
      now: systemClock,
      // Nothing is appended, so nobody else's newer head has to be known.
      askHeads: null,
    });
  } catch (error) {
    await data.store.close();
    await data.guard.close();
    throw error;
  }
  try {
    return await new BucketCopy({
      record: ledger,
      blobs: data.blobs,
      settlement: new SettlementFolder(dataFolder(config.data).mirror).read,
      store: new ProbedStore(bucket),
      signer: data.checkpoints,
      sha256: nodeSha256,
      reports: objects.reports,
    }).advance();
  } finally {
    await ledger.close();
    bucket.close();
  }
}
