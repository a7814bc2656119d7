import { DAY_SECONDS } from '@assay/core/time/time';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { EXIT_SECONDS } from '@assay/core/terminal/edge/moment-sample';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { makeStudy, type StudyData } from '@assay/core/terminal/study/base-rate';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type Count, holdCounts, missCounts } from './counts.ts';
import { LOTTERIES, played } from './lotteries.ts';
import { openingsOf } from './openings.ts';
import { panelData } from './panel-data.ts';
import { panelMoments, timeOf } from './panel-moments.ts';
import { makePanel } from './panel.ts';
import { regimeOf } from './regimes.ts';
import { type Shown, shownByDates, shownByEdges } from './shown.ts';
import { SPELLS, withSpell } from './spells.ts';
import { type StudyEnd, studyEnds } from './study-ends.ts';

/** One simulated panel, and what is asked of it. */
export interface Trial {
  readonly seed: number;
  readonly assets: number;
  readonly days: number;
  /** The version of the study: 1 or 2. */
  readonly version: 1 | 2;
  /** What each event adds to its asset's return of 7 days, in basis points: one study for each. */
  readonly effects: readonly number[];
  /** Whether the monthly studies before the end of the panel are made as well. */
  readonly monthly: boolean;
  /** Whether returns are lopsided or lasting: each lottery and each spell in turn, and no effect. */
  readonly lopsided?: boolean;
}

/** Makes a study of what is known at a step, where every event has this effect. */
type Study = (end: number, number: number, effect: number) => readonly Shown[];

/**
 * What the studies of a panel say. Every name begins with what was counted and with `version|assets|days`, and ends with
 * - `miss`: the regime, the span of weeks and the size of a group whose interval of the whole panel has not the truth;
 * - `holds`: the number of the study, the effect, and the group that holds, or `any`;
 * - `events`: nothing; the hits are the events in the groups of the whole panel;
 * - `year`: `holds` or `passes`; a panel in which some group holds in any of its studies where nothing is there, or
 *   passes the test that all groups share;
 * - `lopsided` goes on with the number of the lottery, or of the spell after all lotteries, and ends with `miss`, `holds` or `alone`: an interval of the whole
 *   panel, and a panel in which some group holds in any of its studies, or would without two events against it.
 */
export function countsOf(trial: Trial): readonly Count[] {
  const { seed, assets, days, version, effects, monthly, lopsided = false } = trial;
  if (lopsided) return lopsidedCounts(trial);
  const kind = `${version}|${assets}|${days}`;
  const regime = regimeOf(seed);
  const { study, ends } = studiesOf(trial);
  const counts: Count[] = [];
  for (const effect of effects) {
    let [holds, passes] = [false, false];
    for (const { number, end } of monthly ? ends : ends.slice(-1)) {
      const shown = study(end, number, effect);
      counts.push(...holdCounts(`holds|${kind}|${number}|${effect}`, shown));
      holds ||= shown.some((group) => group.holds);
      passes ||= shown.some((group) => group.passes);
      if (effect !== 0) continue;
      if (end !== ends.at(-1)?.end) continue;
      counts.push(...missCounts(`miss|${kind}|${regime.name}`, shown, 0));
      counts.push([`events|${kind}`, 1, shown.reduce((sum, { n }) => sum + n, 0)]);
    }
    if (!monthly || effect !== 0) continue;
    counts.push(
      [`year|${kind}|holds`, 1, Number(holds)],
      [`year|${kind}|passes`, 1, Number(passes)],
    );
  }
  return counts;
}

function lopsidedCounts({ seed, assets, days }: Trial): readonly Count[] {
  const panel = makePanel(seed, assets, days, regimeOf(seed));
  const moments = panelMoments(panel, openingsOf(panel));
  const changed = [
    ...LOTTERIES.map((lottery) => played(moments, lottery, seed)),
    ...SPELLS.map((spell) => withSpell(moments, spell, seed)),
  ];
  return changed.flatMap((drawn, i) => {
    const studies = studyEnds(panel.steps).map(({ number, end }) =>
      edgeStudy(drawn, end, number, 0),
    );
    const intervals = (studies.at(-1) ?? []).flatMap(({ interval }) =>
      interval ? [interval] : [],
    );
    const missed = intervals.filter(([low, high]) => low > 0 || high < 0);
    const some = (holds: (group: Shown) => boolean): number =>
      Number(studies.some((groups) => groups.some(holds)));
    return [
      [`lopsided|${i}|miss`, intervals.length, missed.length],
      [`lopsided|${i}|holds`, 1, some((group) => group.holds)],
      [`lopsided|${i}|alone`, 1, some((group) => group.holdsAlone)],
    ] as const;
  });
}

function studiesOf({ seed, assets, days, version }: Trial): {
  study: Study;
  ends: readonly StudyEnd[];
} {
  const panel = makePanel(seed, assets, days, regimeOf(seed));
  const openings = openingsOf(panel);
  const ends = studyEnds(panel.steps);
  if (version === 1) {
    const dataAt = (end: number): StudyData => panelData(panel, openings.openings, end);
    const whole = dataAt(panel.steps);
    return {
      study: (end, _, effect) => dateStudy(end === panel.steps ? whole : dataAt(end), effect),
      ends,
    };
  }
  const moments = panelMoments(panel, openings);
  return { study: (end, number, effect) => edgeStudy(moments, end, number, effect), ends };
}

/** A moment is known once its 7 days and the time in which a late price may come are over. */
const OVER_SECONDS: number = 7 * DAY_SECONDS + EXIT_SECONDS;

function edgeStudy(
  moments: readonly StudyMoment[],
  end: number,
  number: number,
  effect: number,
): readonly Shown[] {
  const known = moments.filter(({ entered_at }) => entered_at + OVER_SECONDS <= timeOf(end));
  const changed = known.map((moment) => withEffect(moment, effect));
  return shownByEdges(edgeGroups(nodeSha256, 'crypto', number, changed).groups);
}

function withEffect(moment: StudyMoment, effect: number): StudyMoment {
  const { returns } = moment;
  const week = returns['7d'];
  if (effect === 0 || week === null) return moment;
  return { ...moment, returns: { ...returns, '7d': { ...week, ret: week.ret + effect } } };
}

function dateStudy(data: StudyData, effect: number): readonly Shown[] {
  const events = data.events.map((event) => {
    const { ret, benchmark } = event.returns['7d'];
    const week = { ret: ret === null ? null : ret + effect, benchmark };
    return { ...event, returns: { ...event.returns, '7d': week } };
  });
  return shownByDates(makeStudy(nodeSha256, { ...data, events }), events);
}
