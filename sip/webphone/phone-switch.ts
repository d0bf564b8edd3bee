/**
 * A web phone at all gateways of a database. Its page is connected to one of them, which connects the phone to the
 * others. A call rings from the gateway that holds it, and that gateway alone decides which phone gets it. This module
 * passes messages and audio on between the page and the gateways, and remembers which gateway a call belongs to.
 */
import type { Clock } from '#src/domain/clock.ts';
import type { LinkPhone, PhoneLink, ToldPhone } from '#src/domain/linked-phone.ts';
import type { FromPhone, PhoneCallEnd, PhoneRefusal } from '#src/domain/web-phone.ts';
import type { ConnectingPhone, PhoneConnection, WebPhones } from './web-phones.ts';

/** An open page. */
export type ConnectingPage = Omit<ConnectingPhone, 'tell' | 'since'> & { tell: (message: object) => void };

export type PhoneSwitchOptions = {
  phones: Pick<WebPhones, 'connect'>;
  /** Links the phone with the other gateways. */
  linkPhone: LinkPhone;
  /** Name of this gateway. */
  node: string;
  /** Time by a clock that all gateways share. */
  now: () => number;
  /** Time for the connection to a gateway to come back during a call. */
  comeBackMs: number;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
};

/** The call that the phone has, or has requested. */
type Talk = {
  gateway: string;
  /** `null` for a dialled call that was not accepted yet. */
  callId: string | null;
  isRequested: boolean;
};

/** Refusals that leave the requested call as it is. */
const minor: ReadonlySet<string | undefined> = new Set<PhoneRefusal>([
  'too_much',
  'no_sound',
  'invalid_sound',
  'invalid_message',
]);

export const connectEverywhere = (
  { tell, play, replaced, ...page }: ConnectingPage,
  { phones, linkPhone, node, now, comeBackMs, clock }: PhoneSwitchOptions,
): PhoneConnection => {
  const links = new Map<string, PhoneLink>();
  /** Gateways of ringing calls, by the id of the call. */
  const ringing = new Map<string, string>();
  let talk: Talk | null = null;
  let comingBack: unknown;

  const setTalk = (next: Talk | null): void => {
    clock.clearTimeout(comingBack);
    talk = next;
  };
  const refuse = (code: PhoneRefusal): void => tell({ type: 'refused', code });
  const tellEnd = (callId: string, reason: PhoneCallEnd): void =>
    tell({ type: 'ended', call_id: callId, reason });

  const note = (gateway: string, { type, call_id: callId, code }: ToldPhone): void => {
    if (type === 'refused' && talk?.gateway === gateway && talk.isRequested && !minor.has(code))
      setTalk(null);
    if (callId === undefined) return;
    if (type === 'ring') ringing.set(callId, gateway);
    if (type === 'answered') setTalk({ gateway, callId, isRequested: false });
    if (type === 'answered' || type === 'ended') ringing.delete(callId);
    if (type === 'ended' && talk?.callId === callId) setTalk(null);
  };
  /** Whether a gateway resumes a call although the phone has answered another one since. */
  const isSuperseded = ({ type, call_id: callId }: ToldPhone): boolean =>
    type === 'answered' && talk !== null && talk.callId !== null && talk.callId !== callId;
  const told = (gateway: string, message: ToldPhone): void => {
    if (isSuperseded(message)) return links.get(gateway)?.send({ type: 'hang_up' });
    note(gateway, message);
    tell(message);
  };
  const played = (gateway: string, frame: Uint8Array): void => {
    if (talk?.gateway === gateway) play(frame);
  };

  const since = now();
  const here = phones.connect({
    ...page,
    since,
    tell: (message) => told(node, message),
    play: (frame) => played(node, frame),
    replaced,
  });
  links.set(node, { send: here.receive, sendFrame: here.hear });
  const endLinks = linkPhone(
    { workspaceId: page.workspaceId, name: page.name, since },
    {
      opened: (gateway, link) => void links.set(gateway, link),
      told(gateway, message) {
        // This gateway has announced its audio already.
        if (message.type !== 'sound_offered') told(gateway, message);
      },
      played,
      lost(gateway) {
        links.delete(gateway);
        for (const [callId, holder] of ringing) {
          if (holder !== gateway) continue;
          ringing.delete(callId);
          tellEnd(callId, 'cancelled');
        }
        if (talk?.gateway !== gateway) return;
        const { callId } = talk;
        clock.clearTimeout(comingBack);
        comingBack = clock.setTimeout(() => {
          talk = null;
          if (callId !== null) tellEnd(callId, 'other_side');
        }, comeBackMs);
      },
      replaced,
    },
  );

  const send = (gateway: string, message: FromPhone): void => links.get(gateway)?.send(message);

  return {
    receive(message) {
      switch (message.type) {
        case 'answer':
        case 'decline': {
          const gateway = ringing.get(message.call_id);
          if (message.type === 'answer' && talk !== null) return refuse('busy');
          if (gateway === undefined) return refuse('call_not_found');
          if (message.type === 'answer') setTalk({ gateway, callId: message.call_id, isRequested: true });
          return send(gateway, message);
        }
        case 'dial':
          if (talk !== null) return refuse('busy');
          setTalk({ gateway: node, callId: null, isRequested: true });
          return send(node, message);
        case 'hang_up': {
          const gateway = talk?.gateway ?? node;
          if (talk?.callId === null) setTalk(null);
          return send(gateway, message);
        }
        case 'voice':
          for (const link of links.values()) link.send(message);
          return undefined;
        default:
          return send(talk?.gateway ?? node, message);
      }
    },
    hear: (frame) => links.get(talk?.gateway ?? node)?.sendFrame(frame),
    lost() {
      clock.clearTimeout(comingBack);
      endLinks();
      here.lost();
    },
  };
};
