/**
 * Bridges two parked channels of one FreeSWITCH, so that both parties hear each other without this process
 * (`uuid_bridge`).
 *
 * - The unicast of each channel is ended first, in the channel's own thread (`repark.ts`): `uuid_bridge` would end it
 *   in the thread of the event socket.
 * - `uuid_bridge` answers before the channels are bridged. Both channels are bridged when `bridge_to` of each contains
 *   the other one.
 * - With `park_after_bridge` a channel whose partner has ended is parked. Otherwise FreeSWITCH would hang up both, with
 *   the BYEs in random order.
 * - A new park removes a channel from its bridge; its partner is parked.
 */
import type { Clock } from '#src/domain/clock.ts';
import type { BridgeSide } from '#sip/audio/media-endpoint.ts';
import { within } from '../background-tasks.ts';
import type { Commands } from './connection.ts';

/** Channel variable with the id of the bridged partner. */
export const partnerVariable = 'bridge_to';

/** Interval of the check whether the channels are bridged; bridging takes about one frame of 20 ms. */
const pollMs = 5;

export type BridgeOptions = {
  commands: Pick<Commands, 'api' | 'run'>;
  /** Timeout for FreeSWITCH. */
  answerMs: number;
  clock: Clock;
};

const areBridged = async (
  first: BridgeSide,
  second: BridgeSide,
  { api }: Pick<Commands, 'api'>,
): Promise<boolean> => {
  const partnerOf = async ({ uuid }: BridgeSide): Promise<string> => {
    const partner = (await api(`uuid_getvar ${uuid} ${partnerVariable}`)).trim();
    if (partner.startsWith('-ERR')) throw new Error('A channel of the bridge no longer exists');
    return partner;
  };
  const partners = await Promise.all([partnerOf(first), partnerOf(second)]);
  return partners[0] === second.uuid && partners[1] === first.uuid;
};

const untilBridged = async (
  first: BridgeSide,
  second: BridgeSide,
  { commands, answerMs, clock }: BridgeOptions,
): Promise<void> => {
  let isAbandoned = false;
  const look = async (): Promise<void> => {
    while (!isAbandoned && !(await areBridged(first, second, commands)))
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, pollMs));
  };
  try {
    await within(clock, answerMs, 'Bridging two channels', look());
  } finally {
    isAbandoned = true;
  }
};

/**
 * Bridges two channels. Rejects if the bridge fails; the audio of both legs is then at this process again. Two channels
 * that were taken over in their bridge stay in it.
 */
export const bridgeChannels = async (
  first: BridgeSide,
  second: BridgeSide,
  options: BridgeOptions,
): Promise<void> => {
  const sides = [first, second];
  try {
    const detached = await Promise.allSettled(sides.map((side) => side.detach()));
    for (const each of detached) if (each.status === 'rejected') throw each.reason;
    if (await areBridged(first, second, options.commands)) return;
    for (const { uuid } of sides) await options.commands.run(`uuid_setvar ${uuid} park_after_bridge true`);
    await options.commands.run(`uuid_bridge ${first.uuid} ${second.uuid}`);
    await untilBridged(first, second, options);
  } catch (error) {
    await Promise.all(sides.map((side) => side.attach()));
    throw error;
  }
};
