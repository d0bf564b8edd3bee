/**
 * The `unicast` of a FreeSWITCH channel: sends its audio in datagrams of 20 ms and plays received ones. The test
 * controls time: audio moves only on `tick`.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';

/** 20 ms at 8000 Hz. */
export const frameSamples = 160;

export type Unicast = {
  /** Resolves when its first datagram has reached a gateway in this process. */
  opened: Promise<void>;
  /** Advances by 20 ms: sends `heard` to the gateway and returns the next frame received from it, or silence. */
  tick(heard: Int16Array): Int16Array;
  /** Number of ticks so far. */
  ticks(): number;
  /** Resolves to true on the first datagram that is not silent, or to false when the unicast is closed before it. */
  spokenTo: Promise<boolean>;
  isOpen(): boolean;
  close(): void;
};

/** Headers of the command to the channel. */
type Command = ReadonlyMap<string, string>;

const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

export const startUnicast = (command: Command): Unicast => {
  const told = (name: string): string => {
    const value = command.get(name);
    if (value === undefined) throw new Error(`unicast was not told its ${name}`);
    return value;
  };
  if (told('transport') !== 'udp' || command.has('flags')) throw new Error('unicast is plain UDP here');
  const to = { address: told('remote-ip'), port: Number(told('remote-port')) };
  const socket = createSocket('udp4');
  const played: Int16Array[] = [];
  const spokenTo = Promise.withResolvers<boolean>();
  let ticks = 0;
  let isOpen = false;
  let isClosed = false;
  const send = (samples: Int16Array): void => socket.send(bytesOf(samples), to.port, to.address);

  socket.on('error', () => {});
  socket.on('message', (datagram) => {
    const frame = new Int16Array(Uint8Array.from(datagram).buffer);
    played.push(frame);
    if (frame.some((sample) => sample !== 0)) spokenTo.resolve(true);
  });
  const open = async (): Promise<void> => {
    socket.bind(Number(told('local-port')), told('local-ip'));
    await once(socket, 'listening');
    isOpen = !isClosed;
    if (!isOpen) return;
    send(new Int16Array(frameSamples));
    // The gateway's socket reads the datagram in the next turns of the event loop.
    for (let turns = 0; turns < 4; turns += 1) await turn();
  };

  return {
    opened: open(),
    tick(heard) {
      ticks += 1;
      if (isOpen) send(heard);
      return played.shift() ?? new Int16Array(frameSamples);
    },
    ticks: () => ticks,
    spokenTo: spokenTo.promise,
    isOpen: () => isOpen,
    close() {
      isOpen = false;
      spokenTo.resolve(false);
      if (!isClosed) socket.close();
      isClosed = true;
    },
  };
};
