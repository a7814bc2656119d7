import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CLOSE_ACCOUNT_BYTES,
  CLOSE_MAGIC,
  CLOSE_OFFSETS,
  MAX_VERSIONS,
} from '@assay/core/feed/close-account';
import { DEVELOPMENT_PROGRAM } from '@assay/chain/addresses';
import { CHAIN_ERRORS, FIRST_ERROR } from '@assay/chain/errors';
import {
  FEED_BYTES,
  FEED_MAGIC,
  FEED_OFFSETS,
  MAX_COSIGNERS,
  MAX_RULES,
  MAX_SETS,
  RULE_BYTES,
  SET_BYTES,
  SET_KEYS,
} from '@assay/core/feed/feed-account';
import {
  addRule,
  addSet,
  cancel,
  close,
  dissent,
  type FeedParameters,
  initFeed,
  INSTRUCTIONS,
  openPage,
  type ProgramInstruction,
  publish,
  rotate,
} from '@assay/chain/instructions';
import { PAGE_PERIODS } from '@assay/core/feed/ordinal';
import {
  PAGE_BYTES,
  PAGE_MAGIC,
  PAGE_OFFSETS,
  SLOT_BYTES,
  SLOT_OFFSETS,
} from '@assay/core/feed/page-account';
import { RECORD_BYTES, RECORD_OFFSETS } from '@assay/core/feed/record';
import { parseHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import { isSignerRole, isWritableRole } from '@solana/kit';
import { ROOT } from '../core/fixture/fixture.ts';
import { hashOf, partyOf } from './fixture/party.ts';

const FOLDER = join(ROOT, 'chain/program');
const source = (name: string): string => readFileSync(join(FOLDER, 'src', name), 'utf8');

interface TypeNode {
  readonly kind: string;
  readonly name?: string;
  readonly format?: string;
  readonly size?: number;
  readonly item?: TypeNode;
  readonly count?: { readonly kind: string; readonly value?: number };
  readonly fields?: readonly FieldNode[];
}

interface FieldNode {
  readonly name: string;
  readonly type: TypeNode;
  readonly defaultValue?: { readonly data?: string; readonly number?: number };
}

interface Idl {
  readonly kind: string;
  readonly standard: string;
  readonly program: {
    readonly publicKey: string;
    readonly accounts: readonly {
      readonly name: string;
      readonly size: number;
      readonly data: TypeNode;
    }[];
    readonly instructions: readonly {
      readonly name: string;
      readonly accounts: readonly {
        readonly name: string;
        readonly isWritable: boolean;
        readonly isSigner: boolean;
        readonly defaultValue?: { readonly publicKey: string };
      }[];
      readonly arguments: readonly FieldNode[];
    }[];
    readonly definedTypes: readonly { readonly name: string; readonly type: TypeNode }[];
    readonly pdas: readonly {
      readonly name: string;
      readonly seeds: readonly { readonly value?: { readonly string: string } }[];
    }[];
    readonly errors: readonly {
      readonly name: string;
      readonly code: number;
      readonly message: string;
    }[];
  };
}

const { kind, standard, program } = JSON.parse(
  readFileSync(join(FOLDER, 'idl.json'), 'utf8'),
) as Idl;

/** Bytes of a type; what remains of the data counts as none. */
function sizeOf(type: TypeNode): number {
  switch (type.kind) {
    case 'numberTypeNode':
      return Number(type.format?.slice(1)) / 8;
    case 'publicKeyTypeNode':
      return 32;
    case 'fixedSizeTypeNode':
      return type.size ?? Number.NaN;
    case 'arrayTypeNode':
      return type.count?.kind === 'remainderCountNode'
        ? 0
        : sizeOf(type.item as TypeNode) * (type.count?.value ?? Number.NaN);
    case 'structTypeNode':
      return (type.fields ?? []).reduce((sum, field) => sum + sizeOf(field.type), 0);
    case 'definedTypeLinkNode':
      return sizeOf(typeNamed(type.name ?? ''));
    default:
      throw new TypeError(type.kind);
  }
}

function typeNamed(name: string): TypeNode {
  const found = program.definedTypes.find((each) => each.name === name)?.type;
  assert.ok(found !== undefined, name);
  return found;
}

function dataOf(name: string): TypeNode {
  const found = program.accounts.find((each) => each.name === name)?.data;
  assert.ok(found !== undefined, name);
  return found;
}

/** Where each field of a structure begins. */
function offsetsOf(type: TypeNode): Readonly<Record<string, number>> {
  let at = 0;
  return Object.fromEntries(
    (type.fields ?? []).map((field) => {
      const begin = at;
      at += sizeOf(field.type);
      return [field.name, begin];
    }),
  );
}

/** `const NAME: type = number;` of a Rust file. */
function constantsOf(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...text.matchAll(/const ([A-Z_]+): (?:usize|u8|u32) = (\d+);/g)].map(([, name, value]) => [
      name as string,
      Number(value),
    ]),
  );
}

const snake = (name: string): string =>
  name.replaceAll(/([A-Z])/g, (letter) => `_${letter}`).toUpperCase();

test('idl: offsets are those of the program and of the parsers', () => {
  for (const [name, offsets, type, file] of [
    ['feed', FEED_OFFSETS, dataOf('feed'), 'feed.rs'],
    ['page', PAGE_OFFSETS, dataOf('page'), 'page.rs'],
    ['close', CLOSE_OFFSETS, dataOf('close'), 'close_account.rs'],
    ['record', RECORD_OFFSETS, typeNamed('record'), 'record.rs'],
  ] as const) {
    const described = offsetsOf(type);
    const constants = constantsOf(source(file));
    for (const [field, at] of Object.entries(offsets)) {
      assert.equal(described[field], at, `${name}.${field}, idl`);
      assert.equal(constants[snake(field)], at, `${name}.${field}, program`);
    }
  }
  const places = offsetsOf(typeNamed('slot'));
  for (const [field, at] of Object.entries(SLOT_OFFSETS)) assert.equal(places[field], at, field);
  for (const [, place, at] of source('page.rs').matchAll(/^ {4}(\w+) = (\d+),$/gm)) {
    assert.equal(places[(place as string).toLowerCase()], Number(at), place);
  }
  assert.equal(offsetsOf(typeNamed('cosignerSet'))['keys'], SET_KEYS);
});

test('idl: sizes are those of the program and of the parsers', () => {
  const rust = Object.assign(
    {},
    ...['feed.rs', 'page.rs', 'close_account.rs', 'record.rs'].map((file) =>
      constantsOf(source(file)),
    ),
  ) as Record<string, number>;
  for (const [name, size, type] of [
    ['FEED_BYTES', FEED_BYTES, dataOf('feed')],
    ['PAGE_BYTES', PAGE_BYTES, dataOf('page')],
    ['CLOSE_BYTES', CLOSE_ACCOUNT_BYTES, dataOf('close')],
    ['RULE_BYTES', RULE_BYTES, typeNamed('rule')],
    ['SET_BYTES', SET_BYTES, typeNamed('cosignerSet')],
    ['SLOT_BYTES', SLOT_BYTES, typeNamed('slot')],
    ['RECORD_BYTES', RECORD_BYTES, typeNamed('record')],
  ] as const) {
    assert.equal(sizeOf(type), size, `${name}, idl`);
    assert.equal(rust[name], size, `${name}, program`);
  }
  for (const { name, size, data } of program.accounts) assert.equal(sizeOf(data), size, name);
  for (const [name, value] of [
    ['MAX_RULES', MAX_RULES],
    ['MAX_SETS', MAX_SETS],
    ['MAX_COSIGNERS', MAX_COSIGNERS],
    ['MAX_VERSIONS', MAX_VERSIONS],
    ['PERIODS', PAGE_PERIODS],
  ] as const) {
    assert.equal(rust[name], value, name);
  }
});

test('idl: accounts begin with the magic of program and parsers, at the program addresses', () => {
  for (const [name, magic, file, tag] of [
    ['feed', FEED_MAGIC, 'feed.rs', 'series'],
    ['page', PAGE_MAGIC, 'page.rs', 'page'],
    ['close', CLOSE_MAGIC, 'close_account.rs', 'close'],
  ] as const) {
    const [first] = dataOf(name).fields as [FieldNode];
    assert.equal(Buffer.from(first.defaultValue?.data ?? '', 'hex').toString(), magic);
    assert.ok(source(file).includes(`MAGIC: [u8; 8] = *b"${magic}"`), name);
    assert.ok(source(file).includes(`TAG: &[u8] = b"${tag}"`), name);
    const pda = program.pdas.find((each) => each.name === name);
    assert.equal(pda?.seeds[0]?.value?.string, tag);
  }
});

test('idl: errors are those of the program and of the client, with the same texts', () => {
  const rust = [...source('error.rs').matchAll(/\/\/\/ ([^\n]+)\n {4}(\w+) = (\d+),/g)];
  const client = readFileSync(join(ROOT, 'chain/src/errors.ts'), 'utf8');
  const words = [...client.matchAll(/^ {2}'(\w+)', \/\/ (.+)$/gm)];
  assert.equal(rust.length, CHAIN_ERRORS.length);
  for (const [i, error] of CHAIN_ERRORS.entries()) {
    const [, message = '', name = '', number] = rust[i] ?? [];
    const node = program.errors[i];
    assert.equal(Number(number), i, name);
    assert.equal(snake(name).slice(1).toLowerCase(), error);
    assert.deepEqual(
      [node?.code, node?.name, node?.message],
      [FIRST_ERROR + i, name[0]?.toLowerCase() + name.slice(1), message],
    );
    const [, named, comment = ''] = words[i] ?? [];
    assert.equal(named, error);
    assert.equal(`${comment[0]?.toUpperCase()}${comment.slice(1)}.`, message);
  }
  assert.equal(program.errors.length, CHAIN_ERRORS.length);
});

test('docs: the page on the chain lists every refusal, and each part to the byte', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/chain.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \| (.+) \|$/gm)];
  assert.deepEqual(
    rows.map(([, number, name, words = '']) => [Number(number), name, `${words}.`]),
    program.errors.map(({ code, message }) => [
      code - FIRST_ERROR,
      CHAIN_ERRORS[code - FIRST_ERROR],
      `${message[0]?.toLowerCase()}${message.slice(1)}`,
    ]),
  );
  // Each table of bytes: a row begins where the one before ends.
  const tables = page.split(/^\| at \| bytes \|.*$/m).slice(1);
  const sizes = tables.map((table) => {
    let end = 0;
    for (const [, at, count = '1', bytes] of table
      .split('\n\n')[0]
      ?.matchAll(/^\| (\d+) \| (?:(\d+) x )?(\d+) \|/gm) ?? []) {
      assert.equal(Number(at), end, `byte ${at}`);
      end += Number(count) * Number(bytes);
    }
    return end;
  });
  assert.deepEqual(sizes, [FEED_BYTES, PAGE_BYTES, SLOT_BYTES, RECORD_BYTES, CLOSE_ACCOUNT_BYTES]);
});

test('idl: instructions are those that the client builds and the program takes', async () => {
  const { signer } = await partyOf('payer');
  const { signer: other } = await partyOf('publisher');
  const at = DEVELOPMENT_PROGRAM;
  const feed = (await partyOf('a')).signer.address;
  const page = (await partyOf('b')).signer.address;
  const hash = hashOf('x');
  const parameters: FeedParameters = {
    cadence: 'utc_day',
    decimals: 1,
    ticker: 'JOBS' as Ticker,
    log: hash,
    nextHash: hash,
    recoveryHash: hash,
    rule: hash,
    first: 1,
    threshold: 1,
    cosigners: [],
  };
  const built: Readonly<Record<keyof typeof INSTRUCTIONS, ProgramInstruction>> = {
    initFeed: initFeed(at, signer, other, feed, parameters),
    openPage: openPage(at, signer, feed, page, 3),
    publish: publish(at, feed, page, 0),
    dissent: dissent(at, feed, page, 0),
    addRule: addRule(at, signer, feed, hash, 1),
    addSet: addSet(at, signer, feed, 1, []),
    rotate: rotate(at, signer, other, feed, hash),
    cancel: cancel(at, signer, feed, ['rule']),
    close: close(at, signer, feed, page, 0),
  };
  const arms = [...source('instruction/mod.rs').matchAll(/^ {8}(\d) => (\w+)::run/gm)];
  assert.equal(arms.length, program.instructions.length);
  for (const [i, node] of program.instructions.entries()) {
    const name = node.name as keyof typeof INSTRUCTIONS;
    const { accounts, data } = built[name];
    const [, number, arm] = arms[i] ?? [];
    assert.deepEqual([Number(number), arm], [i, snake(name).toLowerCase()]);
    assert.equal(INSTRUCTIONS[name], i);
    assert.equal(node.arguments[0]?.defaultValue?.number, i);
    assert.equal(data[0], i);
    const size = node.arguments.reduce((sum, { type }) => sum + sizeOf(type), 0);
    assert.equal(data.length, size, name);
    assert.deepEqual(
      accounts.map(({ role }) => [isWritableRole(role), isSignerRole(role)]),
      node.accounts.map(({ isWritable, isSigner }) => [isWritable, isSigner]),
      name,
    );
    for (const [j, { defaultValue }] of node.accounts.entries()) {
      if (defaultValue !== undefined) assert.equal(accounts[j]?.address, defaultValue.publicKey);
    }
  }
});

test('program: the committed hash is of the committed program, for the development address', () => {
  assert.deepEqual([kind, standard], ['rootNode', 'codama']);
  assert.equal(program.publicKey, DEVELOPMENT_PROGRAM);
  const bytes = readFileSync(join(FOLDER, 'assay_feed.so'));
  const hash = createHash('sha256').update(bytes).digest('hex');
  assert.equal(readFileSync(join(FOLDER, 'assay_feed.sha256'), 'utf8'), `${hash}  assay_feed.so\n`);
  assert.ok(parseHex(hash, 32).length === 32);
});

test('program: only the listed files have unsafe code', () => {
  const allowed = ['account.rs', 'entry.rs', 'lib.rs', 'syscall.rs'];
  for (const name of readdirSync(join(FOLDER, 'src'), { recursive: true }).map(String)) {
    if (!name.endsWith('.rs') || allowed.includes(name)) continue;
    assert.doesNotMatch(source(name), /\bunsafe\b/, name);
  }
});
