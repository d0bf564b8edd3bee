/** All tables, ordered by their references. */
import { AdminToken } from '../workspaces/admin-token.ts';
import { AgentBinding } from '../numbers/agent-binding.ts';
import { AuditEntry } from '../workspaces/audit-entry.ts';
import { CallFactRow } from '../calls/call-fact.ts';
import { CallCheckpoint } from '../calls/call-checkpoint.ts';
import { CallSearch } from '../calls/call-search.ts';
import { CallTransition } from '../calls/call-transition.ts';
import { CallTurn } from '../calls/call-turn.ts';
import { Call } from '../calls/call.ts';
import { ConsoleSession } from '../workspaces/console-session.ts';
import { DeliveryAttempt } from '../events/delivery-attempt.ts';
import { EventDelivery } from '../events/event-delivery.ts';
import { Event } from '../events/event.ts';
import { IdempotencyRecord } from '../workspaces/idempotency-record.ts';
import { NodeSignal } from '../nodes/node-signal.ts';
import { Node } from '../nodes/node.ts';
import { NumberKey } from '../numbers/number-key.ts';
import { PhoneNumber } from '../numbers/phone-number.ts';
import { Recording } from '../calls/recording.ts';
import { Rehearsal } from '../workspaces/rehearsal.ts';
import { RequestCount } from '../workspaces/request-count.ts';
import { TrunkChannel, TrunkLoad } from '../trunks/trunk-load.ts';
import { SipMessageRow } from '../calls/sip-message.ts';
import { SimulatedCallee } from '../workspaces/simulated-callee.ts';
import { SignInLink } from '../workspaces/sign-in-link.ts';
import { TrunkRow } from '../trunks/trunk.ts';
import { WebhookEndpoint } from '../events/webhook-endpoint.ts';
import { Workspace } from '../workspaces/workspace.ts';

export const entities = [
  Workspace,
  AdminToken,
  ConsoleSession,
  SignInLink,
  SimulatedCallee,
  TrunkRow,
  PhoneNumber,
  AgentBinding,
  NumberKey,
  Call,
  CallTurn,
  CallFactRow,
  CallTransition,
  CallCheckpoint,
  CallSearch,
  Recording,
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
  Rehearsal,
];
