import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickValues } from '@assay/core/terminal/tick/tick-values';
import type { Move } from './day-moves.ts';

/**
 * Fields that an answer does not have, and why: the terms of a source do not allow it (`rights`), nobody here reads the prices of the class
 * (`not_watched`), or what was read is no longer stored for each tick (`not_stored`).
 */
export type MissingFields =
  | { readonly source: string; readonly fields: readonly string[]; readonly reason: 'rights' }
  | {
      readonly source: null;
      readonly class: AssetClass;
      readonly fields: readonly string[];
      readonly reason: 'not_watched' | 'not_stored';
    };

/** The fields that are made of a vendor's figures. */
type FigureField = 'price' | 'vol_24h' | 'move_24h';
const FIGURE_FIELDS: readonly FigureField[] = ['price', 'vol_24h', 'move_24h'];

/** A vendor's figures of an asset at a tick, as far as they may be sold. */
export interface SoldFigures {
  readonly price: number | null;
  readonly vol_24h: number | null;
}

const NONE: SoldFigures = { price: null, vol_24h: null };

/**
 * Decides which figures an answer may have. A tick's price and volume are those of the first source that had a price.
 * They are sold only where the operator has said that this source's terms allow it, and so is a move between two prices.
 */
export class FigureRights {
  readonly #shown: ReadonlySet<string>;
  /** The fields that the terms of a source do not allow, by source. */
  readonly #hidden = new Map<string, Set<FigureField>>();
  /** The fields of a class that are not here, by class. */
  readonly #unwatched = new Set<AssetClass>();
  readonly #unstored = new Map<AssetClass, Set<FigureField>>();

  /** `shown`: the providers whose prices and volumes may be sold. */
  constructor(shown: Iterable<string>) {
    this.#shown = new Set(shown);
  }

  /** The source of the price of a tick, where it is not shown; undefined where it is, and for a tick without a price or without values. */
  hiddenSource(values: TickValues | null): string | undefined {
    const source = values === null ? undefined : sourceOf(values);
    return source === undefined || this.#shown.has(source) ? undefined : source;
  }

  /** The figures of a tick, and none of a source that is not shown. */
  figures(values: TickValues): SoldFigures {
    if (sourceOf(values) === undefined) return NONE;
    const hidden = this.hiddenSource(values);
    if (hidden !== undefined) {
      noteFields(this.#hidden, hidden, ['price', 'vol_24h']);
      return NONE;
    }
    return { price: numberOf(values.price), vol_24h: numberOf(values.volume_24h) };
  }

  /** The move of an asset of a class, percent; null where it has none, and where it is not shown, which is noted. */
  move(of: AssetClass, move: Move): number | null {
    if (move === null || typeof move === 'number') return move;
    if (move === 'not_stored') this.noteUnstored(of, ['move_24h']);
    else for (const source of move.hidden) noteFields(this.#hidden, source, ['move_24h']);
    return null;
  }

  /** Notes that nobody here reads the prices of a class. */
  noteUnwatched(of: AssetClass): void {
    this.#unwatched.add(of);
  }

  /** Notes that figures of a good tick are not stored, and which fields are null because of it. */
  noteUnstored(of: AssetClass, fields: readonly FigureField[]): void {
    noteFields(this.#unstored, of, fields);
  }

  /** What was left out so far. */
  get missing(): readonly MissingFields[] {
    const rights = [...this.#hidden.keys()]
      .sort()
      .map(
        (source) => ({ source, fields: fieldsOf(this.#hidden, source), reason: 'rights' }) as const,
      );
    const others = ASSET_CLASSES.flatMap((of): MissingFields[] => {
      // Of a class that nobody reads here, nothing was ever stored.
      if (this.#unwatched.has(of)) {
        return [{ source: null, class: of, fields: FIGURE_FIELDS, reason: 'not_watched' }];
      }
      const fields = fieldsOf(this.#unstored, of);
      if (fields.length === 0) return [];
      return [{ source: null, class: of, fields, reason: 'not_stored' }];
    });
    return [...rights, ...others];
  }
}

/** The first source that had a price. */
function sourceOf({ sources }: TickValues): string | undefined {
  return sources.find(({ price }) => price !== null)?.provider;
}

function noteFields<K>(
  noted: Map<K, Set<FigureField>>,
  key: K,
  fields: readonly FigureField[],
): void {
  noted.set(key, new Set([...(noted.get(key) ?? []), ...fields]));
}

function fieldsOf<K>(
  noted: ReadonlyMap<K, ReadonlySet<FigureField>>,
  key: K,
): readonly FigureField[] {
  return FIGURE_FIELDS.filter((field) => noted.get(key)?.has(field) === true);
}

function numberOf(decimal: string | null): number | null {
  return decimal === null ? null : Number(decimal);
}
