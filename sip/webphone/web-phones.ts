/**
 * Web phones of all workspaces: browsers in which simulated calls ring. The phones of one workspace ring together, and
 * the first that answers gets the call. A phone that disconnects during a call may reconnect within a short time.
 *
 * A phone chooses its own name, which identifies it when it reconnects.
 */
import type { Logger } from 'pino';
import type { LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { FromPhone, PhoneRefusal } from '#src/domain/web-phone.ts';
import type { CreateParty } from '../simulator/party.ts';
import { phoneParty, type PhoneCall, type PhoneCallEvents } from './phone-call.ts';
import { createPhoneAudio, isAudioFrame, type PhoneAudio, type PhoneAudioNumbers } from './phone-audio.ts';
import {
  answer,
  connectStation,
  expectedStation,
  forgetCall,
  isTaken,
  loseStation,
  release,
  ringingCall,
  take,
  type PhoneWay,
  type Station,
  type Workspace,
} from './stations.ts';

export type Dialled =
  | { accepted: true }
  | {
      accepted: false;
      because: Exclude<
        PhoneRefusal,
        'busy' | 'call_not_found' | 'too_much' | 'no_sound' | 'invalid_sound' | 'invalid_message'
      >;
    };

/** Calls a number of the workspace. `partyFor` creates the caller. */
export type Dial = (call: {
  workspaceId: string;
  to: string;
  partyFor: (input: LineInput) => CreateParty;
}) => Promise<Dialled>;

/** A browser that connects. `replaced` is called when another browser connects with the same name. */
export type ConnectingPhone = PhoneWay & {
  workspaceId: string;
  name: string;
  /** Places calls that are dialled at this phone. */
  dial: Dial;
};

export type WebPhonesOptions = {
  /** Returns the workspace of a call; `undefined` for an ended call. */
  workspaceOf: (callId: string) => string | undefined;
  /** Time within which a phone may reconnect during a call, in wall-clock milliseconds. */
  comeBackMs: number;
  /** The same for a phone whose gateway died: its page may have to wait until a gateway runs again. */
  resumeMs: number;
  /** Settings of calls with audio; `null` if the lines carry no audio. */
  sound: PhoneAudioNumbers | null;
  /** Languages of speech recognition (BCP 47); absent if every language is recognized. */
  understood?: readonly string[];
  /** Clock at wall-clock speed, because browsers run in real time. */
  clock: Clock;
  logger: Logger;
};

export type PhoneConnection = {
  receive(message: FromPhone): void;
  /** Processes a binary message: an audio frame. */
  hear(message: Uint8Array): void;
  /** Called when the connection was closed. */
  lost(): void;
};

export type WebPhones = {
  connect(phone: ConnectingPhone): PhoneConnection;
  /** Returns the party for a call to any number. */
  partyFor(input: LineInput): CreateParty;
  /**
   * Returns the party of a call that this phone had at another gateway. The phone hangs up if it has another call, or
   * does not connect in time.
   */
  resume(input: LineInput, phone: { name: string; hasSound: boolean }): CreateParty;
  /** Releases all timers. */
  close(): void;
};

/** A connection that was replaced before it was open. */
const noConnection: PhoneConnection = { receive() {}, hear() {}, lost() {} };

/** Callbacks of a call that ended before its line was opened; it does not ring. */
const nowhere: PhoneCallEvents = {
  ringing: () => undefined,
  taken: () => undefined,
  ended: () => undefined,
  left: () => undefined,
};

/**
 * Calls a number. The phone gets the call when it is accepted, unless the phone has dialled or answered another call.
 */
const dialFrom = async (
  {
    workspaceId,
    station,
    to,
    sound,
    dial,
  }: {
    workspaceId: string;
    station: Station;
    to: string;
    sound: () => PhoneAudio | null;
    dial: Dial;
  },
  { ringing, ended, left }: PhoneCallEvents,
  logger: Logger,
): Promise<void> => {
  const dialling = Symbol('dialling');
  station.dialling = dialling;
  const giveUp = (code: PhoneRefusal): void => {
    if (station.dialling !== dialling) return;
    station.dialling = null;
    station.tell?.({ type: 'refused', code });
  };
  const events: PhoneCallEvents = {
    ringing,
    taken(call) {
      if (station.dialling === dialling) take(station, call, sound());
      else call.hangUp();
    },
    ended(call, reason) {
      ended(call, reason);
      giveUp('failed');
    },
    left,
  };
  const verdict = await dial({
    workspaceId,
    to,
    partyFor: (input) => phoneParty(input, events),
  }).catch((error: unknown): Dialled => {
    logger.error({ err: error }, 'a call from a web phone could not be placed');
    return { accepted: false, because: 'failed' };
  });
  if (!verdict.accepted) giveUp(verdict.because);
};

/** Executes a message of a phone, or replies why that is impossible. */
const obey = (
  message: FromPhone,
  phone: {
    workspace: Workspace;
    station: Station;
    /** Creates the audio of a call if audio is requested. */
    sound: (isWanted: boolean) => PhoneAudio | null;
    dial: (to: string, hasSound: boolean) => void;
    refuse: (code: PhoneRefusal | undefined) => void;
  },
): void => {
  const { workspace, station, refuse } = phone;
  switch (message.type) {
    case 'answer': {
      const sound = (): PhoneAudio | null => phone.sound(message.sound === true);
      return refuse(answer(workspace, station, message.call_id, sound));
    }
    case 'decline': {
      const call = ringingCall(workspace, message.call_id);
      return call === undefined ? refuse('call_not_found') : call.decline();
    }
    case 'dial':
      if (station.call !== null || station.dialling !== null) return refuse('busy');
      return phone.dial(message.to, message.sound === true);
    case 'hang_up':
      station.dialling = null;
      return station.call?.hangUp();
    case 'voice':
      station.reports = message.on;
      return station.call?.receive(message);
    case 'sound_flushed':
      return refuse(station.sound?.flushed(message.samples));
    default:
      // The call may have ended while the message was in transit.
      return station.call?.receive(message);
  }
};

/** Stores the workspaces that have a phone or a ringing call. */
const createWorkspaces = () => {
  const workspaces = new Map<string, Workspace>();
  return {
    of(id: string): Workspace {
      const workspace = workspaces.get(id) ?? { stations: new Map(), ringing: new Set() };
      workspaces.set(id, workspace);
      return workspace;
    },
    forgetIfEmpty(id: string): void {
      const workspace = workspaces.get(id);
      if (workspace?.stations.size === 0 && workspace.ringing.size === 0) workspaces.delete(id);
    },
    allStations: (): Station[] => [...workspaces.values()].flatMap(({ stations }) => [...stations.values()]),
  };
};

export const createWebPhones = (options: WebPhonesOptions): WebPhones => {
  const { clock, logger } = options;
  const workspaces = createWorkspaces();
  let isClosed = false;

  const eventsOf = (workspaceId: string): PhoneCallEvents => ({
    ringing(call) {
      const { ringing, stations } = workspaces.of(workspaceId);
      ringing.add(call);
      for (const { tell } of stations.values()) tell?.({ type: 'ring', ...call.details });
    },
    taken: () => undefined,
    ended(call, reason) {
      release(workspaces.of(workspaceId), call, reason, clock);
      workspaces.forgetIfEmpty(workspaceId);
    },
    left(call) {
      forgetCall(workspaces.of(workspaceId), call, clock);
      workspaces.forgetIfEmpty(workspaceId);
    },
  });

  /** Removes a phone that is not connected any more. */
  const leave = (workspaceId: string, station: Station): void => {
    workspaces.of(workspaceId).stations.delete(station.name);
    station.call?.hangUp();
    workspaces.forgetIfEmpty(workspaceId);
  };

  return {
    connect({ workspaceId, name, dial, ...way }) {
      const workspace = workspaces.of(workspaceId);
      const { tell } = way;
      if (isTaken(workspace, { name, since: way.since })) {
        way.replaced();
        return noConnection;
      }
      if (options.sound !== null) {
        const { understood: languages } = options;
        tell({ type: 'sound_offered', ...(languages === undefined ? {} : { languages }) });
      }
      const station = connectStation(workspace, { name, ...way }, clock);
      const refuse = (code: PhoneRefusal | undefined): void => {
        if (code !== undefined) tell({ type: 'refused', code });
      };
      const soundWhere = (isWanted: boolean): PhoneAudio | null => {
        if (!isWanted) return null;
        if (options.sound !== null) return createPhoneAudio(options.sound, clock);
        refuse('no_sound');
        return null;
      };
      const dialTo = (to: string, hasSound: boolean): void => {
        const sound = (): PhoneAudio | null => soundWhere(hasSound);
        void dialFrom({ workspaceId, station, to, sound, dial }, eventsOf(workspaceId), logger);
      };
      const phone = { workspace, station, sound: soundWhere, dial: dialTo, refuse };
      return {
        receive(message) {
          if (station.tell === tell) obey(message, phone);
        },
        hear(message) {
          if (station.tell !== tell) return;
          // No error: the frame may have been in transit when the call ended.
          refuse(isAudioFrame(message) ? station.sound?.hear(message) : 'invalid_sound');
        },
        lost() {
          if (station.tell !== tell) return;
          loseStation(station);
          if (station.call === null || isClosed) return leave(workspaceId, station);
          station.timer = clock.setTimeout(() => leave(workspaceId, station), options.comeBackMs);
        },
      };
    },
    partyFor(input) {
      const workspaceId = options.workspaceOf(input.callId);
      return phoneParty(input, workspaceId === undefined ? nowhere : eventsOf(workspaceId));
    },
    resume(input, { name, hasSound }) {
      const workspaceId = options.workspaceOf(input.callId);
      if (workspaceId === undefined) return phoneParty(input, nowhere, true);
      const taken = (call: PhoneCall): void => {
        const station = expectedStation(workspaces.of(workspaceId), name);
        // Answering takes the line over; a phone with another call hangs up then.
        if (station.call !== null || isClosed) {
          call.answer(name, () => {}, null);
          return call.hangUp();
        }
        const { sound } = options;
        take(station, call, hasSound && sound !== null ? createPhoneAudio(sound, clock, true) : null);
        if (station.tell === null)
          station.timer = clock.setTimeout(() => leave(workspaceId, station), options.resumeMs);
        return undefined;
      };
      return phoneParty(input, { ...eventsOf(workspaceId), taken }, true);
    },
    close() {
      isClosed = true;
      for (const { timer } of workspaces.allStations()) clock.clearTimeout(timer);
    },
  };
};
