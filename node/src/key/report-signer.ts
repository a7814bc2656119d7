import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { submissionMessage, type SubmissionPlace } from '@assay/core/intake/submission-receipt';
import { closeMessage } from '@assay/core/report/close';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import type { DateText } from '@assay/core/time/time';
import { type EndorsedKey, endorsementText } from './endorsement.ts';

/**
 * What a report key signs while a node runs, as what its message is made of. A signer that judges what it signs makes
 * the message of these parts itself.
 */
export type Signable =
  /** The print message of a report: for its entry, and for a feed on chain. */
  | { readonly of: 'print'; readonly report: Report }
  /** A version of the Close of a day. */
  | {
      readonly of: 'close';
      readonly log: HashHex;
      readonly day: DateText;
      readonly version: number;
      readonly hash: HashHex;
    }
  /** That a submission was accepted at a place. */
  | { readonly of: 'receipt'; readonly place: SubmissionPlace }
  /** A delivery of a webhook. */
  | {
      readonly of: 'webhook';
      readonly id: string;
      readonly timestamp: number;
      readonly body: string;
    }
  /** The key of a machine tier. */
  | { readonly of: 'endorsement'; readonly key: EndorsedKey }
  /** A transaction that makes a feed on chain or registers something with it, hex. */
  | { readonly of: 'transaction'; readonly message: string };

/** Signs with a report key, perhaps in another process. A `Signer` is one. */
export interface ReportSigner {
  readonly publicKey: Uint8Array;
  /**
   * The signature over `message`, which is the message of `what`. Throws `signer_away` while the process that has the
   * key does not answer, and `signed_otherwise`, `would_fork` or `refused` for what it does not sign.
   */
  readonly sign: (message: Uint8Array, what: Signable) => Uint8Array | Promise<Uint8Array>;
  /** The report that was signed in the place of `report`; undefined where none was, or the signer does not know. */
  readonly signedInPlaceOf?: (report: Report) => Promise<Report | undefined>;
}

/** The message that a report key signs of something. Throws `malformed` and what its parts throw. */
export function signableMessage(sha256: Sha256, reportKey: Uint8Array, what: Signable): Uint8Array {
  switch (what.of) {
    case 'print':
      return formatPrint(printOf(sha256, what.report));
    case 'close':
      return closeMessage(what.log, what.day, what.hash);
    case 'receipt':
      return submissionMessage(sha256, what.place);
    case 'webhook':
      return webhookMessage(what.id, what.timestamp, formatUtf8(what.body));
    case 'endorsement':
      return formatUtf8(endorsementText(reportKey, what.key));
    case 'transaction':
      return parseHex(what.message);
  }
}

/** What is signed of a webhook's delivery (Standard Webhooks 1.0): `<id>.<timestamp>.<body>`. */
export function webhookMessage(id: string, timestamp: number, body: Uint8Array): Uint8Array {
  // No other message of a report key begins like this, and neither does a transaction.
  if (!/^msg_[0-9a-z_]+$/.test(id)) throw new TypeError('not the id of a message');
  return concatBytes(formatUtf8(`${id}.${timestamp}.`), body);
}
