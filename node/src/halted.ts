import type { Fault } from '@assay/core/fault';
import { type Concern, recordConcerns } from './health/concern.ts';
import { Publication } from './api/publication.ts';
import { unreadableRecord } from './ledger/record.ts';
import { type RunningService, type ServiceParts, startService } from './service.ts';

/** The parts of a service without its record. */
export type HaltedParts = Omit<ServiceParts, 'record' | 'publication' | 'inputs'> & {
  /** Why the record cannot be read. */
  readonly reason: Fault;
};

const UNCHECKED: Concern = {
  level: 'degraded',
  reason:
    'Nothing of the settlement mirror is relayed, because the report key that it must be checked with cannot be read.',
};

/**
 * Serves what can be served while the record cannot be read: every read of it answers `halted`, `/status` gives
 * the reason, blobs prove themselves, and settlement files and listing kits come from the mirror. Nothing is
 * read from the ledger, and nothing is written.
 */
export function startHalted({ reason, ...parts }: HaltedParts): Promise<RunningService> {
  const record = unreadableRecord(reason);
  parts.metrics?.watchLedger(record);
  return startService({
    ...parts,
    record,
    publication: new Publication(record, parts.sha256),
    inputs: [
      () => recordConcerns(record),
      () => (parts.reportKey === undefined ? [UNCHECKED] : []),
    ],
  });
}
