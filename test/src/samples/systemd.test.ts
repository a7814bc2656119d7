import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCommand } from '@assay/cli/command/dispatch';
import { parseGiven } from '@assay/cli/command/parse';
import { program } from '../cli/fixture/program.ts';
import { ROOT } from '../core/fixture/fixture.ts';

const FOLDER = join(ROOT, 'samples', 'systemd');
const UNITS = readdirSync(FOLDER).sort();
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** The values of a key in a unit, in their order. */
function valuesOf(unit: string, key: string): readonly string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

test('every service runs a command line that the command understands', async () => {
  for (const name of SERVICES) {
    const [line = '', ...more] = valuesOf(read(name), 'ExecStart');
    assert.deepEqual(more, [], name);
    const [, args = ''] = /^\/usr\/bin\/node cli\/bin\/assay\.js (.+)$/.exec(line) ?? [];
    const { found, rest } = await findCommand(program.table, args.split(' '));
    assert.ok(found.kind === 'command', line);
    assert.doesNotThrow(() => parseGiven(found, rest), line);
  }
});

test('every service runs as its own user, and what it may write is in its command line', () => {
  const [first = ''] = SERVICES;
  for (const name of SERVICES) {
    const unit = read(name);
    const user = name === 'assay-signer.service' ? 'assay-signer' : 'assay';
    assert.deepEqual(valuesOf(unit, 'User'), [user], name);
    const [writable = ''] = valuesOf(unit, 'ReadWritePaths');
    const [line = ''] = valuesOf(unit, 'ExecStart');
    assert.ok(line.includes(writable) && writable.startsWith('/'), name);
    // One sandbox for all.
    const sandbox = (of: string): string =>
      /^NoNewPrivileges=[\s\S]*?(?=^ReadWritePaths)/m.exec(of)?.[0] ?? '';
    assert.ok(sandbox(unit).includes('ProtectSystem=strict'), name);
    // The signer needs no network, and so has a narrower one.
    if (user === 'assay') assert.equal(sandbox(unit), sandbox(read(first)), name);
  }
});

test('every timer starts a service, and what no timer starts is started with the machine', () => {
  const timers = UNITS.filter((name) => name.endsWith('.timer'));
  for (const name of SERVICES) {
    const timed = timers.includes(name.replace('.service', '.timer'));
    assert.deepEqual(valuesOf(read(name), 'Type'), timed ? ['oneshot'] : [], name);
    assert.deepEqual(valuesOf(read(name), 'WantedBy'), timed ? [] : ['multi-user.target'], name);
  }
  for (const name of timers) {
    assert.ok(SERVICES.includes(name.replace('.timer', '.service')), name);
    assert.deepEqual(valuesOf(read(name), 'WantedBy'), ['timers.target'], name);
  }
});

test('the documents lead to every unit, and repeat none', () => {
  const pages = ['publish.md', 'recount.md', 'keys.md'].map((name) =>
    readFileSync(join(ROOT, 'docs', name), 'utf8'),
  );
  for (const name of UNITS) {
    assert.ok(
      pages.some((page) => page.includes(`](../samples/systemd/${name})`)),
      name,
    );
  }
  for (const page of pages) assert.doesNotMatch(page, /^ *(\[Service\]|ExecStart=)/m);
});
