import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome, Result } from './case.ts';
import type { TemplateName } from './template.ts';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
/** Milliseconds without a word after which a worker hangs. */
const SILENT_MS = 180_000;

type Line =
  | { readonly begun: number }
  | { readonly nothing: number }
  | { readonly broken: string }
  | Result;

/** What the last words of a worker were. */
interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

/** Runs a worker; `onLine` sees each line that it tells. */
export function work(args: readonly string[], onLine: (line: Line) => void): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(
      process.execPath,
      ['--enable-source-maps', '--max-semi-space-size=64', WORKER, ...args],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let [text, errors] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        errors += `no word for ${SILENT_MS} ms`;
        child.kill('SIGKILL');
      }, SILENT_MS);
    };
    wait();
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      wait();
      const lines = (text + part).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) onLine(JSON.parse(line) as Line);
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      errors = (errors + part).slice(-4000);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, errors });
    });
  });
}

/** Runs cases until `count` folders were damaged, over any number of workers: a case may end its own. */
export async function runCases(
  base: string,
  template: TemplateName,
  firstSeed: number,
  count: number,
  onResult: (result: Result) => void,
): Promise<void> {
  let seed = firstSeed;
  let left = count;
  while (left > 0) {
    let under: number | undefined;
    let broken: string | undefined;
    const ended = await work(['cases', base, template, `${seed}`, `${left}`], (line) => {
      if ('begun' in line) under = line.begun;
      else if ('broken' in line) broken = line.broken;
      else {
        if ('outcome' in line) {
          left -= 1;
          onResult(line);
        }
        seed = ('outcome' in line ? line.seed : line.nothing) + 1;
        under = undefined;
      }
    });
    if (broken !== undefined) throw new Error(`the harness failed at seed ${under}: ${broken}`);
    if (ended.code === 0) continue;
    if (under === undefined) throw new Error(`the harness failed: ${ended.errors}`);
    const died = ended.errors.startsWith('no word') ? 'hang' : 'crash';
    onResult({
      template,
      seed: under,
      damage: { kind: 'unknown', way: 'flip a bit', places: [] },
      outcome: 'refused',
      words: [],
      problems: [
        {
          ill: died,
          detail: `the process ended: ${ended.signal ?? ended.code} ${ended.errors.trim()}`,
        },
      ],
      ms: 0,
    });
    left -= 1;
    seed = under + 1;
  }
}

const OUTCOMES: readonly Outcome[] = ['unharmed', 'said', 'halted', 'refused'];

/** A table of what became of folders, by what was damaged and how. */
export function formatResults(results: readonly Result[]): string {
  const rows = new Map<string, Map<string, number>>();
  for (const { damage, outcome, problems } of results) {
    const key = `${damage.kind} | ${damage.way}`;
    const row = rows.get(key) ?? new Map<string, number>();
    const count = (name: string): void => void row.set(name, (row.get(name) ?? 0) + 1);
    count(outcome);
    if (problems.length > 0) count('wrong');
    for (const ill of new Set(problems.map((each) => each.ill))) count(ill);
    rows.set(key, row);
  }
  const lines = [
    `| what | damage | ${OUTCOMES.join(' | ')} | wrong |`,
    `|${' --- |'.repeat(OUTCOMES.length + 3)}`,
  ];
  for (const [key, row] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const ills = [...row].filter(
      ([name]) => !OUTCOMES.includes(name as Outcome) && name !== 'wrong',
    );
    const wrong = ills.map(([ill, n]) => `${n} ${ill}`).join(', ');
    const cells = OUTCOMES.map((each) => row.get(each) ?? '');
    lines.push(`| ${key} | ${cells.join(' | ')} | ${wrong} |`);
  }
  return lines.join('\n');
}
