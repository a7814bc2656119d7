import { formatTime, type TimeText } from '@assay/core/time/time';
import type { Concern } from '../health/concern.ts';
import type { Clock } from '../platform/clock.ts';

/** What is stored, by how it is checked. */
export const STORED_PARTS = [
  'entry',
  'tile',
  'row',
  'blob',
  'opening',
  'tick-opening',
  'settlement',
  'evidence',
  'read',
] as const;

export type StoredPart = (typeof STORED_PARTS)[number];

/** `repaired`: it was written again from undamaged data, and is undamaged now. */
export const DAMAGE_STATES = ['damaged', 'missing', 'repaired'] as const;

export type DamageState = (typeof DAMAGE_STATES)[number];

/** Something stored that was not as it should be. */
export interface Damage {
  readonly part: StoredPart;
  /** The number of an entry, hash of a blob, path of a settlement file, and so on. */
  readonly name: string;
  /** The log of somebody else that it is a copy of, `publisher` or an address; null for one's own. */
  readonly copy_of: string | null;
  readonly found_at: TimeText;
  readonly state: DamageState;
}

/**
 * How many of a part are damaged or missing now, and how often something of it was repaired since the start.
 */
export interface PartCount {
  readonly part: StoredPart;
  readonly open: number;
  readonly repaired: number;
}

/** Whose data it is, which decides where an undamaged copy can be had. */
export type DamageOwner = 'publisher' | 'recounter';

/** How many damages are remembered. Of more only the number is known. */
const MOST_KEPT = 1000;
/** How many damages /status describes in a sentence each. */
const MOST_DESCRIBED = 5;

const NOUNS: Readonly<Record<StoredPart, (name: string) => string>> = {
  entry: (name) => `Entry ${name}`,
  tile: (name) => `The hash tile ${name}`,
  row: (name) => `The view row ${name}`,
  blob: (name) => `The blob with sha256 ${name}`,
  opening: (name) => `The opening of the commitment ${name}`,
  'tick-opening': (name) => `The file of tick openings ${name}`,
  settlement: (name) => `The settlement file ${name}`,
  evidence: (name) => `The evidence with sha256 ${name}`,
  read: (name) => `The file of reads of ${name}`,
};

/** What an operator can do about something that cannot be derived again. */
const FORWARD: Readonly<Record<StoredPart, string>> = {
  entry: 'assay restore brings it back from a copy',
  tile: 'assay restore brings it back from a copy',
  row: 'assay rebuild derives it again',
  blob: 'assay restore brings it back from a copy',
  opening: 'a backup of the openings has it',
  'tick-opening': 'a backup of the openings has it',
  settlement: 'copy it back from another mirror',
  evidence: 'a backup has it',
  read: 'a backup has it',
};

/**
 * What readers and the scrub found damaged. A damage stays until the same thing is found undamaged. What was
 * repaired stays in the list, but is no concern.
 */
export class DamageLog {
  readonly #now: Clock;
  readonly #owner: DamageOwner;
  readonly #onFound: (damage: Damage) => void;
  readonly #known = new Map<string, Damage>();
  /** The names of those that are open but not remembered, so that each is counted once. */
  readonly #beyond = new Set<string>();
  readonly #repairs = new Map<StoredPart, number>();

  /** `now` is in unix seconds. `onFound` is called once for each damage. */
  constructor(
    now: Clock,
    onFound: (damage: Damage) => void = () => undefined,
    owner: DamageOwner = 'publisher',
  ) {
    this.#now = now;
    this.#onFound = onFound;
    this.#owner = owner;
  }

  /** The newest last. */
  get list(): readonly Damage[] {
    return [...this.#known.values()];
  }

  /** Those that are damaged or missing now. */
  get openList(): readonly Damage[] {
    return this.list.filter(({ state }) => state !== 'repaired');
  }

  /** How many are damaged or missing now. */
  get open(): number {
    return this.openList.length + this.#beyond.size;
  }

  /** How often something was repaired since the start. */
  get repaired(): number {
    let count = 0;
    for (const each of this.#repairs.values()) count += each;
    return count;
  }

  /** The same by part; a part without either is left out. */
  get counts(): readonly PartCount[] {
    const open = new Map<StoredPart, number>();
    const names = [...this.#beyond].map((key) => key.split(' ')[0] as StoredPart);
    for (const part of [...this.openList.map((each) => each.part), ...names]) {
      open.set(part, (open.get(part) ?? 0) + 1);
    }
    return STORED_PARTS.map((part) => ({
      part,
      open: open.get(part) ?? 0,
      repaired: this.#repairs.get(part) ?? 0,
    }));
  }

  /** Takes what an earlier process found. */
  load(damages: Iterable<Damage>): void {
    for (const each of damages) this.#known.set(keyOf(each), each);
  }

  /** Records something that is not as it should be. `copyOf` is as `Damage.copy_of`. */
  note(
    part: StoredPart,
    name: string,
    state: DamageState = 'damaged',
    copyOf: string | null = null,
  ): void {
    const key = keyOf({ part, name, copy_of: copyOf });
    const known = this.#known.get(key);
    if (state === 'repaired') {
      this.#repairs.set(part, (this.#repairs.get(part) ?? 0) + 1);
      this.#beyond.delete(key);
    } else if (known?.state === state || this.#beyond.has(key)) return;
    if (known === undefined && this.#known.size >= MOST_KEPT && !this.#forgetRepaired()) {
      if (state !== 'repaired') this.#beyond.add(key);
      return;
    }
    const found_at = formatTime(this.#now());
    const damage: Damage = { part, name, copy_of: copyOf, found_at, state };
    this.#known.delete(key);
    this.#known.set(key, damage);
    this.#onFound(damage);
  }

  /** It was checked again and is as it should be. What was repaired stays in the list. */
  whole(part: StoredPart, name: string, copyOf: string | null = null): void {
    const key = keyOf({ part, name, copy_of: copyOf });
    this.#beyond.delete(key);
    const known = this.#known.get(key);
    if (known !== undefined && known.state !== 'repaired') this.#known.delete(key);
  }

  /** It is there again. Whether its bytes are undamaged is another question. */
  present(part: StoredPart, name: string, copyOf: string | null = null): void {
    const known = this.#known.get(keyOf({ part, name, copy_of: copyOf }));
    if (known?.state === 'missing') this.whole(part, name, copyOf);
  }

  /** What is wrong, for readers, with what the operator can do. */
  readonly concerns = (): readonly Concern[] => {
    const described = this.openList.slice(0, MOST_DESCRIBED);
    const reasons = described.map((each) => this.#sentenceOf(each));
    const more = this.open - reasons.length;
    if (more > 0) reasons.push(`${more} more things at rest are damaged or missing.`);
    return reasons.map((reason) => ({ level: 'degraded', reason }));
  };

  #sentenceOf({ part, name, copy_of: copyOf, state }: Damage): string {
    const noun = NOUNS[part](name);
    if (copyOf !== null) {
      const whose = copyOf === 'publisher' ? "the publisher's log" : `the log of ${copyOf}`;
      return `${noun} is ${state} in the copy of ${whose}: a backup, or that log, has it.`;
    }
    const forward = this.#owner === 'publisher' ? FORWARD[part] : 'a backup has it';
    return `${noun} is ${state}: ${forward}.`;
  }

  /** Makes space by removing the oldest that was repaired; false if there is none. */
  #forgetRepaired(): boolean {
    for (const [key, { state }] of this.#known) {
      if (state === 'repaired') return this.#known.delete(key);
    }
    return false;
  }
}

function keyOf({ part, name, copy_of: copyOf }: Pick<Damage, 'part' | 'name' | 'copy_of'>): string {
  return `${part} ${copyOf ?? ''} ${name}`;
}
