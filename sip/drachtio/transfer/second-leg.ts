/**
 * The second leg of a call on trunks: the transfer target, which is called by an INVITE of its own. If one media server
 * carries both legs, it bridges them (`bridge-recording.ts` records the bridge); otherwise this process forwards the
 * audio of each leg to the other. The recording continues with a channel for each person.
 */
import type { Logger } from 'pino';
import type {
  AudioUntil,
  LineCommand,
  LineReport,
  SipDetails,
  TransferMode,
  UnansweredCause,
} from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallMedia } from '#sip/audio/call-media.ts';
import { createAlarm, type Alarm, type LineTime } from '#sip/audio/line-time.ts';
import type { LineLife } from '#machines/line-life.ts';
import { telephoneRate, type SampleRate } from '#sip/audio/samples.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import { takenByOther } from '#sip/audio/media-endpoint.ts';
import { createHoldTone, type HoldTone } from '#sip/audio/playout/hold-tone.ts';
import { hangUp, type PendingLeg, type Connection, type Outcome } from '../leg.ts';
import { createKeypad, type Keypad } from '../dtmf/keypad.ts';
import type { LeaveStanding } from '../resume/leave-standing.ts';
import { recordBridge, type BridgeRecording } from './bridge-recording.ts';
import type { Bridge, MediaServers } from '../../freeswitch/media-servers.ts';
import { withTones } from '../dtmf/tone-endpoint.ts';
import { createDtmfDeduplication, type DtmfSource } from '../dtmf/dtmf.ts';
import { answerInDialogRequests } from '../dialog/received-requests.ts';

/**
 * Data of the state `answered`. `acceptKey` is the digit that accepts the call; `null` if acceptance is not required.
 */
type Answered = { connection: Connection; keypad: Keypad; media: CallMedia; acceptKey: string | null };

/**
 * State of the leg. `joining`: the audio of the leg is being connected before the next step. `bridging`: a bridge is
 * being opened. `bridge` is `null` if this process forwards the audio.
 */
type Leg =
  | { state: 'none' }
  | { state: 'ringing' | 'cancelled'; pending: PendingLeg }
  | ({ state: 'joining' | 'waiting' | 'bridging' } & Answered)
  | ({ state: 'connected'; bridge: BridgeRecording | null } & Answered);

type MediaEvents = { report: (report: LineReport) => void; onLost: () => void };

export type SecondLegOptions = {
  /** Begins to dial that number for this call, on this media server if possible. */
  ring: (to: string, preferredServer: string | null) => PendingLeg;
  createMedia: (on: MediaEvents) => CallMedia;
  /** Returns the parts of the other party of the call; `null` for missing ones. */
  first: { media: CallMedia; connection: () => Connection | null; keypad: () => Keypad | null };
  mediaServers: Pick<MediaServers, 'bridgeOf'>;
  leaveStanding: LeaveStanding;
  life: Pick<LineLife, 'is' | 'report' | 'send'>;
  /** Called when another gateway has taken over the call. */
  onTaken: () => void;
  time: Pick<LineTime, 'after'>;
  /** Timeout of a CANCEL, after which the leg counts as ended. */
  byeMs: number;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Pick<Logger, 'warn'>;
};

type Means = Pick<SecondLegOptions, 'clock' | 'backgroundTasks'>;

type OnLeg = {
  key: (digit: string, source: DtmfSource) => void;
  left: () => void;
  lost: () => void;
  /** Called when another gateway has taken over the call. */
  taken: () => void;
  moved: () => void;
};

/** Subscribes to requests, DTMF digits and the loss of audio of this leg. Returns the handler of in-band DTMF tones. */
const listenTo = (
  connection: Connection,
  on: OnLeg,
  { clock, backgroundTasks }: Means,
): ((digit: string) => void) => {
  const deduplication = createDtmfDeduplication(() => clock.now());
  const onKey = (digit: string, source: DtmfSource): void => {
    if (deduplication.isNew(digit, source)) on.key(digit, source);
  };
  connection.endpoint.onDigit((digit) => onKey(digit, 'rtp'));
  connection.endpoint.onLost((reason) => (reason === takenByOther ? on.taken() : on.lost()));
  connection.onMoved?.(on.moved);
  answerInDialogRequests(connection, {
    backgroundTasks,
    onKey: (digit) => onKey(digit, 'info'),
    // A hold silences both directions between the two persons, so no action is necessary.
    onHold: () => undefined,
    onLeft: on.left,
  });
  return (digit) => onKey(digit, 'tone');
};

const press = (digit: string, keypad: Keypad, { backgroundTasks }: Means): void =>
  backgroundTasks.add('handing a key on', () => keypad.press(digit));

/** Releases the leg and hangs it up, unless the leg has ended by itself. */
const letGo = (
  connection: Connection,
  media: CallMedia | null,
  { hasLeft, backgroundTasks }: { hasLeft: boolean; backgroundTasks: BackgroundTasks },
): void => {
  media?.close();
  backgroundTasks.add('destroying an endpoint', () => connection.endpoint.destroy());
  if (hasLeft) connection.trackedLeg.ended();
  else backgroundTasks.add('BYE', () => hangUp(connection));
};

export class SecondLeg {
  readonly #options: SecondLegOptions;
  readonly #tone: HoldTone;
  readonly #patience: Alarm;
  #leg: Leg = { state: 'none' };

  constructor(options: SecondLegOptions) {
    this.#options = options;
    this.#tone = createHoldTone(options.time, options.first.media.pass);
    this.#patience = createAlarm(options.time);
  }

  tell(command: Extract<LineCommand, { type: 'transfer' | 'brief' | 'connect' | 'cancelTransfer' }>): void {
    switch (command.type) {
      case 'transfer':
        return this.#ring(command.to, command.mode);
      case 'brief':
        if (this.#leg.state !== 'waiting') return undefined;
        this.#leg = { ...this.#leg, acceptKey: command.acceptKey };
        return this.#leg.media.say(1, command.text);
      case 'connect':
        return this.#leg.state === 'waiting' ? this.#connect(this.#leg) : undefined;
      case 'cancelTransfer':
        return this.#cancel();
    }
  }

  /** Handles a DTMF digit of the other party. Returns whether the digit is for the person. */
  takesKey(digit: string, source: DtmfSource): boolean {
    if (this.#leg.state !== 'connected') return false;
    if (this.#isForUsToPress(source)) press(digit, this.#leg.keypad, this.#options);
    return true;
  }

  isUnderWay(): boolean {
    return this.#leg.state !== 'none';
  }

  /** Takes over a connected person of a call of another process. */
  adopt(connection: Connection): void {
    const rate = this.#options.first.media.sampleRate();
    if (rate === null) return letGo(connection, null, { ...this.#options, hasLeft: false });
    const { answered, begin } = this.#carry(connection);
    this.#passOn(answered);
    return begin(rate, () =>
      this.#bridge(answered, 'connected', (isBridged) => {
        if (!isBridged) this.#attach(answered);
      }),
    );
  }

  /** Whether another gateway could take over the second leg now: the leg is connected, or does not exist. */
  isResumable(): boolean {
    return !this.isUnderWay() || this.#leg.state === 'connected';
  }

  /** Hands over a connected person together with the call. A person who is only being called receives CANCEL. */
  leave(audioUntil: AudioUntil): void {
    if (this.#leg.state !== 'connected') return this.end();
    const { connection, media } = this.#leg;
    this.#forget();
    return this.#options.leaveStanding(connection, media, audioUntil);
  }

  /** Ends the leg of a connected person who has hung up, although this process did not receive the BYE. */
  endSilently(): void {
    if (this.#leg.state === 'connected') this.#part(this.#leg, 'declined', true);
  }

  /**
   * Called when the audio of one of the two legs has moved to another media server, and has thereby left a bridge. This
   * process forwards the audio until both legs have moved and can be bridged again.
   */
  moved(): void {
    const leg = this.#leg;
    if (leg.state !== 'connected') return;
    leg.bridge?.close();
    this.#passOn(leg);
    this.#bridge(leg, 'connected', () => undefined);
  }

  /** Returns the connection of the person who talks with the other party. */
  connection(): Connection | null {
    return this.#leg.state === 'connected' ? this.#leg.connection : null;
  }

  /** Handles the loss of the connection to drachtio-server, which fails legs that are not connected yet. */
  lose(): void {
    if ('pending' in this.#leg) this.#leg.pending.lose();
    else if ('connection' in this.#leg && this.#leg.state !== 'connected')
      this.#part(this.#leg, 'trunk_error', false);
  }

  /** Ends a ringing or connected person together with the line. */
  end(): void {
    const ended = this.#forget();
    if ('pending' in ended) ended.pending.cancel();
    if ('connection' in ended) letGo(ended.connection, ended.media, { ...this.#options, hasLeft: false });
  }

  #ring(to: string, mode: TransferMode): void {
    const { life, first, backgroundTasks } = this.#options;
    const rate = first.media.sampleRate();
    if (!life.is('answered') || rate === null || this.isUnderWay()) return;
    const pending = this.#options.ring(to, first.connection()?.endpoint.channel()?.server ?? null);
    this.#leg = { state: 'ringing', pending };
    this.#tone.begin(rate);
    backgroundTasks.add('ringing a person', async () => this.#settle(await pending.outcome, pending, mode));
  }

  #settle(outcome: Outcome, pending: PendingLeg, mode: TransferMode): void {
    const leg = this.#leg;
    const isCurrent = 'pending' in leg && leg.pending === pending;
    const rate = this.#options.first.media.sampleRate();
    if (outcome.answered && isCurrent && leg.state === 'ringing' && rate !== null)
      return this.#answer(outcome.connection, mode, rate);
    // The answer crossed the cancellation, so the person is hung up.
    if (outcome.answered) letGo(outcome.connection, null, { ...this.#options, hasLeft: false });
    if (!isCurrent) return undefined;
    return outcome.answered ? this.#fail('cancelled') : this.#fail(outcome.cause, outcome.sip);
  }

  /** Connects the audio of an answered leg to this process first. */
  #answer(connection: Connection, mode: TransferMode, rate: SampleRate): void {
    const { answered, begin } = this.#carry(connection);
    const joining: Leg = { ...answered, state: 'joining' };
    this.#leg = joining;
    begin(rate, () => {
      if (this.#leg !== joining) return undefined;
      if (mode === 'cold') return this.#connect(answered);
      this.#leg = { ...answered, state: 'waiting' };
      return this.#options.life.report({ type: 'line.transfer_answered' });
    });
  }

  #carry(connection: Connection) {
    const { life, backgroundTasks, createMedia } = this.#options;
    const lost = (): void => this.#part(answered, 'media_error', false);
    const media = createMedia({
      report: (report) => {
        if (report.type === 'line.played' && report.whole && this.#leg.state === 'waiting')
          life.report({ type: 'line.briefed' });
      },
      onLost: lost,
    });
    const isOver = (): boolean => !('connection' in this.#leg) || this.#leg.connection !== connection;
    const keypad = createKeypad(connection, { ...this.#options, isOver });
    const answered: Answered = { connection, keypad, media, acceptKey: null };
    const left = (): void => this.#part(answered, 'declined', true);
    const begin = (rate: SampleRate, onBegun: () => void): void => {
      const onTone = listenTo(
        connection,
        {
          key: (...key) => this.#onKey(...key),
          left,
          lost,
          taken: this.#options.onTaken,
          moved: () => this.moved(),
        },
        this.#options,
      );
      backgroundTasks.add('connecting the sound of a transfer', async () => {
        try {
          await media.begin(withTones(connection.endpoint, onTone), rate);
        } catch {
          return lost();
        }
        return onBegun();
      });
    };
    return { answered, begin };
  }

  #connect(answered: Answered): void {
    const { life } = this.#options;
    this.#tone.end();
    this.#leg = { ...answered, state: 'bridging' };
    this.#bridge(answered, 'bridging', (isBridged) => {
      if (!isBridged) this.#passOn(answered);
      life.report({ type: 'line.transferred' });
    });
  }

  /** Bridges both legs if possible. `onDecided` is called, unless the leg has left this state by then. */
  #bridge(
    answered: Answered,
    state: 'bridging' | 'connected',
    onDecided: (isBridged: boolean) => void,
  ): void {
    const bridge = this.#bridgeTo(answered.connection);
    if (bridge === null) return onDecided(false);
    return this.#options.backgroundTasks.add('bridging two legs', async () => {
      const isOpen = await this.#open(bridge);
      const leg = this.#leg;
      const isWanted = leg.state === state && leg.connection === answered.connection;
      if (!isWanted) return isOpen ? bridge.leave() : undefined;
      if (isOpen) this.#bridged(answered, bridge);
      return onDecided(isOpen);
    });
  }

  /** Brings the audio of both legs to this process, including legs that were taken over in a bridge. */
  #attach({ connection }: Answered): void {
    const own = this.#options.first.connection();
    for (const side of [own?.endpoint.bridgeSide(), connection.endpoint.bridgeSide()])
      if (side) this.#options.backgroundTasks.add('leaving a bridge', () => side.attach());
  }

  /**
   * Returns the bridge; `null` if the legs cannot be bridged. A wideband recording would lose quality in a bridge,
   * because the bridge's taps are narrowband.
   */
  #bridgeTo({ endpoint }: Connection): Bridge | null {
    const { first, mediaServers } = this.#options;
    const own = first.connection()?.endpoint;
    if (own === undefined || first.media.sampleRate() !== telephoneRate) return null;
    return mediaServers.bridgeOf(own, endpoint);
  }

  async #open(bridge: Bridge): Promise<boolean> {
    try {
      await bridge.open();
      return true;
    } catch (error) {
      this.#options.logger.warn(
        { err: error },
        'two legs could not be bridged on FreeSWITCH: the gateway relays their audio',
      );
      return false;
    }
  }

  #bridged(answered: Answered, bridge: Bridge): void {
    const { first, time } = this.#options;
    first.media.dismissAgent();
    const recording = recordBridge(bridge, first.media, time);
    this.#leg = { ...answered, state: 'connected', acceptKey: null, bridge: recording };
  }

  /** Forwards the audio of each leg to the other as soon as it is connected. */
  #passOn(answered: Answered): void {
    const { first } = this.#options;
    this.#leg = { ...answered, state: 'connected', acceptKey: null, bridge: null };
    first.media.talkWith(answered.media);
    answered.media.talkWith(first.media);
  }

  /**
   * Whether this process must forward a digit. Only INFO digits are forwarded, because a bridge itself forwards RTP
   * telephone events.
   */
  #isForUsToPress(source: DtmfSource): boolean {
    return this.#leg.state === 'connected' && (this.#leg.bridge === null || source === 'info');
  }

  /** Handles a DTMF digit of the person. */
  #onKey(digit: string, source: DtmfSource): void {
    const leg = this.#leg;
    const { life, first } = this.#options;
    if (leg.state === 'waiting' && leg.acceptKey === digit) {
      this.#leg = { ...leg, acceptKey: null };
      life.report({ type: 'line.accepted' });
    }
    const keypad = first.keypad();
    if (this.#isForUsToPress(source) && keypad !== null) press(digit, keypad, this.#options);
  }

  #cancel(): void {
    const leg = this.#leg;
    switch (leg.state) {
      case 'ringing':
        this.#leg = { state: 'cancelled', pending: leg.pending };
        this.#patience.set(this.#options.byeMs, () => this.#fail('cancelled'));
        return leg.pending.cancel();
      case 'joining':
      case 'waiting':
      case 'bridging':
        return this.#part(leg, 'cancelled', false);
      default:
        return undefined;
    }
  }

  /** Handles the end of an answered leg. The call continues without the leg, or ends if both persons were connected. */
  #part({ connection, media }: Answered, cause: UnansweredCause, hasLeft: boolean): void {
    const leg = this.#leg;
    if (!('connection' in leg) || leg.connection !== connection) return undefined;
    letGo(connection, media, { ...this.#options, hasLeft });
    if (leg.state !== 'connected') return this.#fail(cause);
    this.#forget();
    return this.#options.life.send({ type: 'hangup.requested' });
  }

  #fail(cause: UnansweredCause, sip?: SipDetails): void {
    this.#forget();
    this.#options.life.report({
      type: 'line.transfer_failed',
      cause,
      ...(sip === undefined ? {} : { sip }),
    });
  }

  /** Sets the state; returns the previous one. */
  #forget(): Leg {
    const forgotten = this.#leg;
    this.#leg = { state: 'none' };
    if (forgotten.state === 'connected') forgotten.bridge?.close();
    this.#tone.end();
    this.#patience.cancel();
    return forgotten;
  }
}
