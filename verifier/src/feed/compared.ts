import type { CloseAccount } from '@assay/core/feed/close-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import type { PageAccount, PageSlot } from '@assay/core/feed/page-account';
import type { PeriodKind } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseDate } from '@assay/core/time/time';
import type { Due } from '@assay/core/view/onchain';
import type { ReadFeed } from './page-check.ts';

/** An account that was compared: its contents, and the slot of its bytes. Null where there is no account. */
export type Held<T> = { readonly account: T; readonly slot: number } | null;

/** The accounts of a log that were compared, without any that its program did not write. */
export interface Compared {
  readonly feeds: ReadonlyMap<Ticker, ReadFeed>;
  /** By `pageName`. */
  readonly pages: ReadonlyMap<string, Held<PageAccount>>;
  /** By day. */
  readonly closes: ReadonlyMap<number, Held<CloseAccount>>;
  readonly kinds: ReadonlyMap<Ticker, PeriodKind>;
  /** Every account was read at this slot or later, so what is missing was missing at it. */
  readonly slot: number;
}

export function pageName(ticker: Ticker, index: number): string {
  return `${ticker}/${index}`;
}

/**
 * What was found where a print belongs: its page, or null, and the period in it. Undefined where the page was not read.
 */
export function slotFor(
  { ticker, period }: Pick<Due, 'ticker' | 'period'>,
  { pages, kinds }: Compared,
): { readonly held: Held<PageAccount>; readonly slot: PageSlot | null } | undefined {
  const kind = kinds.get(ticker);
  const day = parseDate(period);
  if (kind === undefined || day < 0) return undefined;
  const { index, slot } = pagePlace(ordinalOf(kind, day));
  const held = pages.get(pageName(ticker, index));
  if (held === undefined) return undefined;
  return { held, slot: held?.account.slots[slot] ?? null };
}
