import type { HashHex } from '@assay/core/hash/hash';
import type { Cosign } from '@assay/core/kind/cosign';
import type { Dissent } from '@assay/core/kind/dissent';
import type { Clocks } from '@assay/core/rule/clocks';
import type { Report } from '@assay/core/report/report';
import type { Statement } from '@assay/core/report/statement';
import type { SetRow } from '@assay/core/view/cosigner-sets';
import type { ReportRow } from '@assay/core/view/reports';
import type { RuleRow } from '@assay/core/view/rules';

/** A report that a co-signer is asked about, and what it needs to know beside it. */
export interface Asked {
  readonly log: HashHex;
  readonly report: ReportRow;
  /** The entry that holds the report. */
  readonly entry: Statement['entry'];
  /** Its bytes. */
  readonly bytes: Uint8Array;
  /** A published checkpoint that holds the entry. */
  readonly head: Statement['head'];
  /** That checkpoint, signed: a C2SP note. */
  readonly checkpoint: Uint8Array;
  /** Proof that the entry stands in it (RFC 6962, 2.1.1), hex. */
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

/** What a co-signer says of a report, signed. An abstention is for the publisher; the log has no place for it. */
export type CosignerStatement =
  | { readonly kind: 'agree'; readonly body: Cosign }
  | { readonly kind: 'dissent'; readonly body: Dissent }
  | {
      readonly kind: 'abstain';
      readonly statement: Statement;
      /** Ed25519 by the co-signer over `statementMessage`, hex. */
      readonly signature: string;
    };

/** Somebody who reads the sources himself and says whether a report is what they give. */
export interface Cosigner {
  /** Ed25519 public key, hex. */
  readonly key: string;
  /**
   * Its word on a report; undefined where it cannot say yet and is to be asked again. Throws where it
   * cannot be asked, and `refused` for what it will not look at.
   */
  readonly recount: (asked: Asked, signal?: AbortSignal) => Promise<CosignerStatement | undefined>;
}
