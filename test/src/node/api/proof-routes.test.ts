import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import { type AnchorListPayload, anchorListPayload } from '@assay/core/answer/anchors';
import { type ProofPayload, proofPayload } from '@assay/core/answer/proof';
import { checkpointDigest } from '@assay/core/view/stamp';
import { logRow } from '@assay/core/view/log';
import { stampsBetween } from '@assay/core/view/stamps';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { unreadableRecord } from '@assay/node/ledger/record';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Fault } from '@assay/core/fault';
import { blockAt, CALENDAR } from '../../core/fixture/anchor-fixture.ts';
import { SOME_HASH } from '../../core/fixture/fixture.ts';
import { closesWorld } from '../fixture/closes-world.ts';
import { attest, stamp } from './stamped-world.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { noTransport, serveWorld, TRANSPORTS } from './world-service.ts';

interface Problem {
  readonly status: number;
  readonly error: string;
  readonly detail?: string;
}

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(
    `proof routes over ${transport}: a digest waits, is stamped, and is attested`,
    options,
    async (t) => {
      const world = await closesWorld(await temporaryFolder(t));
      await world.week(0);
      const { base, publication } = await serveWorld(t, world, transport);
      const changed = (): void => {
        publication.changed(world.ledger.published?.size ?? 0, new Set(['anchors']));
      };
      const { shown } = world.ledger;
      const [digest = SOME_HASH] = stampsBetween(shown, 0, Number.MAX_SAFE_INTEGER);
      const problem = async (path: string): Promise<Problem> => {
        const response = await fetch(`${base}${path}`);
        assert.equal(response.headers.get('content-type'), 'application/problem+json', path);
        return (await response.json()) as Problem;
      };
      for (const query of ['', '?format=ots']) {
        const waits = await problem(`/proof/${digest}${query}`);
        assert.deepEqual([waits.status, waits.error], [404, 'not_found']);
        assert.match(waits.detail ?? '', /^The report of entry \d+ .* waits for the next batch\.$/);
        const unknown = await problem(`/v1/proof/${SOME_HASH}${query}`);
        assert.deepEqual([unknown.status, unknown.error], [404, 'not_found']);
        assert.match(unknown.detail ?? '', /^Nothing in the log has that digest/);
      }
      const body = await stamp(world);
      changed();

      const read = async (path: string): Promise<Response> => {
        const response = await fetch(`${base}${path}`);
        assert.equal(response.status, 200, path);
        assert.equal(
          response.headers.get('assay-log-size'),
          String(world.ledger.published?.size),
          path,
        );
        assert.equal(response.headers.get('cache-control'), 'public, no-cache', path);
        return response;
      };
      const origin = logRow(shown)?.origin ?? '';
      const checkpoint = checkpointDigest(nodeSha256, origin, body.to, body.root);
      const held: readonly HashHex[] = [checkpoint, ...stampsBetween(shown, body.from, body.to)];
      assert.ok(held.length >= 5, `${held.length} leaves`);
      for (const each of held) {
        for (const version of ['', '/v1']) {
          const said = await read(`${version}/proof/${each}`);
          assert.match(said.headers.get('content-type') ?? '', /^application\/json/);
          assert.equal(await said.text(), JSON.stringify(proofPayload(shown, nodeSha256, each)));
          const file = await read(`${version}/proof/${each}?format=ots`);
          assert.equal(file.headers.get('content-type'), 'application/vnd.opentimestamps.ots');
          assert.equal(
            file.headers.get('content-disposition'),
            `attachment; filename="assay-${each.slice(0, 16)}.ots"`,
          );
          const proof = parseProof(new Uint8Array(await file.arrayBuffer()));
          assert.equal(formatHex(proof.digest), each);
          const found = evaluate(proof.timestamp, proof.digest, otsHashes(nodeSha256));
          assert.deepEqual(
            found.map(({ attestation, message }) => [attestation, formatHex(message)]),
            [[{ kind: 'pending', uri: CALENDAR }, body.tip]],
          );
        }
      }

      const tags: string[] = [];
      const tagOf = async (path: string): Promise<string> => {
        const etag = (await read(path)).headers.get('etag') ?? '';
        const again = await fetch(`${base}${path}`, { headers: { 'if-none-match': etag } });
        assert.equal(again.status, 304, path);
        return etag;
      };
      for (const query of ['', '?format=ots']) tags.push(await tagOf(`/proof/${digest}${query}`));
      await attest(world, 0, blockAt(9));
      changed();
      for (const query of ['', '?format=ots']) {
        const etag = await tagOf(`/proof/${digest}${query}`);
        assert.ok(!tags.includes(etag), 'more is known, so it is another answer');
      }
      const proof = (await (await read(`/proof/${digest}`)).json()) as ProofPayload;
      assert.deepEqual([proof.state, proof.bitcoin_height], ['attested', 9]);
      const file = await read(`/proof/${digest}?format=ots`);
      const { timestamp, digest: bytes } = parseProof(new Uint8Array(await file.arrayBuffer()));
      const kinds = evaluate(timestamp, bytes, otsHashes(nodeSha256)).map(
        ({ attestation }) => attestation.kind,
      );
      assert.deepEqual(kinds, ['pending', 'bitcoin']);
    },
  );

  test(`proof routes over ${transport}: pages of batches`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    const { base, publication } = await serveWorld(t, world, transport);
    const empty = await fetch(`${base}/anchors`);
    assert.deepEqual(await empty.json(), { batches: [], next_before: null });
    for (let i = 0; i < 32; i += 1) await stamp(world);
    publication.changed(world.ledger.published?.size ?? 0, new Set(['anchors']));
    const { shown } = world.ledger;
    for (const [query, before] of [
      ['', undefined],
      ['?before=32', 32],
      ['?before=2', 2],
      ['?before=0', 0],
      ['?before=999999999999999', 1e15 - 1],
    ] as const) {
      for (const version of ['', '/v1']) {
        const response = await fetch(`${base}${version}/anchors${query}`);
        assert.equal(
          await response.text(),
          JSON.stringify(anchorListPayload(shown, nodeSha256, before)),
          query,
        );
      }
    }
    const first = (await (await fetch(`${base}/anchors`)).json()) as AnchorListPayload;
    assert.deepEqual([first.batches.length, first.next_before], [30, 2]);
    const linkOf = async (query: string): Promise<string | null> =>
      (await fetch(`${base}/anchors${query}`)).headers.get('link');
    assert.equal(await linkOf(''), '<?before=2>; rel="next"');
    assert.equal(await linkOf('?before=2'), null);
  });

  test(`proof routes over ${transport}: what is no digest, format or batch`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    const { base } = await serveWorld(t, world, transport);
    for (const [path, status] of [
      ['/proof', 404],
      ['/proof/', 404],
      [`/proof/${SOME_HASH.slice(1)}`, 404],
      [`/proof/${SOME_HASH.toUpperCase()}`, 404],
      [`/proof/${SOME_HASH}x?format=ots`, 404],
      [`/proof/${SOME_HASH}?format=json`, 400],
      [`/proof/${SOME_HASH}?format=`, 400],
      [`/proof/${SOME_HASH}?format=OTS`, 400],
      [`/proof/${SOME_HASH}?format=ots&format=ots`, 400],
      [`/proof/${SOME_HASH}?ots`, 400],
      ['/anchors?before=', 400],
      ['/anchors?before=-1', 400],
      ['/anchors?before=01', 400],
      ['/anchors?before=1e3', 400],
      ['/anchors?before=1000000000000000', 400],
      ['/anchors?before=1&before=2', 400],
      ['/anchors?after=1', 400],
    ] as const) {
      assert.equal((await fetch(`${base}${path}`)).status, status, path);
    }
    assert.equal((await fetch(`${base}/anchors`, { method: 'POST' })).status, 405);
  });

  test(
    `proof routes over ${transport}: halted where the record or the timestamp is not there`,
    options,
    async (t) => {
      const world = await closesWorld(await temporaryFolder(t));
      await world.week(0);
      await stamp(world);
      const [digest = SOME_HASH] = stampsBetween(world.ledger.shown, 0, Number.MAX_SAFE_INTEGER);
      const empty = { ...world, blobs: { read: () => Promise.resolve(undefined) } as never };
      const other: Pick<BlobStore, 'read'> = {
        read: (hash) =>
          Promise.resolve({
            size: 1,
            chunks: async function* () {
              await Promise.resolve();
              yield new Uint8Array([hash.length]);
            },
          }),
      };
      for (const broken of [empty, { ...world, blobs: other as never }]) {
        const { base } = await serveWorld(t, broken, transport);
        const response = await fetch(`${base}/proof/${digest}?format=ots`);
        const { error, detail } = (await response.json()) as Problem;
        assert.deepEqual([response.status, error], [503, 'halted']);
        assert.match(detail ?? '', /timestamp of the batch/);
        assert.equal((await fetch(`${base}/proof/${digest}`)).status, 200);
      }
      const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
      const { base } = await serveWorld(t, world, transport, { record });
      for (const path of [
        `/proof/${digest}`,
        `/proof/${digest}?format=ots`,
        '/anchors',
        '/anchors?before=3',
      ]) {
        const response = await fetch(`${base}${path}`);
        assert.equal(response.status, 503, path);
        assert.equal(((await response.json()) as Problem).error, 'halted', path);
      }
    },
  );
}
