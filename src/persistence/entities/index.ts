/** All tables, ordered by their references. */
import { AdminToken } from './admin-token.ts';
import { AgentBinding } from './agent-binding.ts';
import { AuditEntry } from './audit-entry.ts';
import { CallFactRow } from './call-fact.ts';
import { CallRevival } from './call-revival.ts';
import { CallSearch } from './call-search.ts';
import { CallTransition } from './call-transition.ts';
import { CallTurn } from './call-turn.ts';
import { Call } from './call.ts';
import { ConsoleSession } from './console-session.ts';
import { DeliveryAttempt } from './delivery-attempt.ts';
import { EventDelivery } from './event-delivery.ts';
import { Event } from './event.ts';
import { IdempotencyRecord } from './idempotency-record.ts';
import { NodeSignal } from './node-signal.ts';
import { Node } from './node.ts';
import { NumberKey } from './number-key.ts';
import { PhoneNumber } from './phone-number.ts';
import { Recording } from './recording.ts';
import { RequestCount } from './request-count.ts';
import { TrunkChannel, TrunkLoad } from './trunk-load.ts';
import { SipLegRow } from './sip-leg.ts';
import { SipMessageRow } from './sip-message.ts';
import { SignInLink } from './sign-in-link.ts';
import { TrunkRow } from './trunk.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';
import { Workspace } from './workspace.ts';

export const entities = [
  Workspace,
  AdminToken,
  ConsoleSession,
  SignInLink,
  TrunkRow,
  PhoneNumber,
  AgentBinding,
  NumberKey,
  Call,
  CallTurn,
  CallFactRow,
  CallTransition,
  CallRevival,
  CallSearch,
  Recording,
  SipLegRow,
  SipMessageRow,
  AuditEntry,
  IdempotencyRecord,
  Event,
  WebhookEndpoint,
  EventDelivery,
  DeliveryAttempt,
  Node,
  NodeSignal,
  RequestCount,
  TrunkLoad,
  TrunkChannel,
];
