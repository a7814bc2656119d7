import { type Attestation, compareAttestations } from '@assay/core/ots/attestation';
import { compareOperations, type Operation } from '@assay/core/ots/operation';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';

/**
 * Merges two trees over the same message: every attestation of either, none twice, in the order of the
 * reference client (`Timestamp.serialize`), with attestations sorted and then operations. The bytes do not
 * depend on the order of the arguments. The result may exceed a limit, which `formatTimestamp` then reports.
 */
export function mergeTimestamps(a: Timestamp, b: Timestamp): Timestamp {
  const root: Item[] = [];
  const open: { from: readonly Timestamp[]; items: Item[] }[] = [{ from: [a, b], items: root }];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const attestations: Attestation[] = [];
    const steps: { operation: Operation; next: Timestamp }[] = [];
    for (const { items } of each.from) {
      for (const item of items) {
        if ('attestation' in item) attestations.push(item.attestation);
        else steps.push(item);
      }
    }
    attestations.sort(compareAttestations);
    for (const [i, attestation] of attestations.entries()) {
      const before = attestations[i - 1];
      if (before === undefined || compareAttestations(before, attestation) !== 0) {
        each.items.push({ attestation });
      }
    }
    steps.sort((x, y) => compareOperations(x.operation, y.operation));
    for (let i = 0; i < steps.length;) {
      const { operation } = steps[i] as (typeof steps)[number];
      const from: Timestamp[] = [];
      for (; i < steps.length; i += 1) {
        const step = steps[i] as (typeof steps)[number];
        if (compareOperations(operation, step.operation) !== 0) break;
        from.push(step.next);
      }
      const items: Item[] = [];
      each.items.push({ operation, next: { items } });
      open.push({ from, items });
    }
  }
  return { items: root };
}

/**
 * The tree with only the attestations that `keep` accepts, without the branches that this leaves empty, in the
 * same order; `undefined` if nothing is left.
 */
export function prune(
  timestamp: Timestamp,
  keep: (attestation: Attestation) => boolean,
): Timestamp | undefined {
  const all: Timestamp[] = [timestamp];
  for (let i = 0; i < all.length; i += 1) {
    for (const item of (all[i] as Timestamp).items) if ('next' in item) all.push(item.next);
  }
  // Inner nodes come after the nodes that contain them, so that going backwards meets them first.
  const kept = new Map<Timestamp, Timestamp>();
  for (const each of all.toReversed()) {
    const items: Item[] = [];
    for (const item of each.items) {
      if ('attestation' in item) {
        if (keep(item.attestation)) items.push(item);
      } else {
        const next = kept.get(item.next);
        if (next !== undefined) items.push({ operation: item.operation, next });
      }
    }
    if (items.length > 0) kept.set(each, { items });
  }
  return kept.get(timestamp);
}
