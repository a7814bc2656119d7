import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Sha256 } from '@assay/core/hash/hash';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Rule } from '@assay/core/rule/rule';
import { DAY_SECONDS, parseDate, toDate } from '@assay/core/time/time';
import { readTemplate } from '../rule/rule-template.ts';
import {
  blsApiSite,
  blsFlatSite,
  dbnomicsSite,
  inventedMonths,
  sampleMonths,
  type SeriesAt,
} from './site/bls-site.ts';
import { readClaimsSample, type Vintage } from './site/claims-sample.ts';
import { type ClaimsAt, claimsSite, sampleClaims, syntheticClaims } from './site/claims-site.ts';
import { developmentHost, developmentRule, type Figures } from './development-rule.ts';
import { hubSite } from './site/hub-site.ts';
import { type MacroSample, readMacroSample } from './site/macro-sample.ts';
import { kalshiSite, polymarketSite } from './site/markets-site.ts';
import type { Site } from './site/site.ts';
import { duneSite, solanaSite } from './site/solana-site.ts';
import { usajobsSite } from './site/usajobs-site.ts';

/** One index of the development network: its rules, and the periods that a replay goes through. */
export interface DevelopmentIndex {
  /** By version. */
  readonly rules: readonly Rule[];
  /**
   * When its rules are recorded, in unix seconds: before the first release that the replay prints, and after the one
   * before it, so that the log owes no print that nobody knows.
   */
  readonly recorded: number;
  /** For each rule, the first prints that are known or invented for the replay: day numbers, oldest first. */
  readonly prints: readonly (readonly number[])[];
}

export interface DevelopmentNetwork {
  readonly indices: readonly DevelopmentIndex[];
  /** The sites that replace the real ones, by host. */
  readonly sites: ReadonlyMap<string, Site>;
}

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));

/** Every index, by its display name. */
export const DEVELOPMENT_INDICES = [
  'LAYOFFS',
  'MINTS',
  'TRENCHES',
  'GIGS',
  'WAGE',
  'YESNO',
  'MODELS',
  'jobs',
  'unemp',
  'cpi',
  'corecpi',
] as const;

/** The day before the clock begins to run, when the newest typed-in week is out. */
const LAST_DAY = parseDate('2026-07-31');
/** Fifteen weeks before it, so that z has its 14 settlement values of the same weekday. */
const FIRST_DAY = parseDate('2026-04-18');

/** When the log begins, in unix seconds. */
const BEGUN = FIRST_DAY * DAY_SECONDS;
/** When the rules of the typed-in months are recorded: after the releases of May, a week before July begins. */
const MONTHS_RECORDED = parseDate('2026-06-17') * DAY_SECONDS;
/** When those of claims are: the day after the release that nobody typed in, a week before the invented ones begin. */
const CLAIMS_RECORDED = parseDate('2026-07-24') * DAY_SECONDS;

interface Plan {
  readonly figures: Figures;
  readonly from: string;
  readonly prints: readonly number[];
}

const month = (text: string): number => parseDate(`${text}-01`);

function months(first: string, last: string): readonly number[] {
  const all: number[] = [];
  for (let each = month(first); each <= month(last); each = shiftPeriod('month', each, 1)) {
    all.push(each);
  }
  return all;
}

const daily: readonly Plan[] = [
  {
    figures: 'synthetic',
    from: '2026-04-18',
    prints: Array.from({ length: LAST_DAY - FIRST_DAY + 1 }, (_, i) => FIRST_DAY + i),
  },
];

/** The months whose first print the typed-in vintages contain and the log sees, and those that are invented. */
const MONTHLY: Readonly<Record<string, readonly Plan[]>> = {
  jobs: [{ figures: 'synthetic', from: '2025-12-01', prints: months('2026-04', '2026-06') }],
  ...Object.fromEntries(
    ['unemp', 'cpi', 'corecpi'].map((name): [string, readonly Plan[]] => [
      name,
      [
        { figures: 'sample', from: '2024-01-01', prints: months('2026-06', '2026-06') },
        { figures: 'synthetic', from: '2026-07-01', prints: [] },
      ],
    ]),
  ),
};

/** The newest of the typed-in weeks. The first prints of the weeks before it are not all known. */
function weekly(vintages: readonly Vintage[]): readonly Plan[] {
  const newest = Math.max(...vintages.flatMap(({ weeks }) => weeks.at(-1)?.period ?? []));
  const next = dateText(periodOf('week_ending_saturday', newest + 7));
  return [
    { figures: 'sample', from: '2015-01-03', prints: [newest] },
    { figures: 'synthetic', from: next, prints: [] },
  ];
}

function recordedAt(name: string): number {
  if (name === 'LAYOFFS') return CLAIMS_RECORDED;
  return name === 'jobs' || MONTHLY[name] === undefined ? BEGUN : MONTHS_RECORDED;
}

function dateText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** The development network's indexes with these names: rules from the templates, sources from the samples. */
export async function developmentNetwork(
  sha256: Sha256,
  names: readonly string[] = DEVELOPMENT_INDICES,
): Promise<DevelopmentNetwork> {
  const vintages = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));
  const samples = new Map<string, MacroSample>();
  for (const name of Object.keys(MONTHLY)) {
    samples.set(name, await readMacroSample(join(SAMPLES, 'macro', `${name}.json`)));
  }
  const all = new Map<string, DevelopmentIndex>();
  for (const name of DEVELOPMENT_INDICES) {
    const template = await readTemplate(sha256, join(SAMPLES, 'templates', `${name}.json`));
    const plans = name === 'LAYOFFS' ? weekly(vintages) : (MONTHLY[name] ?? daily);
    const rules = plans.map(({ figures, from }, i) =>
      developmentRule(sha256, template, { figures, version: i + 1, applies_from: toDate(from) }),
    );
    const prints = plans.map((plan) => plan.prints);
    all.set(name, { rules, recorded: recordedAt(name), prints });
  }
  const indices = names.map((name) => {
    const found = all.get(name);
    if (found === undefined) throw new TypeError(`developmentNetwork: no index ${name}`);
    return found;
  });
  return { indices, sites: sitesOf(all, vintages, samples) };
}

function sitesOf(
  indices: ReadonlyMap<string, DevelopmentIndex>,
  vintages: readonly Vintage[],
  samples: ReadonlyMap<string, MacroSample>,
): ReadonlyMap<string, Site> {
  const ruleOf = (name: string, which: 0 | -1): Rule => {
    const rule = indices.get(name)?.rules.at(which);
    if (rule === undefined) throw new TypeError(`sitesOf: no rule of ${name}`);
    return rule;
  };
  const invented = new Map([...samples].map(([name, { series }]) => [series, ruleOf(name, -1)]));
  const macro = [...samples.values()];
  const rpc = solanaSite();
  return new Map([
    ...claims('sample', sampleClaims(vintages), ruleOf('LAYOFFS', 0)),
    ...claims('synthetic', syntheticClaims(vintages, ruleOf('LAYOFFS', -1)), ruleOf('LAYOFFS', -1)),
    ...bureau('sample', sampleMonths(macro), macro),
    ...bureau('synthetic', inventedMonths(macro, invented), macro),
    ...at('synthetic', {
      'mainnet.helius-rpc.com': rpc,
      'solana-mainnet.g.alchemy.com': rpc,
      'api.dune.com': duneSite,
      'data.usajobs.gov': usajobsSite,
      'huggingface.co': hubSite,
      'external-api.kalshi.com': kalshiSite,
      'data-api.polymarket.com': polymarketSite,
    }),
  ]);
}

function claims(figures: Figures, series: ClaimsAt, { release }: Rule): readonly [string, Site][] {
  const site = claimsSite(series, release);
  return at(figures, { 'oui.doleta.gov': site, 'web.archive.org': site });
}

function bureau(
  figures: Figures,
  series: SeriesAt,
  samples: readonly MacroSample[],
): readonly [string, Site][] {
  const names = samples.map((sample) => sample.series);
  return at(figures, {
    'api.bls.gov': blsApiSite(series),
    'download.bls.gov': blsFlatSite(series, names),
    'api.db.nomics.world': dbnomicsSite(series),
  });
}

function at(figures: Figures, hosts: Readonly<Record<string, Site>>): readonly [string, Site][] {
  return Object.entries(hosts).map(([host, site]) => [developmentHost(host, figures), site]);
}
