import { Fault } from './fault.ts';

// The two WHATWG classes that every engine has and that no ECMAScript library declares.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label: 'utf-8', options: { fatal: true; ignoreBOM: true });
  decode(bytes: Uint8Array): string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of well-formed `text`. Throws `bad_utf8` for a lone surrogate. */
export function formatUtf8(text: string): Uint8Array {
  if (!isWellFormed(text)) {
    throw new Fault('bad_utf8', 'text', { expected: 'no lone surrogate' });
  }
  return encoder.encode(text);
}

/** The text of UTF-8 `bytes`; a byte order mark is kept. Throws `bad_utf8`. */
export function parseUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new Fault('bad_utf8', 'text', { expected: 'UTF-8', cause });
  }
}

/** Whether every surrogate in `text` has its partner. */
export function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(i + 1);
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return false;
    i += 1;
  }
  return true;
}
