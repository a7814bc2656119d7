import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

/** How a process ends that closes itself by `close`, an expression, and has something left that would keep it. */
async function endOf(
  close: string,
): Promise<{ readonly code: number | null; readonly err: string }> {
  const script = `
    import { closeOrExit } from '@assay/cli/process/closing';
    const left = setInterval(() => undefined, 1000);
    await closeOrExit('demo', ${close}, 100, { error: (line) => console.error(line) });
    clearInterval(left);
    process.exitCode = 7;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, err };
}

test('closing: the process goes on where it succeeds', async () => {
  assert.deepEqual(await endOf('() => Promise.resolve()'), { code: 7, err: '' });
});

test('closing: a failure ends the process with a message, whatever is left', async () => {
  const { code, err } = await endOf('() => Promise.reject(new Error("the disk is full"))');
  assert.deepEqual([code, err], [3, 'assay demo: it could not be closed: the disk is full\n']);
});

test('closing: what hangs ends the process with a message after a while', async () => {
  const { code, err } = await endOf('() => new Promise(() => undefined)');
  assert.equal(code, 3);
  assert.match(
    err,
    /^assay demo: it could not be closed: close: expected an answer within 100 ms\n$/,
  );
});
