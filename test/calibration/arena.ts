// `npm run calibrate:arena`: what it costs to move the arena number, as docs/arena.md has it; with `--write` it writes the page.
import { readFile, writeFile } from 'node:fs/promises';
import { type Arena, type Attack, meanOf } from './arena-market.ts';

const PAGE = new URL('../../../docs/arena.md', import.meta.url);
const MARK = '<!-- Below this line the page is written by `npm run calibrate:arena`. -->';
const RUNS = 300;
const SHIFT = 10;

/** Weekly indices of which forecasters know something, with many forecasters and with few. */
const ARENAS: readonly (readonly [heading: string, arena: Arena])[] = [
  [
    'An arena of 40 honest handles with half a year behind them',
    { honest: 40, move: 4, errors: [1, 8], history: 26 },
  ],
  [
    'A young arena of 5 honest handles with 3 rounds behind them',
    { honest: 5, move: 4, errors: [1, 8], history: 3 },
  ],
];

const HANDLES = [1, 10, 100, 1000] as const;
const ROUNDS = [3, 10, 26] as const;

const SKILLS: readonly (readonly [words: string, error: number | null])[] = [
  ['repeats the last value', null],
  ['is as good as the median of the 40 honest handles (an error of 4.5 %)', 4.5],
  ['is as good as the best honest handle (an error of 1 %)', 1],
];

function table(arena: Arena, error: number | null): string {
  const lines = [
    `| handles | ${ROUNDS.map((rounds) => `after ${rounds} rounds`).join(' | ')} |`,
    `| --- | ${ROUNDS.map(() => '---').join(' | ')} |`,
  ];
  for (const handles of HANDLES) {
    const cells = ROUNDS.map((rounds) => {
      const plan: Attack = { handles, rounds, error, shift: SHIFT };
      const { seats, percent } = meanOf(arena, plan, handles >= 1000 ? RUNS / 10 : RUNS);
      return `${seats.toFixed(1)} seats, ${percent.toFixed(2)} %`;
    });
    lines.push(`| ${handles} | ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

function section(): string {
  const parts = ARENAS.flatMap(([heading, arena]) => [
    `### ${heading}`,
    ...SKILLS.map(([words, error]) => `An attacker that ${words}:\n\n${table(arena, error)}`),
  ]);
  return `${parts.join('\n\n')}\n`;
}

const page = await readFile(PAGE, 'utf8');
const [head, found] = page.split(`${MARK}\n\n`);
const made = section();
if (process.argv.includes('--write')) {
  await writeFile(PAGE, `${head}${MARK}\n\n${made}`);
} else if (found !== made) {
  console.error('docs/arena.md does not have the figures of the simulation; --write writes them');
  console.log(made);
  process.exitCode = 1;
} else {
  console.log('docs/arena.md has the figures of the simulation');
}
