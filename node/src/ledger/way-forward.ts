import { Fault, type FaultCode } from '@assay/core/fault';

const SOURCE = "a mirror, a recounter's folder, an export or a backup";

/**
 * What an operator can do about a record with which a node cannot continue, as a command; undefined for another
 * fault.
 */
export function wayForward(code: FaultCode | undefined, data: string): string | undefined {
  switch (code) {
    case 'ledger_behind':
    case 'ledger_differs':
    case 'ledger_corrupt':
    case 'guard_conflict':
    case 'guard_missing':
    case 'guard_corrupt':
      return `assay restore ${data} --from SOURCE, which is ${SOURCE}: docs/runbook.md`;
    default:
      return undefined;
  }
}

/** The same error with that command in its message, if there is one. */
export function withWayForward(error: unknown, data: string): unknown {
  if (!(error instanceof Fault)) return error;
  const forward = wayForward(error.code, data);
  if (forward === undefined) return error;
  const { message, cause } = error;
  const named = new Fault(error.code, `${message}. The way forward: ${forward}`, { cause });
  return named;
}
