/**
 * Ports for servers of this test file that must know their port before they listen, or listen on it again after a
 * restart. Other servers listen on port 0.
 */
import { claimBlock, isFree, type PortBlocks } from './port-blocks.ts';

/** Beyond the blocks of `test/real-sip`. */
const blocks: PortBlocks = { from: 28_000, length: 80, count: 59 };

let claimed: Promise<number> | undefined;
let last = 0;

/** The next free port for UDP and TCP; the ports follow each other in turns. */
export const ownPort = async (): Promise<number> => {
  const block = await (claimed ??= claimBlock(blocks));
  for (let tried = 1; tried < blocks.length; tried += 1) {
    last = (last % (blocks.length - 1)) + 1;
    const port = block + last;
    if (await isFree(port)) return port;
  }
  throw new Error(`None of the ports from ${block} on is free`);
};
