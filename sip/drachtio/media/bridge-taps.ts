/**
 * What the two parties of a bridge say, brought to this process for the recording: by two more channels of FreeSWITCH, one for
 * each party, that eavesdrop on the first channel of the bridge and send what they hear as RTP. FreeSWITCH decodes and encodes
 * it, so the codecs of the bridge may be any and may change.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createDirectEndpoint, type DirectOptions } from '../../media/direct/direct-endpoint.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { telephoneRate } from '../../samples.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { Commands } from './event-socket/commands.ts';

/** Each gets samples at `telephoneRate`. */
export type TapEvents = {
  /** Said by the party of the first channel. */
  onFirst: (samples: Int16Array) => void;
  /** Said by the party of the second channel. */
  onSecond: (samples: Int16Array) => void;
};

export type TapMeans = {
  commands: Pick<Commands, 'run' | 'tell'>;
  direct: DirectOptions;
  /** Makes a channel with that offer. */
  createChannel: (offer: string) => Promise<MediaEndpoint>;
  backgroundTasks: BackgroundTasks;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
};

export type BridgeTaps = { close(): void };

/** Before a tap that has ended is opened again. */
const reopenMs = 1_000;

/** Of the tapped channel: what comes from its far end, and what is sent there. */
const directions = { from: 'eavesdrop_bridge_aleg', toward: 'eavesdrop_bridge_bleg' } as const;
type Direction = keyof typeof directions;

type Tap = { onLost(listener: () => void): void; end(): Promise<void> };

const openTap = async (
  tapped: string,
  direction: Direction,
  onAudio: (samples: Int16Array) => void,
  { commands, direct, createChannel }: TapMeans,
): Promise<Tap> => {
  const ear = await createDirectEndpoint(undefined, { srtp: 'off', codecs: ['PCMU'] }, direct);
  let channel: MediaEndpoint | null = null;
  const end = async (): Promise<void> => {
    await ear.destroy();
    await channel?.destroy();
  };
  try {
    // This process only listens, and sends no silence.
    channel = await createChannel(ear.localSdp.replace('a=sendrecv', 'a=recvonly'));
    await ear.connect({ onAudio, onLost: () => {} }, telephoneRate);
    await ear.takeAnswer(channel.localSdp);
    const uuid = channel.channel()?.uuid;
    if (uuid === undefined) throw new Error('A channel of a media server has a name');
    await commands.run(`uuid_setvar_multi ${uuid} ${directions[direction]}=true;eavesdrop_enable_dtmf=false`);
    await commands.tell(uuid, {
      'call-command': 'execute',
      'execute-app-name': 'eavesdrop',
      'execute-app-arg': tapped,
    });
    return { onLost: channel.onLost, end };
  } catch (error) {
    await end();
    throw error;
  }
};

/** Opens the taps on a bridge by the name of its first channel. What cannot be opened is tried again until they are closed. */
export const openBridgeTaps = (
  firstUuid: string,
  { onFirst, onSecond }: TapEvents,
  means: TapMeans,
): BridgeTaps => {
  const { backgroundTasks, clock, logger } = means;
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
        tap = await openTap(firstUuid, direction, onAudio, means);
      } catch (error) {
        if (!isClosed) logger.warn({ err: error }, 'a side of a bridge is not recorded: it is tried again');
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
