/** The phones of one workspace and the calls that ring at them. */
import type { Clock } from '#src/domain/clock.ts';
import type { PhoneCallEnd, PhoneRefusal } from '#src/domain/web-phone.ts';
import type { PhoneCall, Tell } from './phone-call.ts';
import type { PhoneAudio } from './phone-audio.ts';

export type Station = {
  readonly name: string;
  /** Sends a message to the phone; `null` while the connection is lost. */
  tell: Tell | null;
  /** Time of the page's connection, by a clock that all gateways share. */
  since: number;
  /** Plays a frame of the agent's voice. */
  play: (frame: Uint8Array) => void;
  replaced: () => void;
  call: PhoneCall | null;
  /** Audio of the phone's call; `null` without audio. */
  sound: PhoneAudio | null;
  /** Whether the phone synthesizes the agent's words itself and reports the heard part. */
  reports: boolean;
  /** The dialled call that was not accepted yet. */
  dialling: symbol | null;
  timer: unknown;
};

export type Workspace = { stations: Map<string, Station>; ringing: Set<PhoneCall> };

/** Connection through which the gateway reaches a phone. */
export type PhoneWay = { tell: Tell } & Pick<Station, 'since' | 'play' | 'replaced'>;

const createStation = (
  name: string,
  way: Pick<Station, 'tell' | 'since' | 'play' | 'replaced'>,
): Station => ({
  name,
  ...way,
  call: null,
  sound: null,
  reports: false,
  dialling: null,
  timer: undefined,
});

export const ringingCall = ({ ringing }: Workspace, callId: string): PhoneCall | undefined =>
  [...ringing].find(({ details }) => details.call_id === callId);

/** Stops ringing at all phones except `except`, the phone that takes the call. */
const silence = (workspace: Workspace, call: PhoneCall, reason: PhoneCallEnd, except?: Station): void => {
  if (!workspace.ringing.delete(call)) return;
  for (const station of workspace.stations.values())
    if (station !== except) station.tell?.({ type: 'ended', call_id: call.details.call_id, reason });
};

/** Removes an ended call from every phone. */
export const release = (
  workspace: Workspace,
  call: PhoneCall,
  reason: PhoneCallEnd,
  clock: Pick<Clock, 'clearTimeout'>,
): void => {
  silence(workspace, call, reason);
  for (const [name, station] of workspace.stations) {
    if (station.call !== call) continue;
    station.call = null;
    station.sound = null;
    station.tell?.({ type: 'ended', call_id: call.details.call_id, reason });
    clock.clearTimeout(station.timer);
    if (station.tell === null) workspace.stations.delete(name);
  }
};

/** Removes a call that another gateway continues from its phone, which is not told: it has the call still. */
export const forgetCall = (
  { stations }: Workspace,
  call: PhoneCall,
  clock: Pick<Clock, 'clearTimeout'>,
): void => {
  for (const [name, station] of stations) {
    if (station.call !== call) continue;
    station.call = null;
    station.sound = null;
    clock.clearTimeout(station.timer);
    if (station.tell === null) stations.delete(name);
  }
};

/** Sends a message through the phone's current connection. */
const tellTo =
  (station: Station): Tell =>
  (message) =>
    station.tell?.(message);

/** Routes the audio of the phone's call through its current connection. */
const connectSound = ({ call, sound, ...station }: Station): void => {
  if (call === null) return;
  const { call_id: callId } = call.details;
  const { tell, play } = station;
  sound?.connectTo(tell && { play, flush: () => tell({ type: 'sound_flush', call_id: callId }) });
};

/** Notes that the phone lost its connection. The phone may reconnect and resume its call. */
export const loseStation = (station: Station): void => {
  station.tell = null;
  station.dialling = null;
  station.call?.suspend();
  connectSound(station);
};

/**
 * Whether a page that was opened later is connected under this name. Gateways connect pages of theirs, also again, so
 * the order of connections does not tell the later page.
 */
export const isTaken = (
  { stations }: Workspace,
  { name, since }: { name: string; since: number },
): boolean => {
  const known = stations.get(name);
  return known !== undefined && known.tell !== null && known.since > since;
};

/** Connects a phone, for the first time or again. A phone with a known name resumes its call. */
export const connectStation = (
  { stations, ringing }: Workspace,
  { name, ...way }: PhoneWay & { name: string },
  clock: Pick<Clock, 'clearTimeout'>,
): Station => {
  const known = stations.get(name);
  const station = known ?? createStation(name, way);
  const before = known && { ...known };
  clock.clearTimeout(station.timer);
  Object.assign(station, { ...way, reports: false, dialling: null });
  if (before?.tell) before.replaced();
  stations.set(name, station);
  station.call?.suspend();
  station.call?.resume(tellTo(station));
  connectSound(station);
  for (const call of ringing) way.tell({ type: 'ring', ...call.details });
  return station;
};

/** The phone with this name; a phone that is not connected here yet has no connection. */
export const expectedStation = ({ stations }: Workspace, name: string): Station => {
  const station =
    stations.get(name) ?? createStation(name, { tell: null, since: 0, play: () => {}, replaced: () => {} });
  stations.set(name, station);
  return station;
};

/** Assigns a call to this phone, with audio or without. */
export const take = (station: Station, call: PhoneCall, sound: PhoneAudio | null): void => {
  station.dialling = null;
  station.call = call;
  station.sound = sound;
  connectSound(station);
  call.answer(station.name, tellTo(station), sound?.endpoint ?? null);
  call.receive({ type: 'voice', on: station.reports });
};

/** Answers a ringing call; returns an error code if that is impossible. */
export const answer = (
  workspace: Workspace,
  station: Station,
  callId: string,
  sound: () => PhoneAudio | null,
): PhoneRefusal | undefined => {
  if (station.call !== null || station.dialling !== null) return 'busy';
  const call = ringingCall(workspace, callId);
  if (call === undefined) return 'call_not_found';
  silence(workspace, call, 'answered_elsewhere', station);
  take(station, call, sound());
  return undefined;
};
