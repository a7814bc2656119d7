import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Call, callsOf, ONE_THREAD, STRACE, straceMissing } from './strace.ts';
import { LONG, requireKept, requireReason, run, type Told, WORKER } from './told.ts';

/** System calls that touch files, and what each fails with. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  write: ['EIO', 'ENOSPC'],
  pwrite64: ['EIO', 'ENOSPC'],
  fdatasync: ['EIO', 'ENOSPC'],
  fsync: ['EIO', 'ENOSPC'],
  openat: ['EIO', 'ENOSPC'],
  rename: ['EIO', 'ENOSPC'],
  mkdir: ['EIO', 'ENOSPC'],
  link: ['EIO', 'ENOSPC'],
  unlink: ['EIO'],
  read: ['EIO'],
  pread64: ['EIO'],
};
const CALLS = Object.keys(CLASSES);

/** Disks that stay full, and kills, in the short form. */
const SHORT = { full: 5, kills: 16 } as const;

const WORKERS = 2;

const worker = (root: string): readonly string[] => [process.execPath, WORKER, 'once', root];

/** `count` of the numbers 1 to `length`, spread over all of them; all in the long form. */
function spread(length: number, count: number): readonly number[] {
  const all = Array.from({ length }, (_, i) => i + 1);
  if (LONG || length <= count) return all;
  return Array.from({ length: count }, (_, i) => 1 + Math.round((i * (length - 1)) / (count - 1)));
}

/**
 * Which of the calls of one name fail, by number: in the long form each with each error; in the short
 * one the first on each kind of file, and the last, with the errors in turn.
 */
function failing(
  calls: readonly Call[],
  errors: readonly string[],
): readonly (readonly [number, string])[] {
  const numbers = calls.map((_, i) => i + 1);
  if (LONG) return errors.flatMap((error) => numbers.map((n) => [n, error] as const));
  const kinds = calls.map(({ path = '' }) => path.replaceAll(/[0-9a-f]*[0-9][0-9a-f]*/g, '#'));
  const chosen = numbers.filter(
    (n) => n === calls.length || kinds.indexOf(kinds[n - 1] as string) === n - 1,
  );
  return chosen.map((n, i) => [n, errors[i % errors.length] as string] as const);
}

/** The thread that made a call, with which its line begins. */
function threadOf({ line }: Call): string {
  return line.split(/\s/, 1)[0] as string;
}

/** Which call of its name and of its thread the call at `index` is, from 1 on: strace counts for each thread. */
function turnOf(calls: readonly Call[], index: number): number {
  const call = calls[index] as Call;
  const earlier = calls.slice(0, index + 1);
  return earlier.filter((each) => each.name === call.name && threadOf(each) === threadOf(call))
    .length;
}

/** How many of the first `end` calls have this name. */
function countOf(name: string, calls: readonly Call[], end: number): number {
  return calls.slice(0, end).filter((call) => call.name === name).length;
}

/** What strace does to calls by name. It counts each of them for itself, and for each thread. */
type Injection = Readonly<Record<string, string>>;

const missing = straceMissing();

test('inject: every kind of call on the data folder fails in turn', async (t) => {
  if (missing !== undefined) return t.skip(missing);
  const base = await mkdtemp(join(tmpdir(), 'assay-inject-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const template = join(base, 'template');
  const before: Told[] = [];
  for (const mode of ['init', 'once']) {
    const { told, errors } = await run([process.execPath, WORKER, mode, template]);
    assert.ok(told.done, `${told.lines.at(-1)} ${errors}`);
    before.push(told);
  }

  // A run without faults says which calls there are, and on which files.
  const probed = join(base, 'probe');
  await cp(template, probed, { recursive: true });
  const log = join(base, 'trace');
  const probe = await run(
    [...STRACE, '-y', '-s', '0', '-o', log, '-e', `trace=${CALLS.join()}`, ...worker(probed)],
    ONE_THREAD,
  );
  assert.ok(probe.told.done, probe.errors);
  const calls = callsOf(await readFile(log, 'utf8'), probed).flatMap(({ path, ...call }) =>
    path === undefined ? [] : [{ ...call, path }],
  );
  const paths = [...new Set(calls.map(({ path }) => path))];
  assert.deepEqual(new Set(calls.map(({ name }) => name)), new Set(CALLS));

  let runs = 0;
  const outcomes = new Map<string, number>();
  /** Runs a worker with a fault and demands what holds after any of them. */
  async function hit(injection: Injection): Promise<void> {
    runs += 1;
    const kills = Object.values(injection).some((what) => what.includes('SIGKILL'));
    const root = join(base, `run-${runs}`);
    const traced = `${root}.trace`;
    await cp(template, root, { recursive: true });
    const filter = paths.flatMap((path) => ['-P', join(root, path)]);
    const ended = await run(
      [
        // Fast, but strace 6.1 then forgets to send signals.
        ...STRACE,
        ...(kills ? [] : ['--seccomp-bpf']),
        '-o',
        traced,
        ...filter,
        '-e',
        `trace=${Object.keys(injection).join()}`,
        ...Object.entries(injection).flatMap((each) => ['-e', `inject=${each.join(':')}`]),
        ...worker(root),
      ],
      ONE_THREAD,
    );
    try {
      if (kills) {
        assert.equal(ended.signal, 'SIGKILL', ended.errors);
      } else {
        assert.match(await readFile(traced, 'utf8'), /\(INJECTED\)/);
        assert.equal(ended.signal, null, ended.errors);
        assert.ok(ended.code === 0 || ended.code === 3, `exit ${ended.code}: ${ended.errors}`);
        assert.equal(ended.told.done, ended.code === 0);
      }
      requireReason(ended);
      await requireKept(root, ...before, ended.told);
    } catch (error) {
      const last = ended.told.lines.at(-1);
      const place = JSON.stringify(injection);
      throw new Error(`${place}: ${(error as Error).message} [${last}]`, { cause: error });
    }
    const outcome = ended.told.refused ?? (ended.told.done ? 'went on' : 'killed');
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    await Promise.all([rm(root, { recursive: true }), rm(traced)]);
  }

  async function hitAll(injections: readonly Injection[]): Promise<string> {
    const queue = [...injections];
    const failures: string[] = [];
    outcomes.clear();
    await Promise.all(
      Array.from({ length: WORKERS }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          await hit(next).catch((error: unknown) => failures.push((error as Error).message));
        }
      }),
    );
    assert.deepEqual(failures, []);
    return [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(', ');
  }

  for (const [name, errors] of Object.entries(CLASSES)) {
    const own = calls.filter((call) => call.name === name);
    const injections = failing(own, errors).map(([n, error]) => ({
      [name]: `error=${error}:when=${turnOf(own, n - 1)}`,
    }));
    await t.test(
      `${injections.length} of ${own.length} ${name} with ${errors.join()}`,
      async (s) => {
        s.diagnostic(await hitAll(injections));
      },
    );
  }

  const writing = ['write', 'pwrite64', 'openat', 'mkdir'];
  const writes = calls.filter(({ name }) => writing.includes(name));
  const full = spread(writes.length, SHORT.full).map((n) =>
    Object.fromEntries(
      writing.map((name) => [name, `error=ENOSPC:when=${countOf(name, writes, n - 1) + 1}+`]),
    ),
  );
  await t.test(`${full.length} times a disk that fills and stays full`, async (s) => {
    s.diagnostic(await hitAll(full));
  });

  // The worker dies as it enters a call: all before it took effect, nothing after it.
  const kills = spread(calls.length, SHORT.kills).map((n) => {
    const { name } = calls[n - 1] as Call;
    return { [name]: `signal=SIGKILL:when=${turnOf(calls, n - 1)}` };
  });
  await t.test(`${kills.length} kills between two of ${calls.length} calls`, async (s) => {
    s.diagnostic(await hitAll(kills));
  });
  t.diagnostic(`${runs} runs with a fault in them`);
});
