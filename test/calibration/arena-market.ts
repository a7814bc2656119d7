import { arenaNumber } from '@assay/core/arena/forecast/arena-number';
import { pointsOf } from '@assay/core/arena/forecast/points';
import { compareSkill, type SkillRecord } from '@assay/core/arena/forecast/skill';

/** The constants of an arena rule that the simulation needs. */
export const RULE = { zero_points_at: 25, ranked_from: 3, top: 10, shrink: 10 } as const;

/** How simulated rounds go: numbers of handles, and standard deviations in percent. */
export interface Arena {
  /** Handles that give their best forecast in each round. */
  readonly honest: number;
  /** How much the index moves from one period to the next. */
  readonly move: number;
  /** The error of the best and of the worst honest handle; the others lie evenly between them. */
  readonly errors: readonly [best: number, worst: number];
  /** Rounds that honest handles have played before the attacker comes. */
  readonly history: number;
}

/** What an attacker does: it forecasts as well as it can for some rounds, and then all its handles report `shift` more. */
export interface Attack {
  readonly handles: number;
  readonly rounds: number;
  /** The error of its forecasts, in percent; null where it repeats the last value. */
  readonly error: number | null;
  /** Percent that it adds to each forecast in the last round. */
  readonly shift: number;
}

/** What the attack did. */
export interface Moved {
  /** Handles of the attacker among those that the arena number is made of. */
  readonly seats: number;
  /** Percent by which the arena number was moved. */
  readonly percent: number;
}

/** Numbers that are always the same for one seed: mulberry32, and the method of Box and Muller for normal ones. */
class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }
}

interface Player extends SkillRecord {
  graded: number;
  excess: number;
  points: number;
  /** Percent; null for one that repeats the last value. */
  readonly error: number | null;
  readonly isAttacker: boolean;
}

function player(handle: string, error: number | null, isAttacker: boolean): Player {
  return { handle, graded: 0, excess: 0, points: 0, error, isAttacker };
}

/** One attack in one simulated arena. The code that orders, grades and averages is the one that verifiers run. */
export function attack(arena: Arena, plan: Attack, seed: number): Moved {
  const draws = new Draws(seed);
  const [best, worst] = arena.errors;
  const step = arena.honest > 1 ? (worst - best) / (arena.honest - 1) : 0;
  const honest = Array.from({ length: arena.honest }, (_, i) =>
    player(`a${String(i).padStart(5, '0')}`, best + step * i, false),
  );
  const attackers = Array.from({ length: plan.handles }, (_, i) =>
    player(`b${String(i).padStart(5, '0')}`, plan.error, true),
  );
  let level = 200_000;
  const next = (): number => Math.round(level * Math.exp((arena.move / 100) * draws.normal()));
  // Each handle sees the next number with an error of its own, as if it had private information.
  const forecastOf = ({ error }: Player, number: number): number =>
    error === null ? level : Math.round(number * Math.exp((error / 100) * draws.normal()));
  for (let round = 0; round < arena.history + plan.rounds; round += 1) {
    const players = round < arena.history ? honest : [...honest, ...attackers];
    const number = next();
    const reference = points(level, number);
    for (const each of players) {
      const earned = points(forecastOf(each, number), number);
      each.graded += 1;
      each.points += earned;
      each.excess += earned - reference;
    }
    level = number;
  }
  const number = next();
  const forecasts = [...honest, ...attackers].map(
    (each) => [each, forecastOf(each, number)] as const,
  );
  const top = forecasts
    .map(([each]) => each)
    .filter(({ graded, excess }) => graded >= RULE.ranked_from && excess > 0)
    .sort((a, b) => compareSkill(a, b, RULE.shrink))
    .slice(0, RULE.top);
  const weighted = top.map(({ handle, points: sum, graded }) => ({
    handle,
    weight: Math.round((100 * sum) / graded),
  }));
  const numberOf = (shift: number): number => {
    const values = forecasts.map(([{ handle, isAttacker }, value]): [string, bigint] => [
      handle,
      BigInt(Math.round(isAttacker ? value * (1 + shift / 100) : value)),
    ]);
    return Number(arenaNumber(weighted, new Map(values)).value);
  };
  const seats = top.filter(({ isAttacker }) => isAttacker).length;
  if (top.length === 0) return { seats, percent: 0 };
  const [before, after] = [numberOf(0), numberOf(plan.shift)];
  return { seats, percent: (100 * (after - before)) / before };
}

function points(forecast: number, number: number): number {
  return pointsOf(BigInt(forecast), BigInt(number), RULE.zero_points_at);
}

/** The mean over `runs` simulated arenas. */
export function meanOf(arena: Arena, plan: Attack, runs: number): Moved {
  let [seats, percent] = [0, 0];
  for (let seed = 1; seed <= runs; seed += 1) {
    const moved = attack(arena, plan, seed);
    seats += moved.seats;
    percent += moved.percent;
  }
  return { seats: seats / runs, percent: percent / runs };
}
