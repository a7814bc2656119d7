// The units of samples/systemd, held against systemd's own reader of units.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../src/core/fixture/fixture.ts';

const FOLDER = join(ROOT, 'samples', 'systemd');

/** What `systemd-analyze verify` says about units; nothing about those without a fault. */
function complaints(folder: string): string {
  const units = readdirSync(folder).map((name) => join(folder, name));
  // It says what it does not know on standard error, and ends with 0 all the same.
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...units], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('systemd: the units of samples/systemd are understood', (t) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    t.skip('systemd-analyze (systemd) is not installed');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'assay-systemd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(FOLDER)) {
    const unit = readFileSync(join(FOLDER, name), 'utf8');
    writeFileSync(join(folder, name), unit.replaceAll('/usr/bin/node', process.execPath));
  }
  assert.equal(complaints(folder), '');
  const unit = readFileSync(join(folder, 'assay.service'), 'utf8');
  writeFileSync(join(folder, 'assay.service'), unit.replace('PrivateTmp', 'PrivatTmp'));
  assert.match(complaints(folder), /PrivatTmp/);
});
