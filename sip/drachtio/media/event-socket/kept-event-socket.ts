/** Event socket of one FreeSWITCH, re-established after each loss; it controls all of its channels. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { ServerRefusal, startHeartbeat } from '../../heartbeat.ts';
import { keepConnected, type ServerAddress } from '../../reconnect.ts';
import { commandsOn, type Commands } from './commands.ts';
import { openEventSocket, type EventSocket } from './event-socket.ts';
import { askParkSec, type Keeping } from './keeping.ts';

/** Profile name in config/freeswitch. */
const profile = 'trunkline';

/** A connected FreeSWITCH with the properties known of it. */
export type Connected = {
  socket: EventSocket;
  /** `host:port` for the INVITEs that create channels. */
  sipAddress: string;
};

/** Rejects with a plain sentence if the profile does not exist. */
const askSipAddress = async ({ api }: Pick<Commands, 'api'>): Promise<string> => {
  const rows = (await api('sofia status')).split('\n').map((line) => line.trim().split(/\s+/));
  const [, , url = ''] = rows.find(([name, type]) => name === profile && type === 'profile') ?? [];
  const address = /^sip:mod_sofia@([\d.]+:\d+)/.exec(url)?.[1];
  if (address === undefined) throw new ServerRefusal(`its SIP profile ${profile} is not there.`);
  return address;
};

/** Whether the port is closed, which means that FreeSWITCH has died. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

const probeMs = 3_000;

/** Checks whether FreeSWITCH is ready for calls; rejects with a plain sentence when it is not. */
export const probeMediaServer = async (server: ServerAddress): Promise<void> => {
  const socket = await openEventSocket(server, { onEvent() {}, onClosed() {}, silenceMs: probeMs });
  try {
    await askSipAddress({ api: (command) => socket.command(`api ${command}`) });
  } finally {
    socket.close();
  }
};

export type KeptEventSocketOptions = {
  server: ServerAddress;
  /** Timeout of an answer. */
  answerMs: number;
  /** Interval of the heartbeat and of the channels' keep-alive. */
  probeMs: number;
  keeping: Keeping;
  /** Handles an event in plain format: a DTMF digit. */
  onEvent: (event: string) => void;
  onConnected: () => void;
  /** The connection is lost and will be re-established; channels continue. */
  onLost: () => void;
  /** FreeSWITCH is gone with all of its channels. */
  onGone: () => void;
  /** FreeSWITCH no longer answers; the connection is then lost. */
  onSilent: () => void;
  clock: Clock;
  logger: Logger;
};

export const keepEventSocket = (options: KeptEventSocketOptions) => {
  const { server, answerMs, probeMs, keeping, clock, logger } = options;
  let stopHeartbeat: () => void = () => {};

  const prepare = async (socket: EventSocket, onLost: () => void): Promise<Connected> => {
    const commands = commandsOn(() => socket, { answerMs, clock });
    await socket.command('event plain DTMF');
    const sipAddress = await askSipAddress(commands);
    const parkSec = await askParkSec(commands);
    const probe = (): Promise<void> => keeping.putOff(commands, parkSec);
    await probe();
    const onSilent = (): void => {
      options.onSilent();
      onLost();
    };
    stopHeartbeat = startHeartbeat({ probe, everyMs: probeMs, clock, onSilent });
    return { socket, sipAddress };
  };

  /** An error in one listener must not affect the others. */
  const onEvent = (event: string): void => {
    try {
      options.onEvent(event);
    } catch (error) {
      logger.error({ err: error }, 'an event of FreeSWITCH could not be taken');
    }
  };

  const connect = async (onLost: () => void): Promise<Connected> => {
    const onClosed = (error: Error): void => {
      logger.debug({ err: error }, 'the connection to FreeSWITCH has ended');
      onLost();
    };
    let socket: EventSocket;
    try {
      socket = await openEventSocket(server, { onEvent, onClosed });
    } catch (error) {
      if (isRefused(error)) options.onGone();
      throw error;
    }
    try {
      return await prepare(socket, onLost);
    } catch (error) {
      socket.close();
      throw error;
    }
  };

  const kept = keepConnected<Connected>({
    to: `FreeSWITCH at ${server.host}:${server.port}`,
    connect,
    disconnect({ socket }) {
      stopHeartbeat();
      socket.close();
    },
    onConnected: options.onConnected,
    onLost: options.onLost,
    clock,
    logger,
  });

  /** Throws without a connection. */
  const connected = (): Connected => {
    const now = kept.current();
    if (now === null) throw new Error(kept.problem() ?? 'There is no media server');
    return now;
  };

  return {
    open: kept.open,
    problem: kept.problem,
    close: kept.close,
    connected,
    commands: commandsOn(() => connected().socket, { answerMs, clock }),
  };
};
