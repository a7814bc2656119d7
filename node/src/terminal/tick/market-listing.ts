import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { type Asset, parseAsset } from '@assay/core/kind/asset';
import { parseSplit, type Split } from '@assay/core/kind/split';
import { array, isObject, malformed, object, type Parse, string } from '@assay/core/wire/schema';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { handoverFault, type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import { assetRow, isListable, relistSeconds } from '@assay/core/view/assets';
import { newestScoreRule } from '@assay/core/view/score-rules';
import { isBeside, splitBeside, splitsOf } from '@assay/core/view/splits';
import { newestTick } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import type { Concern } from '../../health/concern.ts';
import type { EntryDraft, Ledger } from '../../ledger/ledger.ts';
import type { VendorNames } from '../vendor/tick-source.ts';

/** An asset that the Terminal has ticks of, with the names that vendors use for it. */
export interface ListedAsset {
  readonly asset: Asset;
  /** By provider. */
  readonly names: VendorNames;
}

/** The file of a node's assets and their splits. */
export interface MarketListing {
  readonly assets: readonly ListedAsset[];
  readonly splits: readonly Split[];
}

/** The sources that a listing can name: those that know assets by names of their own. */
const VENDORS: readonly string[] = ['coingecko', 'binance', 'alpaca', 'tiingo'];

const MAX_ASSETS = 10_000;
const vendorName = string(1, 64, /^[A-Za-z0-9._-]+$/);

const parseNames: Parse<VendorNames> = (value, at) => {
  if (!isObject(value)) throw malformed(at, 'an object', value);
  return Object.fromEntries(
    Object.entries(value).map(([provider, name]) => {
      if (!VENDORS.includes(provider))
        throw malformed(at, `names of ${VENDORS.join(', ')}`, provider);
      return [provider, vendorName(name, `${at}.${provider}`)];
    }),
  );
};

const parseListed: Parse<ListedAsset> = (value, at) => {
  if (!isObject(value)) throw malformed(at, 'an object', value);
  const { names = {}, ...rest } = value;
  return { asset: parseAsset(rest, at), names: parseNames(names, `${at}.names`) };
};

const parseListing: Parse<MarketListing> = object<MarketListing>({
  assets: array(parseListed, 1, MAX_ASSETS),
  splits: array(parseSplit, 0, MAX_ASSETS),
});

/** Reads the listing in a JSON file `{ assets: [asset with names], splits }`. Throws `bad_config`. */
export async function readMarketListing(path: string): Promise<MarketListing> {
  let listing: MarketListing;
  try {
    listing = parseListing(JSON.parse(await readFile(path, 'utf8')) as WireValue, 'listing');
  } catch (cause) {
    const found = messageOf(cause);
    throw new Fault('bad_config', 'assets of the Terminal', { at: path, found, cause });
  }
  const twice = twiceIn(listing);
  if (twice === undefined) return listing;
  throw new Fault('bad_config', 'assets of the Terminal', { at: path, found: `${twice} twice` });
}

/**
 * A symbol of two assets, or a vendor's name for two that are listed, in which case one of them would have the
 * prices of the other.
 */
function twiceIn({ assets }: MarketListing): string | undefined {
  const seen = new Set<string>();
  for (const { asset, names } of assets) {
    const own = Object.entries(names).map(([provider, name]) => `${name} of ${provider}`);
    for (const each of [asset.symbol, ...(asset.listed ? own : [])]) {
      if (seen.has(each)) return each;
      seen.add(each);
    }
  }
  return undefined;
}

/** The names that a provider uses for the assets of a class. */
export function namesOf({ assets }: MarketListing, of: AssetClass, provider: string): VendorNames {
  return Object.fromEntries(
    assets.flatMap(({ asset, names }) => {
      const name = names[provider];
      return asset.class === of && name !== undefined ? [[asset.symbol, name]] : [];
    }),
  );
}

/** The result of a listing. */
export interface EnactedListing {
  /** How many were appended. */
  readonly entries: number;
  /** Splits that the log lacks and can no longer accept, because it has later ticks. */
  readonly late: readonly Split[];
}

/**
 * Appends what the log does not have: the rules, the assets that differ from their newest entries, and the
 * splits that no tick of their class has passed yet. A rule must be the log's newest of its class or the next
 * version. Assets that the listing does not name stay as they are. Throws `bad_config` for any other rule, for
 * one whose benchmark neither listing nor log has, for another class or other decimals than an asset has, for
 * an asset that is listed again too soon, and for a split of no asset or too close to another.
 */
export async function enactListing(
  ledger: Pick<Ledger, 'write'>,
  sha256: Sha256,
  rules: readonly ScoreRule[],
  { assets, splits }: MarketListing,
): Promise<EnactedListing> {
  let late: readonly Split[] = [];
  const written = await ledger.write(({ views }) => {
    const ofRules = ruleDrafts(views, sha256, rules);
    requireBenchmarks(views, rules, assets);
    const ofAssets = assetDrafts(views, assets);
    const ofSplits = splitDrafts(views, assets, splits);
    ({ late } = ofSplits);
    return [...ofRules, ...ofAssets, ...ofSplits.drafts];
  });
  return { entries: written.length, late };
}

type ListedAssets = MarketListing['assets'];

function ruleDrafts(
  views: ViewState,
  sha256: Sha256,
  rules: readonly ScoreRule[],
): readonly EntryDraft[] {
  const drafts: EntryDraft[] = [];
  for (const rule of rules) {
    const newest = newestScoreRule(views, rule.class);
    if (newest?.hash === scoreRuleHash(sha256, rule)) continue;
    const fault = newest === undefined ? undefined : handoverFault(newest.rule, rule);
    if (newest !== undefined && fault !== undefined) {
      throw new Fault('bad_config', 'score rule', {
        at: rule.class,
        expected: `version ${newest.rule.version} as the log has it, or what may follow it, ${fault.expected}`,
        found: `another with ${fault.found}`,
      });
    }
    drafts.push({ kind: 'score-rule/1', body: { rule } });
  }
  return drafts;
}

function requireBenchmarks(
  views: ViewState,
  rules: readonly ScoreRule[],
  assets: ListedAssets,
): void {
  for (const { class: of, receipts } of rules) {
    const { benchmark } = receipts;
    const listed = assets.find(({ asset }) => asset.symbol === benchmark)?.asset;
    const isThere = (listed ?? assetRow(views, benchmark))?.class === of;
    if (isThere) continue;
    throw new Fault('bad_config', 'assets of the Terminal', {
      expected: `${benchmark}, which all ${of} is held against`,
    });
  }
}

function assetDrafts(views: ViewState, assets: ListedAssets): readonly EntryDraft[] {
  const drafts: EntryDraft[] = [];
  for (const { asset } of assets) {
    const row = assetRow(views, asset.symbol);
    if (row !== undefined && (row.class !== asset.class || row.decimals !== asset.decimals)) {
      throw new Fault('bad_config', 'asset', {
        at: asset.symbol,
        expected: `${row.class} with ${row.decimals} decimals, as it was listed first`,
        found: `${asset.class} with ${asset.decimals}`,
      });
    }
    if (row !== undefined && asset.listed && !isListable(views, asset.symbol)) {
      const days = Math.ceil(relistSeconds(views, row) / DAY_SECONDS);
      throw new Fault('bad_config', 'asset', {
        at: asset.symbol,
        expected: `not listed until ${days} days after the tick of ${row.delisted_after}: its receipts were voided`,
        found: 'listed again',
      });
    }
    const { name, listed, display } = asset;
    const same = row?.name === name && row.listed === listed && row.display === display;
    if (!same) drafts.push({ kind: 'asset/1', body: asset });
  }
  return drafts;
}

function splitDrafts(
  views: ViewState,
  assets: ListedAssets,
  splits: readonly Split[],
): { readonly drafts: readonly EntryDraft[]; readonly late: readonly Split[] } {
  const drafts: EntryDraft[] = [];
  const late: Split[] = [];
  const accepted: Split[] = [];
  for (const split of splits) {
    const { symbol, effective_at, numerator, denominator } = split;
    const isThere = splitsOf(views, symbol).some(
      (row) =>
        row.effective_at === effective_at &&
        row.numerator === numerator &&
        row.denominator === denominator,
    );
    if (isThere) continue;
    const of = assets.find(({ asset }) => asset.symbol === symbol)?.asset.class;
    if (of === undefined) {
      throw new Fault('bad_config', 'split', {
        at: `${symbol} of ${effective_at}`,
        expected: 'of an asset here',
      });
    }
    const newest = newestTick(views, of);
    if (newest !== undefined && parseTime(newest) >= parseTime(effective_at)) {
      late.push(split);
      continue;
    }
    const beside = splitBeside(views, split) ?? accepted.find((each) => isBeside(each, split));
    if (beside !== undefined) {
      throw new Fault('bad_config', 'split', {
        at: `${symbol} of ${effective_at}`,
        expected: `a day or more from that of ${beside.effective_at}`,
      });
    }
    accepted.push(split);
    drafts.push({ kind: 'split/1', body: split });
  }
  return { drafts, late };
}

/** The concerns in `/status` about splits that came too late. */
export function lateSplitConcerns(late: readonly Split[]): readonly Concern[] {
  return late.map(({ symbol, effective_at }) => ({
    level: 'degraded',
    reason: `The split of ${symbol} of ${effective_at} came too late for the log: its ticks since then count without it.`,
  }));
}
