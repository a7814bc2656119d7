import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { parseNoteKey } from '@assay/core/log/note';
import type { Pin, Policy } from '../verdict/policy.ts';

/** Decides which of several logs a policy applies to: those that its keys name, and the one that is tied to it. */
export class PolicyScope {
  readonly #policy: Policy;
  readonly #others: Policy;
  readonly #origins: Set<string>;
  #isTied = false;

  constructor(policy: Policy, sha256: Sha256) {
    this.#policy = policy;
    this.#others = {
      ...policy,
      checkpoint_keys: [],
      log_id: null,
      witnesses_required: 0,
      strict: false,
      complete: false,
    };
    this.#origins = new Set(policy.checkpoint_keys.map((key) => parseNoteKey(sha256, key).name));
  }

  /** Applies the policy to one more log: the one at the first address, or the one with the policy's id. */
  tie(origin: string | undefined): void {
    if (origin === undefined) return;
    this.#origins.add(origin);
    this.#isTied = true;
  }

  names(origin: string): boolean {
    return this.#origins.has(origin);
  }

  /** The policy that applies to a log; undefined while the log could still be the one that the policy is for. */
  policyOf(origin: string): Policy | undefined {
    if (this.names(origin)) return this.#policy;
    const {
      checkpoint_keys: keys,
      log_id: id,
      strict,
      witnesses_required: required,
    } = this.#policy;
    const asks = keys.length > 0 || id !== null || strict || required > 0;
    return asks && !this.#isTied ? undefined : this.#others;
  }
}

/**
 * Of all pins that were made, the one that applies to a log of this name, whose id is `log`. A log whose key or id the
 * policy names outranks every pin, and a key that somebody named outranks one that was pinned at first use. A pin of
 * this log fits whatever key the policy names, because it may have another of the log's keys.
 */
export function choosePin<Kept extends { readonly pin: Pin; readonly named: boolean }>(
  kept: readonly Kept[],
  { checkpoint_keys: keys, log_id: id }: Policy,
  log: HashHex,
): Kept | undefined {
  const fits = kept.filter(
    ({ pin }) =>
      (keys.length === 0 || keys.includes(pin.checkpoint_vkey) || pin.log_id === log) &&
      (id === null || id === pin.log_id),
  );
  return fits.find(({ named }) => named) ?? fits[0];
}
