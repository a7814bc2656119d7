import type { WireValue } from '../wire/wire.ts';
import { MemoryViews } from './state.ts';
import type { ViewState, ViewWrite } from './view.ts';

/** Rows on top of others: what a log would show after entries that it does not have yet. */
export class OverlayViews implements ViewState {
  readonly #below: ViewState;
  readonly #own = new MemoryViews();

  constructor(below: ViewState) {
    this.#below = below;
  }

  get(table: string, key: string): WireValue | undefined {
    return this.#own.get(table, key) ?? this.#below.get(table, key);
  }

  *list(table: string): Generator<readonly [string, WireValue]> {
    const rows = new Map([...this.#below.list(table), ...this.#own.list(table)]);
    for (const key of [...rows.keys()].sort()) yield [key, rows.get(key) as WireValue];
  }

  *descend(table: string, below?: string): Generator<readonly [string, WireValue]> {
    const own = this.#own.descend(table, below);
    let next = own.next();
    for (const row of this.#below.descend(table, below)) {
      for (; next.done !== true && next.value[0] > row[0]; next = own.next()) yield next.value;
      if (next.done !== true && next.value[0] === row[0]) continue;
      yield row;
    }
    for (; next.done !== true; next = own.next()) yield next.value;
  }

  write(writes: Iterable<ViewWrite>): void {
    this.#own.write(writes);
  }
}
