// A Bitcoin node of another make: bcoin, regtest, in memory, its own JSON-RPC on loopback. Its parent
// says what to mine:
//
//     node ots-bcoin.cjs FOLDER PORT PASSWORD     FOLDER is the package's
//
//     { mine: n }         n blocks                                -> { height }
//     { commit: hex }     a transaction with an output that holds the bytes, for the next block
//     { again: true }     that transaction once more
//     { block: height }   -> { hex }, the block as it goes over the network
//     { fork: { from, blocks } }   as many blocks on top of the one at `from`  -> { height, reorganised }
const path = require('node:path');

process.env.NODE_BACKEND = 'js';
const [folder, port, password] = process.argv.slice(2);
const part = (name) => require(path.join(folder, 'lib', name));
const FullNode = part('node/fullnode');
const KeyRing = part('primitives/keyring');
const MTX = part('primitives/mtx');
const Coin = part('primitives/coin');
const Script = part('script/script');

const FEE = 1000;

async function main() {
  const node = new FullNode({
    network: 'regtest',
    memory: true,
    workers: false,
    listen: false,
    noDns: true,
    httpHost: '127.0.0.1',
    httpPort: Number(port),
    apiKey: password,
    logLevel: 'none',
  });
  await node.open();
  const key = KeyRing.generate('regtest');
  node.miner.addAddress(key.getAddress());
  const coinbases = [];
  let reorganised = 0;
  let sent;
  node.chain.on('reorganize', () => (reorganised += 1));

  async function mine(count) {
    for (let i = 0; i < count; i += 1) {
      const block = await node.miner.cpu.mineBlock();
      await node.chain.add(block);
      coinbases.push(block.txs[0]);
    }
    return { height: node.chain.height };
  }

  async function commit(hex) {
    const coin = Coin.fromTX(coinbases.shift(), 0, 1);
    const transaction = new MTX();
    transaction.addOutput(Script.fromNulldata(Buffer.from(hex, 'hex')), 0);
    transaction.addOutput(key.getAddress(), coin.value - FEE);
    transaction.addCoin(coin);
    transaction.sign(key);
    sent = transaction.toTX();
    return again();
  }

  async function again() {
    if (!node.mempool.hasEntry(sent.hash())) await node.mempool.addTX(sent);
    return {};
  }

  async function fork({ from, blocks }) {
    let top = await node.chain.getEntry(from);
    // Empty blocks, whatever waits.
    for (let i = 0; i < blocks; i += 1) {
      const job = await node.miner.cpu.createJob(top);
      job.attempt.items = [];
      job.refresh();
      const block = await job.mineAsync();
      const entry = await node.chain.add(block);
      top = entry || (await node.chain.getEntry(block.hash()));
    }
    return { height: node.chain.height, reorganised };
  }

  const answer = async (asked) => {
    if ('mine' in asked) return mine(asked.mine);
    if ('commit' in asked) return commit(asked.commit);
    if ('again' in asked) return again();
    if ('fork' in asked) return fork(asked.fork);
    const block = await node.chain.getBlock((await node.chain.getEntry(asked.block)).hash);
    return { hex: block.toRaw().toString('hex') };
  };
  process.on('message', ({ id, asked }) => {
    answer(asked).then(
      (result) => process.send({ id, result }),
      (error) => process.send({ id, error: String(error && error.stack) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ id: 0, result: {} });
}

main().catch((error) => {
  process.send({ id: 0, error: String(error && error.stack) });
  process.exit(1);
});
