import type { Evidence } from '@assay/core/evidence';
import { nodeVerifySignature } from '@assay/node/node-signature';
import { accuseWitnesses } from '@assay/verifier/evidence-tree';
import type { Report } from '@assay/core/report';
import { sha256 } from '../core/fixture.ts';
import {
  COSIGNER,
  DISSENT,
  FORGED,
  forkOf,
  HONEST,
  LOG_SIGNER,
  made,
  omissionOf,
  printsOf,
  PUBLISHER,
  reportOf,
  saidOf,
  statementsOf,
  WITNESSES,
} from './evidence-world.ts';

export const NEEDS = {
  sha256,
  verifySignature: (
    key: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ): Promise<boolean> => Promise.resolve(nodeVerifySignature(key, message, signature)),
};

export const FINAL: Report = reportOf('final');
export const OTHER_FINAL: Report = reportOf('final', { value: '219000' });
const VOID: Report = reportOf('void', { period: '2026-07-25' });

/** One of each kind that holds, and of each way it can. */
export async function files(): Promise<ReadonlyMap<string, Evidence>> {
  const both = [LOG_SIGNER, ...WITNESSES];
  const vkeys = WITNESSES.map(({ vkey }) => vkey);
  const fork = forkOf([5, 7], { genesis: HONEST.genesis(5) }, both);
  const omission = omissionOf(both);
  return new Map<string, Evidence>([
    ['fork of one size', forkOf([6, 6], { genesis: FORGED.genesis(6) })],
    ['fork of two sizes', forkOf([5, 8])],
    ['fork at a power of two', forkOf([4, 9])],
    [
      'fork with witnesses',
      await accuseWitnesses(fork as Evidence & { kind: 'fork' }, vkeys, NEEDS),
    ],
    ['omission', await accuseWitnesses(omission as Evidence & { kind: 'omission' }, vkeys, NEEDS)],
    ['two finals', made(printsOf(FINAL, OTHER_FINAL))],
    ['a final and a void', made(printsOf(FINAL, VOID))],
    ['two finals of a co-signer', made(printsOf(FINAL, OTHER_FINAL, COSIGNER))],
    ['two finals without the log', made(printsOf(FINAL, OTHER_FINAL, PUBLISHER, false))],
    ['agreement and dissent', made(statementsOf(saidOf(FINAL), saidOf(FINAL, DISSENT)))],
    ['agreement to two finals', made(statementsOf(saidOf(FINAL), saidOf(OTHER_FINAL)))],
  ]);
}
