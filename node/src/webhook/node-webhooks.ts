import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Deliveries } from './deliveries.ts';
import type { Net } from './guarded-https.ts';
import { MessageReader } from './message-reader.ts';
import { Signups } from './signups.ts';
import type { SubscriptionStore } from './subscription-store.ts';

/** What a node needs for webhooks. */
export interface NodeWebhooks {
  readonly store: SubscriptionStore;
  /** How receivers are reached. No configuration has it: only tests pass one in. */
  readonly net?: Net;
  /** Milliseconds after each failed attempt, where a test cannot wait for days. */
  readonly retryMs?: readonly number[];
}

export interface WebhookParts {
  readonly ledger: Ledger;
  /** The report key. */
  readonly signer: ReportSigner;
  readonly sha256: Sha256;
  readonly log: Logger;
  /** Counts attempts. */
  readonly onAttempt: (outcome: string) => void;
}

/** What takes subscriptions, and what delivers messages to them. */
export interface RunningWebhooks {
  readonly store: SubscriptionStore;
  readonly signups: Signups;
  readonly deliveries: Deliveries;
}

/** Nothing is delivered before `deliveries` starts. Its clock is the system's: receivers compare the time of a delivery with their own. */
export function nodeWebhooks(
  { store, net, retryMs }: NodeWebhooks,
  { ledger, signer, sha256, log, onAttempt }: WebhookParts,
): RunningWebhooks {
  const reader = new MessageReader(ledger, sha256);
  const common = { store, nowMs: Date.now, ...(net === undefined ? {} : { net }) };
  const onError = (reason: string): void => log.error({ reason }, 'webhooks failed');
  const schedule = retryMs === undefined ? {} : { retryMs };
  const deliveries = new Deliveries({
    ...common,
    ...schedule,
    reader,
    signer,
    onAttempt,
    onError,
  });
  const size = (): number => reader.size;
  const signups = new Signups({ ...common, size, onError: (error) => onError(messageOf(error)) });
  return { store, signups, deliveries };
}
