import { Fault, type FaultCode } from '@assay/core/fault';

/**
 * Codes of faults that are caused by a print, an index or an account, and not by the RPC, the disk or the
 * ledger.
 */
const OF_ITEMS: ReadonlySet<FaultCode> = new Set([
  'bad_hex',
  'bad_length',
  'bad_utf8',
  'malformed',
  'not_canonical',
  'not_found',
  'not_representable',
  'out_of_range',
  'refused',
  'too_large',
  'unmet',
  'unsupported',
]);

/** The title of the faults of the RPC. */
const RPC_TITLE = 'Solana RPC';

/** Whether it concerns one print, index or account, so that the others can go on. */
export function isItemFault(error: unknown): error is Error {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return error instanceof Fault && OF_ITEMS.has(error.code) && !isRpcFault(error);
}

/** Whether the RPC gave a wrong answer. */
export function isRpcFault(error: unknown): boolean {
  return error instanceof Fault && error.message.startsWith(RPC_TITLE);
}

/** Whether nobody answered. */
export function isSilence(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'unreachable' || error.code === 'timeout');
}

/** Whether a transaction is reported as final but its effect cannot be read yet. A later poll may read it. */
export function isUnseen(error: unknown): boolean {
  return error instanceof Fault && error.code === 'unmet' && error.at === 'account';
}
