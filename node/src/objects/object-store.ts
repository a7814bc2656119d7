import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';

/** What is written under a path. */
export interface NewObject {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly cacheControl: string;
}

/** What is stored under a path now. `etag` names exactly these bytes to the store. */
export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** When a write may happen: only where nothing is stored, or only in the place of what has that tag. */
export type Condition = 'absent' | { readonly etag: string };

/**
 * Objects under paths without a slash at their front, as S3 keeps them. Every call is tried again where the store is
 * busy, within bounds. Throws `unreachable` or `timeout` where the outcome is not known, and `refused` where the store
 * refuses the caller; no error has an address or a credential in it.
 */
export interface ObjectStore {
  /**
   * Writes, and returns the new tag; undefined where the condition was not met. A write that was tried again may have
   * met its own first try: `createObject` and `swapObject` find that out.
   */
  readonly put: (
    path: string,
    object: NewObject,
    condition?: Condition,
  ) => Promise<string | undefined>;
  /** What is stored; undefined if nothing is. Throws `too_large` beyond `maxBytes`. */
  readonly read: (path: string, maxBytes: number) => Promise<StoredObject | undefined>;
  /** Removes what is stored; nothing happens where nothing is. */
  readonly remove: (path: string) => Promise<void>;
}

/**
 * Stores an object whose bytes never change. It is no failure if the same bytes are there already, by an earlier run
 * or by a try of this one whose answer was lost. Throws `objects_differ` for other bytes, which stay as they are.
 */
export async function createObject(
  store: ObjectStore,
  path: string,
  object: NewObject,
): Promise<'created' | 'there'> {
  if ((await store.put(path, object, 'absent')) !== undefined) return 'created';
  const found = await store.read(path, Math.max(object.bytes.length, MAX_PAGE_BYTES));
  if (found === undefined) {
    // It was there a moment ago. Somebody removes objects, or the store is not consistent: the next try may tell.
    throw new Fault('unreachable', 'object store', {
      expected: `an answer about ${path}`,
      found: 'an object that cannot be created and is not there',
    });
  }
  if (equalBytes(found.bytes, object.bytes)) return 'there';
  throw new Fault('objects_differ', 'object', {
    at: path,
    expected: `the ${object.bytes.length} bytes that belong there`,
    found: `${found.bytes.length} other bytes`,
  });
}

/**
 * Puts an object in the place of the one that has a tag, or where nothing is; true if it stands there now. A try whose
 * answer was lost is found by its bytes, so no two writers may swap in the same ones.
 */
export async function swapObject(
  store: ObjectStore,
  path: string,
  object: NewObject,
  etag: string | undefined,
): Promise<boolean> {
  const condition = etag === undefined ? 'absent' : { etag };
  if ((await store.put(path, object, condition)) !== undefined) return true;
  const found = await store.read(path, MAX_PAGE_BYTES);
  return found !== undefined && equalBytes(found.bytes, object.bytes);
}
