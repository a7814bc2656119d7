// chain/program/idl.json as those who generate clients from it read it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addRule,
  addSet,
  cancel,
  close,
  dissent,
  initFeed,
  openPage,
  publish,
  rotate,
} from '@assay/chain/instructions';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { ROOT, vectors } from '../src/core/fixture/fixture.ts';
import { hashOf, partyOf } from '../src/chain/fixture/party.ts';
import { PROGRAM, World, worldOf, needsSvm } from '../src/chain/fixture/world.ts';
import { codamaPeer } from './chain-peers.ts';

interface Node {
  readonly kind: string;
  readonly name: string;
}
interface Account extends Node {
  readonly data: Node;
}
interface Root extends Node {
  readonly program: Node & {
    readonly accounts: readonly Account[];
    readonly instructions: readonly Node[];
  };
}
interface Codec {
  readonly decode: (bytes: Uint8Array) => Readonly<Record<string, unknown>>;
  readonly encode: (value: unknown) => Uint8Array;
}
interface Codama {
  readonly createFromJson: (text: string) => {
    readonly getRoot: () => Root;
    readonly accept: (visitor: unknown) => unknown;
  };
}
interface Validators {
  readonly getValidationItemsVisitor: () => unknown;
}
interface Codecs {
  readonly getNodeCodec: (path: readonly Node[]) => Codec;
}

const peer = await codamaPeer();
const skip = peer === undefined ? 'codama could not be installed' : false;
const TEXT = readFileSync(join(ROOT, 'chain/program/idl.json'), 'utf8');

async function load(): Promise<Codama & Validators & Codecs> {
  if (peer === undefined) throw new TypeError('codama is not there');
  const [codama, validators, codecs] = await Promise.all(
    ['codama', '@codama/validators', '@codama/dynamic-codecs'].map(peer),
  );
  return {
    ...(codama as Codama),
    ...(validators as Validators),
    ...(codecs as Codecs),
  };
}

test('idl: the validator has nothing to say but that no framework made it', { skip }, async () => {
  const { createFromJson, getValidationItemsVisitor } = await load();
  const items = createFromJson(TEXT).accept(getValidationItemsVisitor()) as readonly {
    readonly level: string;
    readonly message: string;
  }[];
  assert.deepEqual(
    items.map(({ level, message }) => [level, message]),
    [['info', 'Program has no origin.']],
  );
});

test('idl: its codecs read and write accounts to the byte', { skip }, async () => {
  const { createFromJson, getNodeCodec } = await load();
  const root = createFromJson(TEXT).getRoot();
  const { program } = root;
  for (const account of program.accounts) {
    const codec = getNodeCodec([root, program, account, account.data]);
    const cases = vectors<
      readonly { name: string; hex: string; account: Readonly<Record<string, unknown>> }[]
    >(`chain/${account.name}s`);
    for (const { name, hex, account: said } of cases) {
      const value = codec.decode(parseHex(hex));
      assert.equal(formatHex(Uint8Array.from(codec.encode(value))), hex, name);
      for (const member of ['bump', 'decimals', 'index', 'day']) {
        assert.equal(value[member], said[member], `${name}: ${member}`);
      }
      if ('slot' in said) assert.equal(String(value['slot']), said['slot'], name);
    }
  }
});

test(
  'idl: its codecs read and write what the client sends',
  { skip: skip || needsSvm.skip },
  async () => {
    const { createFromJson, getNodeCodec } = await load();
    const root = createFromJson(TEXT).getRoot();
    const { program } = root;
    const sent = await instructionsOf(await worldOf({ begun: false }));
    assert.deepEqual(program.instructions.map(({ name }) => name).sort(), Object.keys(sent).sort());
    for (const instruction of program.instructions) {
      const codec = getNodeCodec([root, program, instruction]);
      const data = sent[instruction.name] ?? new Uint8Array();
      const value = codec.decode(data);
      assert.equal(value['discriminator'], data[0], instruction.name);
      assert.deepEqual(Uint8Array.from(codec.encode(value)), data, instruction.name);
    }
  },
);

async function instructionsOf(world: World): Promise<Readonly<Record<string, Uint8Array>>> {
  const { payer, publisher, next, recovery, feed, parameters } = world;
  const keys = (await Promise.all(['a', 'b', 'c'].map(partyOf))).map(({ key }) => key);
  const built = {
    initFeed: initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters),
    openPage: openPage(PROGRAM, payer.signer, feed, feed, 92),
    publish: publish(PROGRAM, feed, feed, 3),
    dissent: dissent(PROGRAM, feed, feed, 4),
    addRule: addRule(PROGRAM, publisher.signer, feed, hashOf('rule 2'), 20_666),
    addSet: addSet(PROGRAM, publisher.signer, feed, 2, keys),
    rotate: rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')),
    cancel: cancel(PROGRAM, recovery.signer, feed, ['rule', 'set']),
    close: close(PROGRAM, payer.signer, feed, feed, 5),
  };
  return Object.fromEntries(Object.entries(built).map(([name, { data }]) => [name, data]));
}
