import type { SimulatedFarEnd } from './simulated-far-end.ts';

/** One leg of a call, with all data that is needed to end its far end after its process died (RFC 3261 section 12). */
export type SipLeg = {
  /**
   * `arriving`: an inbound INVITE without a final response. `inviting`: an outbound INVITE without a final response.
   * `standing`: an INVITE answered with 200.
   */
  state: 'arriving' | 'inviting' | 'standing';
  /** Ids of the INVITE and of its dialog in drachtio-server. */
  transactionId: string;
  dialogId: string;
  sipCallId: string;
  /** From and To of our requests, with the tags that are known so far. */
  local: string;
  remote: string;
  /** Contact of the far end, and the next hop if it differs from the Contact. */
  target: string;
  nextHop: string | null;
  /** Route set in the order of our requests; missing in rows of older versions. */
  routes?: readonly string[] | undefined;
  /** Media channel; `null` until it exists. */
  channel: MediaChannel | null;
  /** Whether the far end is the person of a transfer; otherwise it is the other party. */
  isOfTransfer?: boolean | undefined;
  /**
   * State from which another process takes the leg over; `null` if that is impossible, for example before the answer.
   */
  dialog: StandingDialog | null;
};

/** State of a confirmed dialog on which both sides agree (RFC 3261 section 12, RFC 3264, RFC 4028). */
export type StandingDialog = {
  /** Side that sent the INVITE: the gateway (`uac`) or the far end (`uas`). */
  type: 'uac' | 'uas';
  localTag: string;
  remoteTag: string;
  /** Our Contact header as sent. */
  localContact: string;
  /** The last session descriptions of both sides. */
  localSdp: string;
  remoteSdp: string;
  /** Whether the gateway refreshes the session. */
  weRefresh: boolean;
  /** Session interval in seconds, within which the session must be refreshed; `null` for no limit. */
  expiresSec: number | null;
  /** Whether the far end accepts INFO. */
  takesInfo: boolean;
  /** The trunk whose settings were used for the media. */
  trunkId: string;
};

/** Words of a call until it was taken over. Times are milliseconds since the answer. */
export type HeardBefore = {
  turns: readonly { role: 'user' | 'assistant'; text: string; fromMs: number; toMs: number }[];
  /** Pauses of the recording; the last one may last. */
  pauses: readonly { fromMs: number; toMs: number | null }[];
  talkedMs: number;
};

/**
 * State by which another process resumes a call's line, or hangs up its far ends: the legs with their media channels.
 * A line driver produces it (`Lines.checkpoint`), and the owner of the calls stores the legs.
 */
export type LineCheckpoint = {
  legs: readonly StoredLeg[];
  /**
   * Whether another process could resume the line now and lose nothing: it is answered, no transfer is undecided, and
   * its far ends survive this process. A planned hand-over waits for this; after a crash, any answered line is resumed.
   */
  isResumable: boolean;
  /** Far end of a simulated call that only this process knows; `null` for any other. */
  farEnd: SimulatedFarEnd | null;
};

/** State from which a line is resumed: the stored legs, and what the journal of the call says about them. */
export type LineResumeState = {
  legs: readonly StoredLeg[];
  farEnd: SimulatedFarEnd | null;
  /** For the recording of a line that carries words instead of audio; `null` if the call is not recorded. */
  heard: HeardBefore | null;
  /**
   * The transfer target that the other party talks to, and the duration of their conversation in milliseconds. `null`
   * while the other party talks to the agent; the leg of a transfer in progress is then hung up at take-over.
   */
  connectedWith: { to: string; talkedMs: number } | null;
  /**
   * Whether the former process still sends audio to the far ends, as it does after a hand-over until the audio has
   * moved.
   */
  formerSends: boolean;
};

/** A leg with `id`, the key of its row. */
export type StoredLeg = { id: string; leg: SipLeg };

/** A leg that a dead process left, which is to be hung up. `callId` is `null` for a trunk check. */
export type OrphanLeg = StoredLeg & { callId: string | null };

/** An established leg that can be resumed. */
export type Standing = StoredLeg & { agreed: StandingDialog };

/**
 * A FreeSWITCH channel. `server` is the configured `host:port` of FreeSWITCH. `dialog` is drachtio-server's id of the
 * dialog with FreeSWITCH, and includes our Contact.
 */
export type MediaChannel = {
  server: string;
  uuid: string;
  dialog?: { id: string; contact: string } | undefined;
};
