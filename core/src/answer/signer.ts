import type { Sha256 } from '../hash/hash.ts';
import { formatHex } from '../bytes/hex.ts';
import { seriesId } from '../report/print.ts';
import { checkpointTerms, newestPromise } from '../view/key/checkpoint-keys.ts';
import { cosignerSets } from '../view/cosigner-sets.ts';
import { keyInForce, keysOf } from '../view/key/keys.ts';
import { logRow } from '../view/log.ts';
import { recoveryInForce } from '../view/key/recovery-key.ts';
import { tickers } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';

/** Who signs, and what a verifier needs before its first check. All of it is in the log. */
export interface SignerPayload {
  readonly origin: string;
  readonly network: string;
  /** Leaf hash of entry 0. */
  readonly log_id: string;
  /** The key in force, which signs the next entries. */
  readonly report_key: { readonly algorithm: 'Ed25519'; readonly public_key: string };
  /** Of the checkpoint key in force. */
  readonly checkpoint_vkey: string;
  readonly next_report_key_sha256: string;
  readonly recovery_key_sha256: string;
  /**
   * Every key of the log and the entries that it signs: report keys, the first one first, then the keys of the
   * checkpoints in the same way.
   */
  readonly keys: readonly SignerKey[];
  /**
   * The checkpoint key that is promised by an entry that brought none, and that entry. Only where there is such a promise
   * and the key has not come.
   */
  readonly checkpoint_promise?: { readonly number: number; readonly seq: number } | undefined;
  readonly policies: object;
  readonly chain: string | null;
  readonly program: string | null;
  /** Who recounts, oldest set first. Reports name the set that was in force. */
  readonly cosigner_sets: readonly {
    readonly number: number;
    readonly hash: string;
    readonly effective_at: string;
    readonly threshold: number;
    readonly cosigners: readonly { readonly name: string; readonly key: string }[];
    readonly seq: number;
  }[];
  /** The id that print messages name, by ticker. */
  readonly series: Readonly<Record<string, string>>;
}

export interface SignerKey {
  readonly purpose: 'report' | 'checkpoint';
  /** The number of the key among those of its purpose. */
  readonly number: number;
  /** Hex; for the checkpoints the verifier key of a signed note. */
  readonly key: string;
  /** The entry that brought it. A report key signs the entries after that one, and a checkpoint key the heads that cover it. */
  readonly from_seq: number;
  /** The entry that promised it; only of a checkpoint key after the first. */
  readonly promised_by?: number | undefined;
  /** The entry that ended it; null while it is in force. */
  readonly to_seq: number | null;
  /** Whether it ended because somebody else holds it. No entry says so of a checkpoint key. */
  readonly revoked: boolean;
}

export function signerPayload(state: ViewState, sha256: Sha256): SignerPayload | undefined {
  const row = logRow(state);
  const now = keyInForce(state);
  if (row === undefined || now === undefined) return undefined;
  const terms = checkpointTerms(state);
  return {
    origin: row.origin,
    network: row.network,
    log_id: row.log,
    report_key: { algorithm: 'Ed25519', public_key: now.key },
    checkpoint_vkey: terms.at(-1)?.vkey ?? row.checkpoint_vkey,
    next_report_key_sha256: now.next_key_sha256,
    recovery_key_sha256: recoveryInForce(state) ?? now.recovery_key_sha256,
    keys: [
      ...keysOf(state).map(({ number, key, seq: from_seq, to_seq, revoked }): SignerKey => {
        return { purpose: 'report', number, key, from_seq, to_seq, revoked };
      }),
      ...terms.map(({ number, vkey: key, seq: from_seq, promised_by: by }, i): SignerKey => {
        const to_seq = terms[i + 1]?.seq ?? null;
        const promise = by === null ? {} : { promised_by: by };
        return { purpose: 'checkpoint', number, key, from_seq, ...promise, to_seq, revoked: false };
      }),
    ],
    ...pendingPromise(state, terms.length),
    policies: row.policies,
    chain: row.chain,
    program: row.program,
    cosigner_sets: cosignerSets(state).map(
      ({ number, hash, effective_at, threshold, cosigners, seq }) => ({
        number,
        hash,
        effective_at,
        threshold,
        cosigners,
        seq,
      }),
    ),
    series: Object.fromEntries(
      tickers(state).map((ticker) => [ticker, formatHex(seriesId(sha256, row.log, ticker))]),
    ),
  };
}

/** The promise of the checkpoint key that comes next, where an entry that brings no key makes it. */
function pendingPromise(state: ViewState, next: number): Pick<SignerPayload, 'checkpoint_promise'> {
  const promise = newestPromise(state);
  if (promise?.number !== next) return {};
  const { number, seq } = promise;
  return { checkpoint_promise: { number, seq } };
}
