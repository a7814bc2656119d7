/** What a visitor keeps in this browser: the keys that they brought, by log, and the newest heads that were seen under them. */

const KEY = 'assay-key/1 ';
const HEAD = 'assay-head/1 ';

/** What the storage has; null where there is none, or where a browser does not let it be used. */
function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    // A browser that keeps nothing asks for the key again.
  }
}

/** Whether a text has the form of a verifier key of a log (C2SP signed-note): a name, eight hex digits, and 33 bytes in Base64. */
export function isKey(text: string): boolean {
  return /^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/.test(text);
}

/** The key that was kept for a log, by its origin or its address; null where none was. */
export function keptKey(log: string): string | null {
  return stored(KEY + log);
}

export function keepKey(log: string, key: string): void {
  store(KEY + log, key);
}

/** The newest signed head that was seen under a key; null where none was. */
export function headOf(key: string): string | null {
  return stored(HEAD + key);
}

export function keepHead(key: string, head: string): void {
  store(HEAD + key, head);
}

/** Forgets all keys and heads, and returns how many there were. */
export function forgetKeys(): number {
  try {
    const names = Object.keys(localStorage).filter(
      (name) => name.startsWith(KEY) || name.startsWith(HEAD),
    );
    for (const name of names) localStorage.removeItem(name);
    return names.length;
  } catch {
    return 0;
  }
}

/**
 * The origin of the log that a bundle says it is of, by the first line of its checkpoint; null where it is no bundle. It
 * only chooses which key is brought: the verifier reads the bundle by itself.
 */
export function logOf(bytes: ArrayBuffer): string | null {
  try {
    const { checkpoint } = JSON.parse(new TextDecoder().decode(bytes)) as {
      readonly checkpoint?: unknown;
    };
    return typeof checkpoint === 'string' ? (checkpoint.split('\n')[0] ?? null) : null;
  } catch {
    return null;
  }
}
