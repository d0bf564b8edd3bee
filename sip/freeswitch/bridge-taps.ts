/**
 * Brings the audio of both parties of a bridge to this process for the recording. Two additional FreeSWITCH channels,
 * one for each party, eavesdrop on the first channel of the bridge and send the audio as RTP. FreeSWITCH decodes and
 * encodes it, so the bridge may use any codecs and may change them.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createDirectEndpoint, type DirectOptions } from '#sip/rtp/direct-endpoint.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { telephoneRate } from '#sip/audio/samples.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { Commands } from './connection.ts';

/** Callbacks for the audio, which receive samples at `telephoneRate`. */
export type TapEvents = {
  /** Called with audio of the first channel's party. */
  onFirst: (samples: Int16Array) => void;
  /** Called with audio of the second channel's party. */
  onSecond: (samples: Int16Array) => void;
};

export type TapOptions = {
  commands: Pick<Commands, 'run' | 'sendMessage'>;
  direct: DirectOptions;
  /** Creates a FreeSWITCH channel that answers this offer. */
  createChannel: (offer: string) => Promise<MediaEndpoint>;
  backgroundTasks: BackgroundTasks;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
};

export type BridgeTaps = { close(): void };

/** Delay before an ended tap is opened again. */
const reopenMs = 1_000;

/** Directions at the tapped channel: audio from the channel's far end, and audio sent to the far end. */
const directions = { from: 'eavesdrop_bridge_aleg', toward: 'eavesdrop_bridge_bleg' } as const;
type Direction = keyof typeof directions;

type Tap = { onLost(listener: () => void): void; end(): Promise<void> };

const openTap = async (
  tapped: string,
  direction: Direction,
  onAudio: (samples: Int16Array) => void,
  { commands, direct, createChannel }: TapOptions,
): Promise<Tap> => {
  const receiver = await createDirectEndpoint(undefined, { srtp: 'off', codecs: ['PCMU'] }, direct);
  let channel: MediaEndpoint | null = null;
  const end = async (): Promise<void> => {
    await receiver.destroy();
    await channel?.destroy();
  };
  try {
    // The offer is receive-only, because this process only listens and sends no silence.
    const tap = await createChannel(receiver.localSdp.replace('a=sendrecv', 'a=recvonly'));
    channel = tap;
    await receiver.connect({ onAudio, onLost: () => {} }, telephoneRate);
    await receiver.takeAnswer(tap.localSdp);
    const uuid = tap.channel()?.uuid;
    if (uuid === undefined) throw new Error('A channel of a media server has an id');
    await commands.run(`uuid_setvar_multi ${uuid} ${directions[direction]}=true;eavesdrop_enable_dtmf=false`);
    await commands.sendMessage(uuid, {
      'call-command': 'execute',
      'execute-app-name': 'eavesdrop',
      'execute-app-arg': tapped,
    });
    return {
      onLost(listener) {
        tap.onLost(listener);
        receiver.onLost(listener);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
};

/** Opens the taps on a bridge, given its first channel's id. Failed taps are retried until the taps are closed. */
export const openBridgeTaps = (
  firstUuid: string,
  { onFirst, onSecond }: TapEvents,
  options: TapOptions,
): BridgeTaps => {
  const { backgroundTasks, clock, logger } = options;
  const taps = new Set<Tap>();
  const timers = new Set<unknown>();
  let isClosed = false;

  const end = (tap: Tap): void => backgroundTasks.add('ending the tap of a bridge', () => tap.end());

  const openLater = (direction: Direction, onAudio: (samples: Int16Array) => void): void => {
    if (isClosed) return;
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      open(direction, onAudio);
    }, reopenMs);
    timers.add(timer);
  };

  const open = (direction: Direction, onAudio: (samples: Int16Array) => void): void =>
    backgroundTasks.add('tapping a bridge', async () => {
      let tap: Tap;
      try {
        tap = await openTap(firstUuid, direction, onAudio, options);
      } catch (error) {
        if (!isClosed) logger.warn({ err: error }, 'one party of a bridged call is not recorded; retrying');
        return openLater(direction, onAudio);
      }
      if (isClosed) return tap.end();
      taps.add(tap);
      return tap.onLost(() => {
        if (!taps.delete(tap)) return;
        end(tap);
        openLater(direction, onAudio);
      });
    });

  open('from', onFirst);
  open('toward', onSecond);

  return {
    close() {
      isClosed = true;
      for (const timer of timers) clock.clearTimeout(timer);
      for (const tap of taps) end(tap);
      taps.clear();
    },
  };
};
