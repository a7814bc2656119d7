import type { HashHex } from '@assay/core/hash/hash';
import type { Cosign } from '@assay/core/kind/cosign';
import type { Dissent } from '@assay/core/kind/dissent';
import type { Clocks } from '@assay/core/rule/clocks';
import type { Report } from '@assay/core/report/report';
import type { Statement } from '@assay/core/report/statement';
import type { SetRow } from '@assay/core/view/cosigner-sets';
import type { ReportRow } from '@assay/core/view/reports';
import type { RuleRow } from '@assay/core/view/rules';

/** A report that a co-signer is asked about, with what it needs to know. */
export interface Asked {
  readonly log: HashHex;
  readonly report: ReportRow;
  /** The entry that holds the report. */
  readonly entry: Statement['entry'];
  /** The bytes of that entry. */
  readonly bytes: Uint8Array;
  /** A published checkpoint that holds the entry. */
  readonly head: Statement['head'];
  /** That checkpoint as a signed C2SP note. */
  readonly checkpoint: Uint8Array;
  /** The proof that the entry is in it (RFC 6962, 2.1.1), in hex. */
  readonly inclusion: readonly HashHex[];
  readonly rule: RuleRow;
  /** The period's clocks when the report was published, by the log before it. */
  readonly clocks: Clocks;
  /** The set that the report names. */
  readonly set: SetRow;
  /** The reports of the period before this one, oldest first. */
  readonly before: readonly ReportRow[];
  /** The newest Bitcoin block that the log names. */
  readonly after: Report['after'];
}

/**
 * A co-signer's signed statement on a report. An abstention is for the publisher; the log has no place for it.
 */
export type CosignerStatement =
  | { readonly kind: 'agree'; readonly body: Cosign }
  | { readonly kind: 'dissent'; readonly body: Dissent }
  | {
      readonly kind: 'abstain';
      readonly statement: Statement;
      /** Ed25519 by the co-signer over `statementMessage`, in hex. */
      readonly signature: string;
    };

/** Somebody who reads the sources himself and states whether a report is what they give. */
export interface Cosigner {
  /** The Ed25519 public key in hex. */
  readonly key: string;
  /**
   * Returns its statement on a report; undefined if it has none yet and has to be asked again. Throws if it
   * cannot be asked, and `refused` for what it does not accept.
   */
  readonly recount: (asked: Asked, signal?: AbortSignal) => Promise<CosignerStatement | undefined>;
}
