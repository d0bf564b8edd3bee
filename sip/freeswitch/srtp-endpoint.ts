/**
 * Endpoints with encrypted audio (SRTP, RFC 3711) and keys in the session descriptions (RFC 4568).
 *
 * FreeSWITCH keeps its own key after a change of the far end's key only if FreeSWITCH made the offer. For every
 * received offer with another key FreeSWITCH chooses a new own key. Therefore an endpoint that makes an offer is
 * created with a placeholder offer, whose answer is sent as the offer. When the far end has answered, FreeSWITCH is
 * told to offer again and receives that answer.
 */
import { randomBytes } from 'node:crypto';
import { usualCodecs } from '#src/domain/trunk.ts';
import { hasTelephoneEvents, offerProblem } from '#sip/sdp/media-offer.ts';
import { keyIn, srtpSuite, withOneKey } from '#sip/sdp/sdes.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { within } from '../background-tasks.ts';
import { prepareAnswer, type Channel, type ChannelRequest } from './channel.ts';
import { createMediaEndpoint, type EndpointOptions } from './freeswitch-endpoint.ts';
import type { BegunUnicast } from './open-unicast.ts';

const codecs = [...usualCodecs];
const answerMs = 3_000;
/** Interval of the check whether an answer was accepted. */
const pollMs = 20;

/** Placeholder offer. Port 9 discards its input (RFC 863), which is only silence until the far end has answered. */
const placeholderOffer = (): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    'm=audio 9 RTP/SAVP 0 8 101',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    `a=crypto:1 ${srtpSuite} inline:${randomBytes(30).toString('base64')}`,
    'a=sendrecv',
    '',
  ].join('\r\n');

/** Converts an answer to an offer, because an answer contains one codec, and an offer all of them. */
const asOffer = (answer: string): string =>
  answer
    .replace(/^(m=audio \d+ RTP\/SAVP) 0 /m, '$1 0 8 ')
    .replace(/^a=rtpmap:0 PCMU\/8000\r\n/m, '$&a=rtpmap:8 PCMA/8000\r\n');

/** Returns the INVITE for an endpoint with encrypted audio (see config/freeswitch for the header). */
export const srtpRequest = (remoteSdp: string | undefined): ChannelRequest => ({
  offer: withOneKey(remoteSdp ?? placeholderOffer()),
  headers: { 'X-Srtp': 'required' },
});

/**
 * Rejects a description that FreeSWITCH cannot process: FreeSWITCH would log the description, including keys, or end
 * the call. After one refused offer drachtio-srf lets the next one wait forever.
 */
const requirePossible = (remoteSdp: string): void => {
  const problem = offerProblem(remoteSdp, { codecs, srtp: 'required' });
  if (problem !== undefined) throw new Error(problem.why);
};

/** Wraps an endpoint. `offers`: the endpoint was created without a remote description. */
export const createSrtpEndpoint = (
  channel: Channel,
  { offers, ...options }: EndpointOptions & { offers: boolean },
  takenOver: BegunUnicast | null = null,
): MediaEndpoint => {
  const made = createMediaEndpoint(channel, options, takenOver);
  const { clock, commands } = options;
  const { dialog, uuid } = channel;

  /** Makes FreeSWITCH send an offer, which drachtio-srf answers with the description stored in the dialog. */
  const offerAgain = async (): Promise<void> => {
    const acknowledged = new Promise<void>((resolve) => {
      dialog.once('ack', () => resolve());
    });
    await commands.run(`uuid_media_reneg ${uuid} =${codecs.join(',')}`);
    await within(clock, answerMs, 'Giving FreeSWITCH an answer', acknowledged);
  };

  const hasAccepted = async (key: string | undefined): Promise<boolean> => {
    for (let looks = 1; looks <= 5; looks += 1) {
      const taken = await commands.api(`uuid_getvar ${uuid} srtp_remote_audio_crypto_key`);
      if (taken.trim() === key) return true;
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, pollMs));
    }
    return false;
  };

  /** Whether the answer to an offer of FreeSWITCH, which the wrapped endpoint does not know, has telephone events. */
  let answerTakesEvents: boolean | null = null;
  /** Key of the other party that FreeSWITCH has; undefined if it is unknown. */
  let acceptedKey = channel.remoteSdp === null ? undefined : keyIn(channel.remoteSdp);

  return {
    ...made,
    hasTelephoneEvents: () => answerTakesEvents ?? made.hasTelephoneEvents(),
    localSdp: offers ? asOffer(made.localSdp) : made.localSdp,
    async modify(remoteSdp) {
      requirePossible(remoteSdp);
      const local = await made.modify(withOneKey(remoteSdp));
      answerTakesEvents = null;
      acceptedKey = keyIn(remoteSdp);
      return local;
    },
    async answerEarly(remoteSdp) {
      requirePossible(remoteSdp);
      return made.answerEarly(withOneKey(remoteSdp));
    },
    async takeAnswer(remoteSdp) {
      requirePossible(remoteSdp);
      const key = keyIn(remoteSdp);
      // An offer of FreeSWITCH would not end a hold.
      if (key === acceptedKey) {
        await made.modify(withOneKey(remoteSdp));
        answerTakesEvents = null;
        return;
      }
      await made.setAudioTimeout(remoteSdp);
      prepareAnswer(channel, withOneKey(remoteSdp));
      // Several attempts are made, because FreeSWITCH sometimes ignores an answer in the first milliseconds of a
      // channel.
      for (let tries = 1; tries <= 3; tries += 1) {
        await offerAgain();
        if (!(await hasAccepted(key))) continue;
        answerTakesEvents = hasTelephoneEvents(remoteSdp);
        acceptedKey = key;
        return;
      }
      throw new Error('FreeSWITCH did not accept the answer');
    },
  };
};
