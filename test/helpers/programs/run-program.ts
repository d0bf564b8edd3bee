/** Programs of tests, which a small process of the run starts (`programs-process.ts`). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { registerSharedWorker } from 'ava/plugin';
import { addressFrom } from '#test/helpers/shared-process/process-address.ts';
import { lineOf, told, type Request } from './program-messages.ts';

export type ProgramEnd = { code: number | null; signal: NodeJS.Signals | null };

export type Program = {
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the program has ended and all of its output was read; rejects if it cannot be started. */
  ended: Promise<ProgramEnd>;
};

const worker = registerSharedWorker({
  filename: new URL('programs-worker.ts', import.meta.url),
  supportedProtocols: ['ava-4'],
});

type Running = {
  onOutput: (from: 'stdout' | 'stderr', text: string) => void;
  end: (end: ProgramEnd) => void;
  fail: (error: unknown) => void;
};

const running = new Map<number, Running>();

/** Reads what the process tells until the connection ends. */
const follow = async (socket: Socket): Promise<void> => {
  for await (const line of createInterface({ input: socket })) {
    const message = told.parse(JSON.parse(line));
    const program = running.get(message.id);
    if ('from' in message) program?.onOutput(message.from, message.text);
    else if ('failed' in message) program?.fail(new Error(message.failed));
    else {
      running.delete(message.id);
      program?.end({ code: message.code, signal: message.signal });
      // A thread without programs ends.
      if (running.size === 0) socket.unref();
    }
  }
  throw new Error('The process that starts programs has ended');
};

const open = async (): Promise<Socket> => {
  const socket = connect(await addressFrom(worker));
  await once(socket, 'connect');
  follow(socket).catch((error: unknown) => {
    for (const { fail } of running.values()) fail(error);
  });
  return socket;
};

let opening: Promise<Socket> | undefined;
let programs = 0;

const send = async (request: Request): Promise<void> => {
  const socket = await (opening ??= open());
  if (running.size > 0) socket.ref();
  socket.write(lineOf(request));
};

/** The environment of this thread. */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

export const runProgram = (
  command: string,
  parameters: string[],
  { cwd, env, onOutput }: { cwd: string; env: Record<string, string> } & Pick<Running, 'onOutput'>,
): Program => {
  programs += 1;
  const id = programs;
  const { promise: ended, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  running.set(id, { onOutput, end: resolve, fail: reject });
  send({ id, command, parameters, cwd, env }).catch(reject);
  return {
    signal: (signal) => void send({ id, signal }).catch(reject),
    ended,
  };
};
