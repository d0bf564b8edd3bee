/**
 * One real telephone call behind the interface of `machines/line.ts`: a leg, the connection that results from it, and
 * the audio of that connection.
 */
import type { Logger } from 'pino';
import type { AnyActorRef } from 'xstate';
import type { Line, LineEvent, LineInput, SipDetails } from '#machines/line.ts';
import type { MediaStatistics } from '#machines/media-statistics.ts';
import type { Clock } from '#src/domain/clock.ts';
import { isNetworkFailure } from '../causes.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { runLineLife, type LineEnd, type LineLife } from '#machines/line-life.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { isHold } from '#sip/sdp/media-offer.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { createCallMedia, type CallMedia, type MediaMeans } from '#sip/audio/call-media.ts';
import { createKeypad, type Keypad } from './dtmf/keypad.ts';
import { takenByOther, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { MediaServers } from '../freeswitch/media-servers.ts';
import { hangUp, noSip, type PendingLeg, type Connection, type Outcome } from './leg.ts';
import type { LeaveStanding } from './resume/leave-standing.ts';
import type { StandingLine } from './resume/lost-connection.ts';
import { createDtmfDeduplication, type DtmfSource } from './dtmf/dtmf.ts';
import { answerInDialogRequests } from './dialog/received-requests.ts';
import { ReferTransfer } from './transfer/refer-transfer.ts';
import { ReferRequest } from './transfer/refer-request.ts';
import { SecondLeg } from './transfer/second-leg.ts';
import { watchMedia, type MediaWatch } from './media-watch.ts';
import { withTones } from './dtmf/tone-endpoint.ts';

export type DrachtioLineOptions = MediaMeans & {
  input: LineInput;
  emit: (event: LineEvent) => void;
  /** Line actor of the call. */
  parent: AnyActorRef | undefined;
  /** Begins to dial or to answer. */
  beginLeg: (call: { onRinging: () => void; parent: AnyActorRef }) => PendingLeg;
  /** Begins to call a transfer target for the other party, on this media server if possible. */
  ring: (
    to: string,
    call: { onRinging: () => void; parent: AnyActorRef; preferredServer: string | null },
  ) => PendingLeg;
  mediaServers: Pick<MediaServers, 'bridgeOf'>;
  /** Leaves a far end to another process. */
  leaveStanding: LeaveStanding;
  /** Returns the headers of a REFER that asks this trunk to call that person. */
  referTo: (trunk: Trunk, to: string) => Record<string, string>;
  country: Country;
  /** Whether the line takes over an established call of another process. */
  isAdopted: boolean;
  /** Timeout of a BYE or CANCEL, after which the call counts as ended. */
  byeMs: number;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
  /** Called when another gateway has taken over the call. The line has released it. */
  onTaken: () => void;
  /** Called when the line is over and has released all resources. */
  onOver: () => void;
};

export type DrachtioLine = Line &
  StandingLine & {
    /** Described at `LineCheckpoint`. */
    isResumable(): boolean;
  };

/** SIP dialog of a call, from the first INVITE on. */
type CallDialog = {
  pending: PendingLeg;
  /** The connection; `null` before the answer, and in an unanswered call. */
  connection: Connection | null;
  /** SIP details; `null` before the leg has a result. */
  sip: SipDetails | null;
  /** Checks of the call's audio; set at the answer. */
  watch: MediaWatch | null;
  keypad: Keypad | null;
  /** Audio statistics; `null` until the call is over. */
  statistics: MediaStatistics | null;
};

/** Returns the id of the dialog in drachtio-server, which is missing in the types of drachtio-srf. */
const idOf = ({ connection }: Pick<CallDialog, 'connection'>): string | null => {
  const id: unknown = connection && Reflect.get(connection.dialog, 'id');
  return typeof id === 'string' ? id : null;
};

/** Returns the id of the dialog with the media server in drachtio-server. */
const channelIdOf = ({ connection }: Pick<CallDialog, 'connection'>): string | null =>
  connection?.endpoint.channel()?.dialog?.id ?? null;

/** Adds the details of the dialog and its audio to the events of its answer and end. */
const withDetails = (event: LineEvent, { sip, pending, statistics }: CallDialog): LineEvent => {
  const details = () => {
    const route = pending.route();
    return { sip: sip ?? pending.sip(), ...(route === null ? {} : { route }) };
  };
  switch (event.type) {
    case 'line.answered':
    case 'line.unanswered':
      return { ...event, ...details() };
    case 'line.ended':
      return { ...event, ...details(), ...(statistics === null ? {} : { sound: statistics }) };
    default:
      return event;
  }
};

type Means = Pick<DrachtioLineOptions, 'clock' | 'backgroundTasks' | 'logger'>;

/** Means of listening. DTMF digits that two connected persons send are passed only to each other. */
type Listening = Means & {
  secondLeg: Pick<SecondLeg, 'takesKey' | 'moved'>;
  referTransfer: Pick<ReferTransfer, 'notified' | 'keepsLostAudio'>;
  referRequest: Pick<ReferRequest, 'received'>;
  onLeft: (explanation: Pick<SipDetails, 'reasons' | 'callInfo'>) => void;
  /** Releases the call, which another gateway has taken over. */
  onTaken: () => void;
};

/** Restores the hold state of a call that is taken over, because the take-over does not end a hold. */
const stayOnHold = ({ connection, watch }: CallDialog, life: LineLife): void => {
  if (connection === null) return;
  const { remote, local } = connection.dialog;
  if (!isHold(remote.sdp, local.sdp)) return;
  watch?.held(true);
  life.send({ type: 'held' });
};

/** Takes over the person with whom the other party of the call talks. Without that person the call is over. */
const adoptPerson = (person: Outcome, life: LineLife, secondLeg: SecondLeg): void => {
  if (person.answered) return secondLeg.adopt(person.connection);
  return life.send({ type: person.cause === 'cancelled' ? 'hangup.requested' : 'audio.lost' });
};

const sendAway = ({ endpoint, ...connection }: Connection, { backgroundTasks }: Means): void => {
  backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
  backgroundTasks.add('BYE', () => hangUp(connection));
};

/** Passes the outcome of the leg to the state of the line. */
const follow = (
  dialog: CallDialog,
  life: LineLife,
  secondLeg: SecondLeg,
  { isAdopted, ...means }: Means & Pick<DrachtioLineOptions, 'isAdopted'>,
): void =>
  means.backgroundTasks.add('a leg of a call', async () => {
    const outcome = await dialog.pending.outcome;
    if (!outcome.answered) {
      dialog.sip ??= outcome.sip;
      if (!isAdopted) return life.send({ type: 'unanswered', cause: outcome.cause });
      life.send({ type: outcome.cause === 'cancelled' ? 'left' : 'adoption.failed' });
      // The line was given up while it was being connected, so it ends.
      return life.send({ type: 'released' });
    }
    const { connection, person } = outcome;
    dialog.sip ??= connection.sip;
    if (life.is('calling')) {
      dialog.connection = connection;
      if (!isAdopted) return life.send({ type: 'answered' });
      life.send({ type: 'adopted' });
      stayOnHold(dialog, life);
      return person && adoptPerson(person, life, secondLeg);
    }
    // The answer crossed the cancellation, so the call is hung up.
    life.send({ type: 'released' });
    if (person?.answered === true) sendAway(person.connection, means);
    return sendAway(connection, means);
  });

/** Reports whether DTMF digits can be sent, at each change. The initial assumption is that they can. */
const createDtmfReports = (keypad: Keypad, life: LineLife) => {
  let canSend = true;
  return (): void => {
    const means = keypad.means();
    if ((means.sent !== 'none') === canSend || !life.is('answered')) return;
    canSend = !canSend;
    life.report({ type: 'line.dtmf', means });
  };
};

/** Subscribes to requests, DTMF digits and the loss of audio of an answered call. Returns the handler of in-band DTMF tones. */
const listenTo = (
  connection: Connection,
  { watch, reportDtmf }: { watch: MediaWatch; reportDtmf: () => void },
  life: LineLife,
  { clock, backgroundTasks, logger, secondLeg, referTransfer, referRequest, onLeft, onTaken }: Listening,
): ((digit: string) => void) => {
  const { endpoint } = connection;
  const deduplication = createDtmfDeduplication(() => clock.now());
  const onKey = (digit: string, source: DtmfSource): void => {
    if (!life.is('answered') || !deduplication.isNew(digit, source)) return;
    if (secondLeg.takesKey(digit, source)) return;
    life.report({ type: 'line.digit', digit });
  };
  endpoint.onDigit((digit) => onKey(digit, 'rtp'));
  endpoint.onLost((reason) => {
    if (reason === takenByOther) return onTaken();
    if (life.is('answered')) logger.warn({ reason }, 'the media server ended the audio of a call');
    if (!referTransfer.keepsLostAudio()) life.send({ type: 'audio.lost' });
    return undefined;
  });
  connection.onMoved?.(() => secondLeg.moved());
  answerInDialogRequests(connection, {
    backgroundTasks,
    onKey: (digit) => onKey(digit, 'info'),
    onHold(isHeld) {
      reportDtmf();
      watch.held(isHeld);
      life.send({ type: isHeld ? 'held' : 'resumed' });
    },
    onLeft,
    onNotify: (request) => referTransfer.notified(request),
    onRefer: (request, response) => referRequest.received(request, response),
  });
  return (digit) => onKey(digit, 'tone');
};

/** Returns the handler of the far end's BYE, whose reason may report a network failure. */
const onLeft =
  (dialog: CallDialog, life: LineLife, referTransfer: ReferTransfer): Listening['onLeft'] =>
  (explanation) => {
    dialog.sip = { ...(dialog.sip ?? noSip), ...explanation };
    if (isNetworkFailure(explanation.reasons ?? [])) return life.send({ type: 'cut.off' });
    referTransfer.farEndLeft();
    return life.send({ type: 'left' });
  };

const connectMedia = (
  media: CallMedia,
  endpoint: MediaEndpoint,
  life: LineLife,
  { backgroundTasks, logger }: Means,
): void => {
  const beginning = media.begin(endpoint);
  backgroundTasks.add('connecting the sound of a call', async () => {
    try {
      await beginning;
    } catch (error) {
      if (life.is('answered')) logger.error({ err: error }, 'the audio of a call could not be connected');
      life.send({ type: 'audio.lost' });
    }
  });
};

/** Reads the audio statistics for the record while the endpoint exists, then destroys the endpoint. */
const finishMedia = (dialog: CallDialog, { backgroundTasks }: Means): Promise<void> => {
  const { connection, watch, keypad } = dialog;
  const measure = async (): Promise<void> => {
    const statistics = (await watch?.finish()) ?? null;
    dialog.statistics = statistics && keypad && { ...statistics, dtmf: keypad.means() };
  };
  const measured = measure();
  if (connection !== null)
    backgroundTasks.add('destroying an endpoint', () => measured.then(() => connection.endpoint.destroy()));
  return measured;
};

const carryAudio = (
  connection: Connection,
  on: { watch: MediaWatch; reportDtmf: () => void },
  media: CallMedia,
  life: LineLife,
  means: Listening,
): void => {
  const onTone = listenTo(connection, on, life, means);
  connectMedia(media, withTones(connection.endpoint, onTone), life, means);
};

/**
 * Sends CANCEL before the answer, or BYE after it. Reports to the line when the request is answered and the audio
 * statistics are known.
 */
const hangUpLeg = (
  { pending, connection }: CallDialog,
  { by }: LineEnd,
  measured: Promise<void>,
  life: LineLife,
  { backgroundTasks }: Means,
): void => {
  // The leg itself reports the response to the CANCEL.
  if (connection === null) return pending.cancel();
  if (by !== 'gateway') connection.trackedLeg.ended();
  return backgroundTasks.add('BYE', async () => {
    try {
      if (by === 'gateway') await hangUp(connection);
    } finally {
      await measured;
      life.send({ type: 'released' });
    }
  });
};

const press = (
  keys: string,
  { keypad, reportDtmf }: { keypad: Keypad; reportDtmf: () => void },
  life: LineLife,
  { backgroundTasks, logger }: Means,
): void =>
  backgroundTasks.add('pressing keys', async () => {
    try {
      await keypad.press(keys);
    } catch (error) {
      if (!life.is('answered')) return;
      logger.warn({ err: error }, 'DTMF digits could not be sent');
      reportDtmf();
      return life.report({ type: 'line.press_failed', keys });
    }
    if (life.is('answered')) life.report({ type: 'line.pressed', keys });
  });

const unconnected = (pending: PendingLeg): CallDialog => ({
  pending,
  connection: null,
  sip: null,
  watch: null,
  keypad: null,
  statistics: null,
});

/** Handles the loss of the connection to drachtio-server. */
const standing = (
  dialog: CallDialog,
  life: LineLife,
  secondLeg: SecondLeg,
  onTaken: () => void,
): StandingLine => ({
  dialogId: () => (life.is('answered') ? idOf(dialog) : null),
  channelDialogIds: () =>
    life.is('answered')
      ? [dialog, { connection: secondLeg.connection() }].flatMap((leg) => channelIdOf(leg) ?? [])
      : [],
  secondDialogId: () => idOf({ connection: secondLeg.connection() }),
  loseSecond: () => secondLeg.lose(),
  endSilently: () => life.send({ type: 'left' }),
  endSecondSilently: () => secondLeg.endSilently(),
  taken: onTaken,
  lose() {
    dialog.pending.lose();
    dialog.connection?.trackedLeg.abandon();
    if (!life.is('calling')) return life.send({ type: 'audio.lost' });
    dialog.sip = dialog.pending.sip();
    return life.send({ type: 'unanswered', cause: 'trunk_error' });
  },
});

export const createDrachtioLine = (options: DrachtioLineOptions): DrachtioLine => {
  const time = createLineTime(options.clock, 1);
  let measured: Promise<void> = Promise.resolve();
  let reportDtmf = (): void => undefined;

  const life = runLineLife({
    time,
    emit: (event) => options.emit(withDetails(event, dialog)),
    isAdopted: options.isAdopted,
    parent: options.parent,
    actions: {
      carryAudio() {
        if (dialog.connection === null) return;
        const watch = watchMedia(dialog.connection.endpoint, { ...options, time, report: life.report });
        const keypad = createKeypad(dialog.connection, { ...options, isOver: () => !life.is('answered') });
        dialog.watch = watch;
        dialog.keypad = keypad;
        reportDtmf = createDtmfReports(keypad, life);
        const listening = {
          ...options,
          secondLeg,
          referTransfer,
          referRequest,
          onLeft: onLeft(dialog, life, referTransfer),
          onTaken,
        };
        carryAudio(dialog.connection, { watch, reportDtmf }, media, life, listening);
        reportDtmf();
      },
      fallSilent() {
        referTransfer.end();
        referRequest.end();
        secondLeg.end();
        media.close();
        measured = finishMedia(dialog, options);
      },
      hangUp(end) {
        time.after(options.byeMs, () => life.send({ type: 'released' }));
        hangUpLeg(dialog, end, measured, life, options);
      },
      release(audioUntil) {
        referTransfer.end();
        referRequest.end();
        secondLeg.leave(audioUntil);
        if (dialog.connection === null) media.leave();
        else options.leaveStanding(dialog.connection, media, audioUntil);
      },
    },
    onOver: options.onOver,
  });
  const onTaken = (): void => {
    life.finish.release('now');
    options.onTaken();
  };
  const media = createCallMedia({
    ...options,
    time,
    report: life.report,
    onLost() {
      if (!referTransfer.keepsLostAudio()) life.send({ type: 'audio.lost' });
    },
  });
  const dialog = unconnected(
    options.beginLeg({ onRinging: () => life.send({ type: 'rang' }), parent: life.actor }),
  );
  const referRequest = new ReferRequest({
    ...options,
    life,
    time,
    connection: () => dialog.connection,
    isTransferring: () => secondLeg.isUnderWay() || referTransfer.isUnderWay(),
  });
  const secondLeg = new SecondLeg({
    ...options,
    ring: (to, preferredServer) =>
      options.ring(to, {
        preferredServer,
        parent: life.actor,
        onRinging: () => referRequest.rang(),
      }),
    life: {
      ...life,
      report(report) {
        referRequest.reported(report);
        life.report(report);
      },
    },
    time,
    onTaken,
    first: { media, connection: () => dialog.connection, keypad: () => dialog.keypad },
    createMedia: (on) => createCallMedia({ ...options, ...on, hearing: null, openRecording: null, time }),
  });
  const referTransfer = new ReferTransfer({
    ...options,
    life,
    time,
    connection: () => dialog.connection,
    play: media.pass,
  });
  follow(dialog, life, secondLeg, options);

  return {
    tell(command) {
      if (life.is('over')) return undefined;
      switch (command.type) {
        case 'say':
          return media.say(command.utterance, command.text, command.language);
        case 'changeLanguage':
          return media.changeLanguage(command.language);
        case 'press':
          if (!life.is('answered') || dialog.keypad === null) return undefined;
          return press(command.keys, { keypad: dialog.keypad, reportDtmf }, life, options);
        case 'stopTalking':
        case 'pauseTalking':
        case 'resumeTalking':
        case 'pauseRecording':
        case 'resumeRecording':
        case 'hideTones':
        case 'showTones':
          return media[command.type]();
        case 'transfer':
          if (!referRequest.takes(command) && referTransfer.makes(command.mode))
            return referTransfer.begin(command.to);
          return secondLeg.tell(command);
        case 'cancelTransfer':
          return referTransfer.isUnderWay() ? referTransfer.giveUp() : secondLeg.tell(command);
        case 'brief':
        case 'connect':
          return secondLeg.tell(command);
        case 'refuseRefer':
          return referRequest.refuse();
        case 'expectHangup':
          return undefined;
        case 'hangUp':
          return life.send({ type: 'hangup.requested' });
      }
    },
    hearing: media.hearing,
    ...life.finish,
    isResumable: () => life.is('answered') && secondLeg.isResumable() && !referTransfer.isUnderWay(),
    ...standing(dialog, life, secondLeg, onTaken),
  };
};
