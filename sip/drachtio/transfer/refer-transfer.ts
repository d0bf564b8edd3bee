/**
 * A cold transfer by the far end of a call: a REFER asks it to call the person (RFC 3515, RFC 5589), and its NOTIFY
 * requests report the result. A REFER cannot be withdrawn.
 *
 * The far end has taken over the call in each of these cases:
 * - The far end reports a 2xx.
 * - The far end accepts the REFER with the statement that it will send no reports (`Refer-Sub: false`, RFC 4488).
 * - The far end accepts the REFER and hangs up without a report above 100, as trunks without NOTIFY do, or after its
 *   last NOTIFY.
 *
 * A far end that reported ringing would have reported the answer as well: its BYE then means that the other party has
 * hung up.
 */
import type { Logger } from 'pino';
import type Srf from 'drachtio-srf';
import type { SipDetails, TransferMode, UnansweredCause } from '#machines/line.ts';
import { unansweredCause } from '../../causes.ts';
import { headerOf } from '../../headers/header-values.ts';
import { isReferNotice, referNoticeIn, type ReferNotice } from '../../headers/refer-notice.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { LineLife } from '#machines/line-life.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import { createHoldTone, type HoldTone } from '#sip/audio/playout/hold-tone.ts';
import type { Connection } from '../leg.ts';
import { requestInDialog } from '../dialog/sent-requests.ts';
import { bodyIn, bodyProblem, type Understood } from '../dialog/message-body.ts';
import { refusals, type InviteRefusal } from '../dialog/refusals.ts';
import type { Trunk } from '#src/domain/trunk.ts';

export type ReferTransferOptions = {
  /** Returns the far end of the call; `null` if there is none. */
  connection: () => Connection | null;
  /** Returns the headers of a REFER to this number. */
  referTo: (trunk: Trunk, to: string) => Record<string, string>;
  /** Plays audio to the other party. */
  play: (samples: Int16Array) => void;
  life: Pick<LineLife, 'is' | 'report' | 'send'>;
  time: Pick<LineTime, 'after'>;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** A REFER, from the decision to send it until its result is known. */
type Refer = {
  isSent: boolean;
  /** Whether the far end has accepted the REFER. */
  isTaken: boolean;
  /** CSeq number of the REFER, by which notifications identify the REFER; null before the REFER was answered. */
  sequence: number | null;
  /** Last reported status. */
  lastStatus: number;
  reportsMore: boolean;
  /** Whether the far end has already moved its audio elsewhere. */
  hasLostAudio: boolean;
};

const noticeBodies: Understood = { types: ['message/sipfrag'], dispositions: ['render', 'session'] };

const badNotice: InviteRefusal = { status: 400, reason: 'Bad Request' };

/** Statuses of a missing dialog and of a time-out, which do not show whether the far end supports REFER. */
const inconclusiveStatuses: ReadonlySet<number> = new Set([408, 481]);

const sequenceOf = (response: Srf.SrfResponse): number | null => {
  const [, sequence] = /^\s*(\d{1,10})\s/.exec(response.get('CSeq') ?? '') ?? [];
  return sequence === undefined ? null : Number(sequence);
};

export class ReferTransfer {
  readonly #options: ReferTransferOptions;
  readonly #tone: HoldTone;
  #refer: Refer | null = null;
  #isRefused = false;
  /** CSeq number of the last REFER with a known result. */
  #lastSequence = 0;

  constructor(options: ReferTransferOptions) {
    this.#options = options;
    this.#tone = createHoldTone(options.time, options.play);
  }

  /** Whether the far end should perform a transfer of this mode. */
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
      hasLostAudio: false,
    };
    this.#refer = refer;
    this.#tone.begin(standing.endpoint.sampleRate());
    life.report({ type: 'line.referring' });
    // The REFER is sent in a later task, so the transfer can still be cancelled before.
    time.after(0, () => this.#send(refer, standing, to));
  }

  /** Stops waiting for the result. The far end's actions continue. */
  giveUp(): void {
    if (this.#refer !== null) this.#fail('cancelled');
  }

  /** Returns the refusal of a NOTIFY, or null to answer it with 200. */
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

  /** Handles the far end's BYE, which may mean that the far end has taken over the call. */
  farEndLeft(): void {
    const refer = this.#refer;
    if (refer?.isTaken === true && (refer.lastStatus <= 100 || !refer.reportsMore)) this.#succeed();
  }

  /**
   * Handles the loss of audio. Returns true if the line must keep the call despite the loss, because a transfer has
   * been sent and the far end may have moved the audio; the loss then counts only if the transfer fails.
   */
  keepsLostAudio(): boolean {
    if (this.#refer?.isSent !== true) return false;
    this.#refer.hasLostAudio = true;
    return true;
  }

  /** Called when the line ends. */
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

  /**
   * Handles the response. Requests are held meanwhile, because a NOTIFY or BYE may arrive together with the response.
   */
  #heard(refer: Refer, answer: Srf.SrfResponse): void {
    if (this.#refer !== refer || answer.status >= 300) return;
    refer.isTaken = true;
    refer.sequence = sequenceOf(answer);
    if (headerOf(answer, 'Refer-Sub').trim().toLowerCase() === 'false') this.#succeed();
  }

  #refused(refer: Refer, trunk: Trunk, { status, reason }: Srf.SrfResponse): void {
    // No report is made if a NOTIFY has already reported that the person is being called.
    if (this.#refer !== refer || refer.isTaken) return;
    if (inconclusiveStatuses.has(status)) {
      this.#fail('trunk_error', { status, reason });
      return;
    }
    this.#isRefused = true;
    const { logger, life } = this.#options;
    logger.warn(
      { trunk: trunk.name, sip_status: status },
      'a trunk refused REFER; the gateway calls the person itself',
    );
    this.#over(() => life.report({ type: 'line.refer_refused' }));
  }

  /**
   * Whether a notice concerns this REFER. A NOTIFY without an id concerns the pending REFER, because far ends often
   * omit the id.
   */
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

  /** Ends the transfer. The call continues at this gateway unless its audio was lost in the meantime. */
  #over(report: () => void): void {
    const hasLostAudio = this.#refer?.hasLostAudio === true;
    this.#forget();
    report();
    if (hasLostAudio) this.#options.life.send({ type: 'audio.lost' });
  }

  #forget(): void {
    this.#lastSequence = Math.max(this.#lastSequence, this.#refer?.sequence ?? 0);
    this.#refer = null;
    this.#tone.end();
  }
}
