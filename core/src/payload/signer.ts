import type { Sha256 } from '../hash.ts';
import { formatHex } from '../hex.ts';
import { seriesId } from '../print.ts';
import { logRow } from '../view/log.ts';
import { tickers } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';

/** Who signs, and what a verifier needs before the first check. All of it stands in the log. */
export interface SignerPayload {
  readonly origin: string;
  readonly network: string;
  /** Leaf hash of entry 0. */
  readonly log_id: string;
  readonly report_key: { readonly algorithm: 'Ed25519'; readonly public_key: string };
  readonly checkpoint_vkey: string;
  readonly next_report_key_sha256: string;
  readonly recovery_key_sha256: string;
  readonly policies: object;
  readonly chain: string | null;
  readonly program: string | null;
  /** The id that print messages name, by ticker. */
  readonly series: Readonly<Record<string, string>>;
}

export function signerPayload(state: ViewState, sha256: Sha256): SignerPayload | undefined {
  const row = logRow(state);
  if (row === undefined) return undefined;
  return {
    origin: row.origin,
    network: row.network,
    log_id: row.log,
    report_key: { algorithm: 'Ed25519', public_key: row.report_key },
    checkpoint_vkey: row.checkpoint_vkey,
    next_report_key_sha256: row.next_report_key_sha256,
    recovery_key_sha256: row.recovery_key_sha256,
    policies: row.policies,
    chain: row.chain,
    program: row.program,
    series: Object.fromEntries(
      tickers(state).map((ticker) => [ticker, formatHex(seriesId(sha256, row.log, ticker))]),
    ),
  };
}
