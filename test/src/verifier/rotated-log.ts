import type { HashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { parseDate, parseTime } from '@assay/core/time';
import { keyHash } from '@assay/core/view/keys';
import { runClose } from '@assay/node/close-round';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { MemoryOpenings } from '@assay/node/openings';
import { runRound } from '@assay/node/round';
import { enactRule } from '@assay/node/rule-file';
import type { SettlementFolder } from '@assay/node/settlement-mirror';
import {
  CHECKPOINTS,
  genesisBody,
  memoryPlace,
  openAt,
  REPORT_SIGNER,
  testSigner,
} from '../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE, ScriptedSource } from '../node/round-fixture.ts';
import type { LooseDraft } from './forge.ts';
import { chain, draftsOf, publish, type Published } from './published.ts';

/** The report keys of the log, the first one first: as genesis promised, and after a theft by the recovery key. */
export const REPORT_KEYS: readonly [Signer, Signer, Signer] = [
  REPORT_SIGNER,
  testSigner(3),
  testSigner(6),
];
export const NEXT_KEYS: readonly [Signer, Signer, Signer] = [
  testSigner(3),
  testSigner(5),
  testSigner(7),
];
export const RECOVERY_KEYS: readonly [Signer, Signer] = [testSigner(4), testSigner(8)];

export const hexOf = ({ publicKey }: Signer): string => formatHex(publicKey);
export const promised = (signer: Signer): HashHex => keyHash(nodeSha256, hexOf(signer));

type Said = Omit<KeyEntry, 'signatures'>;

/** A key entry, signed by whom it names unless told otherwise. */
export function signedKey(
  log: HashHex,
  said: Said,
  by: { readonly old?: Signer; readonly new: Signer; readonly recovery?: Signer },
): KeyEntry {
  const message = keyMessage(log, said);
  const of = (signer: Signer | undefined): string | null =>
    signer === undefined ? null : formatHex(signer.sign(message));
  return {
    ...said,
    signatures: { old: of(by.old), new: of(by.new) ?? '', recovery: of(by.recovery) },
  };
}

export function rotationTo1(log: HashHex, change: Partial<Said> = {}): KeyEntry {
  const said: Said = {
    number: 1,
    cause: 'rotation',
    replaces: hexOf(REPORT_KEYS[0]),
    revoked: false,
    key: hexOf(REPORT_KEYS[1]),
    next_key_sha256: promised(NEXT_KEYS[1]),
    recovery_key: null,
    next_recovery_key_sha256: promised(RECOVERY_KEYS[0]),
    ...change,
  };
  return signedKey(log, said, { old: REPORT_KEYS[0], new: REPORT_KEYS[1] });
}

export function recoveryTo2(log: HashHex, change: Partial<Said> = {}): KeyEntry {
  const said: Said = {
    number: 2,
    cause: 'recovery',
    replaces: hexOf(REPORT_KEYS[1]),
    revoked: true,
    key: hexOf(REPORT_KEYS[2]),
    next_key_sha256: promised(NEXT_KEYS[2]),
    recovery_key: hexOf(RECOVERY_KEYS[0]),
    next_recovery_key_sha256: promised(RECOVERY_KEYS[1]),
    ...change,
  };
  return signedKey(log, said, { new: REPORT_KEYS[2], recovery: RECOVERY_KEYS[0] });
}

/** A log of three report keys, each with a week's final and its Close. */
export interface RotatedLog {
  readonly log: HashHex;
  readonly drafts: readonly LooseDraft[];
  readonly blobs: ReadonlyMap<HashHex, Uint8Array>;
}

const NOWHERE = { put: async () => {}, setLatest: async () => {} } as unknown as SettlementFolder;

async function makeRotatedLog(): Promise<RotatedLog> {
  let now = parseTime('2026-07-01T00:00:00Z');
  const clock = (): number => now;
  const place = await memoryPlace();
  const ledger = await openAt(place, { now: clock });
  await ledger.append([{ kind: 'genesis/1', body: genesisBody() }], 0);
  await enactRule(ledger, nodeSha256, CLAIMS_RULE);
  const blobs = new MemoryBlobStore();
  const source = new ScriptedSource();
  const shown: Record<string, number> = {};
  const week = async (i: number, period: string, day: string, claims: number): Promise<void> => {
    const signer = REPORT_KEYS[i] as Signer;
    const common = { ledger, signer, sha256: nodeSha256, now: clock };
    const openings = new MemoryOpenings();
    const random = (length: number): Uint8Array => new Uint8Array(length);
    shown[period] = claims;
    source.show(shown);
    for (const hour of ['12:30', '14:30']) {
      now = parseTime(`${day}T${hour}:00Z`);
      const parts = { ...common, source, blobs, openings, random };
      await runRound(CLAIMS_RULE.ticker, parseDate(period), parts);
    }
    now = parseTime(`${day}T00:10:00Z`) + 86_400;
    await runClose({ ...common, mirror: NOWHERE });
  };
  const log = ledger.log as HashHex;
  await week(0, '2026-07-04', '2026-07-09', 215_000);
  await ledger.append([{ kind: 'key/1', body: rotationTo1(log) }], ledger.nextSeq);
  await week(1, '2026-07-11', '2026-07-16', 209_000);
  await ledger.append([{ kind: 'key/1', body: recoveryTo2(log) }], ledger.nextSeq);
  await week(2, '2026-07-18', '2026-07-23', 216_000);
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq)) {
    entries.push(new Uint8Array(entry));
  }
  const kept = new Map<HashHex, Uint8Array>();
  for await (const each of blobs.list()) kept.set(each, (await blobs.get(each)) as Uint8Array);
  return { log, drafts: draftsOf(entries) as LooseDraft[], blobs: kept };
}

const made = await makeRotatedLog();

/** The log, published after whatever a test does to its entries. */
export function rotated(
  change: (drafts: LooseDraft[], log: HashHex) => void = () => {},
): Published {
  const drafts = structuredClone(made.drafts) as LooseDraft[];
  change(drafts, made.log);
  return publish(chain(drafts), made.blobs, CHECKPOINTS);
}

/** The place of the nth entry of a kind. */
export function placeOf(drafts: readonly LooseDraft[], kind: string, n = 0): number {
  return [...drafts.keys()].filter((i) => drafts[i]?.kind === kind)[n] ?? -1;
}
