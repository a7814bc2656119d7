import { faultCode, messageOf } from '@assay/core/fault';
import { parseBundle } from '@assay/core/proof/bundle';
import { isObject } from '@assay/core/wire/schema';
import { parseWire, type WireValue } from '@assay/core/wire/wire';
import type { WorkBudget } from '@assay/core/work-budget';
import { conclude, incomplete, type Session } from '../session.ts';
import type { Verdict } from '../../verdict/verdict.ts';

const TYPE = 'assay-bundle/1';

/**
 * The verdict on a file that could not be read as a bundle, and on which nothing can be said about a publisher: nobody
 * signs a bundle as a whole, so that a file which is none, or was damaged or laid out anew, shows nothing of its log.
 * Only an object that calls itself a bundle, is spelled as one and breaks its format has a finding: somebody made it so.
 */
export function noBundle(session: Session, bytes: Uint8Array, error: unknown): Verdict {
  const { findings, work } = session;
  work.requireLeft();
  if (faultCode(error) === 'too_large') {
    return incomplete(session, `the file is no bundle: ${messageOf(error)}`, 'not_a_bundle');
  }
  const type = typeOf(bytes, work);
  if (type === TYPE) {
    findings.add(
      'bundle_malformed',
      'bundle',
      `a bundle (${TYPE}), as assay bundle writes it`,
      `a file that was changed: ${messageOf(error)}`,
    );
    return conclude(session, undefined);
  }
  if (type?.startsWith('assay-bundle/') === true) {
    const why = `the file is a bundle of the format ${type}, and this verifier knows ${TYPE} alone: use a newer one`;
    return incomplete(session, why, 'not_a_bundle');
  }
  if (type !== undefined) {
    const why = `the file is of the type ${type}, and no bundle (${TYPE})`;
    return incomplete(session, why, 'not_a_bundle');
  }
  if (isBundle(withoutLayout(bytes, work), work)) {
    const why =
      'the file has the content of a bundle in other bytes: another program, such as jq or an editor, has laid it out anew';
    return incomplete(session, why, 'reformatted');
  }
  const why = `the file is no bundle as assay bundle writes it, or it was damaged: ${messageOf(error)}`;
  return incomplete(session, why, 'not_a_bundle');
}

/** What an object of the wire calls itself; empty where it does not, undefined where the bytes are no wire JSON. */
function typeOf(bytes: Uint8Array, work: WorkBudget): string | undefined {
  let value: WireValue;
  try {
    value = parseWire(bytes, work);
  } catch {
    work.requireLeft();
    return undefined;
  }
  const type = isObject(value) ? value['type'] : undefined;
  return typeof type === 'string' ? type : undefined;
}

function isBundle(bytes: Uint8Array, work: WorkBudget): boolean {
  try {
    parseBundle(bytes, work);
    return true;
  } catch {
    work.requireLeft();
    return false;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Bytes between two charges of the work. */
const PIECE = 65_536;

/** JSON without the white space between its parts (RFC 8259, 2) and without a byte order mark before it. */
function withoutLayout(bytes: Uint8Array, work: WorkBudget): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  let isString = false;
  const from = BYTE_ORDER_MARK.every((each, i) => bytes[i] === each) ? BYTE_ORDER_MARK.length : 0;
  for (let i = from; i < bytes.length; i += 1) {
    if (i % PIECE === 0) work.charge(PIECE);
    const byte = bytes[i] as number;
    const isLayout = byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
    if (!isString && isLayout) continue;
    out[length] = byte;
    length += 1;
    if (isString && byte === BACKSLASH) {
      i += 1;
      if (i < bytes.length) out[length++] = bytes[i] as number;
    } else if (byte === QUOTE) {
      isString = !isString;
    }
  }
  return out.subarray(0, length);
}
