/**
 * Handles a REFER from the far end of a call, which asks the gateway to connect it with another person (RFC 3515). If
 * the trunk of the far end allows REFER (`accept_refer`), the call decides, and the far end receives the progress of
 * the transfer by NOTIFY. Other REFERs are declined: those with an unreadable number, those that replace another call
 * (`Replaces`, RFC 3891), and those during a transfer.
 */
import type Srf from 'drachtio-srf';
import type { LineCommand, LineReport, UnansweredCause } from '#machines/line.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { headerOf } from '../../headers/header-values.ts';
import { nameAddressesIn } from '../../headers/name-addresses.ts';
import { createAlarm, type Alarm, type LineTime } from '#sip/audio/line-time.ts';
import { calledNumber } from '../../parties/number-format.ts';
import type { LineLife } from '#machines/line-life.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import { isStanding } from '../dialog/held-requests.ts';
import type { Connection } from '../leg.ts';
import { requestInDialog } from '../dialog/sent-requests.ts';

/** Time within which the call must decide. */
const decisionMs = 10_000;

/** Expiry of the subscription, which exceeds the longest ringing time. */
const subscriptionSec = 300;

/** SIP status reported to the far end if only the failure cause is known. */
const statusOf: Readonly<Record<UnansweredCause, [number, string]>> = {
  no_answer: [480, 'Temporarily Unavailable'],
  busy: [486, 'Busy Here'],
  declined: [603, 'Decline'],
  cancelled: [487, 'Request Terminated'],
  invalid_number: [404, 'Not Found'],
  trunk_error: [503, 'Service Unavailable'],
  media_error: [488, 'Not Acceptable Here'],
};

export type ReferRequestOptions = {
  /** Returns the far end of the call; `null` if there is none. */
  connection: () => Connection | null;
  /** Whether a transfer of this call is already in progress. */
  isTransferring: () => boolean;
  country: Country;
  life: Pick<LineLife, 'is' | 'report'>;
  time: Pick<LineTime, 'after'>;
  backgroundTasks: BackgroundTasks;
};

type State =
  | { name: 'idle' }
  /** State before the decision of the call. */
  | { name: 'asked'; to: string; request: Srf.SrfRequest; response: Srf.SrfResponse }
  /**
   * State after the decision. `event` is the event of the subscription; null if the far end wants no reports (RFC
   * 4488).
   */
  | { name: 'accepted'; event: string | null; rang: boolean };

/** Whether the REFER would replace another call, or asks for another method than INVITE. */
const isNoPlainCall = (uri: string): boolean => {
  const text = uri.toLowerCase();
  const headersAt = text.indexOf('?');
  const replaces = headersAt !== -1 && text.includes('replaces=', headersAt);
  return replaces || (text.includes(';method=') && !text.includes(';method=invite'));
};

/** Returns the number in the REFER, in domestic format; undefined without a valid number. */
const numberIn = (referTo: string, country: Country): string | undefined => {
  const [target, ...others] = nameAddressesIn(referTo);
  return target === undefined || others.length > 0 || isNoPlainCall(target.uri)
    ? undefined
    : calledNumber(target.uri, country);
};

export class ReferRequest {
  readonly #options: ReferRequestOptions;
  readonly #patience: Alarm;
  #state: State = { name: 'idle' };

  constructor(options: ReferRequestOptions) {
    this.#options = options;
    this.#patience = createAlarm(options.time);
  }

  received(request: Srf.SrfRequest, response: Srf.SrfResponse): void {
    const { connection, isTransferring, country, life } = this.#options;
    const isPossible = connection()?.trunk.acceptRefer === true && life.is('answered') && !isTransferring();
    const referTo = headerOf(request, 'Refer-To') || headerOf(request, 'r');
    if (referTo === '') return response.send(400);
    const to = isPossible && this.#state.name === 'idle' ? numberIn(referTo, country) : undefined;
    if (to === undefined) return response.send(603);
    this.#state = { name: 'asked', to, request, response };
    this.#patience.set(decisionMs, () => this.refuse());
    return life.report({ type: 'line.refer_received', to });
  }

  /**
   * Whether this transfer is the one that the far end requested. If so, the far end is notified that its request was
   * accepted.
   */
  takes({ to, mode }: Extract<LineCommand, { type: 'transfer' }>): boolean {
    const state = this.#state;
    if (state.name !== 'asked') return false;
    if (state.to !== to || mode !== 'cold') {
      this.refuse();
      return false;
    }
    this.#patience.cancel();
    this.#accept(state);
    return true;
  }

  refuse(): void {
    if (this.#state.name !== 'asked') return;
    const { response } = this.#state;
    this.#forget();
    response.send(603);
  }

  /** Called when the person's telephone is ringing. */
  rang(): void {
    if (this.#state.name !== 'accepted' || this.#state.rang) return;
    this.#state.rang = true;
    this.#notify('180 Ringing');
  }

  /** Handles a report of the line. */
  reported(report: LineReport): void {
    if (report.type === 'line.transferred') this.#settle('200 OK');
    if (report.type !== 'line.transfer_failed') return;
    const [status, reason] = statusOf[report.cause];
    const { status: said } = report.sip ?? {};
    const isKnown = typeof said === 'number' && said >= 300;
    this.#settle(isKnown ? `${said} ${report.sip?.reason ?? ''}`.trim() : `${status} ${reason}`);
  }

  /** Called when the line ends. */
  end(): void {
    this.refuse();
    this.#settle('487 Request Terminated');
  }

  #accept({ request, response }: Extract<State, { name: 'asked' }>): void {
    const wantsNoReports = headerOf(request, 'Refer-Sub').trim().toLowerCase() === 'false';
    const [sequence = ''] = /^\d{1,10}/.exec(headerOf(request, 'CSeq').trim()) ?? [];
    this.#state = { name: 'accepted', event: wantsNoReports ? null : `refer;id=${sequence}`, rang: false };
    response.send(202, wantsNoReports ? { headers: { 'Refer-Sub': 'false' } } : {});
    this.#notify('100 Trying');
  }

  #settle(status: string): void {
    if (this.#state.name !== 'accepted') return;
    this.#notify(status, 'terminated;reason=noresource');
    this.#forget();
  }

  #notify(status: string, subscriptionState = `active;expires=${subscriptionSec}`): void {
    const { connection, backgroundTasks } = this.#options;
    const state = this.#state;
    const dialog = connection()?.dialog;
    if (state.name !== 'accepted' || state.event === null || dialog === undefined || !isStanding(dialog))
      return;
    const headers = {
      Event: state.event,
      'Subscription-State': subscriptionState,
      'Content-Type': 'message/sipfrag;version=2.0',
    };
    backgroundTasks.add('NOTIFY', async () => {
      const answer = await requestInDialog(dialog, 'NOTIFY', { headers, body: `SIP/2.0 ${status}\r\n` });
      // If the far end does not know the subscription, no further reports are sent.
      if (answer.status >= 300 && this.#state === state) state.event = null;
    });
  }

  #forget(): void {
    this.#state = { name: 'idle' };
    this.#patience.cancel();
  }
}
