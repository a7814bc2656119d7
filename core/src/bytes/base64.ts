import { Fault } from '../fault.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i += 1) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Characters between two charges. */
const PIECE = 4096;

/** Standard base64 with padding (RFC 4648, section 4). */
export function formatBase64(bytes: Uint8Array): string {
  const out: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] ?? 0;
    const b = bytes[i + 1] ?? 0;
    const c = bytes[i + 2] ?? 0;
    const left = bytes.length - i;
    out.push(
      ALPHABET.charAt(a >> 2) +
        ALPHABET.charAt(((a & 3) << 4) | (b >> 4)) +
        (left > 1 ? ALPHABET.charAt(((b & 15) << 2) | (c >> 6)) : '=') +
        (left > 2 ? ALPHABET.charAt(c & 63) : '='),
    );
  }
  return out.join('');
}

/**
 * The bytes of standard padded base64. Accepts only what `formatBase64` writes: no line breaks, no
 * missing padding, no stray bits (RFC 4648, section 3.5). Throws `bad_base64`, and what `work` throws, to
 * which each character is charged.
 */
export function parseBase64(text: string, work: WorkBudget = NO_LIMIT): Uint8Array {
  if (text.length % 4 !== 0) {
    throw new Fault('bad_base64', 'base64', { expected: 'a multiple of 4 characters' });
  }
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = (text.length / 4) * 3 - padding;
  const out = new Uint8Array(length);
  let at = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length - padding; i += 1) {
    if (i % PIECE === 0) work.charge(Math.min(PIECE, text.length - i));
    const code = text.charCodeAt(i);
    const value = code < 128 ? (VALUES[code] ?? -1) : -1;
    if (value < 0) throw new Fault('bad_base64', 'base64', { at: `character ${i}` });
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[at] = (held >> bits) & 0xff;
      at += 1;
    }
  }
  if ((held & ((1 << bits) - 1)) !== 0) {
    throw new Fault('bad_base64', 'base64', { expected: 'no stray bits at the end' });
  }
  return out;
}
