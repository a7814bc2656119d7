import type { Sha256 } from '../hash/hash.ts';
import { ascending, isAscending } from '../wire/canonical.ts';
import { isObject } from '../wire/schema.ts';
import type { WireValue } from '../wire/wire.ts';
import { anchorsView } from './anchors.ts';
import { arenaRulesView } from './arena-rules.ts';
import { beaconsView } from './beacons.ts';
import { checkpointKeyChangesView } from './key/checkpoint-key-changes.ts';
import { closesView } from './closes.ts';
import { completenessView } from './completeness.ts';
import { cosignerSetsView } from './cosigner-sets.ts';
import { cosignsView } from './cosigns.ts';
import { keyChangesView } from './key/key-changes.ts';
import { logView } from './log.ts';
import { onchainView } from './onchain.ts';
import { periodsView } from './periods.ts';
import { reportsView } from './reports.ts';
import { rulesView } from './rules.ts';
import { stampsView } from './stamps.ts';
import { statementsView } from './statements.ts';
import { assetsView } from './assets.ts';
import { scoreRulesView } from './score-rules.ts';
import { splitsView } from './splits.ts';
import { refereeView } from './referee.ts';
import { studiesView } from './studies.ts';
import { terminalEventsView } from './terminal-events.ts';
import { ticksView } from './ticks.ts';
import { forecastsView } from './forecasts.ts';
import { handlesView } from './handles.ts';
import { roundsView } from './rounds.ts';
import type { FoldedEntry, View, ViewState, ViewWrite } from './view.ts';

/** Every view, in the order in which they fold an entry. Each writes only its own tables. */
export const VIEWS: readonly View[] = [
  logView,
  rulesView,
  reportsView,
  periodsView,
  closesView,
  completenessView,
  cosignerSetsView,
  cosignsView,
  keyChangesView,
  checkpointKeyChangesView,
  onchainView,
  statementsView,
  beaconsView,
  stampsView,
  anchorsView,
  assetsView,
  scoreRulesView,
  ticksView,
  terminalEventsView,
  splitsView,
  studiesView,
  arenaRulesView,
  roundsView,
  forecastsView,
  handlesView,
  refereeView,
];

/** The rows that one entry changes, given the rows before it. */
export function foldEntry(
  entry: FoldedEntry,
  state: ViewState,
  sha256: Sha256,
): readonly ViewWrite[] {
  const writes: ViewWrite[] = [];
  for (const view of VIEWS) {
    for (const { table, key, value } of view.apply(entry, state, sha256)) {
      writes.push({ table, key, value: inWireOrder(value) });
    }
  }
  return writes;
}

/**
 * `value` with its members in the order of the wire, so that a row is the same object with the same order of members
 * whether it was just folded or read from a store. It is `value` itself where nothing has to be moved.
 */
function inWireOrder(value: WireValue): WireValue {
  if (Array.isArray(value)) {
    const items = value.map(inWireOrder);
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  let isSame = isAscending(keys);
  const sorted: Record<string, WireValue> = {};
  for (const key of ascending(keys)) {
    const member = value[key] as WireValue;
    sorted[key] = inWireOrder(member);
    isSame &&= sorted[key] === member;
  }
  return isSame ? value : sorted;
}
