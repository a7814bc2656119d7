import { canonicalize } from '@assay/core/wire/canonical';
import { nodeVerifySignature } from '../platform/node-signature.ts';

/** An Ed25519 key that signs, and the name under which others find its public half. */
export interface JwsKey {
  /** A DID with a fragment, such as `did:web:assay.example#x402`. */
  readonly kid: string;
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** A compact JWS (RFC 7515) with EdDSA (RFC 8037) over the canonical JSON (RFC 8785) of `payload`. */
export function signJws(payload: object, key: JwsKey): string {
  const head = text64(JSON.stringify({ alg: 'EdDSA', kid: key.kid }));
  const signed = `${head}.${text64(canonicalize(payload))}`;
  return `${signed}.${Buffer.from(key.sign(Buffer.from(signed))).toString('base64url')}`;
}

/** The payload of a compact JWS by this key; undefined for anything else. */
export function openJws(
  jws: string,
  { kid, publicKey }: Pick<JwsKey, 'kid' | 'publicKey'>,
): Readonly<Record<string, unknown>> | undefined {
  const [head = '', body = '', signature = '', rest] = jws.split('.');
  if (rest !== undefined) return undefined;
  const header = jsonOf(head);
  if (header?.['alg'] !== 'EdDSA' || header['kid'] !== kid) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.length !== 64) return undefined;
  const good = nodeVerifySignature(publicKey, Buffer.from(`${head}.${body}`), bytes);
  return good ? jsonOf(body) : undefined;
}

function text64(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
