import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Network } from '@assay/core/network';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { LIVE_RULES } from '@assay/core/terminal/rule/score-rules';
import { DAY_SECONDS, parseDate } from '@assay/core/time/time';
import type { DataFolder } from '../platform/data-folder.ts';
import { filesIn } from '../platform/files-in.ts';
import type { Source } from '../source/source.ts';
import { alpaca } from '../terminal/vendor/alpaca.ts';
import { binance } from '../terminal/vendor/binance.ts';
import { coinGecko } from '../terminal/vendor/coingecko.ts';
import { type MarketListing, namesOf, readMarketListing } from '../terminal/tick/market-listing.ts';
import type { NodeTicks, TickClass } from '../terminal/node-ticks.ts';
import { readRecordedTicks, recordedTicks } from '../terminal/vendor/recorded-ticks.ts';
import type { TerminalConfig, TickSourceConfig } from '../terminal/terminal-config.ts';
import { TickOpenings } from '../terminal/tick/tick-openings.ts';
import { openTickSeed } from '../terminal/tick/tick-seed.ts';
import type { TickSource } from '../terminal/vendor/tick-source.ts';
import { tiingo } from '../terminal/vendor/tiingo.ts';

export interface TerminalWorldParts {
  readonly sha256: Sha256;
  readonly source: Source;
  readonly folder: DataFolder;
  readonly network: Network;
  /** The names of the secrets that are set. */
  readonly secrets: ReadonlySet<string>;
  readonly sync?: boolean;
}

/** Milliseconds between two polls for a tick that is due. */
const EVERY_MS = 1000;

/**
 * Makes what the Terminal's part of the configuration describes. Throws `bad_config` for a feed of stocks
 * without its licence, for fewer sources than the rule demands, also of one asset, for a secret that is not
 * set, and for recorded prices on a production log; and what its files throw.
 */
export async function terminalWorld(
  config: TerminalConfig,
  parts: TerminalWorldParts,
): Promise<NodeTicks> {
  const { crypto, stock, thin_from, read_timeout_s } = config;
  if (stock !== null && stock.licence === null) {
    throw new Fault('bad_config', 'config', {
      at: 'terminal.stock.licence',
      expected: 'the agreement that lets prices of stocks be read and shown in this way',
    });
  }
  const listing = await readMarketListing(config.assets);
  const thinFrom = thin_from === null ? null : parseDate(thin_from) * DAY_SECONDS;
  const kept = await filesIn(parts.folder.tickOpenings);
  const seed = await openTickSeed(join(parts.folder.keys, 'tick-seed'), kept === 0);
  const classes: TickClass[] = [];
  for (const [rule, sources] of [
    [LIVE_RULES.crypto, crypto],
    [LIVE_RULES.stock, stock?.sources ?? null],
  ] as const) {
    if (sources === null) continue;
    const made = await sourcesOf(rule, sources, listing, parts);
    const { sha256, folder, sync = true } = parts;
    const openings = await TickOpenings.open(join(folder.tickOpenings, rule.class), {
      sha256,
      thinFrom,
      sync,
    });
    classes.push({ rule, sources: made, openings });
  }
  return { classes, seed, listing, everyMs: EVERY_MS, readMs: read_timeout_s * 1000 };
}

async function sourcesOf(
  rule: ScoreRule,
  configs: readonly TickSourceConfig[],
  listing: MarketListing,
  parts: TerminalWorldParts,
): Promise<readonly TickSource[]> {
  requireNames(rule, configs, listing);
  const sources: TickSource[] = [];
  for (const config of configs) sources.push(await sourceOf(rule.class, config, listing, parts));
  const providers = new Set(sources.map(({ provider }) => provider));
  if (providers.size === sources.length && providers.size >= rule.sources.required) return sources;
  throw new Fault('bad_config', 'config', {
    at: `terminal.${rule.class}`,
    expected: `${rule.sources.required} different sources or more`,
    found: [...providers].join(', '),
  });
}

/**
 * Requires that enough sources know each asset, which could otherwise never have a good price. Throws
 * `bad_config`.
 */
function requireNames(
  { class: of, sources: { required } }: ScoreRule,
  configs: readonly TickSourceConfig[],
  { assets }: MarketListing,
): void {
  for (const { asset, names } of assets) {
    if (asset.class !== of || !asset.listed) continue;
    const knows = ({ kind }: TickSourceConfig): boolean =>
      kind === 'recorded' || Object.hasOwn(names, kind);
    const found = configs.filter(knows).map(({ kind }) => kind);
    if (found.length >= required) continue;
    throw new Fault('bad_config', 'assets of the Terminal', {
      at: `${asset.symbol}.names`,
      expected: `names of ${required} or more of ${configs.map(({ kind }) => kind).join(', ')}`,
      found: found.length === 0 ? 'none' : found.join(', '),
    });
  }
}

async function sourceOf(
  of: AssetClass,
  config: TickSourceConfig,
  listing: MarketListing,
  { source, network, secrets }: TerminalWorldParts,
): Promise<TickSource> {
  const names = namesOf(listing, of, config.kind);
  const secret = (name: string): string => {
    if (secrets.has(name)) return name;
    throw new Fault('bad_config', 'environment', {
      at: `ASSAY_SECRET_${name}`,
      expected: `what ${config.kind} is asked with`,
    });
  };
  switch (config.kind) {
    case 'coingecko': {
      const { plan } = config;
      const key = plan === 'public' ? undefined : { plan, secret: secret(config.secret) };
      return coinGecko({ source, names, key });
    }
    case 'binance':
      return binance({ source, names });
    case 'alpaca': {
      const { feed } = config;
      return alpaca({ source, names, feed, keyId: secret(config.key_id), key: secret(config.key) });
    }
    case 'tiingo':
      return tiingo({ source, names, token: secret(config.token) });
    case 'recorded': {
      if (network !== 'development') {
        throw new Fault('bad_config', 'config', {
          at: `terminal.${of}`,
          expected: 'live sources: recorded prices are for development logs',
        });
      }
      return recordedTicks(config.provider, await readRecordedTicks(config.file));
    }
  }
}
