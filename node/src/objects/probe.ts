import { randomBytes } from 'node:crypto';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { NO_STORE, TEXT_TYPE } from '../http/reply.ts';
import { createObject, type NewObject, type ObjectStore, swapObject } from './object-store.ts';

/** How many writers race for one create and for one swap. */
const RACERS = 8;
const MAX_BYTES = 1024;
/** A tag that no object has: of sixteen bytes, as most stores make them of an MD5. */
const NO_TAG = '"00000000000000000000000000000000"';

/**
 * Finds out whether a store keeps the conditions of writes, on which it rests that a log has one history in a bucket.
 * Throws `objects_unsafe`, with what the store did, where two writers would both have won. What was written for it is
 * removed again, as far as the store lets it be. Throws what the store throws, too.
 */
export async function probeConditions(store: ObjectStore): Promise<void> {
  const folder = `probe/${randomBytes(16).toString('hex')}`;
  const made = { create: `${folder}/create`, swap: `${folder}/swap`, missing: `${folder}/missing` };
  const races = { create: `${folder}/create-race`, swap: `${folder}/swap-race` };
  try {
    await probeCreate(store, made.create);
    await probeSwap(store, made.swap);
    await probeMissing(store, made.missing);
    await race(store, races.create, undefined);
    await createObject(store, races.swap, text('first'));
    await race(store, races.swap, (await store.read(races.swap, MAX_BYTES))?.etag ?? '');
  } finally {
    for (const path of [...Object.values(made), ...Object.values(races)]) {
      // What is left over has a name that nobody uses again.
      await store.remove(path).catch(() => undefined);
    }
  }
}

async function probeCreate(store: ObjectStore, path: string): Promise<void> {
  await createObject(store, path, text('one'));
  if ((await store.put(path, text('two'), 'absent')) !== undefined) {
    throw unsafe(
      'If-None-Match: * to refuse a second create',
      'it took the second create of one object',
    );
  }
  await requireText(store, path, 'one', 'a create that it refused');
}

async function probeSwap(store: ObjectStore, path: string): Promise<void> {
  await createObject(store, path, text('one'));
  if ((await store.put(path, text('wrong'), { etag: NO_TAG })) !== undefined) {
    throw unsafe('If-Match to refuse another tag', 'it took a swap with a tag that no object has');
  }
  const { etag } = await requireText(store, path, 'one', 'a swap that it refused');
  if (!(await swapObject(store, path, text('two'), etag))) {
    throw unsafe('If-Match to take the tag of the object', 'it refused a swap with that tag');
  }
  if ((await store.put(path, text('three'), { etag })) !== undefined) {
    throw unsafe(
      'If-Match to refuse the tag of an object that was replaced',
      'it took a swap with that tag',
    );
  }
  await requireText(store, path, 'two', 'a swap that it refused');
}

async function probeMissing(store: ObjectStore, path: string): Promise<void> {
  if ((await store.put(path, text('one'), { etag: NO_TAG })) !== undefined) {
    throw unsafe(
      'If-Match to refuse a swap where no object is',
      'it took a swap of an object that was not there',
    );
  }
  if ((await store.read(path, MAX_BYTES)) !== undefined) {
    throw unsafe(
      'a refused swap to leave nothing',
      'it wrote an object with a swap that it refused',
    );
  }
}

/** Lets several writers write at once, of which one may win. */
async function race(store: ObjectStore, path: string, etag: string | undefined): Promise<void> {
  const condition = etag === undefined ? 'absent' : { etag };
  const racers = Array.from({ length: RACERS }, (_, i) => `racer ${i}`);
  const tags = await Promise.all(racers.map((each) => store.put(path, text(each), condition)));
  const winners = racers.filter((_, i) => tags[i] !== undefined);
  const what = etag === undefined ? 'creates' : 'swaps';
  if (winners.length > 1) {
    throw unsafe(
      `one of ${RACERS} ${what} at once to win`,
      `it told ${winners.length} writers that they had won`,
    );
  }
  const found = Buffer.from((await store.read(path, MAX_BYTES))?.bytes ?? []).toString();
  // The answer to the winner may have been lost, after which its second try was refused.
  if (racers.includes(found) && (winners.length === 0 || winners[0] === found)) return;
  throw unsafe(
    `what the winner of ${RACERS} ${what} wrote`,
    winners.length === 0
      ? 'it let none of them win'
      : 'it has what another writer wrote, or nothing',
  );
}

async function requireText(
  store: ObjectStore,
  path: string,
  expected: string,
  after: string,
): Promise<{ readonly etag: string }> {
  const found = await store.read(path, MAX_BYTES);
  if (found !== undefined && Buffer.from(found.bytes).toString() === expected) return found;
  throw unsafe(
    'an object to stay as it was written',
    `it has other bytes, or none, after ${after}`,
  );
}

function text(words: string): NewObject {
  return { bytes: formatUtf8(words), contentType: TEXT_TYPE, cacheControl: NO_STORE };
}

function unsafe(expected: string, found: string): Fault {
  return new Fault('objects_unsafe', 'object store', { expected, found });
}
