import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { formatHex } from '@assay/core/bytes/hex';
import { formatNoteKey, NOTE_COSIGNATURE } from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An Ed25519 key made from its name, and its public half in hex. */
export interface Hand extends Signer {
  readonly name: string;
  readonly key: string;
  readonly hex: (message: Uint8Array) => string;
}

const made = new Map<string, Hand>();

export function hand(name: string): Hand {
  const known = made.get(name);
  if (known !== undefined) return known;
  const seed = createHash('sha256').update(`adversary ${name}`).digest();
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(x as string, 'base64url'));
  const signed = (message: Uint8Array): Uint8Array => new Uint8Array(sign(null, message, key));
  const result: Hand = {
    name,
    key: formatHex(publicKey),
    publicKey,
    sign: signed,
    hex: (message) => formatHex(signed(message)),
  };
  made.set(name, result);
  return result;
}

/** A co-signer: who runs it, and whether the publisher has its key. */
export interface Recounter extends Hand {
  readonly operator: string;
  readonly corrupt: boolean;
}

function recounter(name: string, operator: string, corrupt: boolean): Recounter {
  return { ...hand(name), operator, corrupt };
}

/** Those who may be asked to recount. Two of the publisher's own hold two keys of one operator. */
export const RECOUNTERS: readonly Recounter[] = [
  recounter('ada', 'Ada', false),
  recounter('ben', 'Ben', false),
  recounter('cleo', 'Cleo', false),
  recounter('max', 'Max', true),
  recounter('ned', 'Ned', true),
  recounter('ned-2', 'Ned', true),
  recounter('ada-2', 'Ada', false),
];

/** One who cosigns heads of logs, and who runs it. */
export interface WitnessHand extends Hand {
  readonly operator: string;
  readonly vkey: string;
}

function witness(name: string, operator: string): WitnessHand {
  const own = hand(name);
  const vkey = formatNoteKey(nodeSha256, name, own.publicKey, NOTE_COSIGNATURE);
  return { ...own, operator, vkey };
}

/** Those who may be asked to have seen a head. One operator holds two keys. */
export const WITNESSES: readonly WitnessHand[] = [
  witness('alpha.example', 'Alpha'),
  witness('beta.example', 'Beta'),
  witness('gamma.example', 'Gamma'),
  witness('gamma.example/2', 'Gamma'),
];
