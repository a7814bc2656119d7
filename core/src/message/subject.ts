import { formatHex, parseHex } from '../bytes/hex.ts';
import type { Sha256 } from '../hash/hash.ts';
import type { KnownBody } from '../kind/kinds.ts';
import { parsePrint, PRINT_BYTES, seriesId } from '../report/print.ts';
import type { Statement } from '../report/statement.ts';
import type { Ticker } from '../rule/ticker.ts';
import { questionRow } from '../view/referee.ts';
import { roundRow } from '../view/rounds.ts';
import { tickers } from '../view/rules.ts';
import { eventRow } from '../view/terminal-events.ts';
import type { ViewState } from '../view/view.ts';

/** What an entry is about: an index, an asset, or neither of them. */
export interface Subject {
  readonly ticker: Ticker | null;
  readonly symbol: string | null;
}

const NOTHING: Subject = Object.freeze({ ticker: null, symbol: null });

/**
 * The subject of an entry. `state` holds the rows of the log up to the entry or further: what is looked up in it, the asset of an event and
 * the index of a round, is stated once and never changes. An entry that names an event or a round which the log does not have is about nothing.
 */
export function subjectOf(entry: KnownBody, state: ViewState, sha256: Sha256): Subject {
  switch (entry.kind) {
    case 'rule/1':
      return index(entry.body.rule.ticker);
    case 'report/1':
      return index(entry.body.report.ticker);
    case 'revision/1':
    case 'print/1':
      return index(entry.body.ticker);
    case 'statement/1':
    case 'cosign/1':
    case 'dissent/1':
      return index(statedTicker(entry.body.statement, state, sha256));
    case 'round/1':
      return index(entry.body.ticker);
    case 'forecast/1':
    case 'freeze/1':
    case 'unseal/1':
    case 'grade/1':
      return index(roundRow(state, entry.body.round)?.body.ticker);
    case 'asset/1':
    case 'split/1':
    case 'event/1':
    case 'question/1':
      return asset(entry.body.symbol);
    case 'event-close/1':
    case 'receipt/1':
    case 'benchmark/1':
      return asset(eventRow(state, entry.body.id)?.open.body.symbol);
    case 'answers/1':
    case 'outcome/1':
      return asset(questionRow(state, entry.body.question)?.body.symbol);
    default:
      return NOTHING;
  }
}

/** A print names its index by a hash alone (`seriesId`). */
function statedTicker(
  { log, print }: Pick<Statement, 'log' | 'print'>,
  state: ViewState,
  sha256: Sha256,
): Ticker | undefined {
  const { series } = parsePrint(parseHex(print, PRINT_BYTES));
  return tickers(state).find((ticker) => formatHex(seriesId(sha256, log, ticker)) === series);
}

function index(ticker: Ticker | undefined): Subject {
  return { ticker: ticker ?? null, symbol: null };
}

function asset(symbol: string | undefined): Subject {
  return { ticker: null, symbol: symbol ?? null };
}
