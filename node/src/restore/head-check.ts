import { join } from 'node:path';
import { formatEvidence } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { Loss } from '@assay/core/kind/loss';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseEntry } from '@assay/core/log/entry';
import { formatNoteKey, type NoteKey } from '@assay/core/log/note';
import { ensureFolder, writeDurable } from '../platform/durable-file.ts';
import type { BareHead } from '../ledger/guard/head-guard.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { openMirrored } from '../mirror/mirrored-note.ts';
import { Assembly } from './assembly.ts';
import { findFork, type KnownHead, type KnownTree, type SilentHolder } from './known-heads.ts';
import { isAddress } from './source.ts';
import { SUCCESSION_FILE, formatProposal } from './succession-proposal.ts';
import { leftGuards, type Restoration } from './restoration.ts';

/**
 * The heads that sources show and the key has signed. One that it has not signed is reported for its source.
 */
export function shownHeads(restoration: Restoration, key: NoteKey): KnownHead[] {
  const heads: KnownHead[] = [];
  for (const result of restoration.results) {
    const { source } = result;
    if (source === undefined) continue;
    for (const { holder, note } of source.heads) {
      try {
        const head = openMirrored(key, note);
        // A line in addition to the log's own means that somebody else has seen this head.
        const isAlone = source.kind === 'folder' && head.note.signatures.length === 1;
        heads.push({ holder, head, held: isAlone ? 'own' : source.isLive ? 'live' : 'copy' });
      } catch (error) {
        result.faults.push(`${holder}: ${messageOf(error)}`);
      }
    }
  }
  return heads;
}

/** Addresses that were given as sources and showed no head that the key has signed. */
export function silentSources(
  restoration: Restoration,
  heads: readonly KnownHead[],
): readonly SilentHolder[] {
  return restoration.results
    .filter(({ name }) => isAddress(name) && !heads.some(({ holder }) => holder === name))
    .map(({ name, faults }) => ({
      holder: `the source ${name}`,
      reason: faults[0] ?? 'it has no head of this log',
    }));
}

/** Throws `ledger_differs`, and stores the evidence, if two signed heads exclude each other. */
export async function requireOneHistory(
  restoration: Restoration,
  key: NoteKey,
  heads: readonly KnownHead[],
  trees: readonly KnownTree[],
): Promise<void> {
  const { sha256, data } = restoration.parts;
  const fork = await findFork(sha256, key, heads, trees);
  if (fork === undefined) return;
  const bytes = formatEvidence(fork.evidence);
  const path = join(data, 'evidence', `${hashHex(contentHash(sha256, bytes))}.json`);
  await ensureFolder(join(data, 'evidence'), { mode: 0o700 });
  await writeDurable(path, bytes);
  throw new Fault('ledger_differs', 'restore', {
    expected: 'one history in all heads that the log has signed',
    found:
      `two: ${fork.first.holder} holds a head of ${fork.first.head.checkpoint.size} entries, and ` +
      `${fork.second.holder} one of ${fork.second.head.checkpoint.size} that excludes it. The evidence is kept in ${path}`,
  });
}

/**
 * Throws `head_lost` if a head that others hold covers more than was found. What a log that begins anew needs is left for
 * it where `key` is the checkpoint key in genesis: of a later key a succession shows nothing.
 */
export async function requireAll(
  restoration: Restoration,
  key: NoteKey,
  heads: readonly KnownHead[],
  assembly: Assembly,
  store: LedgerStore,
): Promise<void> {
  const { data, sha256 } = restoration.parts;
  const { size } = assembly;
  const beyond = heads
    .filter(({ head, held }) => held !== 'own' && head.checkpoint.size > size)
    .toSorted((a, b) => b.head.checkpoint.size - a.head.checkpoint.size)[0];
  if (beyond === undefined) return;
  const proven = heads
    .filter(({ head }) => head.checkpoint.size > 0 && head.checkpoint.size <= size)
    .toSorted((a, b) => b.head.checkpoint.size - a.head.checkpoint.size)[0];
  const genesis = await store.entry(0);
  const vkey = formatNoteKey(sha256, key.name, key.publicKey);
  const first =
    genesis === undefined
      ? undefined
      : parseGenesis(parseEntry(genesis).body, 'entry 0').checkpoint_vkey;
  const isReplaced = first !== undefined && first !== vkey;
  if (proven !== undefined && genesis !== undefined && !isReplaced) {
    const bytes = formatProposal({ genesis, head: proven.head.bytes, lost: beyond.head.bytes });
    await writeDurable(join(data, SUCCESSION_FILE), bytes);
  }
  const anew = isReplaced
    ? `begin a log that says elsewhere what it succeeds: assay init --succeeds cannot show ${vkey}, which took the ` +
      'place of the checkpoint key in genesis'
    : 'begin a log that names what is lost: ' +
      `assay init --succeeds ${data} --origin NEW-NAME --data NEW-FOLDER --contact ADDRESS`;
  throw new Fault('head_lost', 'restore', {
    expected: `the ${beyond.head.checkpoint.size} entries of ${key.name} under a head that ${beyond.holder} holds`,
    found:
      `${size}: no source has the others, and going on without them would be a fork, signed by ${vkey}. ` +
      `Look for another copy and run this again; or, where there is none, ${anew}`,
  });
}

/**
 * Throws `unreachable` unless another machine shows a head, and each named place does: a place that is behind
 * looks like one that knows the newest head. The folder's own head guard confirms nothing, because whatever
 * restored an old folder has restored an old guard with it. Where the guard itself is lost the code is `guard_missing` or
 * `guard_corrupt`, because then not even the entries beside it are known to be all.
 */
export function requireConfirmed(
  restoration: Restoration,
  heads: readonly KnownHead[],
  silent: readonly SilentHolder[],
): void {
  if (restoration.parts.unconfirmed) return;
  const isAnswered = heads.some(({ held }) => held === 'live');
  if (isAnswered && silent.length === 0) return;
  const reasons =
    silent.length === 0
      ? 'nobody is named: give --mirror or --witness, or the address of another machine as a source'
      : silent.map(({ holder, reason }) => `${holder}: ${reason}`).join('; ');
  const lost = lostGuard(restoration);
  if (lost !== undefined && restoration.parts.acknowledged === undefined) {
    throw new Fault(lost === 'missing' ? 'guard_missing' : 'guard_corrupt', 'restore', {
      expected:
        'the journal of the head guard, which alone may have had the last second of entries before a power failure; or a head ' +
        'from every witness, mirror and address that is named. --unconfirmed goes on without, and the log then declares that ' +
        'entries after what was found may be lost, unless --acknowledged says how many there were; if more had been ' +
        'published, that is a fork',
      found: `a journal that is ${lost}, so that whether more was acknowledged is not known; ${reasons}`,
    });
  }
  throw new Fault('unreachable', 'restore', {
    expected:
      'a head from every witness, mirror and address that is named, for an old copy looks like the newest by itself. ' +
      '--unconfirmed goes on without; if more had been published, that is a fork',
    found: isAnswered ? reasons : `nobody could be asked for a newer head: ${reasons}`,
  });
}

/** How the head guard was lost that had the newest entries; undefined where it was not. */
function lostGuard(restoration: Restoration): 'missing' | 'damaged' | undefined {
  for (const { state } of leftGuards(restoration)) {
    if (state === 'missing' || state === 'damaged') return state;
  }
  return undefined;
}

/** The largest head that the restored machine alone knows: signed, or in a guard, which had it before. */
function ownHead(restoration: Restoration, heads: readonly KnownHead[]): BareHead | undefined {
  const signed = heads.flatMap(({ held, head }) => (held === 'own' ? [head.checkpoint] : []));
  const guarded = leftGuards(restoration).flatMap((each) =>
    each.state === 'whole' ? [each.head] : [],
  );
  return [...signed, ...guarded].toSorted((a, b) => b.size - a.size)[0];
}

/**
 * What is lost after what was found. A guard that is lost may have had more than anybody knows, so that the loss has no end
 * then, unless the operator says how many were acknowledged. Throws `ledger_behind` if nobody consented to it.
 */
export function lossOf(
  restoration: Restoration,
  heads: readonly KnownHead[],
  size: number,
): Loss | null {
  const { acknowledged, acceptLoss, data } = restoration.parts;
  const own = ownHead(restoration, heads);
  const isGuardLost = lostGuard(restoration) !== undefined;
  const to = Math.max(own?.size ?? 0, acknowledged ?? 0);
  if (to > size) {
    if (!acceptLoss) {
      throw new Fault('ledger_behind', 'restore', {
        expected: `${to} entries, which were acknowledged`,
        found:
          `${size}: no source has the entries ${size} to ${to - 1}. Look for another copy; or, where there is none, ` +
          `--accept-loss writes a note into the log in their place, which says that they are lost`,
      });
    }
    const isGuard = own?.size === to;
    if (isGuardLost && acknowledged !== to) {
      return { from: size, to: null, root: null, known: 'guard' };
    }
    return {
      from: size,
      to,
      root: isGuard ? hashHex(own.root) : null,
      known: isGuard ? 'guard' : 'operator',
    };
  }
  if (acknowledged !== undefined) return null;
  const unknown: Loss = { from: size, to: null, root: null, known: 'nobody' };
  if (isGuardLost) return unknown;
  if (own !== undefined) return null;
  // The ledger itself was there to its end, and its guard, which may have more, is compared at the next start.
  const isOwnWhole = restoration.results.some(
    ({ source, name }) => name === data && source?.unsigned?.size === size,
  );
  return isOwnWhole ? null : unknown;
}
