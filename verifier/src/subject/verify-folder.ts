import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { contentHash, hashHex, leafHash, type Hash } from '@assay/core/hash/hash';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { formatHead } from '@assay/core/view/head';
import { reportKeyAt } from '@assay/core/view/key/keys';
import { EvidenceReader } from '../reader/blobs.ts';
import { openCheckpoint, type OpenCheckpoint } from '../trust/checkpoint-check.ts';
import { Findings } from '../verdict/finding.ts';
import type { FolderReader, FolderRow } from '../reader/folder-reader.ts';
import { pauseWithin, requireWithin } from '../verdict/limits.ts';
import { LogWalk } from '../log/log-walk.ts';
import { ViewRowCheck } from './view-row-check.ts';
import { conclude, type Session } from './session.ts';
import { readChain, requireChain } from './read-chain.ts';
import { holdToDemands } from './demands.ts';
import { judgeHead } from '../trust/key-path.ts';
import { type TrustedKey, trustLog } from '../trust/trust.ts';
import type { Verdict, WitnessFacts } from '../verdict/verdict.ts';
import type { KnownPin } from '../verdict/policy.ts';
import { checkWitnesses } from '../trust/witness-check.ts';

/**
 * Checks a node's data folder row by row: the entries as a log; every tile, every view row and the head against what
 * the entries make; the guard's signed head against the entries; and the kept bytes.
 */
export async function verifyFolder(session: Session, folder: FolderReader): Promise<Verdict> {
  const { findings, environment, notChecked, tally, policy, limits, work } = session;
  const guardBytes = await folder.guard();
  const guard = guardBytes === undefined ? undefined : openCheckpoint(guardBytes, findings);
  if (guardBytes === undefined) {
    findings.add('guard_missing', 'head guard', 'a signed head', 'none');
  }
  const evidence = new EvidenceReader(folder.blob, environment, findings, tally, work);
  const { headers, entries, now } = session;
  const pause = (): Promise<void> => pauseWithin(work, environment);
  const context = { evidence, findings, notChecked, tally, work, pause };
  const walk = new LogWalk(environment, context, {
    headers,
    entries,
    now,
    openings: session.limits.openings,
    foldedBytes: session.limits.folded_bytes,
    closingHead: folder.closingHead,
  });
  const rows = new RowCheck(session, walk, guard);
  for await (const some of inGroups(folder.rows())) {
    walk.prefetch(some.flatMap((row) => (row.part === 'entry' ? [row.bytes] : [])));
    for (const row of some) {
      await rows.take(row);
      requireWithin(limits, walk.reached);
    }
  }
  await walk.settle();
  await rows.finish();
  const { first } = rows;
  let { trusted } = rows;
  if (first === undefined) findings.add('genesis_misplaced', 'database', 'entry 0', 'nothing');
  if (trusted === undefined || first === undefined) return conclude(session, undefined);
  let witnesses: WitnessFacts = { required: policy.witnesses_required, witnesses: [] };
  if (guard !== undefined) {
    const path = { terms: checkpointTerms(walk.views), closing: walk.closingHeads, holdsPin: true };
    const by = { policy, pin: rows.pin };
    const judged = await judgeHead(guard, trusted, path, by, environment, findings, notChecked);
    ({ trusted } = judged);
    tally.signatures += judged.good;
    const terms = { policy, genesis: trusted.genesis, now };
    witnesses = await checkWitnesses(guard, terms, environment, findings);
  }
  const chain = await readChain(session, walk, true);
  const onchain = await chain?.compare();
  const number = holdToDemands(session, walk, true);
  notChecked.add(
    'scope',
    'the API',
    'a folder at rest serves none; verify the URL for that',
    'whole_log',
  );
  return conclude(session, {
    trusted,
    logId: leafHash(environment.sha256, first),
    size: walk.size,
    root: walk.root(),
    number,
    reportKey: reportKeyAt(walk.views),
    bitcoin: await walk.bitcoin(pause),
    onchain,
    witnesses,
    words: walk.words,
    terminal: walk.terminal,
  });
}

/** Rows that are announced to the walk before the first of them is taken. */
const GROUP = 256;

async function* inGroups(rows: AsyncIterable<FolderRow>): AsyncGenerator<readonly FolderRow[]> {
  let group: FolderRow[] = [];
  for await (const row of rows) {
    group.push(row);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  yield group;
}

class RowCheck {
  readonly #session: Session;
  readonly #walk: LogWalk;
  readonly #guard: OpenCheckpoint | undefined;
  /** The SHA-256 of each full tile that the entries make, until its row has been seen. */
  readonly #tiles = new Map<string, Hash>();
  readonly #views: ViewRowCheck;
  #head: Uint8Array | undefined;
  pin: KnownPin | undefined;
  first: Uint8Array | undefined;
  trusted: TrustedKey | undefined;

  constructor(session: Session, walk: LogWalk, guard: OpenCheckpoint | undefined) {
    this.#session = session;
    this.#walk = walk;
    this.#guard = guard;
    this.#views = new ViewRowCheck(session, walk);
  }

  async take(row: FolderRow): Promise<void> {
    switch (row.part) {
      case 'entry':
        await this.#entry(row.seq, row.bytes);
        break;
      case 'tile':
        this.#tile(`${row.level}/${row.index}`, row.bytes);
        break;
      case 'view':
        await this.#views.take(row);
        break;
      case 'head':
        this.#head = row.bytes;
        break;
      case 'unknown':
        this.#add('row_unknown', `key ${formatHex(row.key)}`, 'a row of a known part', 'another');
        break;
    }
  }

  async finish(): Promise<void> {
    const { size } = this.#walk;
    const root = hashHex(this.#walk.root());
    for (const tile of this.#tiles.keys()) {
      this.#add('tile_missing', `tile ${tile}`, 'a full tile', 'nothing');
    }
    const sum = await this.#views.finish();
    const head = formatHead(this.#session.environment.sha256, { size, root, ...sum });
    if (this.#head === undefined || !equalBytes(this.#head, head)) {
      const found = this.#head === undefined ? 'none' : 'another';
      const expected = `size ${size}, root ${root}, ${sum.rows} rows with the root ${sum.rows_root}`;
      this.#add('head_differs', 'head row', expected, found);
    }
    const guarded = this.#guard?.checkpoint.size;
    if (guarded !== undefined && guarded !== size) {
      const hint =
        guarded < size
          ? `${size}: the last commit was cut short; start the node, or run recover`
          : `${size}: entries that were published are gone, or after a power failure in the head guard alone, from where a start of the node takes them`;
      this.#add('guard_differs', 'head guard', `${guarded} entries`, hint);
    }
    if (this.pin !== undefined && this.pin.size > size) {
      this.#add('log_shrunk', 'database', `at least ${this.pin.size} entries`, `${size}`);
    }
  }

  async #entry(seq: number, bytes: Uint8Array): Promise<void> {
    const { size } = this.#walk;
    if (seq !== size) {
      this.#add('entry_missing', `entry ${size}`, `entry ${size}`, `entry ${seq}`);
    }
    if (size === 0) await this.#begin(bytes);
    for (const tile of await this.#walk.entry(bytes)) {
      const hash = contentHash(this.#session.environment.sha256, this.#walk.tileBytes(tile));
      this.#tiles.set(`${tile.level}/${tile.index}`, hash);
    }
    this.#atSize();
    if (seq % 1024 === 0) this.#session.environment.progress?.(seq, seq, 'entries');
  }

  async #begin(bytes: Uint8Array): Promise<void> {
    const { policy, pins, environment, findings } = this.#session;
    this.first = bytes;
    const named = trustLog(bytes, policy, undefined, environment, new Findings());
    this.pin = named === undefined ? undefined : await pins(named.genesis.origin);
    this.trusted = trustLog(bytes, policy, this.pin, environment, findings);
    if (this.trusted !== undefined) requireChain(this.#session, this.trusted.genesis);
  }

  #atSize(): void {
    const { size } = this.#walk;
    if (size === this.#guard?.checkpoint.size) {
      const expected = hashHex(this.#guard.checkpoint.root);
      const found = hashHex(this.#walk.root());
      if (expected !== found) {
        this.#add('guard_differs', `size ${size}`, `root ${expected}, in the head guard`, found);
      }
    }
    if (size === this.pin?.size) {
      const found = hashHex(this.#walk.root());
      if (this.pin.root !== found) {
        this.#add('history_changed', `size ${size}`, `${this.pin.root}, pinned`, found);
      }
    }
  }

  #tile(name: string, bytes: Uint8Array): void {
    const { environment, tally } = this.#session;
    tally.tiles += 1;
    const expected = this.#tiles.get(name);
    this.#tiles.delete(name);
    const found = contentHash(environment.sha256, bytes);
    if (expected === undefined) {
      this.#add('tile_differs', `tile ${name}`, 'no such full tile', 'a row');
    } else if (!equalBytes(expected, found)) {
      this.#add('tile_differs', `tile ${name}`, 'the hashes of the entries', 'other bytes');
    }
  }

  #add(...finding: Parameters<Session['findings']['add']>): void {
    this.#session.findings.add(...finding);
  }
}
