import { Fault } from '@assay/core/fault';
import { REPLAY_RULES } from '@assay/core/terminal/rule/score-rules';
import { CRYPTO_FORMAT, STOCK_FORMAT } from './market-formats.ts';
import { MarketFolder } from './market-folder.ts';
import type { ReplayMarket } from './replay-steps.ts';

/** The folders with the files of crypto assets and of stocks: one of them, or both. */
export interface MarketPaths {
  readonly market?: string | undefined;
  readonly stocks?: string | undefined;
}

/**
 * Opens the given folders, crypto first, each with the rule that replays use. Throws `malformed` for a symbol
 * in both, because a log has only one asset with a symbol. Throws what `MarketFolder.open` throws.
 */
export async function openReplayMarkets(paths: MarketPaths): Promise<readonly ReplayMarket[]> {
  const { market, stocks } = paths;
  const markets: ReplayMarket[] = [];
  if (market !== undefined) {
    const folder = await MarketFolder.open(market, CRYPTO_FORMAT);
    markets.push({ folder, rule: REPLAY_RULES.crypto, grid: CRYPTO_FORMAT.grid });
  }
  if (stocks !== undefined) {
    const folder = await MarketFolder.open(stocks, STOCK_FORMAT);
    markets.push({ folder, rule: REPLAY_RULES.stock, grid: STOCK_FORMAT.grid });
  }
  const seen = new Map<string, string>();
  for (const { symbol, path } of markets.flatMap(({ folder }) => folder.files)) {
    const other = seen.get(symbol);
    seen.set(symbol, path);
    if (other === undefined) continue;
    throw new Fault('malformed', 'market folders', {
      at: path,
      expected: `one file of ${symbol}`,
      found: `another, ${other}`,
    });
  }
  return markets;
}
