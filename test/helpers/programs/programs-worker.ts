/** AVA's shared worker that starts `programs-process.ts` for the first test file that asks, and sends each its address. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SharedWorker } from 'ava/plugin';

const start = async (): Promise<string> => {
  const program = join(import.meta.dirname, 'programs-process.ts');
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  // The run ends without waiting for the process.
  child.unref();
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The process that starts programs has ended');
};

const giveAddresses = async (protocol: SharedWorker.Protocol): Promise<void> => {
  let starting: Promise<object> | undefined;
  for await (const message of protocol.subscribe()) {
    starting ??= start().then(
      (path) => ({ path }),
      (error: unknown) => ({ failed: String(error) }),
    );
    message.reply(await starting);
  }
};

const programsWorker: SharedWorker.Factory = ({ negotiateProtocol }) => {
  void giveAddresses(negotiateProtocol(['ava-4']).ready());
};

export default programsWorker;
