import { hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { checkpointKeyChangesView } from '@assay/core/view/key/checkpoint-key-changes';
import { type CheckpointTerm, checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { cosignerSetsView } from '@assay/core/view/cosigner-sets';
import { keyChangesView } from '@assay/core/view/key/key-changes';
import { logView } from '@assay/core/view/log';
import { MemoryViews } from '@assay/core/view/state';
import type { View, ViewState } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import { requireSoundCheckpointKey } from '../ledger/sound-checkpoint-key.ts';
import { requireSoundKey } from '../ledger/sound-key.ts';
import type { ReadEntry } from './entry-chain.ts';

/** The views that name keys, and what they read. */
const KEY_VIEWS: readonly View[] = [
  logView,
  cosignerSetsView,
  keyChangesView,
  checkpointKeyChangesView,
];

/**
 * The keys of a log as entries leave them that are not stored yet. A key that may not follow is found before anything of
 * the step that has it is stored.
 */
export class KeyRows {
  readonly #sha256: Sha256;
  readonly #own = new MemoryViews();
  readonly #rows: ViewState;
  #log: HashHex | undefined;

  /** `base` has the rows of everything before; `log` is the leaf hash of entry 0, if that is among it. */
  constructor(sha256: Sha256, base: ViewState, log: HashHex | undefined) {
    this.#sha256 = sha256;
    this.#rows = overlay(base, this.#own);
    this.#log = log;
  }

  /** The checkpoint keys so far, the first one first; none before entry 0. */
  get terms(): readonly CheckpointTerm[] {
    return checkpointTerms(this.#rows);
  }

  /**
   * Takes the next entry; resolves with whether it may have changed the terms. Throws `ledger_corrupt` for a report key, a
   * checkpoint key or a promise that may not come next, or that is not signed by the keys that it takes.
   */
  take({ seq, at, leaf, known }: ReadEntry): boolean {
    this.#log ??= hashHex(leaf);
    if (known === undefined) return false;
    const position = { log: this.#log, seq };
    if (known.kind === 'key/1') {
      requireSoundKey('ledger_corrupt', known.body, position, this.#rows, this.#sha256);
    }
    if (known.kind === 'key/2') {
      requireSoundCheckpointKey('ledger_corrupt', known.body, position, this.#rows, this.#sha256);
    }
    const folded = { ...known, at, ...position };
    for (const view of KEY_VIEWS) {
      this.#own.write(view.apply(folded, this.#rows, this.#sha256));
    }
    return known.kind === 'genesis/1' || known.kind === 'key/2';
  }
}

/** The rows of `base`, with those of `own` in their place or beside them. */
function overlay(base: ViewState, own: ViewState): ViewState {
  return {
    get: (table, key) => own.get(table, key) ?? base.get(table, key),
    list: (table) => merged(base.list(table), own.list(table), (a, b) => a < b),
    descend: (table, below) =>
      merged(base.descend(table, below), own.descend(table, below), (a, b) => a > b),
  };
}

type Row = readonly [key: string, value: WireValue];

function* merged(
  base: Iterable<Row>,
  own: Iterable<Row>,
  isBefore: (a: string, b: string) => boolean,
): Generator<Row> {
  const [below, above] = [base[Symbol.iterator](), own[Symbol.iterator]()];
  let [a, b] = [below.next(), above.next()];
  while (a.done !== true || b.done !== true) {
    if (b.done === true || (a.done !== true && isBefore(a.value[0], b.value[0]))) {
      yield a.value as Row;
      a = below.next();
      continue;
    }
    if (a.done !== true && a.value[0] === b.value[0]) a = below.next();
    yield b.value;
    b = above.next();
  }
}
