// What tap keeps of an entry's output, read by test file.

/**
 * The counts of an entry's tests, the report of each failure with its test file, and what was skipped.
 * `isWhole` is false for an entry that ended before all its tests had.
 */
export function readResults(text) {
  const failures = [];
  const skipped = [];
  let file;
  let block = [];
  for (const line of text.split('\n')) {
    const point = /^(not )?ok \d+ - (.*)$/.exec(line);
    if (line.startsWith('# Subtest: ')) block = [];
    block.push(line);
    if (point !== null) {
      const [, not, name] = point;
      if (not !== undefined) failures.push({ file, block });
      else if (name.endsWith('.test.ts')) file = name;
    }
    const skip = /^ *ok \d+ - (.* # SKIP.*)$/.exec(line);
    if (skip !== null) skipped.push(skip[1]);
  }
  const count = (name) =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const [tests, pass, fail, cancelled] = ['tests', 'pass', 'fail', 'cancelled'].map(count);
  return { failures, skipped, tests, pass, fail: fail + cancelled, isWhole: !Number.isNaN(tests) };
}
