import { isForecastValue } from '@assay/core/arena/forecast/forecast-message';
import { foldName, HANDLE_KEY_BYTES } from '@assay/core/arena/forecast/handle';
import { isHex } from '@assay/core/bytes/hex';
import { faultCode } from '@assay/core/fault';
import { SEALED_BYTES } from '@assay/core/kind/forecast';
import { SECRET_BYTES } from './handle-store.ts';

/** The body of a forecast that somebody sends. What is absent is null. */
export interface ForecastBody {
  /** The id of the round. */
  readonly question: string;
  /** The handle's name as it was written. */
  readonly handle: string;
  /** A plain decimal as text; null where the forecast is sealed. */
  readonly value: string | null;
  /** 160 bytes, hex; null where the forecast is not sealed. */
  readonly sealed: string | null;
  /** 32 bytes that the client chose, hex. */
  readonly nonce: string | null;
  /** The secret of the handle, hex. */
  readonly secret: string | null;
  /** The 32 bytes that the id of a new handle is made with, hex. */
  readonly handle_salt: string | null;
  /** An Ed25519 key, hex. */
  readonly key: string | null;
  readonly counter: number | null;
  /** Ed25519 by the key, hex. */
  readonly signature: string | null;
  /** The 32 bytes of salt of a plain forecast, hex. */
  readonly salt: string | null;
}

/** A member of a body that cannot be taken, and what was expected. */
export interface BodyFault {
  readonly at: string;
  readonly expected: string;
}

/** A plain decimal of at most 16 digits before its point, so that it can be scaled without care. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,18})?$/;

const MEMBERS: readonly (keyof ForecastBody)[] = [
  'question',
  'handle',
  'value',
  'sealed',
  'nonce',
  'secret',
  'handle_salt',
  'key',
  'counter',
  'signature',
  'salt',
];

const HEX_MEMBERS = [
  ['sealed', SEALED_BYTES],
  ['nonce', 32],
  ['secret', SECRET_BYTES],
  ['handle_salt', 32],
  ['key', HANDLE_KEY_BYTES],
  ['signature', 64],
  ['salt', 32],
] as const;

/** The body in JSON that was parsed, or its first member that cannot be taken. */
export function parseForecastBody(json: unknown): ForecastBody | BodyFault {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { at: 'body', expected: 'an object' };
  }
  const given = json as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !(MEMBERS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    return { at: unknown.slice(0, 40), expected: `no other member than ${MEMBERS.join(', ')}` };
  }
  const body = {
    ...Object.fromEntries(MEMBERS.map((name) => [name, given[name] ?? null])),
    value: valueText(given['value'] ?? null),
  } as ForecastBody;
  return shapeFault(body) ?? linkFault(body) ?? body;
}

/** Whether what `parseForecastBody` gave is a fault. */
export function isBodyFault(parsed: ForecastBody | BodyFault): parsed is BodyFault {
  return 'expected' in parsed;
}

/** A number in JSON as its shortest decimal, which is what was written up to 15 digits. */
function valueText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function shapeFault(body: ForecastBody): BodyFault | undefined {
  if (typeof body.question !== 'string' || body.question.length > 64) {
    return { at: 'question', expected: 'the id of a question' };
  }
  if (typeof body.handle !== 'string') return { at: 'handle', expected: 'a name' };
  const { value, counter } = body;
  if (value !== null && (typeof value !== 'string' || !DECIMAL.test(value))) {
    return { at: 'value', expected: 'a plain decimal, as a number or as text' };
  }
  for (const [name, bytes] of HEX_MEMBERS) {
    const text = body[name];
    if (text !== null && (typeof text !== 'string' || !isHex(text, bytes))) {
      return { at: name, expected: `${bytes} bytes in lower-case hex` };
    }
  }
  if (counter !== null && (!Number.isSafeInteger(counter) || counter < 1)) {
    return { at: 'counter', expected: 'a whole number from 1' };
  }
  return nameFault(body.handle);
}

function nameFault(name: string): BodyFault | undefined {
  try {
    foldName(name);
    return undefined;
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
    return {
      at: 'handle',
      expected: '3 to 24 of the characters a-z, 0-9, _ and -, and no reserved name',
    };
  }
}

/** Members that need or exclude each other. */
function linkFault(body: ForecastBody): BodyFault | undefined {
  const { value, sealed, nonce, secret, handle_salt, key, counter, signature, salt } = body;
  if ((value === null) === (sealed === null)) {
    return { at: 'value', expected: 'a value or sealed bytes, and not both' };
  }
  if (sealed !== null && salt !== null) {
    return { at: 'salt', expected: 'none beside sealed bytes' };
  }
  const isSigned = signature !== null;
  if (isSigned !== (counter !== null)) {
    return { at: 'counter', expected: 'a counter and a signature, or neither' };
  }
  if (key !== null && !isSigned) return { at: 'signature', expected: 'one beside a key' };
  if (!isSigned) return undefined;
  if (nonce === null) return { at: 'nonce', expected: 'one beside a signature, which covers it' };
  if (value !== null && salt === null) {
    return { at: 'salt', expected: 'one beside a signature, which covers the commitment' };
  }
  if (secret !== null) return { at: 'secret', expected: 'none beside a signature' };
  return handle_salt === null
    ? undefined
    : { at: 'handle_salt', expected: 'none beside a signature' };
}

/** A decimal as an integer scaled by `decimals`, or what was expected of it. */
export function scaledForecast(text: string, decimals: number): bigint | BodyFault {
  const [whole = '', part = ''] = text.split('.');
  if (part.length > decimals) {
    return { at: 'value', expected: `at most ${decimals} decimals, as the index has` };
  }
  const scaled = BigInt(whole + part.padEnd(decimals, '0'));
  return isForecastValue(scaled)
    ? scaled
    : { at: 'value', expected: `between -10^15 and 10^15 in units of its last decimal` };
}
