import type { Genesis } from '@assay/core/kind/genesis';
import { parseNoteKey } from '@assay/core/log/note';
import { type CheckpointTerm, signingTerms, termOf } from '@assay/core/view/key/checkpoint-keys';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { Pin, Policy } from '../verdict/policy.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';
import { checkSignatures, type OpenCheckpoint } from './checkpoint-check.ts';
import { checkClosingHead, type ClosingHead, LogKeys } from './closing-head.ts';
import { requireNamedKeys, type TrustedKey } from './trust.ts';

/** What is known of a log's checkpoint keys once its entries, or those of its keys, were checked. */
export interface KeyPath {
  /** The keys that the entries bring, the first one first. */
  readonly terms: readonly CheckpointTerm[];
  /** The closing heads of keys that ended, by their numbers. */
  readonly closing: ReadonlyMap<number, ClosingHead>;
  /** Whether the head is shown to continue the pinned one, which then needs no closing head for what it covers. */
  readonly holdsPin: boolean;
}

/** The policy, and the pin, by which a head is judged. */
export interface PathTerms {
  readonly policy: Policy;
  readonly pin: PinnedKey | undefined;
}

/** The key of a pinned head, and the head's size. */
export type PinnedKey = Pick<Pin, 'checkpoint_vkey' | 'size'>;

/** The key that signs a head, and how many good lines of the log's keys the head has. */
export interface JudgedHead {
  readonly trusted: TrustedKey;
  readonly good: number;
}

/**
 * Judges a head by the keys of its log (docs/spec/checkpoint-key.md). It begins with the newest key that the policy or
 * the pin names, or with the first one, and follows each link from there to the key in force for the head's size: a
 * head under the key before covers the promise, and is of the log's history. The head must have a good line of each key
 * that signs heads of its size. Whatever is missing or contradicts is a finding.
 */
export async function judgeHead(
  open: OpenCheckpoint,
  log: TrustedKey,
  path: KeyPath,
  by: PathTerms,
  environment: Environment,
  findings: Findings,
  notChecked: NotCheckedList,
): Promise<JudgedHead> {
  // Without the rows of genesis, which has its finding then, its key is known all the same.
  const terms = path.terms.length > 0 ? path.terms : firstTerms(log.genesis);
  // Nobody has to sign an empty log, and the first key may.
  const size = Math.max(1, open.checkpoint.size);
  const term = termOf(terms, size) as CheckpointTerm;
  const vkeys = terms.map(({ vkey }) => vkey);
  requireNamedKeys(vkeys, by.policy, by.pin, findings);
  requirePinnedTerm(terms, by.pin, findings);
  const keys = new LogKeys(terms, environment.sha256);
  const links = { path: { ...path, terms }, keys, start: startOf(terms, by), to: term };
  await followLinks(links, by.pin, environment, findings);
  const good = await checkSignatures(
    open,
    keys.of(size),
    by.policy,
    environment,
    findings,
    notChecked,
  );
  const key = parseNoteKey(environment.sha256, term.vkey);
  const { vkey, number, seq: since } = term;
  return { trusted: { ...log, key, vkey, number, since }, good };
}

/** The keys of a log of which only genesis is known. */
export function firstTerms({
  checkpoint_vkey: vkey,
}: Pick<Genesis, 'checkpoint_vkey'>): readonly CheckpointTerm[] {
  return [
    { number: 0, vkey, seq: 0, cause: 'genesis', above: 0, last_size: null, promised_by: null },
  ];
}

/** The pinned key signed the pinned head: a pin that says otherwise was not left by a visit. */
function requirePinnedTerm(
  terms: readonly CheckpointTerm[],
  pin: PinnedKey | undefined,
  findings: Findings,
): void {
  const pinned = terms.find(({ vkey }) => vkey === pin?.checkpoint_vkey);
  if (pin === undefined || pinned === undefined) return;
  const signing = signingTerms(terms, pin.size);
  if (signing.includes(pinned)) return;
  const expected = `${signing.map(({ vkey }) => vkey).join(' or ')}, which signs heads of ${pin.size} entries`;
  findings.add('key_not_trusted', 'pin', expected, pin.checkpoint_vkey);
}

/** The verifier keys that are believed before anything of the log was followed. */
export function believedKeys(
  { checkpoint_keys: named }: Pick<Policy, 'checkpoint_keys'>,
  pin: Pick<PinnedKey, 'checkpoint_vkey'> | undefined,
  { genesis }: Pick<TrustedKey, 'genesis'>,
): readonly string[] {
  const keys = [...named, ...(pin === undefined ? [] : [pin.checkpoint_vkey])];
  return keys.length > 0 ? keys : [genesis.checkpoint_vkey];
}

/** The number of the key that is believed before anything of the log was followed. */
function startOf(terms: readonly CheckpointTerm[], { policy, pin }: PathTerms): number {
  const named = terms.filter(
    ({ vkey }) => policy.checkpoint_keys.includes(vkey) || vkey === pin?.checkpoint_vkey,
  );
  return Math.max(0, ...named.map(({ number }) => number));
}

/** The links to follow: from the key of number `start` to that of the term `to`. */
interface Links {
  readonly path: KeyPath;
  readonly keys: LogKeys;
  readonly start: number;
  readonly to: CheckpointTerm;
}

async function followLinks(
  { path: { terms, closing, holdsPin }, keys, start, to }: Links,
  pin: PinnedKey | undefined,
  environment: Environment,
  findings: Findings,
): Promise<void> {
  for (const [i, term] of terms.entries()) {
    const next = terms[i + 1];
    if (next === undefined || next.number > to.number) return;
    const found = closing.get(term.number);
    if (found !== undefined) {
      await checkClosingHead(found, term, next, keys, environment, findings);
    } else if (term.number >= start && !(holdsPin && coversPromise(pin, term, next))) {
      findings.add(
        'closing_head_missing',
        `closing head ${term.number}`,
        `a head by key ${term.number} that covers entry ${next.promised_by}, the promise of key ${next.number}`,
        'none',
      );
    }
  }
}

/** Whether the pinned head is one of this key that covers the promise of the next one. */
function coversPromise(
  pin: PinnedKey | undefined,
  term: CheckpointTerm,
  next: CheckpointTerm,
): boolean {
  return (
    pin?.checkpoint_vkey === term.vkey &&
    pin.size > (next.promised_by ?? 0) &&
    pin.size <= next.above
  );
}
