import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paint, processTerminal, slowProgress, type Terminal } from '@assay/cli/command/tty';

function terminal(colour: boolean, lines: string[]): Terminal {
  return {
    out: () => undefined,
    error: () => undefined,
    colour,
    columns: 80,
    progress: (line) => lines.push(line),
  };
}

test('paint is nothing where there is no colour', () => {
  assert.equal(paint(terminal(false, []), 'red', 'x'), 'x');
  assert.equal(paint(terminal(true, []), 'red', 'x'), '\u001b[31mx\u001b[39m');
});

test('progress is shown after a second, now and then, and wiped away', () => {
  const lines: string[] = [];
  let now = 0;
  const { tell, end } = slowProgress(terminal(false, lines), () => now);
  tell(1, 10, 'entries');
  now = 999;
  tell(2, 10, 'entries');
  assert.deepEqual(lines, []);
  now = 1000;
  tell(5, 10, 'entries');
  now = 1050;
  tell(6, 10, 'entries');
  now = 1100;
  tell(7, 10, 'entries');
  tell(0, 0, 'files');
  end();
  assert.deepEqual(lines, ['entries: 5 of 10 (50 %)', 'entries: 7 of 10 (70 %)', '']);
});

test('work that says nothing of itself is told from its third second on, and not where nobody watches', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  let now = 0;
  const pass = (): void => {
    now += 1000;
    t.mock.timers.tick(1000);
  };
  const { tell, wait, end } = slowProgress(terminal(false, lines), () => now);
  wait('waiting for x');
  pass();
  assert.deepEqual(lines, []);
  pass();
  assert.deepEqual(lines, ['waiting for x: 2 s so far']);
  tell(1, 2, 'entries');
  pass();
  assert.equal(lines.length, 2);
  pass();
  assert.equal(lines.at(-1), 'waiting for x: 4 s so far');
  end();
  pass();
  assert.deepEqual(lines.slice(3), ['']);
  const plain: string[] = [];
  const unwatched = {
    ...terminal(false, []),
    error: (line: string) => plain.push(line),
    progress: undefined,
  };
  slowProgress(unwatched, () => now).wait('x');
  for (let i = 0; i < 5; i += 1) pass();
  assert.deepEqual(plain, []);
});

test('work that is soon done says nothing', () => {
  const lines: string[] = [];
  const { tell, end } = slowProgress(terminal(false, lines), () => 0);
  tell(1, 1, 'entries');
  end();
  assert.deepEqual(lines, []);
});

test('where nobody watches, long work writes a line now and then if it is asked to', () => {
  const lines: string[] = [];
  const plain: Terminal = {
    ...terminal(false, []),
    error: (line) => lines.push(line),
    progress: undefined,
  };
  let now = 500;
  const silent = slowProgress(plain, () => now);
  const { tell, end } = slowProgress(plain, () => now, 10_000);
  for (const [at, done] of [
    [10_499, 1],
    [10_500, 2],
    [20_499, 3],
    [20_500, 4],
  ] as const) {
    now = at;
    tell(done, 4, 'days replayed');
    silent.tell(done, 4, 'days replayed');
  }
  end();
  silent.end();
  assert.deepEqual(lines, ['days replayed: 2 of 4 (50 %)', 'days replayed: 4 of 4 (100 %)']);
});

test('a terminal is between 60 and 96 columns wide', () => {
  const { columns } = processTerminal();
  assert.equal(columns >= 60 && columns <= 96, true);
});
