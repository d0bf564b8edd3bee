/**
 * Ports of this test file alone, from a block that its thread claims (`test/helpers/port-blocks.ts`), so several test
 * files can run beside each other.
 */
import { claimBlock, isFree, type PortBlocks } from '#test/helpers/port-blocks.ts';

const blocks: PortBlocks = { from: 10_000, length: 3_000, count: 6 };
/** Within a block: single ports, the audio of lines without a media server, ranges of media servers and far ends. */
const linesFrom = 400;
const rangesFrom = 800;

const areFree = async (first: number, count: number): Promise<boolean> => {
  for (let port = first; port < first + count; port += 1) if (!(await isFree(port))) return false;
  return true;
};

let claimed: Promise<number> | undefined;
let nextPort = 1;
let nextRange = rangesFrom;

/** A free port of loopback, UDP and TCP; the first of `count` that are next to each other. */
export const ownPort = async (count = 1): Promise<number> => {
  const block = await (claimed ??= claimBlock(blocks));
  for (let tried = 0; tried < linesFrom; tried += count) {
    if (nextPort + count > linesFrom) nextPort = 1;
    const port = block + nextPort;
    nextPort += count;
    if (await areFree(port, count)) return port;
  }
  throw new Error(`None of the ports from ${block} on is free`);
};

/** For the audio of all lines of this file, which try the ports of the range themselves. */
export const ownLinePorts = async (): Promise<{ from: number; to: number }> => {
  const block = await (claimed ??= claimBlock(blocks));
  return { from: block + linesFrom, to: block + rangesFrom - 2 };
};

/** The next range of `count` ports for audio, even at its start. The ranges of a file follow each other in turns. */
export const ownRange = async (count: number): Promise<{ from: number; to: number }> => {
  const block = await (claimed ??= claimBlock(blocks));
  if (nextRange + count > blocks.length) nextRange = rangesFrom;
  const from = block + nextRange;
  nextRange += count + (count % 2);
  return { from, to: from + count - 2 };
};
