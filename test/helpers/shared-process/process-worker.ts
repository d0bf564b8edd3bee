/** AVA's shared workers that run a process for all test files of a run. */
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { SharedWorker } from 'ava/plugin';
import { z } from 'zod';

/** Starts a program and resolves to the first line that it prints. */
const start = async (program: string, parameters: readonly string[]): Promise<string> => {
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  // The run ends without waiting for the process, which ends with its standard input.
  child.unref();
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`${basename(program)} ended before it printed its address`);
};

const giveAddresses = async (program: string, protocol: SharedWorker.Protocol): Promise<void> => {
  const parameters = z.array(z.string()).parse(protocol.initialData ?? []);
  let starting: Promise<object> | undefined;
  for await (const message of protocol.subscribe()) {
    starting ??= start(program, parameters).then(
      (address) => ({ address }),
      (error: unknown) => ({ failed: String(error) }),
    );
    message.reply(await starting);
  }
};

/**
 * Starts the program when the first test file asks for its address (`process-address.ts`). The program prints the
 * address as its first line. The initial data of the worker are its parameters.
 */
export const processWorker =
  (program: string): SharedWorker.Factory =>
  ({ negotiateProtocol }) => {
    void giveAddresses(program, negotiateProtocol(['ava-4']).ready());
  };
