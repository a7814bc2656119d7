import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { formatHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import { calendarsOf } from '@assay/core/ots/calendars';
import type { Attested } from '@assay/core/ots/evaluate';
import type { OtsHashName } from '@assay/core/ots/hashes';
import { prune } from '@assay/node/bitcoin/merge';
import type { Timestamp } from '@assay/core/ots/timestamp';
import { type BlockCheck, type BlockResult, checkBlock, type CheckedWith } from './block-check.ts';
import type { OtsFile } from './ots-file.ts';

export interface PendingCheck {
  readonly kind: 'pending';
  readonly uri: string;
  /** What identifies the stamp for the calendar, in hex. */
  readonly commitment: string;
  /** Whether everything that this calendar promised has led to a Bitcoin attestation. */
  readonly kept: boolean;
}

/** Attestations on another chain, or of an unknown kind. */
export interface OtherCheck {
  readonly kind: 'other';
  readonly what: string;
}

export type AttestationCheck = BlockCheck | PendingCheck | OtherCheck;

export interface FileCheck {
  /** Null if a digest was given instead of a file. */
  readonly path: string | null;
  readonly hash: OtsHashName;
  /** The hashes of the proof and of the file, in hex; null if there is no such file. */
  readonly stamped: string;
  readonly found: string | null;
}

/**
 * `proven` requires the right file and one block that holds, whatever else the stamp contains, because anybody
 * can add to a stamp. `wrong`: the file is another, or none of its blocks holds and one is not in the chain.
 */
export interface OtsCheck {
  readonly outcome: 'proven' | 'wrong' | 'pending' | 'incomplete';
  readonly network: BitcoinNetwork['name'];
  readonly file: FileCheck;
  /** In file order. */
  readonly attestations: readonly AttestationCheck[];
}

/** Compares the attestations of a proof with headers. Never throws because of a lookup. */
export async function checkOts(
  file: FileCheck,
  { proof, attested }: OtsFile,
  rules: CheckedWith,
): Promise<OtsCheck> {
  const blocks = await checkBlocks(attested, rules);
  const kept = keptCalendars(proof.timestamp, blocks);
  const attestations = attested.map(
    ({ attestation, message }): AttestationCheck =>
      blocks.get(attestation) ?? otherCheck(attestation, message, kept),
  );
  const outcome = outcomeOf(file, attestations);
  return { outcome, network: rules.network.name, file, attestations };
}

/** Each Bitcoin attestation with its result. */
export async function checkBlocks(
  attested: readonly Attested[],
  rules: CheckedWith,
): Promise<ReadonlyMap<Attestation, BlockCheck>> {
  const blocks = new Map<Attestation, BlockCheck>();
  for (const { attestation, message } of attested) {
    if (attestation.kind !== 'bitcoin') continue;
    blocks.set(attestation, await checkBlock(attestation.height, message, rules));
  }
  return blocks;
}

/** Calendars from which nothing more will come. One whose block is wrong has kept no promise. */
export function keptCalendars(
  timestamp: Timestamp,
  blocks: ReadonlyMap<Attestation, BlockCheck>,
): ReadonlySet<string> {
  const right = prune(timestamp, (each) => blocks.get(each)?.standing !== 'wrong');
  const all = right === undefined ? [] : calendarsOf(right);
  return new Set(all.flatMap(({ uri, attested }) => (attested ? [uri] : [])));
}

function outcomeOf(
  file: FileCheck,
  attestations: readonly AttestationCheck[],
): OtsCheck['outcome'] {
  const blocks = attestations.filter((each) => each.kind === 'bitcoin');
  const has = (...standings: readonly BlockResult[]): boolean =>
    blocks.some(({ standing }) => standings.includes(standing));
  if (file.found !== null && file.found !== file.stamped) return 'wrong';
  if (has('proven')) return file.found === null ? 'incomplete' : 'proven';
  if (has('wrong') && !has('word', 'recent')) return 'wrong';
  const pending = attestations.some(({ kind }) => kind === 'pending');
  return blocks.length === 0 && pending ? 'pending' : 'incomplete';
}

function otherCheck(
  attestation: Attestation,
  message: Uint8Array,
  kept: ReadonlySet<string>,
): AttestationCheck {
  switch (attestation.kind) {
    case 'pending': {
      const { uri } = attestation;
      return { kind: 'pending', uri, commitment: formatHex(message), kept: kept.has(uri) };
    }
    case 'unknown':
      return { kind: 'other', what: `an attestation of the unknown kind ${attestation.tag}` };
    case 'bitcoin':
    case 'litecoin':
    case 'ethereum':
      return { kind: 'other', what: `${attestation.kind} block ${attestation.height}` };
  }
}
