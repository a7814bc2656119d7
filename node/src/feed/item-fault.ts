import { Fault, type FaultCode } from '@assay/core/fault';

/** Codes of what a print, an index or an account is, whatever the RPC, the disk and the ledger do. */
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

/** Whether it is about one print, index or account: what belongs to others goes on. */
export function isItemFault(error: unknown): error is Error {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return error instanceof Fault && OF_ITEMS.has(error.code) && !isRpcFault(error);
}

/** Whether the RPC answered, and not as it should. */
export function isRpcFault(error: unknown): boolean {
  return error instanceof Fault && error.message.startsWith(RPC_TITLE);
}

/** Whether nobody answered. */
export function isSilence(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'unreachable' || error.code === 'timeout');
}

/** Whether a transaction is said to be final and what it brought is not seen yet: another look may see it. */
export function isUnseen(error: unknown): boolean {
  return error instanceof Fault && error.code === 'unmet' && error.at === 'account';
}
