import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StudyFigures } from './study-child.ts';

const CHILD = fileURLToPath(new URL('./study-child.js', import.meta.url));
const SHARED =
  process.env['ASSAY_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url));

/** Seconds of processor time, and megabytes. */
const GOAL_S = 30;
const GOAL_MB = 300;

/** The study of base rates of a recorded year of 80 assets. */
export function studySection(): string {
  const heading = "## A year's study of base rates\n";
  const market = join(SHARED, 'data/market');
  if (!existsSync(market)) return `${heading}\nSkipped: the recorded market is not here.\n`;
  const ran = spawnSync(process.execPath, [CHILD, market], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`study: ${ran.stderr}`);
  const { study, all, memory, blob, moments } = JSON.parse(ran.stdout) as StudyFigures;
  const reached = (value: number, goal: number): string => (value < goal ? 'reached' : 'missed');
  const megabytes = memory / 1e6;
  return `${heading}
| what | result | goal |
| --- | --- | --- |
| the study: sampled tick by tick, groups and blob made | ${(study / 1000).toFixed(1)} s |  |
| processor time of it and of the engine that plays the year, all threads | ${(all / 1000).toFixed(1)} s | ${GOAL_S} s: ${reached(all / 1000, GOAL_S)} |
| resident memory of both, at most | ${megabytes.toFixed(0)} MB | ${GOAL_MB} MB: ${reached(megabytes, GOAL_MB)} |
| its moments, and bytes of its blob | ${moments} and ${blob.toLocaleString('en-US')} |  |
`;
}
