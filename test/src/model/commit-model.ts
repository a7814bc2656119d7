import type { Model, Step } from './explore.ts';

/**
 * The protocol of docs/commit.md as a model: two writers of one log, a head guard in a pair of databases of which one
 * follows the other, and a witness. A log is the text of its entries, one letter each, so that one log is part of another
 * where its text begins with it. A process that is paused is one that takes no step for a while, so that every pause is
 * among the orders of steps that are visited.
 */

/** What can be got wrong, or be left to an operator. */
export interface Variant {
  /** A head is signed before the guard holds it. */
  readonly signFirst?: boolean;
  /** A writer that does not know what became of its swap looks, and signs what it finds. */
  readonly signOnRead?: boolean;
  /** A swap asks for the head, and not for the epoch. */
  readonly noEpoch?: boolean;
  /** A swap asks for the epoch's number, and not for its writer. */
  readonly noWriter?: boolean;
  /** The second database is promoted only by an operator who has shut the first one off. */
  readonly fenced?: boolean;
  /** The first database goes on alone where it cannot reach the second one. */
  readonly degrades?: boolean;
  /** A writer that takes an epoch asks the witness, and readers believe only what the witness signed. */
  readonly witnessed?: boolean;
}

/** How often each thing may happen. */
export interface Bounds {
  readonly entries: number;
  readonly takes: number;
  readonly crashes: number;
  readonly cuts: number;
  /** How often the first database is brought back from a backup of its beginning. */
  readonly restores?: number;
}

interface Row {
  readonly epoch: number;
  /** Who took the epoch; undefined before the first. */
  readonly owner: At | undefined;
  readonly head: string;
}

/** What a writer knows of the swap that it sent. */
type Phase = 'idle' | 'sent' | 'clean' | 'unknown' | 'lost';

interface Writer {
  /** 0 without an epoch. */
  readonly epoch: number;
  /** The database that it speaks with. */
  readonly node: 0 | 1;
  /** The head that its epoch rests on. */
  readonly base: string;
  /** The head that it has sent to the guard. */
  readonly next: string;
  readonly phase: Phase;
  /** What it has on its own disk. */
  readonly log: string;
  readonly left: number;
}

export interface CommitState {
  readonly writers: readonly [Writer, Writer];
  readonly rows: readonly [Row, Row];
  /** Whether the two databases reach each other. */
  readonly linked: boolean;
  /** Whether the second database was promoted. */
  readonly promoted: boolean;
  /** Every head that was signed. */
  readonly signed: readonly string[];
  /** The head that the witness signed last. */
  readonly witness: string;
  /** The longest head with an entry that somebody was told is in the log. */
  readonly acknowledged: string;
  /** Whether an owner of an epoch was found to lack what was acknowledged. */
  readonly lacking: boolean;
  /** Whether a writer wrote after its epoch was taken from it. */
  readonly late: boolean;
  readonly takes: number;
  readonly crashes: number;
  readonly cuts: number;
  readonly restores: number;
}

const NAMES = ['a', 'b'] as const;
type At = 0 | 1;

export function commitModel(variant: Variant, bounds: Bounds): Model<CommitState> {
  const writer: Writer = {
    epoch: 0,
    node: 0,
    base: '',
    next: '',
    phase: 'idle',
    log: '',
    left: bounds.entries,
  };
  const row: Row = { epoch: 0, owner: undefined, head: '' };
  return {
    start: {
      writers: [writer, writer],
      rows: [row, row],
      linked: true,
      promoted: false,
      signed: [],
      witness: '',
      acknowledged: '',
      lacking: false,
      late: false,
      takes: 0,
      crashes: 0,
      cuts: 0,
      restores: 0,
    },
    steps: (state) => [
      ...([0, 1] as const).flatMap((at) => writerSteps(state, at, variant, bounds)),
      ...machineSteps(state, variant, bounds),
    ],
    fault: (state) => faultOf(state, variant),
  };
}

function faultOf(
  { signed, lacking, late }: CommitState,
  { witnessed = false }: Variant,
): string | undefined {
  if (late) return 'a writer that was shut out wrote';
  if (lacking) return 'an acknowledged entry is not in the log of the next writer';
  if (witnessed) return undefined;
  const forked = signed.some((a) => signed.some((b) => !a.startsWith(b) && !b.startsWith(a)));
  return forked
    ? `two signed heads of which none is part of the other: ${signed.join(', ')}`
    : undefined;
}

function writerSteps(
  state: CommitState,
  at: At,
  variant: Variant,
  bounds: Bounds,
): readonly Step<CommitState>[] {
  const own = state.writers[at];
  const name = NAMES[at];
  const steps: Step<CommitState>[] = [];
  if (own.epoch > 0 && own.phase === 'idle' && own.left > 0) {
    const next = own.base + name;
    const sent = withWriter(state, at, { ...own, next, phase: 'sent', left: own.left - 1 });
    const to = variant.signFirst === true ? withSigned(sent, next, variant) : sent;
    steps.push({ name: `${name} sends ${next}`, to });
  }
  if (own.phase === 'sent') {
    const [reached, result] = swapped(state, at, own, variant);
    steps.push({
      name: `${name}: ${result}`,
      to: withWriter(reached, at, { ...own, phase: result }),
    });
    if (result === 'clean') {
      const to = withWriter(reached, at, { ...own, phase: 'unknown' });
      steps.push({ name: `${name}: clean, and the answer is lost`, to });
    }
  }
  if (own.phase === 'clean') {
    const { next } = own;
    const done = withWriter(state, at, { ...own, base: next, log: next, next: '', phase: 'idle' });
    const to =
      variant.signFirst === true ? acknowledged(done, next) : withSigned(done, next, variant);
    steps.push({ name: `${name} signs ${next}`, to });
  }
  if (own.phase === 'unknown' || own.phase === 'lost') {
    const ended: Writer = { ...own, epoch: 0, next: '', phase: 'idle' };
    steps.push({ name: `${name} ends its epoch`, to: withWriter(state, at, ended) });
    const seen = state.rows[own.node].head;
    if (variant.signOnRead === true && own.phase === 'unknown' && seen === own.next) {
      const done = withWriter(state, at, { ...ended, log: seen });
      steps.push({
        name: `${name} reads ${seen} and signs it`,
        to: withSigned(done, seen, variant),
      });
    }
  }
  if (own.epoch === 0 && state.takes < bounds.takes) steps.push(...takes(state, at, variant));
  if (own.phase !== 'idle' && state.crashes < bounds.crashes) {
    const crashed: Writer = { ...own, epoch: 0, next: '', phase: 'idle' };
    const to = { ...withWriter(state, at, crashed), crashes: state.crashes + 1 };
    steps.push({ name: `${name} is killed`, to });
  }
  return steps;
}

/** A writer takes the next epoch at either database that says it is no follower. */
function takes(state: CommitState, at: At, variant: Variant): readonly Step<CommitState>[] {
  const own = state.writers[at];
  const name = NAMES[at];
  const nodes: readonly At[] = state.promoted ? (variant.fenced === true ? [1] : [0, 1]) : [0];
  return nodes.flatMap((node) => {
    const row = state.rows[node];
    const taken = { epoch: row.epoch + 1, owner: at, head: row.head };
    const [rows, isClean] = stored(state, node, taken, variant);
    const counted = { ...state, rows, takes: state.takes + 1 };
    const place = `epoch ${taken.epoch} at database ${node + 1}`;
    if (!isClean) return [{ name: `${name} takes ${place}, and is not told`, to: counted }];
    // What this writer has on its disk and the guard never held was shown to nobody: it is given up.
    const isPart = row.head.startsWith(own.log) || own.log.startsWith(row.head);
    const isKnown = variant.witnessed !== true || row.head.startsWith(state.witness);
    if (!isPart || !isKnown) return [{ name: `${name} refuses ${place}`, to: counted }];
    const owner: Writer = {
      ...own,
      node,
      epoch: taken.epoch,
      base: row.head,
      log: row.head,
      next: '',
      phase: 'idle',
    };
    const lacking = state.lacking || !row.head.startsWith(state.acknowledged);
    const to = withSigned({ ...withWriter(counted, at, owner), lacking }, row.head, variant, false);
    return [{ name: `${name} takes ${place}, with ${row.head || 'nothing'}`, to }];
  });
}

/** What a database does with a swap, and what the writer is told. */
function swapped(
  state: CommitState,
  at: At,
  { node, epoch, base, next }: Writer,
  variant: Variant,
): readonly [CommitState, Phase] {
  const row = state.rows[node];
  // A database that is off answers nothing.
  if (variant.fenced === true && state.promoted && node === 0) return [state, 'unknown'];
  const isOwner = row.epoch === epoch && row.owner === at;
  const isOwn =
    variant.noEpoch === true || (variant.noWriter === true ? row.epoch === epoch : isOwner);
  if (!isOwn || row.head !== base) return [state, 'lost'];
  const [rows, isClean] = stored(state, node, { ...row, head: next }, variant);
  const late = state.late || !isOwner;
  return [{ ...state, rows, late }, isClean ? 'clean' : 'unknown'];
}

/**
 * A synchronous commit. The first database waits for the second one; where that one is not to be reached, or follows no
 * longer, the wait is cancelled some time, and the row is there, on the first one alone.
 */
function stored(
  { rows, linked, promoted }: CommitState,
  node: At,
  row: Row,
  { degrades = false }: Variant,
): readonly [CommitState['rows'], boolean] {
  if (node === 1) return [[rows[0], row], true];
  if (linked && !promoted) return [[row, row], true];
  return [[row, rows[1]], degrades];
}

/** A head is signed; where it is asked for, the witness signs it where it extends the one before. */
function withSigned(state: CommitState, head: string, variant: Variant, tells = true): CommitState {
  const all = [...new Set([...state.signed, head])].toSorted();
  const known = { ...state, signed: head === '' ? state.signed : all };
  if (variant.witnessed === true && !head.startsWith(state.witness)) return known;
  const shown = variant.witnessed === true ? { ...known, witness: head } : known;
  return tells && variant.signFirst !== true ? acknowledged(shown, head) : shown;
}

function acknowledged(state: CommitState, head: string): CommitState {
  return head.length > state.acknowledged.length ? { ...state, acknowledged: head } : state;
}

/** The link between the databases, and the operator who promotes the second one. */
function machineSteps(
  state: CommitState,
  variant: Variant,
  bounds: Bounds,
): readonly Step<CommitState>[] {
  const steps: Step<CommitState>[] = [];
  if (state.linked && state.cuts < bounds.cuts) {
    const to = { ...state, linked: false, cuts: state.cuts + 1 };
    steps.push({ name: 'the databases are cut apart', to });
  }
  if (!state.linked) steps.push({ name: 'the databases reach each other', to: caughtUp(state) });
  if (state.restores < (bounds.restores ?? 0)) {
    const first: Row = { epoch: 0, owner: undefined, head: '' };
    // Its follower is made anew from it, where it has one.
    const rows: CommitState['rows'] = [first, state.promoted ? state.rows[1] : first];
    const to = { ...state, rows, restores: state.restores + 1 };
    if (variant.fenced !== true || !state.promoted) {
      steps.push({ name: 'database 1 is brought back from an old backup', to });
    }
  }
  if (!state.promoted) {
    steps.push({ name: 'database 2 is promoted', to: { ...state, promoted: true } });
  }
  return steps;
}

/** A follower catches up; one that was promoted follows no more. */
function caughtUp(state: CommitState): CommitState {
  const { rows, promoted } = state;
  return { ...state, linked: true, rows: promoted ? rows : [rows[0], rows[0]] };
}

function withWriter(state: CommitState, at: At, writer: Writer): CommitState {
  const [a, b] = state.writers;
  return { ...state, writers: at === 0 ? [writer, b] : [a, writer] };
}
