import { formatTime, type TimeText } from '@assay/core/time';
import type { Concern } from '../api/concern.ts';
import type { Clock } from '../clock.ts';

/** What lies at rest, by how it is checked. */
export const STORED_PARTS = ['entry', 'tile', 'row', 'blob', 'opening'] as const;

export type StoredPart = (typeof STORED_PARTS)[number];

/** Something at rest that was not as it should be. */
export interface Damage {
  readonly part: StoredPart;
  /** Number of an entry, hash of a blob, and so on. */
  readonly name: string;
  readonly found_at: TimeText;
  /** Whether it was derived from what is sound, and is sound now. */
  readonly repaired: boolean;
}

/** Damages that are kept; of more only the number is known. */
const MOST_KEPT = 1000;
/** Damages that /status says each in a sentence. */
const MOST_SAID = 5;

const FORWARD = 'assay restore brings it back from a copy';

const WORDS: Readonly<Record<StoredPart, (name: string) => string>> = {
  entry: (name) => `Entry ${name} is damaged or missing: ${FORWARD}.`,
  tile: (name) => `The hash tile ${name} is damaged.`,
  row: (name) => `The view row ${name} is damaged: assay rebuild derives it again.`,
  blob: (name) => `The bytes with sha256 ${name} are damaged or missing: ${FORWARD}.`,
  opening: (name) => `The opening ${name} is damaged: a backup of the openings has it.`,
};

/** What was found damaged at rest: it stays until it is found whole again. */
export class DamageLog {
  readonly #now: Clock;
  readonly #onFound: (damage: Damage) => void;
  readonly #known = new Map<string, Damage>();
  #more = 0;

  /** `now`: unix seconds. `onFound` is told of each damage once. */
  constructor(now: Clock, onFound: (damage: Damage) => void = () => undefined) {
    this.#now = now;
    this.#onFound = onFound;
  }

  /** The newest last. */
  get list(): readonly Damage[] {
    return [...this.#known.values()];
  }

  /** How many there are that nothing has repaired. */
  get open(): number {
    return this.list.filter(({ repaired }) => !repaired).length + this.#more;
  }

  /** How many were derived again. */
  get repaired(): number {
    return this.list.filter(({ repaired }) => repaired).length;
  }

  /** Takes up what an earlier process found. */
  load(damages: Iterable<Damage>): void {
    for (const each of damages) this.#known.set(keyOf(each.part, each.name), each);
  }

  note(part: StoredPart, name: string, repaired = false): void {
    const key = keyOf(part, name);
    const known = this.#known.get(key);
    if (known !== undefined && known.repaired === repaired) return;
    if (known === undefined && this.#known.size >= MOST_KEPT) {
      if (!repaired) this.#more += 1;
      return;
    }
    const damage = { part, name, found_at: formatTime(this.#now()), repaired };
    this.#known.set(key, damage);
    this.#onFound(damage);
  }

  /** It was looked at again and is as it should be. What was repaired stays told. */
  whole(part: StoredPart, name: string): void {
    const key = keyOf(part, name);
    if (this.#known.get(key)?.repaired === false) this.#known.delete(key);
  }

  /** Everything is looked at anew: what could not be kept is counted again. */
  begin(): void {
    this.#more = 0;
  }

  concerns(): readonly Concern[] {
    const open = this.list.filter(({ repaired }) => !repaired);
    const reasons = open.slice(0, MOST_SAID).map(({ part, name }) => WORDS[part](name));
    const more = this.open - reasons.length;
    if (more > 0) reasons.push(`${more} more things at rest are damaged.`);
    return reasons.map((reason) => ({ level: 'degraded', reason }));
  }
}

function keyOf(part: StoredPart, name: string): string {
  return `${part} ${name}`;
}
