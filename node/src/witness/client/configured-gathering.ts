import type { Genesis } from '@assay/core/kind/genesis';
import type { Clock } from '../../platform/clock.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { Gathering } from './gathering.ts';
import { fetchNote } from './mirror-heads.ts';
import { readWitnesses, witnessFetch } from './witness-client.ts';

/** What a log says of its witnesses, and the key of its checkpoints. */
export interface LogOfGathering {
  readonly policies: Genesis['policies'];
  readonly checkpoints: { readonly vkey: string };
}

/** Who gathers the lines of a config's witnesses on a log of one's own; undefined without any. Throws `bad_config`. */
export function configuredGathering(
  witnesses: Parameters<typeof readWitnesses>[1],
  { policies, checkpoints }: LogOfGathering,
  shownNote: string,
  now: Clock,
): Gathering | undefined {
  const { witnesses_required: required, witness_max_age_s: maxAgeS } = policies;
  if (witnesses.length === 0 && required === 0) return undefined;
  return new Gathering({
    witnesses: readWitnesses(nodeSha256, witnesses, checkpoints.vkey),
    required,
    maxAgeS,
    fetch: witnessFetch,
    fetchHead: fetchNote,
    now,
    shownNote,
  });
}
