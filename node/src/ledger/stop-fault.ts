import { Fault, type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import { storageFault } from '../platform/storage-fault.ts';

/** Faults that stay until an operator has acted: the disk holds another log than was published. */
export const CONTRADICTIONS: ReadonlySet<string> = new Set<FaultCode>([
  'ledger_behind',
  'ledger_differs',
  'ledger_corrupt',
  'guard_conflict',
  'guard_missing',
  'guard_corrupt',
  'would_fork',
]);

/**
 * Why a ledger has stopped: `no_room` if a full or read-only disk is the cause, and `signer_away` if it is the process
 * that has the checkpoint key. Both pass, and the ledger is then resumed.
 */
export function stopFault(cause: unknown): Fault {
  if (cause instanceof Fault && cause.code === 'signer_away') return cause;
  const fault = storageFault(cause, 'ledger');
  if (faultCode(fault) === 'no_room') {
    return new Fault('no_room', 'ledger', {
      expected: 'room on the disk, after which database and guard are compared again',
      found: messageOf(cause),
      cause,
    });
  }
  return new Fault('stopped', 'ledger', {
    expected: 'a restart, which compares database and guard',
    found: messageOf(cause),
    cause,
  });
}
