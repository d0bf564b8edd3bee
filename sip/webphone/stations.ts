/** The phones of one workspace and what rings at them. */
import type { Clock } from '#src/domain/clock.ts';
import type { PhoneCallEnd, PhoneRefusal } from '#src/domain/web-phone.ts';
import type { PhoneCall, Tell } from './phone-call.ts';
import type { PhoneSound } from './phone-sound.ts';

export type Station = {
  /** `null` while it is lost. */
  tell: Tell | null;
  /** Plays a frame of the agent's voice. */
  play: (frame: Uint8Array) => void;
  replaced: () => void;
  call: PhoneCall | null;
  /** Of its call, where that has any. */
  sound: PhoneSound | null;
  /** It speaks the agent's words aloud and reports what was heard. */
  reports: boolean;
  /** What it has dialled and what was not yet taken. */
  dialling: symbol | null;
  timer: unknown;
};

export type Workspace = { stations: Map<string, Station>; ringing: Set<PhoneCall> };

/** The way from a phone's calls to its connection. */
export type PhoneWay = { tell: Tell; play: Station['play']; replaced: () => void };

const createStation = (way: PhoneWay): Station => ({
  ...way,
  call: null,
  sound: null,
  reports: false,
  dialling: null,
  timer: undefined,
});

export const ringingCall = ({ ringing }: Workspace, callId: string): PhoneCall | undefined =>
  [...ringing].find(({ details }) => details.call_id === callId);

/** It does not ring any more; `except` is where it goes on. */
const silence = (workspace: Workspace, call: PhoneCall, reason: PhoneCallEnd, except?: Station): void => {
  if (!workspace.ringing.delete(call)) return;
  for (const station of workspace.stations.values())
    if (station !== except) station.tell?.({ type: 'ended', call_id: call.details.call_id, reason });
};

/** The call is over, wherever it was. */
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

/** To whatever connection it has when there is something to tell. */
const tellTo =
  (station: Station): Tell =>
  (message) =>
    station.tell?.(message);

/** The sound of its call goes by whatever connection it has. */
const connectSound = ({ call, sound, ...station }: Station): void => {
  if (call === null) return;
  const { call_id: callId } = call.details;
  const { tell, play } = station;
  sound?.connectTo(tell && { play, flush: () => tell({ type: 'sound_flush', call_id: callId }) });
};

/** It has lost its connection, and may come back to its call. */
export const loseStation = (station: Station): void => {
  station.tell = null;
  station.dialling = null;
  station.call?.suspend();
  connectSound(station);
};

/** A phone connects, for the first time or again: one that is known by its name goes on where it was. */
export const connectStation = (
  { stations, ringing }: Workspace,
  { name, ...way }: PhoneWay & { name: string },
  clock: Pick<Clock, 'clearTimeout'>,
): Station => {
  const known = stations.get(name);
  const station = known ?? createStation(way);
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

/** The call is this phone's, with sound or without. */
export const take = (station: Station, call: PhoneCall, sound: PhoneSound | null): void => {
  station.dialling = null;
  station.call = call;
  station.sound = sound;
  connectSound(station);
  call.answer(tellTo(station), sound?.endpoint ?? null);
  call.receive({ type: 'voice', on: station.reports });
};

/** Answers a call that rings; says why not. */
export const answer = (
  workspace: Workspace,
  station: Station,
  callId: string,
  sound: () => PhoneSound | null,
): PhoneRefusal | undefined => {
  if (station.call !== null || station.dialling !== null) return 'busy';
  const call = ringingCall(workspace, callId);
  if (call === undefined) return 'call_not_found';
  silence(workspace, call, 'answered_elsewhere', station);
  take(station, call, sound());
  return undefined;
};
