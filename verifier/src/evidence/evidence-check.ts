import { type Evidence, parseEvidence } from '@assay/core/proof/evidence';
import type { Environment } from '../verdict/environment.ts';
import { provenPrints, provenStatements } from './evidence-print.ts';
import { provenPromise } from './evidence-promise.ts';
import { provenFork, provenOmission } from './evidence-tree.ts';
import { type EvidenceVerdict, orUnproven, type Proven, Unproven } from './evidence-verdict.ts';

/** What a check needs from its environment. */
export type EvidenceNeeds = Pick<Environment, 'sha256' | 'verifySignature'>;

/**
 * Checks an evidence file by itself, without a network, a log, or trust in its maker. Never throws because of the
 * bytes. Its work is bounded by `MAX_EVIDENCE_BYTES` and one signature for each line of a note, at most 64.
 */
export async function checkEvidence(
  bytes: Uint8Array,
  needs: EvidenceNeeds,
): Promise<EvidenceVerdict> {
  let kind: Evidence['kind'] | null = null;
  try {
    const evidence = orUnproven('format', 'the file', () => parseEvidence(bytes));
    ({ kind } = evidence);
    return { proven: true, kind, ...(await find(evidence, needs)), faults: [] };
  } catch (error) {
    if (!(error instanceof Unproven)) throw error;
    const { code, message } = error;
    const says = 'this file proves nothing against anybody';
    return { proven: false, kind, log: null, accused: [], says, faults: [{ code, message }] };
  }
}

function find(evidence: Evidence, needs: EvidenceNeeds): Promise<Proven> {
  switch (evidence.kind) {
    case 'fork':
      return provenFork(evidence, needs);
    case 'omission':
      return provenOmission(evidence, needs);
    case 'promise':
      return provenPromise(evidence, needs);
    case 'prints':
      return provenPrints(evidence, needs);
    case 'statements':
      return provenStatements(evidence, needs);
  }
}
