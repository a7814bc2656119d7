import { Fault, FAULT_CODES, type FaultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { parseReport, type Report } from '@assay/core/report/report';
import {
  array,
  date,
  hashHex,
  hex,
  integer,
  isObject,
  literal,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '@assay/core/wire/schema';
import { formatWire, parseWire, type WireValue } from '@assay/core/wire/wire';
import type { Signable } from '../key/report-signer.ts';
import { MAX_FRAME_BYTES } from './signer-frame.ts';

/** The version of the messages between a node and its signer. Another one is refused. */
export const SIGNER_VERSION = 1;

/** The most hashes of a consistency proof: two for each level of the largest tree that has a safe integer as its size. */
const MAX_PROOF = 2 * 53;

/** What a node asks its signer. */
export type SignerQuestion =
  /** Which log it signs for, and with which keys. */
  | { readonly ask: 'keys' }
  | {
      readonly ask: 'checkpoint';
      readonly origin: string;
      readonly size: number;
      readonly root: HashHex;
      /** The size of the head that the proof begins with; 0 without one. */
      readonly from: number;
      readonly proof: readonly HashHex[];
    }
  /** A signature of a report key. */
  | { readonly ask: 'sign'; readonly key: string; readonly what: Signable }
  /** The report that was signed in the place of another. */
  | { readonly ask: 'report'; readonly report: Report };

/** What a signer answers. */
export type SignerAnswer =
  | {
      readonly give: 'keys';
      readonly log: HashHex;
      readonly origin: string;
      readonly checkpoint_key: string;
      readonly report_keys: readonly string[];
      /** The size of the newest head that it signed; 0 without one. */
      readonly size: number;
    }
  | { readonly give: 'signature'; readonly signature: string }
  | { readonly give: 'report'; readonly report: Report | null }
  | {
      readonly give: 'fault';
      readonly code: FaultCode;
      readonly title: string;
      readonly at: string | null;
      readonly expected: string | null;
      readonly found: string | null;
    };

const parsePlaceNonce = hex(32);
const subject = string(1, 64, /^[a-z0-9-]+$/);

const SIGNABLES: { readonly [K in Signable['of']]: Parse<Extract<Signable, { of: K }>> } = {
  print: object({ of: literal('print'), report: parseReport }),
  close: object({
    of: literal('close'),
    log: hashHex,
    day: date,
    version: integer(0, 255),
    hash: hashHex,
  }),
  receipt: object({
    of: literal('receipt'),
    place: object({
      log: hashHex,
      subject,
      ordinal: integer(0, Number.MAX_SAFE_INTEGER),
      leaf: hashHex,
      nonce: parsePlaceNonce,
    }),
  }),
  webhook: object({
    of: literal('webhook'),
    id: string(5, 128, /^msg_[0-9a-z_]+$/),
    timestamp: integer(0, Number.MAX_SAFE_INTEGER),
    body: string(0, 512 * 1024),
  }),
  endorsement: object({
    of: literal('endorsement'),
    key: object({ log: hashHex, kid: string(1, 512), publicKey: hex(32) }),
  }),
  transaction: object({
    of: literal('transaction'),
    message: string(2, 4096, /^(?:[0-9a-f]{2})+$/),
  }),
};

const parseSignable: Parse<Signable> = (value, at) =>
  tagged<Signable, 'of'>(value, at, 'of', SIGNABLES);

const QUESTIONS: {
  readonly [K in SignerQuestion['ask']]: Parse<Extract<SignerQuestion, { ask: K }>>;
} = {
  keys: object({ ask: literal('keys') }),
  checkpoint: object({
    ask: literal('checkpoint'),
    origin: string(1, 512),
    size: integer(1, Number.MAX_SAFE_INTEGER),
    root: hashHex,
    from: integer(0, Number.MAX_SAFE_INTEGER),
    proof: array(hashHex, 0, MAX_PROOF),
  }),
  sign: object({ ask: literal('sign'), key: hex(32), what: parseSignable }),
  report: object({ ask: literal('report'), report: parseReport }),
};

const ANSWERS: { readonly [K in SignerAnswer['give']]: Parse<Extract<SignerAnswer, { give: K }>> } =
  {
    keys: object({
      give: literal('keys'),
      log: hashHex,
      origin: string(1, 512),
      checkpoint_key: hex(32),
      report_keys: array(hex(32), 1, 256),
      size: integer(0, Number.MAX_SAFE_INTEGER),
    }),
    signature: object({ give: literal('signature'), signature: hex(64) }),
    report: object({ give: literal('report'), report: nullable(parseReport) }),
    fault: object({
      give: literal('fault'),
      code: oneOf(FAULT_CODES),
      title: string(1, 256),
      at: nullable(string(0, 4096)),
      expected: nullable(string(0, 4096)),
      found: nullable(string(0, 4096)),
    }),
  };

/** A question or an answer with the number by which they belong together. */
export interface Numbered<T> {
  readonly id: number;
  readonly body: T;
}

/** The bytes of a question, without the length of its frame. */
export function formatQuestion(id: number, question: SignerQuestion): Uint8Array {
  return formatNumbered(id, question);
}

/** A question, or `malformed`, `not_canonical` or `bad_utf8`. */
export function parseQuestion(bytes: Uint8Array): Numbered<SignerQuestion> {
  return parseNumbered(bytes, (value, at) =>
    tagged<SignerQuestion, 'ask'>(value, at, 'ask', QUESTIONS),
  );
}

export function formatAnswer(id: number, answer: SignerAnswer): Uint8Array {
  return formatNumbered(id, answer);
}

export function parseAnswer(bytes: Uint8Array): Numbered<SignerAnswer> {
  return parseNumbered(bytes, (value, at) =>
    tagged<SignerAnswer, 'give'>(value, at, 'give', ANSWERS),
  );
}

function formatNumbered(id: number, body: SignerQuestion | SignerAnswer): Uint8Array {
  const bytes = formatWire({ v: SIGNER_VERSION, id, body } as never);
  if (bytes.length <= MAX_FRAME_BYTES) return bytes;
  throw new Fault('too_large', 'signer message', {
    expected: `at most ${MAX_FRAME_BYTES} bytes`,
    found: `${bytes.length}`,
  });
}

function parseNumbered<T>(bytes: Uint8Array, parse: Parse<T>): Numbered<T> {
  const value = parseWire(bytes);
  if (isObject(value) && value['v'] !== SIGNER_VERSION) {
    const found = JSON.stringify(value['v'] ?? null).slice(0, 32);
    throw new Fault('unsupported', 'signer message', {
      expected: `version ${SIGNER_VERSION}`,
      found,
    });
  }
  const { id, body } = object<Numbered<T> & { readonly v: 1 }>({
    v: literal(SIGNER_VERSION),
    id: integer(0, Number.MAX_SAFE_INTEGER),
    body: parse,
  })(value, '');
  return { id, body };
}

/** One of several shapes, by the member that names it. */
function tagged<T extends { readonly [K in Tag]: string }, Tag extends string>(
  value: WireValue,
  at: string,
  tag: Tag,
  shapes: { readonly [name: string]: Parse<T> },
): T {
  if (!isObject(value)) throw malformed(at, 'an object', value);
  const name = value[tag];
  const parse = typeof name === 'string' && Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (parse === undefined) {
    throw malformed(`${at}.${tag}`, `one of ${Object.keys(shapes).join(', ')}`, name ?? null);
  }
  return parse(value, at);
}

/** A fault as an answer. Anything else is a fault of the signer itself, of which only that is told. */
export function faultAnswer(error: unknown): SignerAnswer {
  const fault =
    error instanceof Fault
      ? error
      : new Fault('stopped', 'signer', { expected: 'an answer: its log says what failed' });
  const [title = 'signer'] = fault.message.split(/ at |: /);
  const cut = (text: string | undefined): string | null => text?.slice(0, 4096) ?? null;
  return {
    give: 'fault',
    code: fault.code,
    title: title.slice(0, 256),
    at: cut(fault.at),
    expected: cut(fault.expected),
    found: cut(fault.found),
  };
}

/** The fault in an answer. */
export function faultOf(answer: Extract<SignerAnswer, { give: 'fault' }>): Fault {
  const { code, title, at, expected, found } = answer;
  return new Fault(code, title, {
    ...(at === null ? {} : { at }),
    ...(expected === null ? {} : { expected }),
    ...(found === null ? {} : { found }),
  });
}
