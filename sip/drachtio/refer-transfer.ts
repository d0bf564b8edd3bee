/**
 * A cold transfer that the far end of a call makes itself: a REFER asks it to call the person (RFC 3515, RFC 5589), and
 * its NOTIFY requests tell how that went. Nobody can take a REFER back.
 *
 * The far end has taken the call over when it reports a 2xx; when it takes the REFER and says that it will report nothing
 * (`Refer-Sub: false`, RFC 4488); and when it hangs up behind a 2xx to the REFER without having reported more than 100, as
 * trunks do that send no NOTIFY, or behind its last NOTIFY. One that has reported that the person rings would have reported
 * the answer as well: with its BYE the other party has hung up.
 */
import type { Logger } from 'pino';
import type Srf from 'drachtio-srf';
import type { SipDetails, TransferMode, UnansweredCause } from '#machines/line.ts';
import { unansweredCause } from '../causes.ts';
import { headerOf } from '../headers/header-values.ts';
import { isReferNotice, referNoticeIn, type ReferNotice } from '../headers/refer-notice.ts';
import type { LineTime } from '../line-time.ts';
import type { LineLife } from '../run-line-life.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import { createHoldTone, type HoldTone } from '../playout/hold-tone.ts';
import type { Connection } from './signalling/attempt.ts';
import { requestInDialog } from './signalling/dialog-requests.ts';
import { bodyIn, bodyProblem, type Understood } from './signalling/message-body.ts';
import { refusals, type InviteRefusal } from './signalling/refusals.ts';
import type { Trunk } from '#src/domain/trunk.ts';

export type ReferTransferOptions = {
  /** The far end of the call; `null` while there is none. */
  connection: () => Connection | null;
  /** Headers of a REFER to this number. */
  referTo: (trunk: Trunk, to: string) => Record<string, string>;
  /** Plays to the other party. */
  play: (samples: Int16Array) => void;
  life: Pick<LineLife, 'is' | 'report' | 'send'>;
  time: Pick<LineTime, 'after'>;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** A REFER, from when it is to be sent until its result is known. */
type Refer = {
  isSent: boolean;
  /** The far end calls the person. */
  isTaken: boolean;
  /** Its sequence number, by which notices name it; null until it was answered. */
  sequence: number | null;
  /** The last status that was reported. */
  lastStatus: number;
  reportsMore: boolean;
  /** The far end sends its audio elsewhere already. */
  hasLostSound: boolean;
};

const noticeBodies: Understood = { types: ['message/sipfrag'], dispositions: ['render', 'session'] };

const badNotice: InviteRefusal = { status: 400, reason: 'Bad Request' };

/** The far end has no such dialog, or has not answered at all: it says nothing of REFER. */
const saysNothing: ReadonlySet<number> = new Set([408, 481]);

const sequenceOf = (response: Srf.SrfResponse): number | null => {
  const [, sequence] = /^\s*(\d{1,10})\s/.exec(response.get('CSeq') ?? '') ?? [];
  return sequence === undefined ? null : Number(sequence);
};

export class ReferTransfer {
  readonly #options: ReferTransferOptions;
  readonly #tone: HoldTone;
  #refer: Refer | null = null;
  #isRefused = false;
  /** Of the last REFER whose result is known. */
  #lastSequence = 0;

  constructor(options: ReferTransferOptions) {
    this.#options = options;
    this.#tone = createHoldTone(options.time, options.play);
  }

  /** Whether the far end is to make such a transfer. */
  makes(mode: TransferMode): boolean {
    return mode === 'cold' && !this.#isRefused && this.#options.connection()?.trunk.refer === true;
  }

  isUnderWay(): boolean {
    return this.#refer !== null;
  }

  begin(to: string): void {
    const { life, time, connection } = this.#options;
    const standing = connection();
    if (standing === null || !life.is('answered') || this.isUnderWay()) return;
    const refer: Refer = {
      isSent: false,
      isTaken: false,
      sequence: null,
      lastStatus: 0,
      reportsMore: true,
      hasLostSound: false,
    };
    this.#refer = refer;
    this.#tone.begin(standing.endpoint.sampleRate());
    life.report({ type: 'line.referring' });
    // Until then it can be taken back.
    time.after(0, () => this.#send(refer, standing, to));
  }

  /** The result is not waited for any more; what the far end does goes on. */
  giveUp(): void {
    if (this.#refer !== null) this.#fail('cancelled');
  }

  /** Returns the refusal of a NOTIFY, or null where it is to be answered with 200. */
  notified(request: Srf.SrfRequest): InviteRefusal | null {
    const refer = this.#refer;
    if (refer === null || !refer.isSent || !isReferNotice(request)) return refusals.noSuchCall;
    const problem = bodyProblem(request, noticeBodies);
    if (problem !== undefined) return problem;
    const notice = referNoticeIn(request, bodyIn(request, noticeBodies)?.content ?? null);
    if (notice === undefined) return badNotice;
    if (!this.#isAbout(refer, notice)) return refusals.noSuchCall;
    this.#take(refer, notice);
    return null;
  }

  /** The far end has said BYE, which may mean that it has taken the call over. */
  farEndLeft(): void {
    const refer = this.#refer;
    if (refer?.isTaken === true && (refer.lastStatus <= 100 || !refer.reportsMore)) this.#succeed();
  }

  /** The audio is lost. Returns whether that matters only if the transfer fails: the far end may have moved it. */
  keepsLostSound(): boolean {
    if (this.#refer?.isSent !== true) return false;
    this.#refer.hasLostSound = true;
    return true;
  }

  /** The line ends. */
  end(): void {
    this.#forget();
  }

  #send(refer: Refer, { trunk, dialog }: Connection, to: string): void {
    if (this.#refer !== refer) return;
    refer.isSent = true;
    const { referTo, backgroundTasks } = this.#options;
    backgroundTasks.add('REFER', async () => {
      let answer: Srf.SrfResponse;
      try {
        answer = await requestInDialog(dialog, 'REFER', {
          headers: referTo(trunk, to),
          body: '',
          onResponse: (response) => this.#heard(refer, response),
        });
      } catch (error) {
        if (this.#refer === refer && !refer.isTaken) this.#fail('trunk_error');
        throw error;
      }
      if (answer.status >= 300) this.#refused(refer, trunk, answer);
    });
  }

  /** A NOTIFY or a BYE may come together with it. */
  #heard(refer: Refer, answer: Srf.SrfResponse): void {
    if (this.#refer !== refer || answer.status >= 300) return;
    refer.isTaken = true;
    refer.sequence = sequenceOf(answer);
    if (headerOf(answer, 'Refer-Sub').trim().toLowerCase() === 'false') this.#succeed();
  }

  #refused(refer: Refer, trunk: Trunk, { status, reason }: Srf.SrfResponse): void {
    // A notice has said already that the person is called.
    if (this.#refer !== refer || refer.isTaken) return;
    if (saysNothing.has(status)) {
      this.#fail('trunk_error', { status, reason });
      return;
    }
    this.#isRefused = true;
    const { logger, life } = this.#options;
    logger.warn(
      { trunk: trunk.name, sip_status: status },
      'a trunk refuses REFER, so the person is called by a call of its own',
    );
    this.#over(() => life.report({ type: 'line.refer_refused' }));
  }

  /** A notice without a number is about the REFER that is under way: far ends often leave it out. */
  #isAbout({ sequence }: Refer, { id }: ReferNotice): boolean {
    if (id === null) return true;
    return sequence === null ? id > this.#lastSequence : id === sequence;
  }

  #take(refer: Refer, { id, status, reason, isLast }: ReferNotice): void {
    refer.isTaken = true;
    refer.sequence ??= id;
    if (isLast) refer.reportsMore = false;
    if (status === null) return;
    const rang = refer.lastStatus > 100;
    refer.lastStatus = status;
    if (status >= 300) this.#fail(unansweredCause({ status, rang }), { status, reason });
    else if (status >= 200) this.#succeed();
  }

  #succeed(): void {
    this.#forget();
    this.#options.life.report({ type: 'line.referred' });
  }

  #fail(cause: UnansweredCause, said?: Pick<SipDetails, 'status' | 'reason'>): void {
    const { life, connection } = this.#options;
    const callId = connection()?.sip.callId ?? null;
    const sip = said && { ...said, callId };
    this.#over(() =>
      life.report({ type: 'line.transfer_failed', cause, ...(sip === undefined ? {} : { sip }) }),
    );
  }

  /** The call goes on here, unless its audio was lost meanwhile. */
  #over(report: () => void): void {
    const hasLostSound = this.#refer?.hasLostSound === true;
    this.#forget();
    report();
    if (hasLostSound) this.#options.life.send({ type: 'sound.lost' });
  }

  #forget(): void {
    this.#lastSequence = Math.max(this.#lastSequence, this.#refer?.sequence ?? 0);
    this.#refer = null;
    this.#tone.end();
  }
}
