import { readFileSync } from 'node:fs';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { templatePath } from '../fixture/templates.ts';

/** A provider of a template, as the record of a rule of its own. */
function provider(name: string, id: string): Provider {
  const { providers } = JSON.parse(readFileSync(templatePath(name), 'utf8')) as Rule;
  const found = providers.find((each) => each.id === id);
  if (found === undefined) throw new TypeError(`${name} has no ${id}`);
  const retain = found.retain === 'none' ? 'none' : 'bytes';
  return { ...found, id: `${name.toLowerCase()}-${id}`, group: 'all', role: 'record', retain };
}

/** The advance figure, which stands in the release's prose and in its table. */
export const DOL_PRESS: Provider = provider('LAYOFFS', 'eta-press-pdf');
/** Three weeks late: weeks ahead hold their seasonal factors alone. */
export const ETA_XML: Provider = provider('LAYOFFS', 'eta-539-xml');
export const BLS_CPI: Provider = provider('cpi', 'bls-api');
export const BLS_JOBS: Provider = provider('jobs', 'bls-api');
/** Without a key: one series a request, 25 a day. */
export const BLS_GET: Provider = provider('unemp', 'bls-api-keyless');
export const BLS_FLAT: Provider = provider('cpi', 'bls-flat-file');
export const DBNOMICS: Provider = provider('cpi', 'dbnomics');
export const SOLANA_MINTS: Provider = provider('MINTS', 'rpc-1');
export const DUNE_MINTS: Provider = provider('MINTS', 'dune');
export const USAJOBS_GIGS: Provider = provider('GIGS', 'usajobs-joa');
export const USAJOBS_WAGE: Provider = provider('WAGE', 'usajobs-joa');
export const MODEL_HUB: Provider = provider('MODELS', 'hub-api');
export const KALSHI: Provider = provider('YESNO', 'kalshi-trades');
export const POLYMARKET: Provider = provider('YESNO', 'polymarket-trades');
