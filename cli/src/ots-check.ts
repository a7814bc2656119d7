import { BITCOIN, type BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { blockId, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { checkRun } from '@assay/core/bitcoin/header-run';
import { equalBytes } from '@assay/core/bytes';
import { messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import type { Attested } from '@assay/core/ots/evaluate';
import { calendarsOf } from '@assay/core/ots/calendars';
import type { OtsHashName } from '@assay/core/ots/hashes';
import { formatTime } from '@assay/core/time';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { HeaderLookup } from '@assay/verifier/header-lookup';
import type { OtsFile } from './ots-file.ts';

/** Headers that follow a block before it counts: until then another may still take its place. */
export const FOLLOWING = 6;

/**
 * What came of a Bitcoin attestation. `recent`: the block is there, with fewer than six on top of it.
 * `not_checked`: there was no header to compare with.
 */
export type BlockStanding = 'proven' | 'wrong' | 'recent' | 'not_checked';

export interface BlockCheck {
  readonly kind: 'bitcoin';
  readonly height: number;
  /** The message that is said to be the block's Merkle root, in the order that explorers write. */
  readonly merkle_root: string;
  readonly standing: BlockStanding;
  /** Of the block that the headers have there; null where none was found. `time` is the miner's. */
  readonly block: {
    readonly id: string;
    readonly time: string;
    readonly merkle_root: string;
  } | null;
  readonly trust: HeaderLookup['kind'] | null;
  /** Of the headers that were compared with; null where there were none. */
  readonly headers: string | null;
  /** Why it is not proven; null where it is. */
  readonly reason: string | null;
}

export interface PendingCheck {
  readonly kind: 'pending';
  readonly uri: string;
  /** What the calendar knows the stamp by, in hex. */
  readonly commitment: string;
  /** Whether a Bitcoin attestation has come of all that this calendar promised. */
  readonly kept: boolean;
}

/** Attestations on another chain, or of a kind that nothing here knows. */
export interface OtherCheck {
  readonly kind: 'other';
  readonly what: string;
}

export type AttestationCheck = BlockCheck | PendingCheck | OtherCheck;

export interface FileCheck {
  /** Null where a digest was given instead of a file. */
  readonly path: string | null;
  readonly hash: OtsHashName;
  /** Of the proof, and of the file; null where there is no such file. In hex. */
  readonly stamped: string;
  readonly found: string | null;
}

/** `proven` needs the right file, one block that holds, and none that is wrong. */
export interface OtsCheck {
  readonly outcome: 'proven' | 'wrong' | 'pending' | 'incomplete';
  readonly network: BitcoinNetwork['name'];
  readonly file: FileCheck;
  readonly attestations: readonly AttestationCheck[];
}

export interface CheckedWith {
  readonly network: BitcoinNetwork;
  /** Of this network, the most trusted first; an attestation is compared with the first that has its block. */
  readonly lookups: readonly HeaderLookup[];
}

/** What the attestations of a proof come to, compared with headers. Never throws for what a lookup does. */
export async function checkOts(
  file: FileCheck,
  { proof, attested }: OtsFile,
  rules: CheckedWith,
): Promise<OtsCheck> {
  const kept = new Set(
    calendarsOf(proof.timestamp).flatMap((each) => (each.attested ? [each.uri] : [])),
  );
  const attestations: AttestationCheck[] = [];
  for (const each of attested) attestations.push(await checkAttestation(each, kept, rules));
  const outcome = outcomeOf(file, attestations);
  return { outcome, network: rules.network.name, file, attestations };
}

function outcomeOf(
  file: FileCheck,
  attestations: readonly AttestationCheck[],
): OtsCheck['outcome'] {
  const blocks = attestations.filter((each) => each.kind === 'bitcoin');
  const has = (standing: BlockStanding): boolean =>
    blocks.some((each) => each.standing === standing);
  if ((file.found !== null && file.found !== file.stamped) || has('wrong')) return 'wrong';
  if (has('proven')) return file.found === null ? 'incomplete' : 'proven';
  const pending = attestations.some(({ kind }) => kind === 'pending');
  return blocks.length === 0 && pending ? 'pending' : 'incomplete';
}

async function checkAttestation(
  { attestation, message }: Attested,
  kept: ReadonlySet<string>,
  rules: CheckedWith,
): Promise<AttestationCheck> {
  switch (attestation.kind) {
    case 'bitcoin':
      return checkBlock(attestation.height, message, rules);
    case 'pending': {
      const { uri } = attestation;
      return { kind: 'pending', uri, commitment: formatHex(message), kept: kept.has(uri) };
    }
    case 'unknown':
      return { kind: 'other', what: `an attestation of the unknown kind ${attestation.tag}` };
    case 'litecoin':
    case 'ethereum':
      return { kind: 'other', what: `${attestation.kind} block ${attestation.height}` };
  }
}

/** Where a block was looked for, in the order of trust. */
async function checkBlock(
  height: number,
  message: Uint8Array,
  { network, lookups }: CheckedWith,
): Promise<BlockCheck> {
  const claim = {
    kind: 'bitcoin',
    height,
    merkle_root: formatHex(message.toReversed()),
    block: null,
    trust: null,
    headers: null,
  } as const;
  if (message.length !== 32) {
    const reason = `a Merkle root has 32 bytes, this message has ${message.length}`;
    return { ...claim, standing: 'wrong', reason };
  }
  const reasons: string[] = [];
  for (const lookup of lookups) {
    let header: Uint8Array;
    try {
      header = await headerAt(height, lookup, network);
    } catch (error) {
      reasons.push(messageOf(error));
      continue;
    }
    const { merkleRoot, time } = parseHeader(header);
    const root = formatHex(merkleRoot.toReversed());
    const block = {
      id: blockId(headerHash(nodeSha256, header)),
      time: formatTime(time),
      merkle_root: root,
    };
    const known = { ...claim, block, trust: lookup.kind, headers: lookup.description } as const;
    if (!equalBytes(merkleRoot, message)) {
      return { ...known, standing: 'wrong', reason: 'its Merkle root is another' };
    }
    const following = lookup.tip.height - height;
    if (following < FOLLOWING) {
      const reason = `only ${following} of ${FOLLOWING} blocks follow it: it may still be reorganised`;
      return { ...known, standing: 'recent', reason };
    }
    return { ...known, standing: 'proven', reason: null };
  }
  const reason = lookups.length === 0 ? 'there are no headers to compare with' : reasons.join('; ');
  return { ...claim, standing: 'not_checked', reason };
}

/** The header with its own work and, where the table knows them, its bits. Throws in words. */
async function headerAt(
  height: number,
  lookup: HeaderLookup,
  network: BitcoinNetwork,
): Promise<Uint8Array> {
  const where = lookup.description;
  if (height > lookup.tip.height) {
    throw new Error(`${where}: they end at height ${lookup.tip.height}, before this block`);
  }
  const header = await lookup.header(height);
  if (header === undefined) throw new Error(`${where}: they begin after this block`);
  checkRun(nodeSha256, network, header, height);
  return header;
}

/** Whether headers of `lookup` may count: those of the development network only where they were asked for. */
export function countsFor(network: BitcoinNetwork, lookup: HeaderLookup): string | undefined {
  if (lookup.network === network.name) return undefined;
  return network === BITCOIN
    ? `${lookup.description}: they are of the development network, which counts with --development alone`
    : `${lookup.description}: they are Bitcoin's, and --development asks for the development network`;
}
