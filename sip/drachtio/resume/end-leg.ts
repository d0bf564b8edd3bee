/**
 * Ends the far end of a call without state of drachtio-srf. drachtio-server accepts a BYE by the dialog's id, and a
 * CANCEL or a response by the transaction's id, from any client. If drachtio-server was restarted and knows neither, an
 * established dialog is ended by a BYE that is built from the stored leg.
 */
import type { Clock } from '#src/domain/clock.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import { takenByOther } from '../../relay/taken-by-other.ts';
import { longestUri } from '../connection/message-limits.ts';

/** Thrown when there is no connection. */
export class NotConnected extends Error {}

/** Sends a message to drachtio-server: ids, first hop and SIP text. Rejects on an error response. */
export type SendCommand = (message: {
  transactionId?: string;
  dialogId?: string;
  nextHop?: string;
  sip: string;
}) => Promise<void>;

/** How the leg ended. `gone`: the far end had already ended, is unreachable, or continues at another gateway. */
export type LegEnd = 'BYE' | 'CANCEL' | 'answered 480' | 'gone';

/** Time after which an answer that crossed the CANCEL has arrived. */
const crossingMs = 500;

const message = (startLine: string, headers: readonly string[] = []): string =>
  [startLine, ...headers, 'Content-Length: 0', '', ''].join('\r\n');

/** A first proxy with `lr` is a loose router; a strict router expects its own address as the Request-URI. */
const wayOf = ({ target, routes = [] }: SipLeg): { uri: string; routes: readonly string[] } => {
  const [first] = routes;
  return first === undefined || /;lr(?:[=;]|$)/i.test(first)
    ? { uri: target, routes }
    : { uri: first, routes: [...routes.slice(1), target] };
};

/**
 * Builds a BYE with the route set (RFC 3261 section 12.2.1.1). drachtio-server 0.9.10 discards the header Route of its
 * clients and sends the request to the first proxy. The CSeq number only has to be higher than any in the dialog.
 */
const byeOutsideOfAnyDialog = (leg: SipLeg, clock: Clock): string => {
  const { uri, routes } = wayOf(leg);
  return message(`BYE ${uri} SIP/2.0`, [
    ...routes.map((route) => `Route: <${route}>`),
    `From: ${leg.local}`,
    `To: ${leg.remote}`,
    `Call-ID: ${leg.sipCallId}`,
    `CSeq: ${Math.floor(clock.now() / 1_000)} BYE`,
  ]);
};

export const endLeg = async (
  leg: SipLeg,
  { send, clock }: { send: SendCommand; clock: Clock },
): Promise<LegEnd> => {
  const { transactionId, dialogId } = leg;
  /** Whether another gateway has the leg, which must not be ended then. */
  let isTaken = false;
  const succeeds = async (command: Parameters<SendCommand>[0]): Promise<boolean> => {
    try {
      await send(command);
      return true;
    } catch (error) {
      if (error instanceof NotConnected) throw error;
      isTaken ||= error instanceof Error && error.message.includes(takenByOther);
      return false;
    }
  };
  const bye = (): Promise<boolean> => succeeds({ dialogId, sip: message('BYE sip:placeholder SIP/2.0') });

  switch (leg.state) {
    case 'arriving': {
      const sip = message('SIP/2.0 480 Temporarily Unavailable');
      if (await succeeds({ transactionId, sip })) return 'answered 480';
      return (await bye()) ? 'BYE' : 'gone';
    }
    case 'inviting': {
      const isCancelled = await succeeds({ transactionId, sip: message('CANCEL sip:placeholder SIP/2.0') });
      if (isCancelled) await new Promise<void>((resolve) => void clock.setTimeout(resolve, crossingMs));
      // The INVITE was answered meanwhile, without an ACK; or the dead process sent the ACK and did not store the answer.
      const isAcknowledged = await succeeds({ dialogId, sip: message('ACK sip:placeholder SIP/2.0') });
      if ((isAcknowledged || !isCancelled) && (await bye())) return 'BYE';
      return isCancelled ? 'CANCEL' : 'gone';
    }
    default: {
      if (await bye()) return 'BYE';
      if (isTaken || leg.target.length > longestUri) return 'gone';
      await send({ nextHop: leg.nextHop ?? '', sip: byeOutsideOfAnyDialog(leg, clock) });
      return 'BYE';
    }
  }
};
