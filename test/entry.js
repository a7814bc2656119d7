// Runs several test files in one process, one after the other. An empty suite that bears the file's name stands
// before the tests of each file, so that a report can be read by file. `rooms.js` writes the entries that call this.
import { rmSync, writeFileSync } from 'node:fs';
import { before, suite, test } from 'node:test';
import processOnSpawn from 'process-on-spawn';

/** Milliseconds that the process has to end by itself once its last test is over. */
const END_MS = 20_000;

/**
 * Runs `files`, paths relative to the URL `root`. While one of them runs, `marker` holds its name: a marker that is
 * left behind names the file in which the process ended.
 */
export async function runFiles(root, files, marker, endMs = END_MS) {
  // tap has every process that a test starts load a recorder too, which only coverage needs.
  // It keeps a process from ending at a signal, and a demo that a test stops would run on.
  if (process.env['_TAPJS_PROCESSINFO_COVERAGE_'] === '0') {
    processOnSpawn.removeAllListeners();
    delete process.env['NODE_OPTIONS'];
  }
  const leaks = [];
  let running;
  let open = new Map();
  const next = (file) => {
    const now = resources();
    const more = [...now].filter(([name, count]) => count > (open.get(name) ?? 0));
    if (running !== undefined && more.length > 0)
      leaks.push(`${running}: ${more.map(([name]) => name).join(', ')}`);
    running = file;
    open = now;
  };
  let isOver = false;
  // A test that calls process.exit would otherwise end the rest with success.
  process.on('exit', () => {
    if (!isOver) process.exitCode = 1;
  });
  for (const file of files) {
    // The next file is loaded when the tests before it are over: what they mock would reach it as it loads.
    await new Promise((resolve) => {
      suite(file.replace(/\.js$/, '.ts'), () => {
        before(() => {
          next(file);
          writeFileSync(marker, file);
          resolve();
        });
      });
    });
    try {
      await import(new URL(file, root).href);
    } catch (error) {
      test(`${file} is loaded`, () => {
        throw error;
      });
    }
  }
  suite('every file has run', () => {
    before(() => {
      isOver = true;
      next();
      rmSync(marker, { force: true });
      const end = setTimeout(() => {
        console.error(
          `The process did not end. These files left something open:\n${leaks.join('\n')}`,
        );
        process.exit(1);
      }, endMs);
      end.unref();
    });
  });
}

/** What keeps the process alive now, and how often. */
function resources() {
  const count = new Map();
  for (const name of process.getActiveResourcesInfo()) count.set(name, (count.get(name) ?? 0) + 1);
  return count;
}
