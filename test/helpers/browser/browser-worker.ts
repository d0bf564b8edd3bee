/**
 * AVA's shared worker that starts the browser of the run for the first test file that requests it, and sends each file
 * its address.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SharedWorker } from 'ava/plugin';

const start = async (options: string): Promise<string> => {
  const program = join(import.meta.dirname, 'browser-process.ts');
  const child = spawn(process.execPath, [program, options], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  // The run ends without waiting for the browser.
  child.unref();
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`Chromium did not start: ${complaint}`);
};

const giveAddresses = async (protocol: SharedWorker.Protocol): Promise<void> => {
  let starting: Promise<object> | undefined;
  for await (const message of protocol.subscribe()) {
    starting ??= start(String(protocol.initialData)).then(
      (endpoint) => ({ endpoint }),
      (error: unknown) => ({ failed: String(error) }),
    );
    message.reply(await starting);
  }
};

const browserWorker: SharedWorker.Factory = ({ negotiateProtocol }) => {
  void giveAddresses(negotiateProtocol(['ava-4']).ready());
};

export default browserWorker;
