import { setTimeout as sleep } from 'node:timers/promises';
import type { AnchorListPayload, AnchorPayload } from '@assay/core/answer/anchors';

/** The newest batch of a service, once it has one. */
export async function firstBatch(base: string): Promise<AnchorPayload> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { batches } = (await (await fetch(`${base}/anchors`)).json()) as AnchorListPayload;
    if (batches[0] !== undefined) return batches[0];
    await sleep(50);
  }
  throw new Error('no batch of stamps after 30 seconds');
}
