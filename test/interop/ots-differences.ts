import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { compareOperations } from '@assay/core/ots/operation';
import { parseProof } from '@assay/core/ots/proof';
import type { Timestamp } from '@assay/core/ots/timestamp';
import { readingOf, readOurs, type Reading } from './ots-reading.ts';

/** How two readers stand to each other over many proofs. */
export interface Counts {
  accepted: number;
  refused: number;
  readonly classes: Map<string, number>;
  readonly unexplained: string[];
}

/** Both together. */
export function sumOf(a: Counts, b: Counts): Counts {
  const classes = new Map(a.classes);
  for (const [why, count] of b.classes) classes.set(why, (classes.get(why) ?? 0) + count);
  return {
    accepted: a.accepted + b.accepted,
    refused: a.refused + b.refused,
    classes,
    unexplained: [...a.unexplained, ...b.unexplained],
  };
}

/** Ours against another's, proof by proof; a difference without a reason is kept in full. */
export function compared(
  proofs: readonly Uint8Array[],
  theirs: readonly Reading[],
  ours: readonly Reading[] = proofs.map(readOurs),
): Counts {
  const counts: Counts = { accepted: 0, refused: 0, classes: new Map(), unexplained: [] };
  for (const [i, bytes] of proofs.entries()) {
    const [own, their] = [ours[i] as Reading, theirs[i] as Reading];
    if ('refused' in own && 'refused' in their) counts.refused += 1;
    else if (same(own, their)) counts.accepted += 1;
    else {
      const why = reasonOf(bytes, own, their);
      if (why !== undefined) counts.classes.set(why, (counts.classes.get(why) ?? 0) + 1);
      else counts.unexplained.push(`${formatHex(bytes)}\n${JSON.stringify({ own, their })}`);
    }
  }
  return counts;
}

function same(a: Reading, b: Reading): boolean {
  return 'attested' in a && 'attested' in b && JSON.stringify(a) === JSON.stringify(b);
}

/** Why the two may differ, and that nothing else does. */
function reasonOf(bytes: Uint8Array, own: Reading, their: Reading): string | undefined {
  if (!('attested' in their)) return undefined;
  if ('attested' in own) {
    const proof = parseProof(bytes);
    const last = readingOf({ ...proof, timestamp: lastBranches(proof.timestamp) });
    return same(last, their)
      ? 'an operation twice at one place: the library forgets the first branch'
      : undefined;
  }
  if (!('refused' in own)) return undefined;
  const { refused } = own;
  if (
    refused === `a number of at most 2^53 - 1` &&
    largestHeight(their) > BigInt(Number.MAX_SAFE_INTEGER)
  ) {
    return 'a height over 2^53 - 1: refused here';
  }
  // The library takes a number in too many bytes; what it then writes we read as it does.
  if (
    (refused.startsWith('a number') || refused === 'version 1') &&
    their.written !== formatHex(bytes)
  ) {
    const again = readOurs(parseHex(their.written));
    if (same(again, their)) return 'a number in more bytes than it takes: refused here';
    if ('refused' in again && largestHeight(their) > BigInt(Number.MAX_SAFE_INTEGER)) {
      return 'a height over 2^53 - 1: refused here';
    }
  }
  if (/^at most \d+ (nodes|bytes)/.test(refused)) return `over a limit of our own: ${refused}`;
  return undefined;
}

function largestHeight(reading: Reading): bigint {
  let largest = 0n;
  if (!('attested' in reading)) return largest;
  for (const [, kind, value = '0'] of reading.attested) {
    if (kind !== 'bitcoin' && kind !== 'litecoin' && kind !== 'ethereum') continue;
    if (BigInt(value) > largest) largest = BigInt(value);
  }
  return largest;
}

/** The tree as one keeps it who puts branches into a table by their operation. */
function lastBranches({ items }: Timestamp): Timestamp {
  const kept = items.filter((item, i) =>
    'attestation' in item
      ? true
      : !items.some(
          (other, j) =>
            j > i && 'next' in other && compareOperations(item.operation, other.operation) === 0,
        ),
  );
  return {
    items: kept.map((item) =>
      'next' in item ? { operation: item.operation, next: lastBranches(item.next) } : item,
    ),
  };
}

export function described({ accepted, refused, classes }: Counts): string {
  const named = [...classes].map(([why, count]) => `${count} ${why}`);
  return [`${accepted} accepted by both`, `${refused} refused by both`, ...named].join('; ');
}
