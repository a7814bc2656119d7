import type { Checkpoint } from '@assay/core/log/checkpoint';
import { faultCode } from '@assay/core/fault';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import type { Published } from './publishing.ts';
import type { WitnessStage } from './witness-stage.ts';

/** The head that readers were shown last, before a start. */
export type KeptHead = Published & Checkpoint;

/** What a stage stored of the last publication; undefined if it stored no note of this log. */
export async function keptHead(
  stage: WitnessStage | undefined,
  signer: CheckpointSigner,
): Promise<KeptHead | undefined> {
  const note = await stage?.kept?.read();
  if (note === undefined) return undefined;
  try {
    return { ...signer.open(note), note };
  } catch (error) {
    // Damaged: nothing is shown until the witnesses have signed again.
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
